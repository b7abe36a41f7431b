"""Support vector machines against scikit-learn and its Intel extension.

``python -m benchmarks.rivals.svm --data PATH``: same data, parameters, tolerance and cache for all, runs in turn.
Before anything is timed, the dual objective and the KKT violation of every model are computed from its coefficients in
float64 by one formula, so that no solver's word is taken for it. Ratios are to the faster rival.

fit      tolerance 1e-3, a cache of 2000 MB
predict  2000 rows, with the models of `fit`
small    ``SVC().fit(X, y).predict(X)``, ten features, against scikit-learn alone
memory   peak of a process of its own above the data and the libraries

``--only letter,magic`` and ``--kind fit,predict`` choose; results replace those of the same name in the JSON file.
"""

import argparse
import importlib
import importlib.util
import itertools
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.rivals.harness import SLOW, Case, as_row, in_fresh_process, merge, options, report, timed
from benchmarks.rivals.tables import TABLES, Problem, clusters

LIBRARIES = {"mercer": "mercer.svm", "sklearn": "sklearn.svm", "sklearnex": "sklearnex.svm"}
KINDS = ("fit", "predict", "small", "memory")
TOL, CACHE = 1e-3, 2000
TITLE = "Support vector machines"
RESULTS = Path(__file__).parents[1] / "results" / "svm.json"


class WrongResultError(Exception):
    """A model that is not worth timing."""


def estimator(library: str, name: str) -> Callable[..., Any]:
    """SVC or SVR of a library."""
    try:
        return getattr(importlib.import_module(LIBRARIES[library]), name)
    except ModuleNotFoundError as error:
        raise SystemExit(f"{LIBRARIES[library]} cannot be imported ({error}); pip install 'mercer[bench]'.") from error


def settings(problem: Problem, cache: int = CACHE) -> dict[str, float]:
    return {**problem.params, "tol": TOL, "cache_size": cache}


class Machine(NamedTuple):
    """The dual of one machine: minimise ½βᵀKβ − tᵀβ + ε Σ|β| over lower ≤ β ≤ upper, Σβ = 0, on some of the samples."""

    pair: tuple[int, int] | None  # of classes; None: regression
    rows: np.ndarray
    t: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float


def machines(y: np.ndarray, params: Mapping[str, float]) -> Iterator[Machine]:
    """Every machine of a problem, in scikit-learn's order."""
    C = params["C"]
    if "epsilon" in params:
        bound = np.full(len(y), C)
        yield Machine(None, np.arange(len(y)), y, -bound, bound, params["epsilon"])
        return
    classes, owner = np.unique(y, return_inverse=True)
    for i, j in itertools.combinations(range(len(classes)), 2):
        rows = np.flatnonzero((owner == i) | (owner == j))
        t = np.where(owner[rows] == i, 1.0, -1.0)
        if len(classes) == 2:  # scikit-learn turns the sign of a single machine
            t = -t
        yield Machine((i, j), rows, t, np.minimum(0.0, C * t), np.maximum(0.0, C * t), 0.0)


def coefficients(model: Any, y: np.ndarray, machine: Machine) -> np.ndarray:
    """β of one machine, from scikit-learn's layout of ``dual_coef_``."""
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    beta = np.zeros(len(y))
    if machine.pair is None:
        beta[model.support_] = dual_coef[0]
    else:
        owner = np.searchsorted(model.classes_, y[model.support_])
        for own, other in (machine.pair, machine.pair[::-1]):
            mine = owner == own
            beta[model.support_[mine]] = dual_coef[other - (other > own), mine]
    return beta[machine.rows]


@dataclass
class Certificate:
    """What the coefficients of a model are worth, over all its machines."""

    objective: float = 0.0  # sum
    violation: float = 0.0  # worst; the stopping rule of every solver here is violation <= tol
    infeasibility: float = 0.0  # worst, of the box and of Σβ = 0, relative to C

    def add(self, machine: Machine, beta: np.ndarray, product: np.ndarray) -> None:
        """One machine, with product = Kβ."""
        C = float(machine.upper.max())
        self.objective += float(beta @ (0.5 * product - machine.t) + machine.epsilon * np.abs(beta).sum())
        outside = np.maximum(beta - machine.upper, machine.lower - beta).max()
        self.infeasibility = max(self.infeasibility, float(outside / C), abs(float(beta.sum())) / C)
        error, near = machine.t - product, 1e-12 * C  # as near a bound as that is at it
        rise = (error - machine.epsilon * np.where(beta > -near, 1, -1))[beta < machine.upper - near]
        fall = (error - machine.epsilon * np.where(beta > near, 1, -1))[beta > machine.lower + near]
        self.violation = max(self.violation, float(rise.max() - fall.min()))


