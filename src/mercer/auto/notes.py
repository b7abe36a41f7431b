"""Notes of the automatic models on decisions taken in `fit`."""

from typing import Any

from mercer.approximation import FittedApproximation

__all__ = ["approximation_note", "single_classes_note", "stack_note", "transduction_note"]

LARGE = 0.1  # relative residual above which an exact model of fewer rows may be better


def approximation_note(found: FittedApproximation, total: int, searched: int) -> str:
    """Note on the approximation of the final model.

    Parameters
    ----------
    found : FittedApproximation
        Approximation.
    total : int
        Number of rows passed to `fit`.
    searched : int
        Number of rows on which kernel and parameters were chosen.

    Returns
    -------
    str
        One sentence, and a second one if the approximation is coarse.

    Examples
    --------
    >>> import numpy as np
    >>> curve = np.linspace(1, 0.02, 301)
    >>> print(approximation_note(FittedApproximation("nystroem", 300, 40_000, 20_000, "", curve), 40_000, 2000))
    The model was fitted to all 40000 samples with 300 landmarks; relative residual 0.02; the search used 2000 samples.
    """
    rows = f"all {total}" if found.n_samples == total else f"{found.n_samples} of {total}"
    what = f"{found.n_components} landmarks; relative residual {found.residual_trace:.2g}"
    if found.method == "random_fourier":
        what = f"{found.n_components} random Fourier features"
    told = f"The model was fitted to {rows} samples with {what}; the search used {searched} samples."
    if found.residual_trace > LARGE:
        told += (
            " The residual is large: more landmarks or a wider kernel may be better, as may fewer samples with "
            "approximation=None."
        )
    return told


def transduction_note(labeled: int, n: int) -> str:
    """Note on the use of unlabelled samples."""
    return (
        f"The transductive SVM learns from {labeled} labelled and {n - labeled} unlabelled samples; the unlabelled "
        "samples are in every training part of cross-validation and are not scored."
    )


def single_classes_note(labels: list[Any]) -> str:
    """Note on classes with one sample."""
    shown = ", ".join(map(repr, labels[:5])) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
    return f"Inner cross-validation: classes with one sample ({shown}) stay in every training part and are not scored."


def stack_note(members: int, taught: int, n: int) -> str:
    """Note on a stack of machines.

    >>> print(stack_note(3, 700, 2000))
    The model is a weighted mean of 3 machines fitted to all 2000 samples; weights of columns were learned on 700.
    """
    machines = "one machine" if members == 1 else f"a weighted mean of {members} machines"
    return f"The model is {machines} fitted to all {n} samples; weights of columns were learned on {taught}."
