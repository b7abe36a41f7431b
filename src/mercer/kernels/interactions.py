"""Kernel of tables: interactions of few numerical and categorical columns."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import check_real, is_vector, nonnegative_vector
from mercer.kernels.column_kinds import MixedColumns
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.program import Builder

__all__ = ["Interactions"]

PSD, NOT_PSD = Definiteness.PSD, Definiteness.NOT_PSD
MOST = 16  # highest order, a limit of the core


@final
@dataclass(frozen=True)
class Interactions(MixedColumns):
    """Kernel of tables  k(x, z) = Σ_q a_q e_q(u)/e_q(v) / Σ_q a_q, products of q columns for each order q ≤ Q.

    e_q is the elementary symmetric polynomial of degree q: the sum over all sets of q columns of the products of their
    terms. The terms are u_j = v_j exp(−γ_j abs(x_j − z_j)^p) of the numerical columns j and u_c = v_c [x_c = z_c] of
    the categorical columns c.

    Parameters
    ----------
    orders : array-like of shape (Q + 1,), default=(1.0, 1.0, 1.0)
        Weights a_0, …, a_Q ≥ 0 of the orders, 1 ≤ Q ≤ 16: a_0 of the constant, a_1 of single columns, a_2 of pairs.
        Their scale has no effect; at least one is positive.
    weights : float or array-like of shape (n_features,), default=1.0
        Weights v ≥ 0 of the columns. Their scale has no effect, so any number gives all columns the same weight. A
        column with weight 0 is in no product.
    gamma : float or array-like of shape (n_numerical,), default=1.0
        Factors γ ≥ 0 of the differences of the numerical columns, in the order of the columns. A number is the factor
        of every numerical column.
    categorical : sequence of int, default=()
        Indices of the columns that contain categories: those of a `mercer.data.Table`, or codes in a matrix. Two
        codes agree if they are equal as numbers.
    p : float, default=1.0
        Exponent p > 0 of the differences of numerical columns.

    See Also
    --------
    ANOVA : Products of exactly d numerical columns, without weights.
    WeightedColumns : Products of all columns: exp(−S) of a weighted sum.
    mercer.feature_learning.LeaveOneOutWeights : Learns the weights of orders and columns.

    Notes
    -----
    The functions of the kernel are sums of functions of at most Q columns (a functional ANOVA decomposition). A rule
    such as "colour is red and size is large" reads two columns; with Q = 2 the kernel compares samples on every pair of
    columns, and not on all columns at once.

    Scaling: e_q(u)/e_q(v) is the mean of the products u/v over all sets of q columns, with the weight Π v of each set.
    It is in [0, 1] and 1 for x = z. So k(x, x) = 1, the weights of the orders can be compared, and multiplying v or a
    by a number has no effect; use ``c * k`` for another scale. An order larger than the number of columns of positive
    weight has the value 0 and reduces k(x, x). Without this normalisation, factors of v and powers of the same factor
    in a would cancel, as would a factor of a and the penalty of a ridge regression, and neither could be learned.

    The orders, the weights (if there is one for each column) and γ are free parameters: see `theta`, `with_theta` and
    `parameter_gradient`. Missing values (NaN) raise an error; replace them and add a categorical column that marks
    them.

    Definiteness: PSD for 0 < p ≤ 2, since products and sums with positive weights of PSD kernels are PSD. For p > 2 it
    is not PSD if a numerical column has an effect, as exp(−abs(x − z)^p) has a Fourier transform that is negative
    somewhere (Schoenberg), which no constant repairs.

    Feature map: infinite with numerical columns; none is implemented.

    Complexity: O(DQ) for one value, O(n²DQ) for a Gram matrix, in one pass: E_q = e_q(u)/e_q(v) of the first columns is
    updated by E_q ← (1 − r) E_q + r (u/v) E_{q−1} with shares r ∈ [0, 1], so that nothing overflows or cancels. Sparse
    matrices are not accepted.

    References
    ----------
    * Stitson et al., *Support vector regression with ANOVA decomposition kernels*, 1999.
    * Durrande, Ginsbourger, Roustant and Carraro, *ANOVA kernels and RKHS of zero mean functions for model-based
      sensitivity analysis*, Journal of Multivariate Analysis 115, 2013.
    * Duvenaud, Nickisch and Rasmussen, *Additive Gaussian processes*, NIPS 2011.

    Examples
    --------
    Three categories, of which the second sample shares two with the first. One pair of three agrees:

    >>> import numpy as np
    >>> X = np.array([[0, 1, 2], [0, 1, 0], [1, 0, 1]])
    >>> Interactions(orders=(0, 0, 1), categorical=(0, 1, 2))(X).round(4)
    array([[1.    , 0.3333, 0.    ],
           [0.3333, 1.    , 0.    ],
           [0.    , 0.    , 1.    ]])

    A pair with a column of weight 3 counts three times as much as the pair of the others:

    >>> Interactions(orders=(0, 0, 1), weights=(3, 1, 1), categorical=(0, 1, 2))(X)[0].round(4)
    array([1.    , 0.4286, 0.    ])
    >>> Interactions(weights=(3, 1, 1), categorical=(1, 2)).theta_names
    ('orders[0]', 'orders[1]', 'orders[2]', 'weights[0]', 'weights[1]', 'weights[2]', 'gamma')
    """

    name: ClassVar[str] = "interactions"
    formula: ClassVar[str] = "Σ_q a_q e_q(u)/e_q(v) / Σ_q a_q"
    takes_sparse: ClassVar[bool] = False
    orders: tuple[float, ...] = (1.0, 1.0, 1.0)
    weights: float | tuple[float, ...] = 1.0
    gamma: float | tuple[float, ...] = 1.0
    categorical: tuple[int, ...] = ()
    p: float = 1.0

    def __post_init__(self) -> None:
        orders = nonnegative_vector("Interactions", "orders", self.orders)
        if not 2 <= len(orders) <= MOST + 1:
            raise ValueError(
                f"Interactions: orders must have 2 to {MOST + 1} entries, weights of the orders 0 to Q, got "
                f"{len(orders)}; write orders=(1, 1, 1) for single columns and pairs."
            )
        if not any(orders):
            raise ValueError(
                "Interactions: orders must have a positive entry, got zeros; give a weight > 0 to an order."
            )
        object.__setattr__(self, "orders", orders)
        self._check_columns()
        if is_vector(self.gamma) and len(self.gamma):  # type: ignore[arg-type]
            gamma: float | tuple[float, ...] = nonnegative_vector("Interactions", "gamma", self.gamma)
        elif is_vector(self.gamma):
            gamma = ()  # without numerical columns
        else:
            gamma = check_real("Interactions", "gamma", self.gamma, low=0.0)
        object.__setattr__(self, "gamma", gamma)
        if isinstance(self.weights, tuple):
            self._rates(len(self.weights))
        object.__setattr__(self, "p", check_real("Interactions", "p", self.p, low=0.0, strict=True))

    def _order_shares(self) -> DoubleArray:
        """Weights of the orders, with sum 1."""
        a = np.asarray(self.orders) / max(self.orders)
        return np.asarray(a / a.sum())

    def _rates(self, n_features: int) -> dict[int, float]:
        """Factor γ of each numerical column, after a check of their number."""
        codes = set(self.categorical)
        numerical = [j for j in range(n_features) if j not in codes]
        if not isinstance(self.gamma, tuple):
            return dict.fromkeys(numerical, self.gamma)
        if len(self.gamma) != len(numerical):
            raise ValueError(
                f"Interactions: gamma has {len(self.gamma)} entries but there are {len(numerical)} numerical columns; "
                "give one entry per numerical column, or one number for all of them."
            )
        return dict(zip(numerical, self.gamma, strict=True))

    def _terms(self, n_features: int) -> tuple[list[int], tuple[float, ...], DoubleArray]:
        """Columns of positive weight, numerical ones first, their factors γ, and the shares r of the recurrence."""
        rates, (numerical, categorical) = self._rates(n_features), self._active(n_features)
        columns = numerical + categorical
        weights = self._column_weights(n_features)[columns]
        shares_of = shares(np.asarray(weights, dtype=np.float64), len(self.orders) - 1)
        return columns, tuple(rates[j] for j in numerical), shares_of

    def _without_effect(self) -> tuple[str, ...]:
        """Parameters that change no value, whatever the data."""
        if not isinstance(self.weights, tuple):
            return ("weights",)
        return ("gamma",) if not self._active(len(self.weights))[0] else ()

    def _slopes(self, n_features: int) -> tuple[list[int], tuple[float, ...], DoubleArray]:
        """Columns and factors γ as in `_terms`, and derivatives of e_q(v)/e_q(1) in log v_k, relative to it."""
        columns, rates, r = self._terms(n_features)
        return columns, rates, column_shares(r)

    def _nearby_weights(self, n_features: int) -> DoubleArray:
        """Weights w of the distance S with k(x, z) ≈ k(x, x) − S for samples that differ little."""
        columns, rates, slopes = self._slopes(n_features)
        found = np.zeros(n_features)
        found[columns] = self._order_shares()[1:] @ slopes
        found[columns[: len(rates)]] *= rates
        return found

    def emit(self, program: Builder, X: Data) -> None:
        array: FloatArray = program.vectors(self, X)
        columns, rates, r = self._terms(array.shape[1])
        if not columns:  # every order but 0 vanishes
            columns, r = list(range(array.shape[1])), np.zeros((array.shape[1], len(self.orders) - 1))
        program.interactions(program.chosen(array, columns), self._order_shares(), rates, r, self.p)

    def proof(self) -> Certificate:
        if self.p <= 2:
            return self._certify(
                PSD, "sums with weights a ≥ 0 of products of v exp(−γ|x−z|^p), 0 < p ≤ 2, and v[x=z]", "Schoenberg 1938"
            )
        if not any(self.orders[1:]):
            return self._certify(PSD, "the constant a₀")
        if isinstance(self.weights, tuple):
            rates, (numerical, categorical) = self._rates(len(self.weights)), self._active(len(self.weights))
            width = len(numerical) + len(categorical)
            if not any(rates[j] for j in numerical) or not any(self.orders[1 : width + 1]):
                return self._certify(PSD, "no numerical column has an effect, so p has none")
        elif self.weights == 0 or not np.any(self.gamma):
            return self._certify(PSD, "no numerical column has an effect, so p has none")
        return self._certify(
            NOT_PSD,
            "in one numerical column A + B exp(−γ|x−z|^p), p > 2, whose Fourier transform is negative somewhere",
            "Schoenberg 1938",
        )


def shares(weights: DoubleArray, degree: int) -> DoubleArray:
    """Shares r_kq = v_k e_{q−1}(v_1 … v_{k−1})/e_q(v_1 … v_k) of shape (n_columns, degree).

    Ratios R_q = e_q/e_{q−1} of the columns so far are updated instead of e_q, which may overflow. Where both are 0, the
    share is 1, and multiplies zeros.

    >>> shares(np.array([1.0, 1.0, 2.0]), 2)
    array([[1. , 1. ],
           [0.5, 1. ],
           [0.5, 0.8]])
    """
    found = np.empty((len(weights), degree))
    ratio = np.zeros(degree)
    for k, v in enumerate(weights / weights.max(initial=0.0)):
        total = ratio + v  # 0 if v is negligible beside the largest weight and no other column came first
        found[k] = np.divide(v, total, out=np.ones(degree), where=total > 0)
        ratio = total * np.append(1.0, np.divide(ratio, total, out=np.zeros(degree), where=total > 0)[:-1])
    return found


def column_shares(r: DoubleArray) -> DoubleArray:
    """Derivatives s_qk of E_q in the factor of column k where all factors are 1, of shape (degree, n_columns).

    They are the share of the sets of q columns that contain k, by weight, and add up to q.

    >>> column_shares(shares(np.array([3.0, 1.0, 1.0]), 2)).round(4)
    array([[0.6   , 0.2   , 0.2   ],
           [0.8571, 0.5714, 0.5714]])
    """
    d, degree = r.shape
    found = np.zeros((degree, d))
    slopes = np.eye(degree, degree + 1, 1)  # of E_q in the means of all orders, from the last column backwards
    for k in range(d - 1, -1, -1):
        before = np.arange(degree) <= k  # E_{q−1} of the columns before k is 1, or 0 if they are too few
        found[:, k] = slopes[:, 1:] @ (r[k] * before)
        moved = np.zeros_like(slopes)
        moved[:, :-1] = slopes[:, 1:] * r[k]
        slopes[:, 1:] *= 1 - r[k]
        slopes += moved
    if degree > d:
        found[d:] = 0.0
    return found
