"""Result of ``mercer fit``: model, scores and files, as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

from mercer.cli.shared.inputs import Samples

__all__ = ["Fitted", "scores"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Data, model, honest scores, and where they went."""

    samples: Samples
    task: str
    model: Any
    evaluation: Any
    files: dict[str, str | None]
    seconds: float

    def plain(self) -> dict[str, Any]:
        """All of it in types that JSON has."""
        samples, model = self.samples, self.model
        notes = [*samples.notes, *model.notes_, *self.evaluation.notes]
        return {
            "data": {"name": samples.name, "rows": samples.n, "of": samples.total, "columns": _columns(samples.X)},
            "target": samples.target,
            "task": self.task,
            "classes": model.classes_.tolist() if self.task == "classification" else None,
            "scores": scores(self.evaluation),
            "kernel": str(model.kernel_),
            "model": type(model.model_).__name__,
            "params": {name: value for name, value in model.best_params_.items() if name != "model"},
            "certificate": model.kernel_.certificate().to_dict(),
            "solution": _solution(model.model_),
            "candidates": [{**asdict(candidate), "kernel": str(candidate.kernel)} for candidate in model.candidates_],
            "kinds": model.preparer_.kinds_,
            "notes": list(dict.fromkeys(notes)),
            "files": self.files,
            "seconds": self.seconds,
        }


def scores(evaluation: Any) -> dict[str, Any]:
    """Mean, interval and folds of every metric, and the mean of guessing."""
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
    """The certificate of the solver, where the model has one."""
    solution = getattr(model, "solution_", None)
    if solution is None:
        return None
    return {
        "status": solution.status.value,
        "gap": solution.gap,
        "relative_gap": solution.relative_gap,
        "violation": solution.violation,
        "iterations": solution.n_iter,
    }
