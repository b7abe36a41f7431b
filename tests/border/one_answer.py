"""Kernels, operators and estimators accept and refuse the same arrays: whoever is asked, one input has one answer."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mercer.kernels import RBF
from mercer.operators import gram
from mercer.preprocessing import KernelRows
from mercer.ridge import KernelRidge, Ridge
from mercer.svm import SVC
from tests.border import dense, sparse, sparse_formats
from tests.border.case import Case
from tests.border.odd import ROWS

__all__ = ["one_answer"]

BASE = ROWS[0]
Y = np.arange(len(BASE)) % 2
ASKED: dict[str, Callable[[Any], Any]] = {
    "kernel": RBF(),
    "kernel, other side": lambda X: RBF(gamma=1.0)(BASE, X),
    "operator": lambda X: gram(RBF(), X).diag(),
    "SVC.fit": lambda X: SVC(kernel="rbf").fit(X, Y),
    "SVC.predict": lambda X: _fitted().predict(X),
    "KernelRidge.fit": lambda X: KernelRidge(kernel="rbf").fit(X, Y),
    "Ridge.fit": lambda X: Ridge().fit(X, Y),
    "KernelRows.fit": lambda X: KernelRows(RBF()).fit(X),
}
# scikit-learn demands that estimators take numbers in arrays of objects and refuse np.matrix; None is the default of Y;
# more columns fit no fitted model.
EXCEPT = {"objects: numbers", "np.matrix", "None", "more columns than indices"}
WAYS = {
    f"{kind}: {name}": way
    for kind, ways in (("dense", dense.WAYS), ("csr", sparse.WAYS), ("formats", sparse_formats.WAYS))
    for name, way in ways.items()
    if name not in EXCEPT
}


class Disagreement(BaseException):
    """Two callers got different answers; not an Exception, so that nothing takes it for a refusal."""


@cache
def _fitted() -> Any:
    return SVC(kernel="rbf").fit(BASE, Y)


def one_answer(rng: np.random.Generator, i: int) -> Case:
    """One input for all of them."""
    name = list(WAYS)[i % len(WAYS)]
    odd = WAYS[name](rng, BASE)
    return Case(name, "kernels and estimators", lambda: _agreed(odd.X))


def _agreed(X: Any) -> str:
    answers: dict[str, list[str]] = {"accepted": [], "refused": []}
    for who, call in ASKED.items():
        try:
            call(X)
            answers["accepted"].append(who)
        except Exception:
            answers["refused"].append(who)
    if all(answers.values()):
        raise Disagreement("; ".join(f"{answer} by {', '.join(who)}" for answer, who in answers.items()))
    return next(answer for answer, who in answers.items() if who)