def certify(models: Mapping[str, Any], problem: Problem, tile: int = 2048) -> dict[str, Certificate]:
    """Certificates of all models from the same tiles of the Gram matrix, computed by scikit-learn in float64."""
    found = {name: Certificate() for name in models}
    for one in machines(problem.y, problem.params):
        X = problem.X[one.rows]
        B = np.column_stack([coefficients(model, problem.y, one) for model in models.values()])
        support = np.flatnonzero(B.any(axis=1))
        KB = np.vstack(
            [
                rbf_kernel(X[first : first + tile], X[support], gamma=problem.params["gamma"]) @ B[support]
                for first in range(0, X.shape[0], tile)
            ]
        )
        for certificate, beta, product in zip(found.values(), B.T, KB.T, strict=True):
            certificate.add(one, beta, product)
    return found


def check(certificates: Mapping[str, Certificate], scores: Mapping[str, float]) -> None:
    """Mercer's model must be what was asked for; rivals may be worse than they should, which the notes show."""
    ours = certificates["mercer"]
    if not (ours.violation <= 1.01 * TOL and ours.infeasibility <= 1e-9):
        raise WrongResultError(f"mercer is not optimal to tol={TOL:g}: {ours}")
    best = min((c for c in certificates.values() if c.infeasibility <= 1e-9), key=lambda c: c.objective)
    if ours.objective - best.objective > 1e-3 * abs(best.objective):
        raise WrongResultError(f"mercer's dual objective {ours.objective:.8g} is worse than {best.objective:.8g}")
    if max(scores.values()) - scores["mercer"] > 0.01:
        raise WrongResultError(f"mercer predicts worse: {scores}")


def in_turn(runs: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds of every run, taken in turn."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            times[name].append(timed(run)[0])
    return times


def compare(name: str, times: Mapping[str, list[float]], target: float, notes: dict[str, Any]) -> Case:
    """Mercer's median against that of the faster rival."""
    seconds = {library: statistics.median(values) for library, values in times.items()}
    rival = min((library for library in seconds if library != "mercer"), key=seconds.__getitem__)
    notes = {
        "seconds": {library: _digits(value, 4) for library, value in seconds.items()},
        "runs": {library: len(values) for library, values in times.items()},
        **notes,
    }
    return Case(name, seconds["mercer"], seconds[rival], LIBRARIES[rival], target, notes=notes)


def _digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def table_cases(problem: Problem, kinds: set[str], repeats: int, slow_once: bool) -> Iterator[Case]:
    """Fit and predict on one table. The first fit of each is its warm-up, and the one that is checked."""

    def fit(make: Callable[..., Any]) -> Any:
        return make(**settings(problem)).fit(problem.X, problem.y)

    fits = {library: partial(fit, estimator(library, problem.estimator)) for library in LIBRARIES}
    first = {library: timed(run) for library, run in fits.items()}
    models = {library: model for library, (_, model) in first.items()}
    certificates = certify(models, problem)
    scores = {library: model.score(problem.X_test, problem.y_test) for library, model in models.items()}
    check(certificates, scores)
    if "fit" in kinds:
        once = {name: [t] for name, (t, _) in first.items() if slow_once and t > SLOW and name != "mercer"}
        times = in_turn({name: run for name, run in fits.items() if name not in once}, repeats) | once
        quality = "R2 on held-out rows" if problem.estimator == "SVR" else "accuracy on held-out rows"
        notes = {
            "dual objective": {name: _digits(c.objective, 12) for name, c in certificates.items()},
            "KKT violation": {name: _digits(c.violation, 3) for name, c in certificates.items()},
            "infeasibility": {name: _digits(c.infeasibility, 3) for name, c in certificates.items()},
            quality: {name: _digits(score, 5) for name, score in scores.items()},
            "support vectors": {name: len(model.support_) for name, model in models.items()},
        }
        yield compare(f"fit {problem.name}", times, 5.0 if problem.name == "mnist" else 2.0, notes)
    if "predict" in kinds:
        runs = {library: partial(model.predict, problem.X_test) for library, model in models.items()}
        yield compare(f"predict {problem.name}", in_turn(runs, max(5, repeats)), 1.5, {"rows": problem.X_test.shape[0]})


def small(n: int, repeats: int) -> Iterator[Case]:
    """The cost of a small fit and its prediction."""
    X, y = clusters(n, 10)

    def fit_predict(make: Callable[..., Any]) -> np.ndarray:
        return make().fit(X, y).predict(X)

    runs = {library: partial(fit_predict, estimator(library, "SVC")) for library in ("mercer", "sklearn")}
    agreement = float(np.mean(runs["mercer"]() == runs["sklearn"]()))
    if agreement < 0.99:
        raise WrongResultError(f"predictions at n={n} agree with scikit-learn's on {agreement:.1%} only")
    yield compare(f"small n={n}", in_turn(runs, repeats), 1.0, {"agreement": agreement})


MEMORY = """
import json, time
from pathlib import Path
import numpy as np
import scipy.sparse as sp
from {module} import {estimator}

def mark(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

X, y = {load}, np.load({y!r})
{estimator}(**{params}).fit(X[:300], y[:300])
before = mark("VmRSS")
start = time.perf_counter()
model = {estimator}(**{params}).fit(X, y)
seconds = time.perf_counter() - start
print(json.dumps(dict(above=mark("VmHWM") - before, data=before, seconds=seconds, n_support=len(model.support_))))
"""


def memory(problem: Problem, cache: int) -> Iterator[dict[str, Any]]:
    """Peak memory of a fit above the data and the loaded libraries, in MiB, beside what it may take.

    Allowed are the cache, a copy of the support vectors, and a kilobyte a sample for all that is O(n).
    """
    with tempfile.TemporaryDirectory() as folder:
        X, y = Path(folder, "X.npz" if sp.issparse(problem.X) else "X.npy"), Path(folder, "y.npy")
        np.save(y, problem.y)
        if sp.issparse(problem.X):
            sp.save_npz(X, problem.X, compressed=False)
        else:
            np.save(X, problem.X)
        code = MEMORY.format(
            module=LIBRARIES["mercer"],
            estimator=problem.estimator,
            load=f"{'sp.load_npz' if sp.issparse(problem.X) else 'np.load'}({str(X)!r})",
            y=str(y),
            params=settings(problem, cache),
        )
        try:
            run = in_fresh_process(code)
        except subprocess.CalledProcessError as error:
            raise WrongResultError(error.stderr.strip().splitlines()[-1]) from error
    n, d = problem.X.shape
    row = 12 * problem.X.nnz / n if sp.issparse(problem.X) else 8 * d
    allowed = cache + (run["n_support"] * row + 1000 * n) / 2**20
    yield {
        "name": f"memory {problem.name}",
        "above_data": round(run["above"]),
        "allowed": round(allowed),
        "cache": cache,
        "before": round(run["data"]),
        "support_vectors": run["n_support"],
        "seconds": _digits(run["seconds"], 4),
        "verdict": "met" if run["above"] <= allowed else "MISSED",
    }


def large(n: int) -> Problem:
    X, y = clusters(n, 50)
    return Problem(f"synthetic n={n} d=50", X, y, X[:0], y[:0], {"C": 1.0, "gamma": 1 / 50})


def _packages() -> list[str]:
    optional = ["scikit-learn-intelex"] if importlib.util.find_spec("sklearnex") else []
    return ["mercer", "numpy", "scipy", "scikit-learn", *optional]


def arguments() -> argparse.Namespace:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, help="folder that holds tables/letter, tables/magic, ...")
    parser.add_argument("--kind", default=",".join(KINDS), help="some of %(default)s")
    parser.add_argument("--slow-once", action="store_true", help=f"a rival that takes over {SLOW:g} s is run once")
    parser.add_argument("--rows", type=int, help="a quick look at the first rows only: not comparable, not written")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    args.kind = set(args.kind.split(","))
    if unknown := args.kind - set(KINDS):
        parser.error(f"--kind: expected some of {', '.join(KINDS)}, got {', '.join(sorted(unknown))}")
    if args.data is None and args.kind != {"small"}:
        parser.error("--data: the folder of the tables is needed for everything but --kind small")
    return args


