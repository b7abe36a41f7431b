"""``mercer fit --unlabeled``: checks of the options, and comparison of scores with and without unlabelled rows."""

from typing import TYPE_CHECKING, Any

from mercer.cli.shared.inputs import Samples

if TYPE_CHECKING:
    from mercer.cli.shared.progress_bar import Step

__all__ = ["check_unlabeled", "compared", "evaluate_plain", "plain_program"]


def check_unlabeled(model: str, task: str, *, drop_missing: bool) -> None:
    """Raise ValueError for options that cannot be combined with --unlabeled."""
    if drop_missing:
        raise ValueError(
            "fit: --unlabeled and --drop-missing cannot be combined: one uses rows without a target, the other drops "
            "them; remove one of them."
        )
    if task == "regression":
        raise ValueError("fit: --unlabeled needs a classification target, got --task regression; remove one of them.")
    if model not in ("auto", "svm", "transductive"):
        raise ValueError(f"fit: --unlabeled needs the model transductive, got --model {model}; remove one of them.")


def evaluate_plain(model: Any, samples: Samples, folds: int, step: "Step") -> Any:
    """Evaluate an SVM on the labelled rows only, with the same folds."""
    from sklearn.base import clone

    from mercer.auto import evaluate
    from mercer.auto.task import labeled_rows
    from mercer.data import take

    rows = labeled_rows(samples.y)
    return evaluate(
        clone(model).set_params(model="svm"),
        take(samples.X, rows),
        samples.y[rows],
        None if samples.groups is None else samples.groups[rows],
        cv=folds,
        progress=lambda done, total, text: step(done, total, f"without unlabelled rows: {text}"),
    )


def compared(samples: Samples, evaluation: Any, plain: Any) -> Samples:
    """Add a note on the scores with and without the unlabelled rows."""
    metric = next(iter(evaluation.metrics))
    score, without = (float(found.metrics[metric].mean()) for found in (evaluation, plain))
    found = f"{metric} {score:.3f} with them, {without:.3f} without"
    if score > without:
        return samples.noted(f"The unlabelled rows improved the score: {found}.")
    return samples.noted(f"The unlabelled rows did not improve the score: {found}; --drop-missing drops them.")


def plain_program(given: str, folds: int) -> list[str]:
    """Python lines equivalent to `evaluate_plain`; `given` are the arguments of the estimator."""
    return [
        "labeled = [i for i, label in enumerate(y) if label is not None]",
        "known = None if groups is None else groups[labeled]",
        f"plain = evaluate(AutoClassifier({given}), take(X, labeled), y[labeled], known, cv={folds})",
        "for metric, scores in plain.metrics.items():",
        '    print(f"{metric} without unlabelled: {scores.mean():.4f}")',
    ]
