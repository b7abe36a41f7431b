"""Python code that fits the selected model again without the search."""

import json
from numbers import Number
from types import NoneType
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer._validation import describe
from mercer.auto.models import MODELS
from mercer.auto.view import View
from mercer.exceptions import KernelSyntaxError
from mercer.kernels.text import kernel as parse

__all__ = ["code"]

WIDTH = 110


def code(
    model: Any,
    source: str,
    target: str | None = None,
    *,
    groups: str | None = None,
    drop_missing: bool = False,
    unlabeled: bool = False,
) -> str:
    """Generate Python code that fits the selected model again, without the search.

    The generated program gives the same predictions as the model.

    Parameters
    ----------
    model : AutoClassifier or AutoRegressor
        Fitted model.
    source : str
        Argument of `mercer.datasets.read` in the program: a path or the name of a bundled data set.
    target : str, default=None
        Name of the target column. None if the source defines its own target.
    groups : str, default=None
        Name of the column with group labels, which is not used as a feature.
    drop_missing : bool, default=False
        Whether rows without a target are dropped.
    unlabeled : bool, default=False
        Whether rows without a target are kept as unlabelled samples.

    Returns
    -------
    str
        A program that defines ``model`` and ``predict(X)``.

    Raises
    ------
    TypeError
        If the model is not an automatic model.
    ValueError
        If the kernel has no text form, such as a kernel given as a function, or the approximation has none, such as
        a transformer with given landmarks.

    See Also
    --------
    AutoClassifier : Selects kernel, model and parameters of a classifier.
    AutoRegressor : Selects kernel, model and parameters of a regressor.
    mercer.persistence.save : Saves a fitted model to a file.

    Examples
    --------
    >>> from mercer.auto import AutoClassifier, code
    >>> from mercer.datasets import read
    >>> X, y, _ = read("iris").split()
    >>> model = AutoClassifier(kernel="linear", model="svm").fit(X, y)
    >>> print(code(model, "iris"))
    import mercer
    from mercer.auto import TablePreparer
    from mercer.datasets import read
    from mercer.svm import SVC
    <BLANKLINE>
    X, y, _ = read("iris").split()
    kinds = {
        "sepal length (cm)": "number",
        "sepal width (cm)": "number",
        "petal length (cm)": "number",
        "petal width (cm)": "number",
    }
    preparer = TablePreparer(kinds).fit(X)
    kernel = mercer.kernel("linear")
    model = SVC(kernel=kernel, C=1.0).fit(preparer.transform(X).matrix(), y)
    <BLANKLINE>
    <BLANKLINE>
    def predict(X):
        return model.predict(preparer.transform(X).matrix())
    <BLANKLINE>
    """
    if not hasattr(model, "preparer_"):
        check_is_fitted(model)
        raise TypeError(f"code: expected a fitted AutoClassifier or AutoRegressor, got {describe(model)}.")
    if model.best_params_["model"] == "stack":
        return _stack_code(model, source, _arguments(target, groups, drop_missing, unlabeled), groups)
    learner = MODELS[model._task][model.best_params_["model"]]
    view = View(model.form_, tuple(model.columns_), model.model_.kernel_)
    samples = view.code("preparer.transform(X)", tuple(model.names_))
    drawn, thinned = model.draws_
    preparing = "TablePreparer, rows_of, sample_rows" if drawn or thinned else "TablePreparer"
    imports = ["import mercer", f"from mercer.auto import {preparing}", "from mercer.datasets import read"]
    imports.append(f"from {learner.estimator.__module__} import {learner.estimator.__name__}")
    if view.form == "graphs":
        imports.append("from mercer.data import Graphs")
    approximation = None if model.approximation_ is None else model.model_.approximation
    if isinstance(approximation, BaseEstimator):
        imports.append(f"from {type(approximation).__module__} import {type(approximation).__name__}")
    lines = [f"X, y, _ = read({_quoted(source)}).split({_arguments(target, groups, drop_missing, unlabeled)})"]
    if drawn:
        lines += [f"rows = {_sample(model, drawn)}", "X, y = rows_of(X, rows), y[rows]"]
    kinds = [f"    {_quoted(name)}: {_kind(model.preparer_, name)}," for name in model.preparer_.kinds_]
    lines += ["kinds = {", *kinds, "}"] if kinds else []
    lines.append(f"preparer = TablePreparer({'kinds' if kinds else ''}).fit(X)")
    lines.append(f"kernel = mercer.kernel({_text(view.kernel)})")
    if thinned:
        lines += [f"rows = {_sample(model, thinned)}", "X, y = rows_of(X, rows), y[rows]"]
    options = {**dict(learner.fixed), **{k: v for k, v in model.best_params_.items() if k != "model"}}
    options |= {"random_state": model.seed_} if learner.seeded else {}
    shown = {k: _quoted(v) if isinstance(v, str) else repr(v) for k, v in options.items()}
    shown |= {} if approximation is None else {"approximation": _approximation(approximation)}
    given = ", ".join(["kernel=kernel", *(f"{k}={v}" for k, v in shown.items())])
    lines.append(f"model = {learner.estimator.__name__}({given}).fit({samples}, y)")
    ending = ["", "", "def predict(X):", f"    return model.predict({samples})", ""]
    return "\n".join([*sorted(imports, key=lambda line: (not line.startswith("import"), line)), "", *lines, *ending])


