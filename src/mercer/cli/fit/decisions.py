"""Options of ``mercer fit`` on decisions: positive class, threshold, class weights and rare classes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.auto.rare import Rare
    from mercer.cli.fit.plan import Plan

__all__ = [
    "check_classes",
    "check_decisions",
    "check_task",
    "chosen_threshold",
    "class_weights",
    "decide",
    "rare_options",
    "with_labels",
]


def check_decisions(plan: "Plan") -> None:
    """Raise ValueError for options that cannot be read, before anything else is."""
    class_weights(plan.class_weight)
    if plan.threshold is not None:
        from mercer.auto.thresholds import parse_rule

        parse_rule(plan.threshold)
    if plan.scoring is not None:
        from sklearn.metrics import get_scorer_names

        names = get_scorer_names()
        if plan.scoring not in names:
            from mercer._validation.near import near_misses

            near = near_misses(plan.scoring, names)
            hint = f"did you mean {near[0]!r}?" if near else "see sklearn.metrics.get_scorer_names()."
            raise ValueError(f"fit: unknown --scoring {plan.scoring!r}; {hint}")


def check_task(plan: "Plan", task: str) -> None:
    """Raise ValueError for options of classifiers if the task is regression."""
    given = {
        "--positive": plan.positive,
        "--threshold": plan.threshold,
        "--class-weight": plan.class_weight or None,
        "--min-class": plan.min_class,
        "--rare": plan.rare,
    }
    named = [option for option, value in given.items() if value is not None]
    if task == "regression" and named:
        raise ValueError(
            f"fit: {named[0]} needs classes, but the task is regression; remove it, or use --task classification."
        )


def check_classes(plan: "Plan", labels: Any) -> None:
    """Raise ValueError for a positive class that the target does not have, or that is needed and not named."""
    if plan.positive is None and plan.threshold is None:
        return
    import numpy as np

    from mercer.auto.task import labeled_rows
    from mercer.auto.thresholds import positive_class

    truth = labels[labeled_rows(labels)]
    positive_class("evaluate", np.array(list(dict.fromkeys(truth.tolist())), dtype=object), plan.positive, truth)


def class_weights(texts: tuple[str, ...]) -> Any:
    """Class weights from LABEL=WEIGHT, "balanced", or None.

    >>> class_weights(("spam=2", "ham=1")), class_weights(("balanced",))
    ({'spam': 2.0, 'ham': 1.0}, 'balanced')
    """
    if not texts:
        return None
    if texts == ("balanced",):
        return "balanced"
    found: dict[Any, float] = {}
    for text in texts:
        label, sign, number = text.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not sign or not label or not 0 <= weight < float("inf"):
            raise ValueError(f"fit: --class-weight expects balanced, or LABEL=WEIGHT such as spam=5, got {text!r}.")
        found[int(label) if label.lstrip("-").isdigit() else label] = weight
    return found


def with_labels(options: dict[str, Any], y: Any) -> dict[str, Any]:
    """Options with class weights by the labels of the target; labels are compared as text."""
    weights = options.get("class_weight")
    if not isinstance(weights, dict):
        return options
    labels = {str(label): label for label in dict.fromkeys(y.tolist()) if label is not None}
    for label in weights:
        if str(label) not in labels:
            shown = ", ".join(map(repr, list(labels)[:10]))
            raise ValueError(
                f"fit: --class-weight names {str(label)!r}, which is not a class; the classes are {shown}."
            )
    return {**options, "class_weight": {labels[str(label)]: weight for label, weight in weights.items()}}


def rare_options(plan: "Plan") -> tuple[int, "Rare"]:
    """Smallest size of a class, and what is done with smaller ones."""
    rare: Any = plan.rare or ("keep" if plan.min_class is None else "merge")
    return plan.min_class or plan.folds, rare


def chosen_threshold(plan: "Plan", evaluation: Any) -> Any:
    """Threshold of --threshold, on out-of-fold probabilities; None without the option."""
    if plan.threshold is None:
        return None
    from mercer.auto import choose_threshold

    return choose_threshold(evaluation, plan.threshold)


def decide(model: Any, evaluation: Any, threshold: Any) -> None:
    """Store positive class and threshold with a classifier."""
    if not hasattr(model, "classes_"):
        return
    model.positive_ = evaluation.positive
    if threshold is not None:
        model.use_threshold(threshold)
