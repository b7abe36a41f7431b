"""What `kernel="auto"` tried, and what came of it."""

from dataclasses import dataclass, field
from typing import Any

from mercer.kernels import Kernel

__all__ = ["Candidate"]


@dataclass(frozen=True)
class Candidate:
    """One kernel that was compared with others by inner cross-validation.

    Attributes
    ----------
    name : str
        What it is, for people: "rbf of numbers", "words of review"; "weighted sum" for the combination of all, "even
        sum" for that of the best of each kind of column.
    kernel : Kernel
        With numbers for all parameters, on prepared data.
    alignment : float
        Centred alignment with the target, between -1 and 1; NaN where it is not defined (constant kernels).
    weight : float or None
        In the weighted sum; None for sums themselves.
    score : float
        Mean score in inner cross-validation (accuracy or R²), of its best model and parameters.
    spread : float
        Standard error of `score` over the inner folds.
    model : str
        The best model for it: "svm", "ridge", …
    params : dict
        The best parameters of that model: ``{"C": 10.0}``, ``{"alpha": 0.1}``.
    chosen : bool
        Whether this is the one that was fitted.
    """

    name: str
    kernel: Kernel
    alignment: float
    weight: float | None
    score: float
    spread: float
    model: str
    params: dict[str, Any] = field(default_factory=dict)
    chosen: bool = False
