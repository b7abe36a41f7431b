"""Exact Shapley values of kernel expansions."""

from typing import Any

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import check_flag, check_real
from mercer.data import n_samples
from mercer.data.frames import plain, split
from mercer.data.tables.table import Table
from mercer.exceptions import NotSeparableError
from mercer.explain.expansion import Score, score_of
from mercer.explain.hybrids import Hybrids, combines_columns
from mercer.explain.integration import Integrals
from mercer.explain.players import Players, make_players
from mercer.explain.separation import Separation
from mercer.explain.shapley_result import ShapleyValues
from mercer.explain.terms import Samples, Terms, check_terms, overflowing
from mercer.explain.weighted import explained

__all__ = ["shapley_values"]

WHO = "shapley_values"
INTEGRALS = 0.01  # share of the tolerance that integrals of mixtures may take


def shapley_values(
    model: Any,
    X: Data,
    background: Data,
    *,
    players: Any = None,
    interactions: bool = False,
    tol: float = 1e-10,
    n_jobs: int | None = None,
) -> ShapleyValues:
    """Compute exact Shapley values of the score of a kernel machine.

    The score f(x) = Σ_i a_i k(x, x_i) + b is divided among the columns. The worth of a set S of columns is the
    mean of f over hybrid rows with the columns of S from x and the others from a background row:
    v(S) = mean_r f(x_S, r_rest) (interventional Shapley values). The value φ_j of column j is the mean increase of v
    when j joins the columns before it, over all orders of the columns. All values add up to f(x) minus the mean score
    of the background rows.

    Parameters
    ----------
    model : estimator or KernelExpansion
        Fitted kernel machine (`SVC`, `SVR`, `KernelRidge`, `KernelLogisticRegression`, `KernelDiscriminantAnalysis`,
        `MKLClassifier`, ...), a pipeline of scalers and such a machine, an automatic model, or an expansion given by
        its parts.
    X : array-like, frame or Table of shape (n_rows, n_features)
        Rows to explain.
    background : array-like, frame or Table of shape (n_background, n_features)
        Background rows, for example a random sample of 50 to 200 training rows.
    players : list of lists, or dict of str to list, default=None
        Groups of columns that join together, by index or name: the one-hot columns of a category, a value and its
        missing flag. Keys of a dict are names. Columns in no group are players of their own. None: every column is a
        player.
    interactions : bool, default=False
        Whether to compute the Shapley interaction values of all pairs of players as well, a matrix for each row whose
        row sums are the Shapley values.
    tol : float, default=1e-10
        Largest absolute error of kernel values that are approximated by a mixture of products.
    n_jobs : int, default=None
        Number of threads. None and -1 use all available threads.

    Returns
    -------
    ShapleyValues
        Values, base value, score, names of the players, and a bound on the error.

    Raises
    ------
    NotSeparableError
        If the kernel is not a sum of products over the players, and has no `LinearMap` either.
    TypeError
        If the model is not a kernel expansion, or if its samples have no columns.

    See Also
    --------
    top_features : Contributions of explicit features, also for strings, trees and graphs.
    mercer.plots.ShapleyDisplay : Plots of the values.

    Notes
    -----
    For a product kernel k(x, z) = Π_j k_j(x_j, z_j), with a_ij = k_j(x_j, x_ij) and b_ij = k_j(r_j, x_ij),

        φ_j = ∫₀¹ Σ_i a_i (a_ij − b_ij) Π_{l≠j} (t·a_il + (1−t)·b_il) dt.

    The integrand is a polynomial of degree d − 1 for d players, so that Gauss–Legendre quadrature with ⌈d/2⌉ nodes is
    exact. The cost is n_rows · n_background · n_points · d · ⌈d/2⌉ multiplications, instead of 2^d evaluations of the
    model. The interaction index of two players j and k is the integral of a second difference,

        I_jk = ∫₀¹ Σ_i a_i (a_ij − b_ij)(a_ik − b_ik) Π_{l≠j,k} (t·a_il + (1−t)·b_il) dt,

    and each of the two players gets one half: ``interactions[:, j, k]`` = I_jk / 2. The main effect on the diagonal is
    the rest, φ_j − Σ_{k≠j} I_jk / 2, so that rows of the matrix add up to the Shapley values. Interactions cost d/2
    times as much as the values.

    Products over columns are `RBF`, `Laplacian`, `Periodic`, `Chi2`, `WeightedColumns` with g = 1, `Delta` and
    `Brownian`. Sums, multiples, products, integer powers, polynomials, `Columns`, `Linear`, `Polynomial`, `ANOVA`,
    `Overlap` and other sums over columns follow by linearity. The exponential of a sum over columns is a product over
    columns, and so is a normalised product. A kernel whose columns all belong to one player is a single factor.

    `Exponential`, `Matern`, `RationalQuadratic` and `WeightedColumns` with g < 1 are completely monotone functions of
    a sum over columns, hence mixtures of products Π_j exp(−u s_j) (Bernstein). Few rates u with weights from
    nonnegative least squares have an error of at most `tol` on the range of distances that occurs. The cost is
    multiplied by the number of rates, 20 to 60. ``error`` of the result is 2 Σ_i abs(a_i) times the error of the
    kernel, the largest over the outputs; it also bounds the error of interactions of two players. The error of the
    kernel is measured on a fine grid of distances.

    The score of `AutoRegressor` is the prediction of its stack. That of `AutoClassifier` is the weighted sum of the
    scores from which its members compute probabilities, where support vector machines of more than two classes enter
    with the sum of the decision values of a class against all others, in place of votes. The players are the columns of
    the raw table: the two forms of a number and the mark of its missing values join together. If members are fitted in
    regions of the samples, those of the row's own region are explained, and the player "(region)" has the difference of
    their base value from the mean. An automatic model of one machine has the score of that machine; columns that its
    kernel does not read are not players.

    A kernel with a `LinearMap` of columns of several players is not a product over the players. If it reads at most 8
    players, the worths of all subsets are computed. With more players, values are means over random orders of the
    players and their reverses, at least two pairs of them for each background row and 200 in all: they still add up to
    the score minus the base value, ``error`` is three times the largest standard error instead of a bound, ``sampled``
    of the result is True, and interactions raise NotSeparableError. Members of automatic models that rotate columns are
    of this kind.

    Classifiers are explained by the decision value of ``classes_[1]`` if there are two classes. For more classes there
    is an output for each class; for one-vs-one machines it is the sum of the decision values of the class against all
    others.

    References
    ----------
    * Shapley, *A value for n-person games*, Contributions to the Theory of Games 2, 1953.
    * Owen, *Multilinear extensions of games*, Management Science 18, 1972, doi:10.1287/mnsc.18.5.64.
    * Grabisch and Roubens, *An axiomatic approach to the concept of interaction among players in cooperative games*,
      International Journal of Game Theory 28, 1999, doi:10.1007/s001820050125.
    * Mohammadi, Chau and Muandet, *Computing exact Shapley values in polynomial time for product-kernel methods*,
      2025, arXiv:2505.16516.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.explain import shapley_values
    >>> from mercer.svm import SVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(200, 4))
    >>> y = 3 * X[:, 0] + X[:, 1] ** 2
    >>> model = SVR(C=100.0, gamma=0.1).fit(X, y)
    >>> found = shapley_values(model, X[:20], X[::4])
    >>> found.values.shape
    (20, 4)
    >>> found.names[int(found.importance.argmax())]
    'x0'
    >>> bool(np.allclose(found.base + found.values.sum(axis=1), model.predict(X[:20])))
    True
    """
    tol = check_real(WHO, "tol", tol, low=0.0, strict=True)
    interactions = check_flag(WHO, "interactions", interactions)
    if hasattr(model, "_score_parts"):
        if players is not None:
            raise ValueError(
                f"{WHO}: the players of {type(model).__name__} are the columns of its table; leave players= out."
            )
        options = {"interactions": interactions, "tol": tol, "n_jobs": n_jobs}
        return explained(shapley_values, model, X, background, options)
    score = score_of(model)
    chosen = make_players(WHO, players, score.names)
    for name, data in (("X", X), ("background", background)):
        if n_samples(data) == 0:
            raise ValueError(f"{WHO}: {name} has 0 rows, expected at least 1; check how it was selected.")
    rows, others = score.read(X), score.read(background)
    separation = Separation(score.names, chosen.owner, (rows, others), score.points, tol)
    constant = not len(score.points)
    n_players = len(chosen.names)
    how: dict[str, Any] = {"interactions": interactions, "tol": INTEGRALS * tol, "n_jobs": n_jobs}
    joined = len(score.outputs) * (n_players + interactions * n_players**2)
    require_memory(
        8 * len(rows) * joined,
        what=f"{WHO}: values of {len(rows)} rows, {n_players} players and {len(score.outputs)} outputs"
        + (", with interactions of all pairs of players," if interactions else ""),
        instead="Explain fewer rows at a time, or join columns to fewer players (players=).",
    )
    with overflowing():
        try:
            terms = Terms.constant(0.0) if constant else separation.terms(score.kernel, np.arange(len(score.names)))
        except NotSeparableError:
            if not combines_columns(score.kernel, rows, others):
                raise
            values, pairs, error, sampled = _of_hybrids(score, chosen, separation, rows, others, how)
        else:
            integrals = Integrals(terms, score.coef, n_players, **how)
            values, pairs = integrals.run(rows, others, score.points)
            error = (2 * terms.error + integrals.error) * float(np.abs(score.coef).sum(axis=0).max(initial=0.0))
            sampled = False
    check_terms(WHO, score.kernel, values, *([] if pairs is None else [pairs]))
    if pairs is not None:
        pairs /= 2  # each of the two columns has one half
        at = np.arange(n_players)
        pairs[:, at, at] = values - pairs.sum(axis=2)
    base, values_of_rows = score(others, n_jobs).mean(axis=0), score(rows, n_jobs)
    shown = _shown(X, chosen)
    found = ShapleyValues(values, base, values_of_rows, chosen.names, error, shown, score.outputs, pairs, sampled)
    return found.of_output(score.outputs[0]) if len(score.outputs) == 1 else found


