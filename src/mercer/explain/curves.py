"""Curves of a score in one column, for all rows: from a kernel expansion in one pass, or by prediction."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from mercer._runtime.products import product
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.exceptions import NotSeparableError
from mercer.explain.expansion import Score
from mercer.explain.hybrids import combines_columns
from mercer.explain.integration import Tile
from mercer.explain.replaced import n_rows, replaced, rows_of
from mercer.explain.separation import Separation
from mercer.explain.terms import Samples, Terms, check_terms, overflowing
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["expansion_curves", "predicted_curves"]

OWN, OTHERS = 0, 1  # the two players: the columns that are changed, and all others


def expansion_curves(
    who: str, score: Score, rows: Samples, places: Samples, columns: IndexArray, *, individual: bool, tol: float
) -> tuple[DoubleArray, float]:
    """Scores of all rows with some columns from each of the places, and a bound on their error.

    A kernel that is a sum of products k(x, z) = Σ_t c_t A_t(x_own, z) B_t(x_others, z) has

        f(v_own, x_others) = Σ_t c_t Σ_i a_i A_t(v, x_i) B_t(x, x_i) + b,

    a product of two matrices that need n_places · n_points and n_rows · n_points values, in place of
    n_rows · n_places · n_points values of the kernel. For the average over the rows, B_t is averaged first. A kernel
    that combines columns is not such a sum, and needs all these values.

    Returns
    -------
    curves : ndarray of shape (n_rows, n_places, n_outputs), or (1, n_places, n_outputs) unless `individual`
        Scores, or their averages over the rows.
    error : float
        Bound on the absolute error, apart from rounding; 0 unless a part of the kernel was replaced by a mixture.
    """
    owner = np.full(len(score.names), OTHERS, dtype=np.int64)
    owner[columns] = OWN
    n, m, n_outputs = len(rows), len(places), score.coef.shape[1]
    out = np.zeros((n if individual else 1, m, n_outputs))
    terms = Terms.constant(0.0)
    height, width = _tile_shape(n, m, len(score.points))
    with overflowing():
        if len(score.points):
            separation = Separation(score.names, owner, (places, rows), score.points, tol)
            try:
                terms = separation.terms(score.kernel, np.arange(len(score.names)))
            except NotSeparableError:
                if not combines_columns(score.kernel, rows, places):
                    raise
                return _hybrid_curves(score, rows, places, columns, individual=individual), 0.0
        for some in panels(len(score.points), width):
            z = score.points.rows(some.start, some.stop)
            at = Tile(places, z)
            for chosen in panels(n, height):
                to = chosen if individual else slice(0, 1)
                _add(terms, at, Tile(rows.rows(chosen.start, chosen.stop), z), score.coef[some], out[to])
    check_terms(who, score.kernel, out)
    if not individual:
        out /= n
    error = terms.error * float(np.abs(score.coef).sum(axis=0).max(initial=0.0))
    return out + score.intercept, error


def _hybrid_curves(
    score: Score, rows: Samples, places: Samples, columns: IndexArray, *, individual: bool
) -> DoubleArray:
    """The same curves, from the score of every row at every place."""
    hybrid, found = rows.matrix.copy(), []
    for place in places.matrix:
        hybrid[:, columns] = place[columns]
        values = score(Samples(hybrid, hybrid))
        found.append(values if individual else values.mean(axis=0, keepdims=True))
    return np.stack(found, axis=1)


def _add(terms: Terms, at: Tile, rows: Tile, coef: DoubleArray, out: DoubleArray) -> None:
    """Add the terms of one tile. One row of `out` in place of all takes their sum."""
    for factors, coefficient in terms.terms.items():
        A = at.product([factor for factor in factors if factor.player == OWN])
        B = rows.product([factor for factor in factors if factor.player == OTHERS])
        if len(out) < len(B):
            B = B.sum(axis=0, keepdims=True)
        for o in range(coef.shape[1]):
            out[:, :, o] += product(B, np.ascontiguousarray((A * (coefficient * coef[:, o])).T))


def _tile_shape(n: int, m: int, n_points: int) -> tuple[int, int]:
    """Numbers of rows and points of a tile whose factors fit in the budget, together with those of the places."""
    entries = MEMORY_BUDGET // (4 * 8)  # distances and products of rows and places
    height = min(n, max(1, entries // (2 * max(min(n_points, 256), 1))))
    return height, max(1, entries // (height + m))


def predicted_curves(
    who: str, model: Any, X: Data, places: Data, column: int, *, individual: bool
) -> tuple[DoubleArray, list[Any]]:
    """The same from predictions for rows whose column was replaced, which any estimator can make, and the outputs."""
    n, found = n_rows(X), []
    for i in range(n_rows(places)):
        hybrid = replaced(who, X, column, rows_of(places, np.full(n, i)))
        values, outputs = _scores(model, hybrid)
        found.append(values if individual else values.mean(axis=0, keepdims=True))
    return np.stack(found, axis=1), outputs


def _scores(model: Any, X: Data) -> tuple[DoubleArray, list[Any]]:
    """Decision values if there are any, else probabilities, else predictions; and names of the outputs."""
    if hasattr(model, "decision_function") and not is_regressor(model):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
    elif hasattr(model, "predict_proba"):
        values = np.asarray(model.predict_proba(X), dtype=np.float64)
        values = values[:, 1] if values.shape[1] == 2 else values
    else:
        values = np.asarray(model.predict(X), dtype=np.float64)
    values = values.reshape(len(values), -1)
    classes = model.classes_.tolist() if is_classifier(model) else []
    if classes and values.shape[1] == 1:
        return values, classes[1:]
    return values, classes if len(classes) == values.shape[1] else list(range(values.shape[1]))
