"""Result of ``mercer fit`` as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

from mercer.cli.shared.inputs import Samples

__all__ = ["Fitted", "scores"]


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
        return {
            "data": {"name": samples.name, "rows": samples.n, "of": samples.total, "columns": _columns(samples.X)},
            "scored": len(self.evaluation.truth),
            "target": samples.target,
            "task": self.task,
            "classes": model.classes_.tolist() if self.task == "classification" else None,
            "scores": scores(self.evaluation),
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