def _of_hybrids(
    score: Score, players: Players, separation: Separation, rows: Samples, others: Samples, how: dict[str, Any]
) -> tuple[DoubleArray, DoubleArray | None, float, bool]:
    """Values, interactions, error, and whether orders were sampled, for a kernel that combines columns."""
    read = separation.players(score.kernel)
    hybrids = Hybrids(score, others, [np.array(players.columns[j]) for j in read], how["n_jobs"])
    own, between, error = hybrids.run(rows, interactions=how["interactions"])
    n, n_players, n_outputs = len(rows), len(players.names), len(score.outputs)
    values = np.zeros((n, n_players, n_outputs))
    values[:, read] = own
    if between is None:
        return values, None, error, error > 0
    pairs = np.zeros((n, n_players, n_players, n_outputs))
    pairs[:, read[:, None], read] = between
    return values, pairs, error, error > 0


def _shown(X: Data, players: Players) -> DoubleArray:
    """Numbers of players that are one numerical column, else NaN."""
    if isinstance(X, Table):
        columns: list[Any] = [X.column(j) for j in range(X.shape[1])]
    else:
        columns = [plain(WHO, name, values) for name, values in split(WHO, X)]
    found = np.full((n_samples(X), len(players.names)), np.nan)
    for player, members in enumerate(players.columns):
        column = np.asarray(columns[members[0]])
        if len(members) == 1 and column.dtype.kind in "fiub":
            found[:, player] = column
    return found
