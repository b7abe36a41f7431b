"""Random Fourier features as a transformer."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator import Training, as_kernel
from mercer._estimator.blocks.features import random_features
from mercer._estimator.blocks.training import surveyed_kernel
from mercer._estimator.features import Approximation
from mercer._estimator.kernel import default_width, meant_kernel
from mercer._typing import Data
from mercer.approximation import FittedApproximation, FourierMap, random_fourier
from mercer.approximation.spectral import spectral_terms
from mercer.data import BlockSource
from mercer.kernel_approximation.random_map import RandomMap
from mercer.kernels import Kernel

__all__ = ["RandomFourierFeatures"]


class RandomFourierFeatures(RandomMap):
    """Random Fourier features of a shift-invariant kernel.

    The features are cosines and sines of random projections ⟨ω, x⟩, whose frequencies ω are drawn from the spectral
    measure of the kernel. Their inner products have the expectation k(x, z).

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        "rbf" or "laplacian" with the parameter below, or a kernel object or its text form: `RBF`, `Laplacian`,
        `Exponential`, `Matern` or `RationalQuadratic`, or sums, products and positive multiples of them.
        Names: :ref:`kernel-names`. Functions are not supported.
    gamma : float, default=None
        Coefficient of a kernel given by name; None stands for 1 / n_features.
    n_components : int, default=100
        Number of features: a cosine and a sine for each frequency. If it is odd, the last frequency has only a cosine.
    orthogonal : bool, default=True
        Whether the frequencies are orthogonal in groups of n_features, which lowers the variance. The frequencies of
        the Laplacian kernel are always independent.
    random_state : int, RandomState or None, default=None
        Seed of the frequencies.

    Attributes
    ----------
    kernel_ : Kernel
        Kernel with all parameters resolved to numbers.
    frequencies_ : ndarray of shape (n_features, n_frequencies)
        Frequencies ω.
    amplitudes_ : ndarray of shape (n_frequencies,)
        Factors of the cosines and sines.
    offsets_ : ndarray of shape (n_frequencies,)
        Numbers that are added to the projections: 0, and a random one for the last frequency of an odd `n_components`.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    Nystroem : Features from landmarks, for any kernel; more accurate with the same number of features.
    mercer.approximation.random_fourier : The same as a function.

    Notes
    -----
    The columns are the cosines of all frequencies, followed by the sines. `fit` reads X only to check it and to resolve
    parameters such as ``gamma="scale"``. The error of a kernel value is O(1/√n_components).

    References
    ----------
    * Rahimi and Recht, *Random features for large-scale kernel machines*, NIPS 2007.
    * Yu, Suresh, Choromanski, Holtmann-Rice and Kumar, *Orthogonal random features*, NIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import RandomFourierFeatures
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> features = RandomFourierFeatures(gamma=0.5, n_components=2000, random_state=0)
    >>> F = features.fit_transform(X)
    >>> (F @ F.T).round(2)
    array([[1.  , 0.61, 0.37],
           [0.61, 1.  , 0.62],
           [0.37, 0.62, 1.  ]])
    >>> features.kernel_(X).round(2)
    array([[1.  , 0.61, 0.37],
           [0.61, 1.  , 0.61],
           [0.37, 0.61, 1.  ]])
    """

    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [str, callable, Kernel],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left"), None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "orthogonal": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        n_components: int = 100,
        orthogonal: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.orthogonal = orthogonal
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Resolve the kernel and draw the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
            Also a `mercer.data.BlockSource`, which is read in passes.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        kernel = meant_kernel(self, by="block")
        if kernel is None:
            kernel = as_kernel(self.kernel, who="RandomFourierFeatures")  # raises, since a Gram matrix has no features
        spectral_terms("RandomFourierFeatures", kernel)  # raises for other kernels, before it is asked for vectors
        if isinstance(X, BlockSource):
            self.kernel_ = surveyed_kernel(self, X, kernel)
        else:
            X = self._vectors(X, kernel, reset=True)
            self.kernel_ = default_width(self, kernel, X).resolve(X)
        drawn = random_fourier(
            self.kernel_,
            self.n_features_in_,
            self.n_components,
            orthogonal=self.orthogonal,
            random_state=check_random_state(self.random_state),
        )
        self.frequencies_, self.amplitudes_, self.offsets_ = drawn.frequencies, drawn.amplitudes, drawn.offsets
        self._n_features_out = drawn.n_components
        return self

    def _approximate(self, estimator: Any, training: Training) -> Approximation:  # noqa: ARG002
        """Features for the parameter ``approximation=`` of an estimator, with the kernel of the estimator."""
        if training.kernel is None:
            raise ValueError(
                f"{training.who}: random Fourier features need a shift-invariant kernel, got kernel='precomputed'; use "
                "approximation=m for Nyström features."
            )
        spectral_terms(training.who, training.kernel)
        drawn = random_fourier(
            training.kernel,
            training.n_features,
            self.n_components,
            orthogonal=self.orthogonal,
            random_state=check_random_state(self.random_state),
        )
        reason = f"approximation={self!r}"
        return random_features(
            training,
            FittedApproximation("random_fourier", drawn.n_components, training.n, training.n, reason, map=drawn),
        )

    def _map(self) -> FourierMap:
        return FourierMap(self.frequencies_, self.amplitudes_, self.offsets_, self._n_features_out)
