"""Result of one kernel in the search of ``kernel="auto"``."""

import math
from dataclasses import dataclass
from typing import Any

from mercer.kernels import Kernel

__all__ = ["Candidate"]


@dataclass(frozen=True)
class Candidate:
    """Result of one kernel that was compared by inner cross-validation.

    Fitted automatic models store one candidate for each kernel in `candidates_`.

    Parameters
    ----------
    name : str
        Short description: "rbf of numbers", "words of review". "weighted sum" is the sum of all kernels weighted by
        alignment, and "uniform sum" is the equally weighted sum of the best kernel of each kind of column.
    kernel : Kernel
        Kernel on prepared data. All its parameters are resolved to numbers.
    alignment : float
        Centred alignment with the target, between -1 and 1; NaN for kernels that are constant on the samples.
    weight : float or None
        Weight in the weighted sum; None for the sums themselves.
    score : float
        Mean accuracy or R² of the best model and parameters for this kernel over the inner folds.
    spread : float
        Standard error of `score` over the inner folds.
    model : str
        Name of the best model for this kernel: "svm", "ridge", …
    params : dict
        Best parameters of that model, such as ``{"C": 10.0}`` or ``{"alpha": 0.1}``.
    chosen : bool, default=False
        Whether this kernel was selected.
    criterion : float, default=nan
        Mean over the inner folds of the score by which kernels, models and parameters are compared, greater is better:
        the negative log-loss of calibrated out-of-fold decision values, R², or the score given by ``scoring=``. NaN for
        models of earlier versions, which compared `score`.

    See Also
    --------
    Proposal : A kernel before it is compared.
    AutoClassifier : Classifier that selects a kernel from candidates.
    AutoRegressor : Regressor that selects a kernel from candidates.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import AutoClassifier
    >>> model = AutoClassifier(model="ridge").fit(*load_iris(return_X_y=True))
    >>> for candidate in model.candidates_:
    ...     print(candidate.name, round(candidate.score, 3), round(candidate.criterion, 3), candidate.chosen)
    rbf 0.953 -0.083 True
    finer rbf 0.947 -0.129 False
    linear 0.827 -0.321 False
    weighted sum 0.953 -0.082 False
    """

    name: str
    kernel: Kernel
    alignment: float
    weight: float | None
    score: float
    spread: float
    model: str
    params: dict[str, Any]
    chosen: bool = False
    criterion: float = math.nan
