"""Support vector machines on large data, for ``benchmarks.rivals.scale``.

The rival on features is scikit-learn's ``Nystroem`` with ``LinearSVC`` of the same C. LinearSVC has its default loss,
the squared hinge, on which it is fastest; for several classes it fits one machine for each class, mercer one for each
pair. Models are therefore compared at equal test error, not at equal objectives.
"""

import argparse
import importlib.util
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from benchmarks.rivals.harness import Case, Goal, peak_memory, race, timed, versions
from benchmarks.rivals.tables import Problem, a9a_csr, mnist
from mercer.svm import SVC, c_path

RIVAL = "scikit-learn Nystroem + LinearSVC"
EXACT = "scikit-learn SVC, exact"
FASTER = 5.0
MNIST_ERROR = 2.3  # per cent of the test set
A9A_DISTANCE, A9A_SECONDS = 0.2, 60.0


def load_mnist(data: str | Path, rows: int | None = None) -> Problem:
    return mnist(Path(data), rows or 60_000, 10_000)


def load_a9a(data: str | Path, rows: int | None = None) -> Problem:
    problem = a9a_csr(Path(data), None)
    return problem if rows is None else problem.head(rows)


def features(problem: Problem, m: int) -> Nystroem:
    return Nystroem(kernel="rbf", gamma=problem.params["gamma"], n_components=m, random_state=0)


