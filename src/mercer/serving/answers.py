"""Answers of a model: predictions with probabilities or intervals, and the schema of its input."""

import math
from typing import Any

from mercer._validation.near import near_misses
from mercer.data.frames import as_frame

__all__ = ["predictions_of", "schema_of"]

COVERAGE = 0.9  # of the intervals of regression


def predictions_of(model: Any, X: Any) -> dict[str, Any]:
    """Predict samples.

    Parameters
    ----------
    model : estimator
        Fitted model with `predict`.
    X : polars.DataFrame or list
        Samples. Columns that are unknown to the model are ignored, with a note.

    Returns
    -------
    dict
        ``predictions``: an object for each sample, with the keys prediction; probabilities, by class, if the model has
        them, or else score, if it has decision values; interval, if the model has intervals. ``notes``: sentences.
    """
    X, notes = _known_columns(model, X)
    found: dict[str, Any] = {"prediction": _plain(model.predict(X))}
    if hasattr(model, "predict_proba"):
        classes = list(map(str, model.classes_.tolist()))
        found["probabilities"] = [dict(zip(classes, row, strict=True)) for row in _plain(model.predict_proba(X))]
    elif hasattr(model, "decision_function"):
        found["score"] = _plain(model.decision_function(X))
    if hasattr(model, "predict_interval"):
        found["interval"] = _plain(model.predict_interval(X, coverage=COVERAGE))
        notes.append(f"Intervals contain {COVERAGE:.0%} of the targets on average.")
    rows = [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
    return {"predictions": rows, "notes": notes}


def schema_of(model: Any, about: dict[str, Any]) -> dict[str, Any]:
    """Describe what a model expects and returns.

    Parameters
    ----------
    model : estimator
        Fitted model.
    about : dict
        Result of `mercer.persistence.about` for its file, or an empty dict.

    Returns
    -------
    dict
        ``model``, ``task``, ``columns`` (name and kind of each; None if the samples have no columns), ``n_features``,
        ``classes``, ``answers`` (keys of a prediction), ``kernels`` and ``versions``.
    """
    from sklearn.base import is_classifier, is_regressor

    kinds = _kinds(model)
    probable, decides = hasattr(model, "predict_proba"), hasattr(model, "decision_function")
    optional = {
        "probabilities": probable,
        "score": decides and not probable,
        "interval": hasattr(model, "predict_interval"),
    }
    return {
        "model": type(model).__name__,
        "task": "classification" if is_classifier(model) else "regression" if is_regressor(model) else None,
        "columns": None if kinds is None else [{"name": name, "kind": kind} for name, kind in kinds.items()],
        "n_features": getattr(model, "n_features_in_", None),
        "classes": _plain(model.classes_) if hasattr(model, "classes_") else None,
        "answers": ["prediction", *(name for name, has in optional.items() if has)],
        "kernels": about.get("kernels", []),
        "versions": about.get("versions", {}),
    }


def _kinds(model: Any) -> dict[str, str | None] | None:
    """Kinds of the columns that a model uses, by name; None if its samples have no columns with names."""
    preparer = getattr(model, "preparer_", None)
    kinds = getattr(preparer, "kinds_", None)
    if isinstance(kinds, dict):
        used = {str(name): kind for name, kind in kinds.items() if kind != "drop"}
        return {name: kind if isinstance(kind, str) else "ordered" for name, kind in used.items()}
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else {str(name): None for name in names}


def _known_columns(model: Any, X: Any) -> tuple[Any, list[str]]:
    """Columns that the model knows, and notes on the others and on new categories."""
    notes: list[str] = []
    preparer, names = getattr(model, "preparer_", None), getattr(model, "feature_names_in_", None)
    known = getattr(preparer, "kinds_", names)
    if as_frame(X) is not None and known is not None:
        missing = [str(name) for name in _kinds(model) or () if str(name) not in X.columns]
        if missing:
            near = near_misses(missing[0], X.columns)
            hint = f"they have {near[0]!r}, rename it." if near else "GET /schema lists the columns."
            raise ValueError(f"The samples have no column {missing[0]!r}; {hint}")
        unknown = [name for name in X.columns if name not in known]
        if unknown:
            notes.append(f"Ignored columns that are unknown to the model: {', '.join(map(repr, unknown))}.")
            X = X.select([name for name in X.columns if name in known])
    if preparer is None and as_frame(X) is not None:
        X = X.to_numpy()
    gaps = {} if as_frame(X) is None else {name: int(X[name].null_count()) for name in X.columns}
    if any(gaps.values()):
        notes.append(f"Missing values: {', '.join(f'{n} in {name!r}' for name, n in gaps.items() if n)}.")
    if preparer is not None and hasattr(preparer, "new_categories") and as_frame(X) is not None:
        for name, n in preparer.new_categories(X).items():
            notes.append(f"{n} of {len(X)} samples have a category in {name!r} that was not seen in the fit.")
    return X, notes


def _plain(values: Any) -> Any:
    """Values as JSON has them; NaN and infinity become null."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [_plain(value) for value in values]
    if isinstance(values, float):
        return values if math.isfinite(values) else None
    return values if values is None or isinstance(values, (bool, int, str)) else str(values)
