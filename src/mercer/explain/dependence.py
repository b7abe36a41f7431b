"""Partial dependence of the score on a column, and curves of single rows."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_choice, check_flag, check_integer, check_real
from mercer.data import n_samples, take
from mercer.data.frames import locate
from mercer.data.names import column_names
from mercer.exceptions import NotSeparableError
from mercer.explain.curves import expansion_curves, predicted_curves
from mercer.explain.dependence_result import PartialDependence
from mercer.explain.expansion import Score, score_of
from mercer.explain.replaced import column_values, n_rows, places, rows_of

__all__ = ["partial_dependence"]

WHO = "partial_dependence"
Method = Literal["auto", "expansion", "predict"]


def partial_dependence(
    model: Any,
    X: Data,
    column: int | str,
    *,
    n_values: int = 50,
    at: Data = None,
    individual: bool = True,
    method: Method = "auto",
    tol: float = 1e-10,
) -> PartialDependence:
    """Compute the average score as a function of one column, and the curve of every row.

    The curve of a row x is f(v, x_rest): the score of the row with the value v in the column in place of its own. The
    partial dependence is the average of these curves over the rows. Where columns are dependent, some of the
    rows with replaced values are unlike any sample; the individual curves show what the average hides.

    Parameters
    ----------
    model : estimator or KernelExpansion
        Any model that `shapley_values` explains, in units of the same score. With ``method="predict"``, any fitted
        estimator.
    X : array-like, frame, Table or dict of columns, of shape (n_rows, n_features)
        Rows over which the average is taken, for example some hundred training rows.
    column : int or str
        Index or name of the column of X.
    n_values : int, default=50
        Largest number of values at which the curves are computed, at least 2. They are values of the column that occur
        in X: all of them, or, if there are more, half those at equidistant quantiles and half those nearest to
        equidistant numbers, or the most frequent categories. Missing values are not among them.
    at : array-like, frame, Table or dict of columns, default=None
        Rows with the columns of X, whose values in the column are used, in this order, in place of those of X.
    individual : bool, default=True
        Whether to keep the curves of all rows. Averages alone need less time and memory.
    method : {"auto", "expansion", "predict"}, default="auto"
        ``"expansion"`` computes all curves in one pass from the kernel expansion of the model. ``"predict"`` replaces
        the column and calls ``decision_function``, ``predict_proba`` or ``predict``, the first of them that a
        classifier has, and ``predict`` of regressors. ``"auto"`` is ``"expansion"`` if the model is a kernel expansion
        whose kernel is a sum of products of a function of the column and one of the others, else ``"predict"``. The
        method used is stored in the result.
    tol : float, default=1e-10
        Largest absolute error of kernel values that are approximated by a mixture of products.

    Returns
    -------
    PartialDependence
        Values of the column, average, individual curves, and a bound on the error.

    Raises
    ------
    ValueError
        If X has no such column, if the column has missing values only, or if an automatic model does not use it.

    See Also
    --------
    shapley_values : Shares of all columns in the score of each row.
    mercer.plots.PartialDependenceDisplay : Plot of the curves.
    sklearn.inspection.partial_dependence : Partial dependence of any model by prediction.

    Notes
    -----
    With k(x, z) = Σ_t A_t(x_j, z) B_t(x_rest, z), such as one product for the Gaussian kernel,

        f(v, x_rest) = Σ_t Σ_i a_i A_t(v, x_i) B_t(x, x_i) + b,

    which needs (n_values + n_rows) · n_points values of kernels and a matrix product, in place of
    n_values · n_rows · n_points values of kernels.

    Automatic models are explained by the score that `shapley_values` describes. Members of a stack that are fitted in
    regions of the samples keep the region of the row whatever the value of the column, as for Shapley values;
    ``method="predict"`` lets rows change region, and uses the decision values of the automatic classifier.

    References
    ----------
    * Friedman, *Greedy function approximation: a gradient boosting machine*, Annals of Statistics 29, 2001,
      doi:10.1214/aos/1013203451.
    * Goldstein, Kapelner, Bleich and Pitkin, *Peeking inside the black box: visualizing statistical learning with plots
      of individual conditional expectation*, Journal of Computational and Graphical Statistics 24, 2015,
      doi:10.1080/10618600.2014.907095.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.explain import partial_dependence
    >>> from mercer.svm import SVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(200, 3))
    >>> model = SVR(C=100.0, gamma=0.3).fit(X, 2 * np.abs(X[:, 0]) + X[:, 1])
    >>> found = partial_dependence(model, X, column=0, n_values=5)
    >>> found.values.round(2)
    array([-0.98, -0.33,  0.12,  0.34,  0.99])
    >>> found.individual.shape
    (200, 5)
    >>> found.average.round(1)
    array([2.1, 0.6, 0.4, 0.7, 2.2])
    """
    method = check_choice(WHO, "method", method, Method)  # type: ignore[assignment]
    n_values = check_integer(WHO, "n_values", n_values, low=2)
    individual = check_flag(WHO, "individual", individual)
    tol = check_real(WHO, "tol", tol, low=0.0, strict=True)
    if sp.issparse(X):
        raise TypeError(f"{WHO}: got a sparse matrix, expected dense rows; call X.toarray() on some of its rows.")
    if n_rows(X) == 0:
        raise ValueError(f"{WHO}: X has 0 rows, expected at least 1; check how it was selected.")
    names = column_names(X)
    index = locate(WHO, names, column)
    data = column_values(WHO, X, index)
    if at is None:
        rows, n_distinct = places(data, n_values)
        if not len(rows):
            raise ValueError(f"{WHO}: column {names[index]!r} has missing values only; choose another, or pass at=.")
        values, at = data[rows], rows_of(X, rows)
    else:
        values = column_values(WHO, at, index)
        n_distinct = len(values)
    curves, outputs, error, used = _curves(model, X, at, index, names[index], _How(method, individual, tol))
    average = curves.mean(axis=0)
    kept = curves if individual else None
    found = PartialDependence(names[index], values, average, kept, data, outputs, error, used, n_distinct)
    return found.of_output(outputs[0]) if len(outputs) == 1 else found


@dataclass(frozen=True)
class _How:
    """Choices of the caller."""

    method: str
    individual: bool
    tol: float


def _curves(
    model: Any, X: Data, at: Data, index: int, name: str, how: _How
) -> tuple[DoubleArray, list[Any], float, str]:
    """Curves of shape (n_rows or 1, n_values, n_outputs), outputs, error and method."""
    only = how.method == "expansion" or not hasattr(model, "predict")  # there is no other method
    if how.method != "predict":
        try:
            whole = not hasattr(model, "_score_parts")
            found = _of_expansion(model, X, at, index, how, only) if whole else _of_parts(model, X, at, name, how)
            if found is not None:
                return *found, "expansion"
        except NotSeparableError:
            if only:
                raise NotSeparableError(
                    f"{WHO}: the kernel is not a sum of products of a function of the column {name!r} and one of the "
                    "other columns; pass a fitted estimator and method='predict'."
                ) from None
    curves, outputs = predicted_curves(WHO, model, X, at, index, individual=how.individual)
    return curves, outputs, 0.0, "predict"


def _score(model: Any, only: bool) -> Score | None:
    """Kernel expansion of a model. A model that has none raises a TypeError if there is no other method."""
    try:
        return score_of(model)
    except TypeError:
        if only:
            raise
        return None


def _of_expansion(
    model: Any, X: Data, at: Data, index: int, how: _How, only: bool
) -> tuple[DoubleArray, list[Any], float] | None:
    """Curves of a model that is one kernel expansion; None if it is not."""
    score = _score(model, only)
    if score is None:
        return None
    options: dict[str, Any] = {"individual": how.individual, "tol": how.tol}
    curves, error = expansion_curves(WHO, score, score.read(X), score.read(at), np.array([index]), **options)
    return curves, score.outputs, error


def _of_parts(model: Any, X: Data, at: Data, name: str, how: _How) -> tuple[DoubleArray, list[Any], float] | None:
    """Sum of the curves of all terms of the score, each for its own rows; None if a term is not a kernel expansion."""
    samples, places_ = model._score_samples(X), model._score_samples(at)
    players, outputs = model._score_players(samples), model._score_outputs()
    if name not in players:
        raise ValueError(
            f"{WHO}: {type(model).__name__} does not use the column {name!r}, so that the score does not depend on it; "
            f"choose one of {', '.join(map(repr, players))}."
        )
    own: IndexArray = np.array(players[name])
    n = n_samples(samples)
    curves = np.zeros((n if how.individual else 1, n_samples(places_), len(outputs)))
    error = np.zeros(n)
    for part in model._score_parts(samples):
        score = _score(part.expansion, how.method == "expansion")
        if score is None:
            return None
        rows, grid = score.read(take(samples, part.rows)), score.read(places_)
        found, bound = expansion_curves(WHO, score, rows, grid, own, individual=how.individual, tol=how.tol)
        error[part.rows] += bound
        if how.individual:
            curves[part.rows] += found
        else:
            curves += len(part.rows) / n * found
    return curves, outputs, float(error.max())
