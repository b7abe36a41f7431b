"""A process that interrupts its own fits and predictions: ``python -m tests.contracts.interruption 2000 3 1 SVC SVR``.

The arguments are the number of samples, that of signals for each method, the largest number of seconds until a signal,
and names of estimators. It prints a line for each signal: the estimator, the method, the seconds until
KeyboardInterrupt was raised, and what became of the model.
"""

import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from tests.contracts.behaviour import ANSWERS, answers, same
from tests.contracts.estimators import ESTIMATORS, entry

FEW = 60  # samples of the first fit
SOON = 2.0  # seconds until a prediction is interrupted, which takes a small part of that
# Models of which one fit would end at the first sample or take minutes before anything of interest happens.
OPTIONS: dict[str, dict[str, Any]] = {
    "SVC": {"C": 1e3, "gamma": 0.05},
    "SVR": {"C": 1e3, "gamma": 0.05},
    "KernelRidge": {"kernel": "rbf", "solver": "cholesky"},
    "KernelRidgeClassifier": {"solver": "cg"},
    "KernelLogisticRegression": {"kernel": "rbf"},
    "KernelPCA": {"kernel": "rbf", "eigen_solver": "dense"},
    "ClassicalMDS": {"eigen_solver": "dense"},
    "KernelKNeighborsClassifier": {"kernel": "rbf"},
}


def samples(name: str, n: int) -> tuple[Any, Any]:
    """Noise, of which every sample counts."""
    rng = np.random.default_rng(n)
    X, cls = rng.normal(size=(n, 20)), ESTIMATORS[name]
    y = rng.normal(size=n) if is_regressor(cls()) else np.resize(["a", "b", "c"], n)
    return (X @ X.T + np.diag(rng.normal(size=n)) if name == "KernelRepair" else X), y


def interrupted(work: Callable[[], Any], after: float) -> float:
    """Repeat the work until a signal comes after some seconds; return the seconds until it raised KeyboardInterrupt.

    Seconds are those of the processor: on an idle machine they are those of the clock, on a busy one they do not
    depend on what else it does.
    """
    due = time.process_time() + after

    def again(lost: Any) -> None:
        nonlocal due
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
            return
        due = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0.001)

    # Python discards exceptions in finalisers and callbacks of weak references, such as those of its import system.
    # A person would press Ctrl-C once more.
    sys.unraisablehook = again
    try:
        signal.setitimer(signal.ITIMER_PROF, after)
        while True:
            work()
    except KeyboardInterrupt:
        return time.process_time() - due
    finally:
        sys.unraisablehook = sys.__unraisablehook__


class Refits:
    """Fits of one model, their number, and its attributes before the last one."""

    def __init__(self, model: Any, data: tuple[Any, Any]) -> None:
        self.model, self.data, self.before, self.number = model, data, dict(vars(model)), 0

    def __call__(self) -> None:
        self.before, self.number = dict(vars(self.model)), self.number + 1
        self.model.fit(*self.data)

    def is_whole(self) -> bool:
        """Whether the model has the attributes from before the fit that was interrupted."""
        now = vars(self.model)
        return now.keys() == self.before.keys() and all(now[name] is self.before[name] for name in now)

    def is_done(self) -> bool:
        """Whether the model is that of a complete fit: the signal came between its last assignment and its return."""
        complete = clone(self.model).fit(*self.data)
        rows = self.data[0][:9]
        return vars(self.model).keys() == vars(complete).keys() and same(
            answers(self.model, rows), answers(complete, rows)
        )


def write(name: str, method: str, seconds: float, *, whole: bool) -> None:
    sys.stdout.write(f"{name} {method} {seconds:.3f} {'whole' if whole else 'mixed'}\n")
    sys.stdout.flush()


def main(n: int, signals: int, latest: float, names: list[str]) -> None:
    # The timer counts the processor's seconds; what it sends is a SIGINT, as Ctrl-C does.
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    rng = np.random.default_rng(0)
    for name in names:
        few, many = samples(name, FEW), samples(name, n)
        model = ESTIMATORS[name](**entry(name).options | OPTIONS.get(name, {})).fit(*few)
        said = answers(model, few[0])
        for moment in rng.uniform(0.02, latest, signals):
            refits = Refits(model, many)
            seconds = interrupted(refits, moment)
            kept = refits.is_whole() and (refits.number > 1 or same(answers(model, few[0]), said))
            kept = kept or refits.is_done()
            usable = same(answers(model.fit(*few), few[0]), said)
            write(name, "fit", seconds, whole=kept and usable)
        before = dict(vars(model))
        asked = [method for method in ANSWERS if hasattr(model, method) and name != "KernelRepair"]
        for moment in rng.uniform(0.02, min(latest, SOON), signals if asked else 0):
            method = getattr(model, str(rng.choice(asked)))
            seconds = interrupted(lambda: method(np.tile(many[0], (3, 1))), moment)  # noqa: B023 - called at once
            kept = all(vars(model)[key] is before[key] for key in before) and same(answers(model, few[0]), said)
            write(name, method.__name__, seconds, whole=kept)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
