"""Kernel of tables: a weighted distance over numerical and categorical columns."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, final

import numpy as np

from mercer._typing import Data, FloatArray
from mercer._validation import check_real
from mercer.kernels.column_kinds import MixedColumns
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder

__all__ = ["WeightedColumns"]

PSD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


@final
@dataclass(frozen=True)
class WeightedColumns(MixedColumns):
    """Kernel of tables  k(x, z) = exp(−S^g) with a weighted sum S over numerical and categorical columns.

    S = Σ_j w_j abs(x_j − z_j)^p over the numerical columns j, plus Σ_c w_c [x_c ≠ z_c] over the categorical columns c.

    Parameters
    ----------
    weights : float or array-like of shape (n_features,), default=1.0
        Weights w ≥ 0, one for each column, in the order of the columns. A number is the weight of every column. A
        column with weight 0 has no effect.
    categorical : sequence of int, default=()
        Indices of the columns that contain categories: those of a `mercer.data.Table`, or codes in a matrix. Two
        codes agree if they are equal as numbers, and their difference has no meaning. A code that did not occur in
        training disagrees with every code that did. The same holds for negative codes: two samples with the code −1
        agree.
    p : float, default=1.0
        Exponent p > 0 of the differences of numerical columns.
    g : float, default=1.0
        Exponent g > 0 of the sum.

    See Also
    --------
    Laplacian : The case p = g = 1 without categories.
    RBF : The case p = 2, g = 1 without categories.
    Columns : Kernel on some columns, for other combinations of numbers and categories.
    Interactions : Sums over products of few columns, for rules.
    Overlap : The share of categories that agree.

    Notes
    -----
    For g = 1 the kernel is a product over the columns. For p = 2 and g = 1/2 without categories it is the exponential
    kernel of the Euclidean distance.

    The weights and g are free parameters: see `theta`, `with_theta` and `parameter_gradient`. Missing values (NaN)
    raise an error; replace them and add a categorical column that marks them.

    Definiteness: PSD for 0 < p ≤ 2 and 0 < g ≤ 1. The terms abs(x − z)^p and [x ≠ z] are conditionally negative
    definite, and so are sums of them and powers g ≤ 1 of such sums; exp(−·) of these functions is PSD (Schoenberg).
    A single column is a special case: PSD also for p·g ≤ 2, and for every g if it is categorical. With a numerical
    column of positive weight, the kernel is not PSD for p·g > 2, nor for g > 1 if there is another column of positive
    weight. It is unknown for p > 2 with several columns.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix. For p = 2 the numerical columns have the speed of a matrix
    product, otherwise the sum runs over the coordinates; p = 1/2, 1 and 3/2 are faster than other exponents. Sparse
    matrices are not accepted.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938,
      doi:10.1090/S0002-9947-1938-1501980-0.
    * Berg, Christensen and Ressel, *Harmonic Analysis on Semigroups*, 1984, doi:10.1007/978-1-4612-1128-0.

    Examples
    --------
    A table with two numerical columns and one categorical column:

    >>> import numpy as np
    >>> X = np.array([[0.5, 1.0, 0], [0.5, 3.0, 0], [1.5, 1.0, 2]])
    >>> k = WeightedColumns(weights=(1.0, 0.25, 2.0), categorical=(2,))
    >>> k(X).round(4)
    array([[1.    , 0.6065, 0.0498],
           [0.6065, 1.    , 0.0302],
           [0.0498, 0.0302, 1.    ]])
    >>> k.theta_names
    ('weights[0]', 'weights[1]', 'weights[2]', 'g')
    """

    name: ClassVar[str] = "weighted_columns"
    formula: ClassVar[str] = "exp(−(Σw|x−z|^p + Σw[x≠z])^g)"
    takes_sparse: ClassVar[bool] = False
    weights: float | tuple[float, ...] = 1.0
    categorical: tuple[int, ...] = ()
    p: float = 1.0
    g: float = 1.0

    def __post_init__(self) -> None:
        self._check_columns()
        object.__setattr__(self, "p", check_real("WeightedColumns", "p", self.p, low=0.0, strict=True))
        object.__setattr__(self, "g", check_real("WeightedColumns", "g", self.g, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        self._push_sum(program, array)
        if self.g == 0.5:
            program.map(Op.sqrt)
        elif self.g != 1:
            program.map(Op.power, self.g)
        program.map(Op.exp, -1.0)

    def _push_sum(self, program: Builder, array: FloatArray) -> None:
        """Push the sum S."""
        weights = self._column_weights(array.shape[1])
        numerical, categorical = self._active(array.shape[1])

        scale = tuple(weights[numerical].tolist())
        if numerical and self.p == 2:
            program.sqdist(program.chosen(array, numerical), tuple(math.sqrt(w) for w in scale))
        elif numerical:
            program.coordinates(Op.l1 if self.p == 1 else Op.power_sum, program.chosen(array, numerical), scale, self.p)
        if categorical:
            program.coordinates(Op.mismatch, program.chosen(array, categorical), tuple(weights[categorical].tolist()))
        if numerical and categorical:
            program.join(Op.add)
        elif not numerical and not categorical:
            program.coordinates(Op.l1, array, tuple(weights.tolist()))  # zeros of the type of the data

    def proof(self) -> Certificate:
        if self.p <= 2 and self.g <= 1:
            return self._certify(
                PSD,
                "exp(−S^g), 0 < g ≤ 1, of the conditionally negative definite S = Σw|x−z|^p + Σw[x≠z], 0 < p ≤ 2",
                "Schoenberg 1938",
            )
        if not isinstance(self.weights, tuple):
            return self._proof_of_any_width()
        numerical, categorical = self._active(len(self.weights))
        if not numerical and (len(categorical) < 2 or self.g <= 1):
            return self._certify(PSD, "exp(−S^g) of [x≠z] for one category, or of Σw[x≠z] for g ≤ 1; p has no effect")
        if numerical and self.p * self.g > 2:
            return self._certify(NOT_PSD, "on one numerical column exp(−c|x−z|^q), q = p·g > 2", "Schoenberg 1938")
        if numerical and len(numerical) + len(categorical) == 1:
            return self._certify(PSD, "exp(−c|x−z|^q) of one column, 0 < q = p·g ≤ 2", "Schoenberg 1938")
        if self.g > 1 and (numerical or self._square_is_indefinite(categorical)):
            return self._certify(NOT_PSD, "S^g, g > 1, on the four points of two columns with two values each")
        return self._certify(UNKNOWN, "no rule for p > 2, or for g > 1, and several columns")

    def _proof_of_any_width(self) -> Certificate:
        """Verdict if the number of columns is not known."""
        if self.weights == 0:
            return self._certify(PSD, "the constant 1, as all weights are 0")
        if self.p * self.g > 2:
            return self._certify(NOT_PSD, "on one numerical column exp(−c|x−z|^q), q = p·g > 2", "Schoenberg 1938")
        return self._certify(UNKNOWN, "depends on the number of columns if p > 2 or g > 1; give one weight per column")

    def _square_is_indefinite(self, categorical: list[int]) -> bool:
        """Whether two categories with two values each have the negative eigenvalue 1 − k₁ − k₂ + k₁₂."""
        weights: Any = self.weights
        with np.errstate(over="ignore"):
            for a, b in combinations([weights[c] for c in categorical], 2):
                one, other, both = np.exp(-(np.array([a, b, a + b]) ** self.g))
                if 1 - one - other + both < -1e-12:
                    return True
        return False
