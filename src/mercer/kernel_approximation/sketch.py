"""Random features of polynomial kernels as a transformer."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from mercer._typing import Data
from mercer.approximation import TensorSketch, tensor_sketch
from mercer.kernel_approximation.random_map import RandomMap
from mercer.kernels import Polynomial

__all__ = ["PolynomialSketch"]


class PolynomialSketch(RandomMap):
    """Tensor sketch: random features of the polynomial kernel (γ⟨x, z⟩ + c)^d.

    The inner products of the features have the expectation k(x, z). Their number is independent of the number of
    monomials, which grows with the degree.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ ≥ 0.
    degree : int, default=2
        Degree d.
    coef0 : float, default=0.0
        Constant c ≥ 0.
    n_components : int, default=100
        Number of features.
    random_state : int, RandomState or None, default=None
        Seed of the hashes and signs.

    Attributes
    ----------
    kernel_ : Polynomial
        Polynomial kernel.
    hashes_ : ndarray of shape (degree, n_features + 1)
        Component to which each of the d sketches adds each entry of (√γ x, √c).
    signs_ : ndarray of shape (degree, n_features + 1)
        Signs with which it is added, 1 or -1.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    mercer.preprocessing.FeatureMap : Exact features, all monomials.
    Nystroem : Features from landmarks, for any kernel.
    mercer.approximation.tensor_sketch : The same as a function.

    Notes
    -----
    The parameters are those of scikit-learn's ``PolynomialCountSketch``. The cost is O(d (D + m log m)) for a sample of
    D features, or D nonzero ones in a sparse matrix, and m components.

    References
    ----------
    * Pham and Pagh, *Fast and scalable polynomial kernels via explicit feature maps*, KDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import PolynomialSketch
    >>> X = np.random.default_rng(0).random((3, 20)) / 4
    >>> sketch = PolynomialSketch(degree=3, coef0=1.0, n_components=1000, random_state=0)
    >>> F = sketch.fit_transform(X)
    >>> (F @ F.T).round(1)
    array([[3.3, 2.7, 2.6],
           [2.7, 3.6, 2.4],
           [2.6, 2.4, 2.5]])
    >>> sketch.kernel_(X).round(1)
    array([[3.1, 2.5, 2.5],
           [2.5, 3.3, 2.2],
           [2.5, 2.2, 2.4]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gamma": [Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0.0, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Draw the hashes and signs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        self.kernel_: Polynomial = Polynomial(degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        self._vectors(X, self.kernel_, reset=True)
        drawn = tensor_sketch(
            self.kernel_,
            self.n_features_in_,
            self.n_components,
            random_state=check_random_state(self.random_state),
        )
        self.hashes_, self.signs_ = drawn.hashes, drawn.signs
        self._n_features_out = drawn.n_components
        return self

    def _map(self) -> TensorSketch:
        kernel = self.kernel_
        gamma: float = kernel.gamma  # type: ignore[assignment]
        return TensorSketch(self.hashes_, self.signs_, gamma, kernel.coef0, self._n_features_out)
