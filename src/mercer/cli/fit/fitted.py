"""Result of ``mercer fit`` as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

from mercer.auto.notes import unused_columns
from mercer.cli.shared.inputs import Samples

__all__ = ["Fitted", "scores", "warnings"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Data, model, nested cross-validation scores and files of a fit."""

    samples: Samples
    task: str
    model: Any
    evaluation: Any
    plain_evaluation: Any  # evaluation without unlabelled rows; None if there are none
    files: dict[str, str | None]
    seconds: float

    def plain(self) -> dict[str, Any]:
        """Return the result as JSON-compatible data."""
        samples, model = self.samples, self.model
        notes = [*samples.notes, *model.notes_, *self.evaluation.notes]
        duplicates = self.evaluation.duplicates
        if duplicates is not None and not duplicates.flagged:
            notes.append(duplicates.sentence())
        notes.sort(key=lambda note: "compared as text, since rdkit" not in note)  # what changes the model comes first
        return {
            "data": {"name": samples.name, "rows": samples.n, "of": samples.total, "columns": _columns(samples.X)},
            "scored": len(self.evaluation.truth),
            "target": samples.target,
            "task": self.task,
            "classes": model.classes_.tolist() if self.task == "classification" else None,
            "seen": self._seen(),
            "scores": scores(self.evaluation),
            "baselines": _baselines(self.evaluation),
            "fit_seconds": float(self.evaluation.seconds.mean()),
            "warnings": warnings(self.evaluation, model),
            "duplicates": _duplicates(self.evaluation.duplicates),
            "positive": self.evaluation.positive,
            "threshold": _threshold(getattr(model, "threshold_", None)),
            "better": better(self.evaluation),
            "unused": unused_columns(model),
            "unlabeled": self._unlabeled(),
            "kernel": str(model.kernel_),
            "model": type(model.model_).__name__,
            "stack": model.best_params_["model"] == "stack",
            "params": {name: value for name, value in model.best_params_.items() if name != "model"},
            "certificate": model.kernel_.certificate().to_dict(),
            "solution": _solution(model.model_),
            "approximation": _approximation(model.approximation_),
            "candidates": [{**asdict(candidate), "kernel": str(candidate.kernel)} for candidate in model.candidates_],
            "kinds": model.preparer_.kinds_,
            "notes": list(dict.fromkeys(notes)),
            "files": self.files,
            "seconds": self.seconds,
        }

    def _seen(self) -> dict[str, int]:
        """Number of rows that the model has seen, and of rows in the file."""
        return {"rows": len(self.model.rows_), "of": len(self.samples.source)}

    def _unlabeled(self) -> dict[str, Any] | None:
        """Number of rows without a target, and the scores without them."""
        if self.plain_evaluation is None:
            return None
        rows = self.samples.n - len(self.evaluation.truth)
        return {"rows": rows, "scores_without": scores(self.plain_evaluation)}


def scores(evaluation: Any) -> dict[str, Any]:
    """Mean, interval, fold scores and mean baseline of every metric."""
    found = {}
    for metric, values in evaluation.metrics.items():
        mean, low, high = evaluation.interval(metric)
        baseline = float(evaluation.baseline[metric].mean())
        found[metric] = {"mean": mean, "low": low, "high": high, "baseline": baseline, "folds": values}
    return found


def warnings(evaluation: Any, model: Any) -> list[str]:
    """Sentences that qualify the scores: other choices in the folds, and duplicates."""
    found = [evaluation.differences(model)]
    if evaluation.duplicates is not None and evaluation.duplicates.flagged:
        first = next(iter(evaluation.metrics))
        found.append(evaluation.duplicates.sentence(first, float(evaluation.metrics[first].mean())))
    return [text for text in found if text]


def better(evaluation: Any) -> list[str]:
    """Sentences on baselines that beat the model by more than the standard error of the difference over the folds."""
    metric = next(name for name in ("log-loss", "R²", next(iter(evaluation.metrics))) if name in evaluation.metrics)
    own, found = evaluation.metrics[metric], []
    for name, baseline in (evaluation.baselines or {}).items():
        other = baseline.metrics.get(metric)
        if other is None:
            continue
        gain = own - other if metric == "log-loss" else other - own
        if gain.mean() > gain.std(ddof=1) / len(gain) ** 0.5:
            found.append(
                f"{name.capitalize()} ({baseline.estimator}) is better than this model: {metric} {other.mean():.4g} "
                f"against {own.mean():.4g}."
            )
    return found


def _baselines(evaluation: Any) -> dict[str, Any]:
    """Mean scores and time of the baselines."""
    return {
        name: {
            "estimator": baseline.estimator,
            "seconds": baseline.seconds,
            "scores": {metric: float(values.mean()) for metric, values in baseline.metrics.items()},
        }
        for name, baseline in (evaluation.baselines or {}).items()
    }


def _duplicates(found: Any) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "what": found.what,
        "exact": found.exact,
        "related": found.related,
        "conflicts": found.conflicts,
        "crossing": int(found.crossing.sum()),
        "flagged": found.flagged,
        "scores_without": found.scores,
        "text": found.sentence(),
    }


def _threshold(found: Any) -> dict[str, Any] | None:
    return None if found is None else {**asdict(found), "text": str(found)}


def _columns(X: Any) -> int | None:
    shape: tuple[Any, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else None


def _solution(model: Any) -> dict[str, Any] | None:
    """Optimality certificate of the solver; None if the model has none."""
    solution = getattr(model, "solution_", None)
    if solution is None:
        return None
    return {
        "status": solution.status.value,
        "gap": solution.gap,
        "relative_gap": solution.relative_gap,
        "violation": solution.violation,
        "iterations": solution.n_iter,
        "exact_interval": list(solution.exact_interval),
        "confidence": solution.confidence,
    }


def _approximation(found: Any) -> dict[str, Any] | None:
    """Record of the approximation; None if the fit is exact."""
    if found is None:
        return None
    return {
        "method": found.method,
        "components": found.n_components,
        "rows": found.n_samples,
        "residual": found.residual_trace,
        "reason": found.reason,
    }
