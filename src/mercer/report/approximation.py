"""Approximation of the kernel: method, size, residual, and the interval of the exact optimum."""

import math
from typing import Any

from mercer.approximation import FittedApproximation
from mercer.report.blocks import Block, Heading, PageTable, Paragraph
from mercer.report.subject import Subject
from mercer.report.text import count, number, percent, plain
from mercer.solvers import Solution

__all__ = ["approximation_blocks", "size_words"]

_METHODS = {"nystroem": "Nyström approximation", "random_fourier": "random Fourier features"}


def size_words(found: FittedApproximation) -> str:
    """Number of landmarks or features.

    >>> size_words(FittedApproximation("nystroem", 1200, 40_000, 20_000, "approximation=1200"))
    '1\u202f200 landmarks'
    """
    return count(found.n_components, "landmark" if found.method == "nystroem" else "random feature")


def approximation_blocks(subject: Subject) -> list[Block]:
    """Create heading, explanation and table; empty if the model is exact."""
    found = subject.model.approximation_
    if found is None:
        return []
    text = (
        f"The kernel was approximated by explicit features, so that the model could be fitted to "
        f"{count(found.n_samples, 'sample')} without their Gram matrix. The certificate above belongs to the "
        f"approximated problem. {_exact(subject.model.model_.solution_)}"
    )
    rows: list[list[Any]] = [
        ["method", _METHODS[found.method]],
        ["size", size_words(found)],
        ["training samples", found.n_samples],
    ]
    if found.method == "nystroem":
        rows.append(["samples from which landmarks were selected", found.n_candidates])
        rows.append(["relative residual tr(K − K̂)/tr K", found.residual_trace])
    rows.append(["reason", plain(found.reason)])
    return [
        Heading("Approximation"),
        Paragraph(text),
        PageTable.of("approximation", "Approximation of the kernel", ["property", "value"], rows),
    ]


def _exact(solution: Solution) -> str:
    """Sentence on the optimum of the exact problem.

    >>> from mercer.solvers import Status
    >>> _exact(Solution(-3.0, 0.25, 1e-4, Status.CONVERGED, n_iter=9, exact_gap=0.5, confidence=0.95))
    'The optimum of the exact problem lies between −3.25 and −2.5 with a confidence of 95\u202f%.'
    """
    low, high = solution.exact_interval
    if math.isnan(low) or math.isnan(high):
        return "No bound on the distance from the optimum of the exact problem is known."
    sure = "" if solution.confidence == 1 else f" with a confidence of {percent(solution.confidence, 0)}"
    return f"The optimum of the exact problem lies between {number(low)} and {number(high)}{sure}."
