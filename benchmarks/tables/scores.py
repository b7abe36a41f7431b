"""Scores of predictions on test rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

COVERAGE = 0.9  # nominal coverage of prediction intervals


def of_classes(
    y: np.ndarray, predicted: np.ndarray, ranking: np.ndarray | None, p: np.ndarray | None
) -> dict[str, Any]:
    """Error rate, log-loss and, for two classes, area under the ROC curve.

    `ranking` are decision values or probabilities of class 1, and `p` the probabilities of all classes; None where a
    method has none.
    """
    found: dict[str, Any] = {"error": float(np.mean(predicted != y))}
    if p is not None:
        found["log_loss"] = float(log_loss(y, p, labels=np.arange(p.shape[1])))
    if ranking is not None:
        found["auc"] = float(roc_auc_score(y, ranking))
    return found


def of_rare(y: np.ndarray, ranking: np.ndarray, p: np.ndarray | None) -> dict[str, Any]:
    """Area under the ROC curve, average precision and calibration error of class 1."""
    found = {"auc": float(roc_auc_score(y, ranking)), "average_precision": float(average_precision_score(y, ranking))}
    return found if p is None else {**found, "calibration_error": calibration_error(y, p[:, 1])}


def of_numbers(y: np.ndarray, predicted: np.ndarray) -> dict[str, Any]:
    """Root mean squared error divided by the standard deviation of the target, and R² = 1 − its square."""
    ratio = float(np.sqrt(np.mean((predicted - y) ** 2)) / np.std(y))
    return {"rmse_sd": ratio, "r2": 1 - ratio**2}


def of_intervals(y: np.ndarray, interval: Any) -> dict[str, Any]:
    """Share of targets inside, and mean width divided by the standard deviation of the target.

    `interval` is a pair of lower and upper ends, or an array with a column for each.
    """
    low, high = interval.T if isinstance(interval, np.ndarray) and interval.shape[1:] == (2,) else interval
    inside = (low <= y) & (y <= high)
    return {"coverage": float(inside.mean()), "width_sd": float(np.mean(high - low) / np.std(y))}


def calibration_error(y: np.ndarray, p: np.ndarray, bins: int = 10) -> float:
    """Mean of |share of class 1 − mean probability| over bins of equally many samples, ordered by probability.

    Bins of equal width would put nearly all samples of a rare class into the first one.
    """
    order = np.argsort(p, kind="stable")
    parts = np.array_split(order, min(bins, len(order)))
    return float(sum(len(part) * abs(y[part].mean() - p[part].mean()) for part in parts) / len(order))


def scored(model: Any, X: Any, y: np.ndarray, predicted: np.ndarray, mode: str, classes: int) -> Mapping[str, Any]:
    """All scores of a fitted model; what it does not offer is left out."""
    if not classes:
        known = hasattr(model, "predict_interval")
        return of_numbers(y, predicted) | (of_intervals(y, model.predict_interval(X, COVERAGE)) if known else {})
    p = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    ranking = p[:, 1] if p is not None else model.decision_function(X) if hasattr(model, "decision_function") else None
    if mode == "rare":
        return of_rare(y, predicted if ranking is None else ranking, p)
    return of_classes(y, predicted, ranking if classes == 2 else None, p)