def _stack_code(model: Any, source: str, split: str, groups: str | None) -> str:
    """Program that fits a stack again; its weights are learned, so the whole model is."""
    name = type(model).__name__
    changed = {k: v for k, v in model.get_params(deep=False).items() if v != type(model)().get_params(deep=False)[k]}
    given = ", ".join(f"{k}={_quoted(v) if isinstance(v, str) else repr(v)}" for k, v in changed.items())
    third, more = ("_", "") if groups is None else ("groups", ", groups")
    lines = [f"from mercer.auto import {name}", "from mercer.datasets import read", ""]
    lines += [f"X, y, {third} = read({_quoted(source)}).split({split})"]
    lines += [f"model = {name}({given}).fit(X, y{more})", "", "", "def predict(X):", "    return model.predict(X)", ""]
    return "\n".join(lines)


def _kind(preparer: Any, name: str) -> str:
    """Python code of the kind of a column, with the order of its levels."""
    match preparer.readings_.get(name, ()):
        case ("ordered", *levels):
            return f"[{', '.join(_quoted(v) if isinstance(v, str) else repr(v) for v in levels)}]"
        case ("date" | "time", _) | ("duration",):
            return _quoted("date")
    return _quoted(preparer.kinds_[name])


def _arguments(target: str | None, groups: str | None, drop_missing: bool, unlabeled: bool) -> str:
    given = [] if target is None else [_quoted(target)]
    given += [] if groups is None else [f"groups={_quoted(groups)}"]
    flags = {"drop_missing=True": drop_missing, "unlabeled=True": unlabeled}
    return ", ".join([*given, *(text for text, given in flags.items() if given)])


def _sample(model: Any, size: int) -> str:
    return f"sample_rows(y, {size}, stratify={model._task == 'classification'}, random_state={model.seed_})"


def _approximation(approximation: Any) -> str:
    """Python code of a value of `approximation`: "auto", a number, or a transformer."""
    if not isinstance(approximation, BaseEstimator):
        return _quoted(approximation) if isinstance(approximation, str) else repr(int(approximation))
    defaults = type(approximation)().get_params(deep=False)
    changed = {k: v for k, v in approximation.get_params(deep=False).items() if v is not defaults[k]}
    if not all(isinstance(value, (str, Number, NoneType)) for value in changed.values()):
        raise ValueError(
            f"code: the parameters of {type(approximation).__name__} are not all numbers and texts; save the model "
            "with mercer.persistence.save instead."
        )
    given = ", ".join(f"{k}={_quoted(v) if isinstance(v, str) else repr(v)}" for k, v in changed.items())
    return f"{type(approximation).__name__}({given})"


def _text(kernel: Any) -> str:
    text = str(kernel)
    try:
        known = parse(text) == kernel
    except KernelSyntaxError:
        known = False
    if not known:
        raise ValueError(
            f"code: the kernel {text} has no text form that can be read again; save the model with "
            "mercer.persistence.save instead."
        )
    if len(text) <= WIDTH:
        return _quoted(text)
    terms = text.split(" + ")
    pieces = [_quoted(term if i == 0 else f" + {term}") for i, term in enumerate(terms)]
    return "\n    " + "\n    ".join(pieces) + "\n"


def _quoted(text: str) -> str:
    """Return a Python string literal in double quotes; JSON uses the same escapes."""
    return json.dumps(text, ensure_ascii=False)
