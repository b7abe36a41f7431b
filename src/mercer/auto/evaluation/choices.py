"""Choices of kernel and model in the outer folds, compared with those of the final model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from mercer.auto.search import UNIFORM_SUM, WEIGHTED_SUM
from mercer.kernels import Kernel

__all__ = ["Choice", "choice_of", "differences"]

SUMS = (WEIGHTED_SUM, UNIFORM_SUM)  # their terms depend on the samples
SHOWN = 3  # different choices that are named
LONGEST = 80  # characters of a kernel inside a sentence


@dataclass(frozen=True)
class Choice:
    """Kernel and model that a fit chose.

    Parameters
    ----------
    model : str
        Name of the model: "svm", "ridge", "stack", …, or the class of an estimator that chooses nothing.
    name : str
        Name of the selected candidate, such as "rbf of numbers"; empty for stacks and for estimators without a search.
    kernel : str
        Selected kernel with all its parameters.
    form : str, default=""
        The kernel without its real parameters, such as widths, which differ a little in every fit.

    See Also
    --------
    Evaluation.differences : Compares the choices of the folds with those of a fitted model.

    Examples
    --------
    >>> from mercer.auto import Choice
    >>> print(Choice("svm", "words of review", "bag_of_words.normalized()"))
    svm on words of review
    """

    model: str
    name: str
    kernel: str
    form: str = ""

    def __str__(self) -> str:
        if self.model == "stack":
            return "a stack"
        return f"{self.model} on {self.name or self.kernel or 'its kernel'}"


def choice_of(model: Any) -> Choice:
    """Choice of a fitted model.

    >>> from mercer.svm import SVC
    >>> choice_of(SVC(kernel="linear").fit([[0.0], [1.0]], [0, 1]))
    Choice(model='SVC', name='', kernel='linear', form='')
    """
    kernel = getattr(model, "kernel_", getattr(model, "kernel", ""))
    params = getattr(model, "best_params_", None)
    if not isinstance(params, dict) or "model" not in params or not hasattr(model, "candidates_"):
        return Choice(type(model).__name__, "", str(kernel))
    if params["model"] == "stack":
        return Choice("stack", "", str(kernel))
    chosen = next(candidate for candidate in model.candidates_ if candidate.chosen)
    given = chosen.name == "as given"
    form = "" if given or chosen.name in SUMS else _form(chosen.kernel)
    return Choice(chosen.model, "the given kernel" if given else chosen.name, str(kernel), form)


def differences(folds: Sequence[Choice], final: Choice) -> str:
    """Sentence on choices of folds that differ from the final one; empty if all are the same.

    >>> rbf, words = Choice("svm", "rbf", "rbf(gamma=1)"), Choice("ridge", "words of x", "bag_of_words")
    >>> print(differences([rbf, words, words], rbf))
    Fits in 2 of 3 folds chose differently (2 × ridge on words of x) than the saved model (svm on rbf), so the scores \
are those of the whole selection and not of this choice alone.
    >>> differences([rbf, rbf], rbf)
    ''
    """
    others = Counter(_shown(choice, final) for choice in folds if _key(choice) != _key(final))
    if not others:
        return ""
    named = [f"{n} × {text}" for text, n in others.most_common(SHOWN)]
    rest = len(others) - SHOWN
    shown = ", ".join(named) + (f" and {rest} more" if rest > 0 else "")
    clash = _shown(final, next(choice for choice in folds if _key(choice) != _key(final)))
    return (
        f"Fits in {others.total()} of {len(folds)} folds chose differently ({shown}) than the saved model ({clash}), "
        "so the scores are those of the whole selection and not of this choice alone."
    )


def _key(choice: Choice) -> tuple[str, str, str]:
    return choice.model, choice.name, choice.form


def _shown(choice: Choice, other: Choice) -> str:
    """The choice in words; with its kernel where the names alone are equal."""
    same = (choice.model, choice.name) == (other.model, other.name)
    if not same or choice.form == other.form:
        return str(choice)
    kernel = choice.kernel if len(choice.kernel) <= LONGEST else f"{choice.kernel[: LONGEST - 1]}…"
    return f"{choice.model} on {kernel}"


def _form(kernel: Any) -> str:
    """Text of a kernel without real parameters, alone or in lists, such as weights of columns."""
    parts = [type(kernel).__name__]
    for field in fields(kernel):
        value = getattr(kernel, field.name)
        if isinstance(value, Kernel):
            parts.append(_form(value))
        elif isinstance(value, (tuple, list)):
            kept = [v for v in value if not isinstance(v, float)]
            parts.append("[" + ", ".join(_form(v) if isinstance(v, Kernel) else repr(v) for v in kept) + "]")
        elif not isinstance(value, float):
            parts.append(repr(value))
    return f"({' '.join(parts)})"