def fit(who: str, problem: Problem, m: int) -> Any:
    """Model of mercer or scikit-learn with m landmarks, or scikit-learn's exact one."""
    C, gamma = problem.params["C"], problem.params["gamma"]
    if who == "mercer":
        model: Any = SVC(C=C, gamma=gamma, approximation=m)
    elif who == "sklearn":
        model = make_pipeline(features(problem, m), sklearn.svm.LinearSVC(C=C, random_state=0))
    else:
        model = sklearn.svm.SVC(C=C, gamma=gamma, cache_size=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(problem.X, problem.y)


def paths(who: str, problem: Problem, m: int, costs: Sequence[float]) -> list[Any]:
    """Models for all values of C on one set of features, each with `predict` of samples."""
    if who == "sklearn":
        shared = features(problem, m).fit(problem.X)
        F = shared.transform(problem.X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machines = [sklearn.svm.LinearSVC(C=C, random_state=0).fit(F, problem.y) for C in costs]
        return [make_pipeline(shared, machine) for machine in machines]
    machine = SVC(gamma=problem.params["gamma"], approximation=m if who == "mercer" else None)
    return list(c_path(machine, problem.X, problem.y, C=costs).estimators or ())


def error(model: Any, problem: Problem) -> float:
    """Test error in per cent."""
    return float(100 * np.mean(model.predict(problem.X_test) != problem.y_test))


def peaks(args: argparse.Namespace, loaded: str, run: str, whose: Sequence[str]) -> dict[str, Any]:
    """Note on the peak memory in MB of a call with the name of a side, unless it is not to be measured."""
    if args.skip_memory:
        return {}
    setup = f"from benchmarks.rivals.scale_svm import *\nproblem = {loaded}"
    return {"peak MB": {who: round(peak_memory(setup, run.format(who=repr(who)))) for who in whose}}


def on_mnist(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """One fit against exact ones, and the smallest model that is as accurate as scikit-learn's on features."""
    m, problem = args.landmarks or 4000, load_mnist(args.data, args.rows)
    loaded, both = f"load_mnist({str(args.data)!r}, {args.rows})", ("mercer", "sklearn")
    seconds, models = race({"mercer": partial(fit, "mercer", problem, m)}, args.repeats)
    errors = {"mercer": error(models["mercer"], problem)}
    yield Goal(f"svc-mnist: test error, m={m}", errors["mercer"], MNIST_ERROR, "%")
    notes: dict[str, Any] = {"seconds of the exact fit": "given"}
    slow = args.exact_seconds
    if slow is None:
        slow, exact = timed(partial(fit, "exact", problem, m))
        notes = {"test error of the exact fit, per cent": error(exact, problem)}
    yield Case(f"svc-mnist against exact, m={m}", seconds["mercer"], slow, EXACT, notes=notes)
    name = f"svc-mnist: time of exact scikit-learn / mercer, m={m}"
    yield Goal(name, slow / seconds["mercer"], FASTER, at_least=True)
    theirs, rivals = race({"sklearn": partial(fit, "sklearn", problem, m)}, args.repeats)
    seconds, errors = seconds | theirs, errors | {"sklearn": error(rivals["sklearn"], problem)}
    notes = {
        "shape": problem.X.shape,
        "test error, per cent": errors,
        **peaks(args, loaded, f"fit({{who}}, problem, {m})", both),
        "approximation": str(models["mercer"].approximation_),
        "certificate": str(models["mercer"].solution_),
    }
    yield Case(f"svc-mnist, m={m}", seconds["mercer"], seconds["sklearn"], RIVAL, notes=notes)
    yield excess(m, errors)
    for fewer in sorted(fewer for fewer in args.fewer if fewer < m):
        times, found = race({"mercer": partial(fit, "mercer", problem, fewer)}, args.repeats)
        reached = error(found["mercer"], problem)
        if reached <= errors["sklearn"]:
            notes = {"m": {"mercer": fewer, "sklearn": m}, "test error, per cent": errors | {"mercer": reached}}
            name = "svc-mnist, smallest m that is as accurate"
            yield Case(name, times["mercer"], seconds["sklearn"], RIVAL, notes=notes)
            break


def excess(m: int, errors: Mapping[str, float]) -> Goal:
    """Test error of mercer above that of scikit-learn on features, for information."""
    name = f"svc-mnist: excess of the test error over {RIVAL}, m={m}"
    return Goal(name, errors["mercer"] - errors["sklearn"], None, "points")


def on_a9a(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Ten values of C: distance to the exact errors, and time."""
    m, problem, costs = args.landmarks or 1000, load_a9a(args.data, args.rows), np.logspace(-1, 2, args.costs)
    loaded, both = f"load_a9a({str(args.data)!r}, {args.rows})", ("mercer", "sklearn")
    seconds, found = race({"mercer": partial(paths, "mercer", problem, m, costs)}, args.repeats)
    yield Goal(f"svc-a9a: time of {len(costs)} values of C, m={m}", seconds["mercer"], A9A_SECONDS, "s")
    slow, found["exact"] = timed(partial(paths, "exact", problem, m, costs))
    errors = {who: [error(model, problem) for model in models] for who, models in found.items()}
    distance = float(np.max(np.subtract(errors["mercer"], errors["exact"])))
    notes: dict[str, Any] = {"seconds of mercer's exact fits": slow}
    name = f"svc-a9a: largest excess of the test error over exact fits, m={m}"
    yield Goal(name, distance, A9A_DISTANCE, "points", notes=notes)
    theirs, rivals = race({"sklearn": partial(paths, "sklearn", problem, m, costs)}, args.repeats)
    errors["sklearn"] = [error(model, problem) for model in rivals["sklearn"]]
    notes = {
        "shape": problem.X.shape,
        "C": [round(C, 3) for C in costs.tolist()],
        "test errors, per cent": {who: [round(value, 2) for value in values] for who, values in errors.items()},
        **peaks(args, loaded, f"paths({{who}}, problem, {m}, {costs.tolist()})", both),
        "approximation": str(found["mercer"][0].approximation_),
        "certificate, largest C": str(found["mercer"][-1].solution_),
    }
    name = f"svc-a9a, {len(costs)} values of C, m={m}"
    yield Case(name, seconds["mercer"], theirs["sklearn"], RIVAL, notes=notes)


def validated(who: str, problem: Problem, m: int, costs: Sequence[float]) -> Any:
    """Model with the best of several values of C by cross-validation in 5 folds, on one set of features.

    TorchKM estimates the width of its kernel from the samples, and accepts no other with landmarks.
    """
    X, C = problem.X, [float(cost) for cost in costs]
    if who == "mercer":
        machine = SVC(gamma=problem.params["gamma"], approximation=m)
        scores = c_path(machine, X, problem.y, C=C, cv=5).scores
        best = C[int(np.argmax(np.mean(scores, axis=-1)))]
        return SVC(C=best, gamma=problem.params["gamma"], approximation=m).fit(X, problem.y)
    from torchkm.estimators import TorchKMSVC

    model = TorchKMSVC(low_rank=True, num_landmarks=m, nys_k=m, Cs=C, cv=5, device="cpu", random_state=0)
    return model.fit(X.toarray(), problem.y)


def against_torchkm(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Cross-validation of ten values of C on a9a against TorchKM, if it is installed."""
    if importlib.util.find_spec("torchkm") is None:
        print("svc-torchkm: torchkm is not installed")
        return
    import torch

    torch.set_num_threads(args.threads or torch.get_num_threads())
    m, problem, costs = args.landmarks or 1000, load_a9a(args.data, args.rows), np.logspace(-1, 2, args.costs)
    runs = {who: partial(validated, who, problem, m, costs) for who in ("mercer", "torchkm")}
    seconds, models = race(runs, args.repeats)
    wrong = {"mercer": error(models["mercer"], problem)}
    wrong["torchkm"] = float(100 * np.mean(models["torchkm"].predict(problem.X_test.toarray()) != problem.y_test))
    notes = {"test error, per cent": wrong, "shape": problem.X.shape, **versions(("torchkm", "torch"))}
    name = f"svc-torchkm, a9a, {len(costs)} values of C, 5 folds, m={m}"
    yield Case(name, seconds["mercer"], seconds["torchkm"], "TorchKM TorchKMSVC, low_rank", notes=notes)