def steps(args: argparse.Namespace) -> Iterator[Iterator[Case | dict[str, Any]]]:
    """Everything that was asked for; each step runs, and fails, by itself."""

    def wanted(kind: str, name: str) -> bool:
        return kind in args.kind and any(text in f"{kind} {name}" for text in args.only.split(","))

    def load(name: str) -> Problem:
        problem = TABLES[name](args.data)
        return problem.head(args.rows) if args.rows else problem

    for name in TABLES:
        if kinds := {kind for kind in ("fit", "predict") if wanted(kind, name)}:
            yield table_cases(load(name), kinds, args.repeats, args.slow_once)
    for n in (100, 500, 2000):
        if wanted("small", f"n={n}"):
            yield small(n, 5 if args.rows else 100_000 // n)
    for name in TABLES:
        if wanted("memory", name):
            yield memory(load(name), CACHE)
    if wanted("memory", "synthetic"):
        yield memory(large(args.rows or 100_000), 500)


def show(memories: list[dict[str, Any]]) -> None:
    print(f"\n{'MiB of a fit':<40}{'above data':>12}{'allowed':>9}{'cache':>7}{'seconds':>9}  verdict")
    for row in memories:
        print(f"{row['name']:<40}{row['above_data']:>12}{row['allowed']:>9}", end="")
        print(f"{row['cache']:>7}{row['seconds']:>9.1f}  {row['verdict']}")


def main() -> None:
    args = arguments()
    cases: list[Case] = []
    memories: list[dict[str, Any]] = []
    wrong = []
    for step in steps(args):
        try:
            for result in step:
                (cases if isinstance(result, Case) else memories).append(result)
                if not args.rows:
                    merge(args.json, TITLE, _packages(), {"cases": [as_row(c) for c in cases], "memory": memories})
        except WrongResultError as error:
            wrong.append(str(error))
    report(f"{TITLE}{f' (NOT COMPARABLE: {args.rows} rows)' if args.rows else ''}", cases, {}, [], None)
    if memories:
        show(memories)
    if wrong:
        raise SystemExit("\n".join(["not timed, because wrong:", *wrong]))


if __name__ == "__main__":
    main()
