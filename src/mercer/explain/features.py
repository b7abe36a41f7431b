"""Contributions of explicit features to a prediction: k-mers, words, subtrees, coordinates."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator
from mercer._typing import Data, DoubleArray
from mercer._validation import as_dense, check_integer, describe
from mercer.data import Tree, n_samples
from mercer.explain.explanation import Explanation, explanation
from mercer.kernels.features import Options
from mercer.kernels.naming import feature_names
from mercer.kernels.vocabulary import Vocabularies

__all__ = ["class_signs", "top_features"]


def top_features(model: Any, x: Any, n: int = 10, *, output: Any = None) -> Explanation:
    r"""Find the features with the largest contributions to the prediction of one sample.

    A kernel machine f(x) = Σ_i a_i k(x_i, x) + b with explicit features k(x, z) = ⟨φ(x), φ(z)⟩ is the linear model
    f(x) = ⟨w, φ(x)⟩ + b with w = Σ_i a_i φ(x_i). The contribution of feature u is w_u φ_u(x). All contributions and the
    intercept add up to the decision value.

    Parameters
    ----------
    model : estimator
        Fitted kernel machine whose kernel has a finite feature map φ (`SVC`, `SVR`, `KernelRidge`,
        `KernelPerceptron`, ...), or a fitted pipeline that ends in a linear model with ``coef_``, such as `FeatureMap`
        and scikit-learn's `LinearSVC`.
    x : str, Tree, vector, or data with one sample
        Sample to explain.
    n : int, default=10
        Number of features to return.
    output : object, default=None
        Class label, or index of an output of a regressor, whose decision value is explained. None means the predicted
        class, or the first output. One-vs-one machines explain a class by the sum of its decision values against all
        other classes.

    Returns
    -------
    Explanation
        The n largest contributions, the sum of the others, the intercept and the decision value.

    Raises
    ------
    TypeError
        If the model is neither a kernel machine nor a pipeline with a linear model.
    ValueError
        If there is more than one sample, or if the model was fitted to a precomputed Gram matrix.

    See Also
    --------
    Explanation : Result, printable as a table.
    mercer.plots.ContributionsDisplay : Bar chart of an explanation.
    mercer.preprocessing.FeatureMap : Explicit features of a kernel.

    Notes
    -----
    The cost is linear in the number of nonzero features of the support vectors. Features of vectors are named after the
    columns of the frame that the model was fitted to: "age", "age*income", "city=Rome". Columns of arrays are called
    x0, x1, …

    Examples
    --------
    >>> from mercer.explain import top_features
    >>> from mercer.kernels import Spectrum
    >>> from mercer.svm import SVC
    >>> model = SVC(kernel=Spectrum(2)).fit(["GATTACA", "TTATTA", "CCGC", "GGCC"], [1, 1, 0, 0])
    >>> top = top_features(model, "ATTAC", n=2)
    >>> top.names
    ['TA', 'TT']
    >>> round(top.decision, 3), model.decision_function(["ATTAC"]).round(3)
    (0.614, array([0.614]))
    """
    n = check_integer("top_features", "n", n, low=1)
    X = _single(x)
    if isinstance(model, Pipeline) and len(model) > 1 and not isinstance(model[-1], KernelEstimator):
        names, values, weights, intercept = _of_pipeline(model, X)
    elif isinstance(model, KernelEstimator):
        names, values, weights, intercept = _of_machine(model, X)
    else:
        raise TypeError(
            f"top_features: got {describe(model)}, expected a fitted kernel machine of mercer, or a pipeline of "
            "FeatureMap and a linear model."
        )
    last = model[-1] if isinstance(model, Pipeline) else model
    chosen, signs = speaking(last, X, model, weights.shape[1], output)
    return explanation(names, values, weights @ signs, n=n, intercept=float(intercept @ signs), output=chosen)


def _single(x: Any) -> Data:
    """Convert one sample to data with one row."""
    if isinstance(x, (str, bytes, Tree)) or (isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "fiub"):
        return x[None] if isinstance(x, np.ndarray) else [x]
    if n_samples(x) != 1:
        raise ValueError(
            f"top_features: got {n_samples(x)} samples, expected one; pass X[i : i + 1], or wrap a sample that is "
            "itself a list in a list."
        )
    return x


def _of_machine(model: KernelEstimator, X: Data) -> tuple[list[str], DoubleArray, DoubleArray, DoubleArray]:
    samples, coef, intercept = model._expansion()
    if model.kernel_ is None:
        raise ValueError(
            f"top_features: {type(model).__name__} was fitted to a precomputed Gram matrix, which has no features; fit "
            "it to samples with a kernel."
        )
    vocabularies = Vocabularies()
    options: Options = {"degree": None, "maximum": None}
    features = model.kernel_.features(samples, {**options, "vocabularies": vocabularies})
    values = model.kernel_.features(X, {**options, "vocabularies": vocabularies.again()})
    options = {**options, "vocabularies": vocabularies.again()}
    names = feature_names(model.kernel_, samples, options, model._column_names)
    return names, _row(values), np.asarray(features.T @ coef), intercept


def _of_pipeline(model: Pipeline, X: Data) -> tuple[list[str], DoubleArray, DoubleArray, DoubleArray]:
    steps, last = model[:-1], model[-1]
    check_is_fitted(last)
    if not hasattr(last, "coef_"):
        raise TypeError(f"top_features: the last step of the pipeline must be a linear model with coef_, got {last}.")
    weights = as_dense("top_features", last.coef_, name="coef_")
    weights = np.atleast_2d(weights.astype(np.float64)).T
    intercept = np.broadcast_to(np.asarray(last.intercept_, dtype=np.float64), weights.shape[1:])
    return [str(name) for name in steps.get_feature_names_out()], _row(steps.transform(X)), weights, intercept


def _row(F: Any) -> DoubleArray:
    return np.asarray(as_dense("top_features", F), dtype=np.float64).ravel()


def speaking(last: Any, X: Data, model: Any, n_outputs: int, output: Any) -> tuple[Any, DoubleArray]:
    """Class or output that is explained, and the coefficients of the outputs in its decision value."""
    if not is_classifier(last):
        number = check_integer("top_features", "output", 0 if output is None else output, low=0, high=n_outputs - 1)
        return number, np.eye(n_outputs)[number]
    classes = last.classes_
    chosen = model.predict(X)[0] if output is None else output
    found = np.flatnonzero(classes == chosen)
    if not len(found):
        raise ValueError(f"top_features: output must be one of the classes {classes.tolist()}, got {describe(output)}.")
    c, chosen = int(found[0]), classes[found[0]]
    chosen = chosen.item() if hasattr(chosen, "item") else chosen
    if n_outputs == 1:
        return chosen, np.array([1.0 if c == 1 else -1.0])
    return chosen, class_signs(last, n_outputs)[:, c]


def class_signs(last: Any, n_outputs: int) -> DoubleArray:
    """Coefficients of the outputs of a classifier in the decision values of its classes, one column for each class."""
    if getattr(last, "_one_vs_rest", not hasattr(last, "decision_function_shape")):
        return np.eye(n_outputs)
    classes = range(len(last.classes_))
    return np.array([[float(i == c) - float(j == c) for c in classes] for i, j in combinations(classes, 2)])
