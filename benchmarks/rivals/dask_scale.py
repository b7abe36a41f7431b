"""Data beyond memory and beyond one process: Dask workers, and Parquet files in blocks.

``python -m benchmarks.rivals.dask_scale [CASE ...]``. Fits are ``KernelRidge(approximation=m)`` to generated
samples of 20 features, those of machines ``SVC``, those of logistic ``KernelLogisticRegression``.

workers    two workers of one thread against one, the samples in their memory
equality   predictions of models from NumPy, from Parquet and from Dask
parquet    processor time and peak memory of fits to Parquet files, for growing n (--huge: 10⁷ too)
machines   SVC on two workers of one thread, which sums over passes, against SVC in memory with two threads
logistic   logistic regression in blocks: features written to disk once, against features computed in every pass
resume     a fit to Parquet files that is killed at random moments and goes on from its checkpoint (--kills times)

Results replace those of the same name in benchmarks/results/dask_scale.json. Rows say their sizes.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.rivals.harness import Case, Goal, as_row, in_fresh_process, merge, options, report
from benchmarks.rivals.scale import show

TITLE = "Blocks and workers"
RESULTS = Path(__file__).parents[1] / "results" / "dask_scale.json"
PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "dask", "distributed", "polars")
D, BLOCK = 20, 100_000


def block(start: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples from a row number on, which do not depend on the others."""
    X = np.random.default_rng([7, start]).normal(size=(rows, D))
    return X, np.sin(X[:, :5]).sum(axis=1) + 0.1 * X[:, 5]


def starts(n: int, rows: int = BLOCK) -> list[tuple[int, int]]:
    return [(start, min(rows, n - start)) for start in range(0, n, rows)]


def write_parquet(folder: Path, n: int) -> None:
    """Files of 100 000 rows, one block in memory at a time."""
    import polars as pl

    for start, rows in starts(n):
        X, y = block(start, rows)
        frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(D)]).with_columns(y=pl.Series(y))
        frame.write_parquet(folder / f"part-{start:012d}.parquet")


def on_workers(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Seconds of a fit with two workers and with one, in turn."""
    import dask
    from distributed import Client, LocalCluster

    from mercer.ridge import KernelRidge

    model, seconds = KernelRidge(kernel="rbf", gamma=0.02, alpha=1.0, approximation=args.landmarks), {1: [], 2: []}
    for _ in range(args.repeats):
        for workers in (1, 2):
            options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
            with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
                X, y = client.persist(lazy(args.rows, args.block))
                dask.compute(X.sum(), y.sum())
                model.fit(X[:BLOCK], y[:BLOCK])  # imports and first calls
                begun = time.perf_counter()
                model.fit(X, y)
                seconds[workers].append(time.perf_counter() - begun)
    one, two = (statistics.median(seconds[workers]) for workers in (1, 2))
    notes = {"load": round(os.getloadavg()[0], 1), "one": seconds[1], "two": seconds[2]}
    name = f"two workers of one thread, {args.rows} x {D} in blocks of {args.block}, m = {args.landmarks}"
    yield Case(name, two, one, "one worker", target=1.6, notes=notes)


def labelled(n: int, block_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of two classes that overlap."""
    X, y = (np.concatenate(parts) for parts in zip(*(block(*place) for place in starts(n, block_rows)), strict=True))
    return X, (y + 0.5 * np.random.default_rng(0).normal(size=n) > 0).astype(int)


def logistic(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Processor time of fits whose passes read features from disk, and of fits that compute them in each pass."""
    from mercer.data import ArrayBlocks
    from mercer.ridge import KernelLogisticRegression

    n = min(args.rows, 100_000)
    X, label = labelled(n, args.block)
    model = KernelLogisticRegression(1.0, kernel="rbf", gamma=0.02, approximation=args.landmarks)
    seconds, found = {"disk": [], "again": []}, {}
    for _ in range(args.repeats):
        for where in seconds:
            source = ArrayBlocks(X, label, rows=args.block)
            source.saves_sums = where == "again"
            begun = time.process_time()
            found[where] = model.fit(source).dual_coef_
            seconds[where].append(time.process_time() - begun)
    if not np.array_equal(found["disk"], found["again"]):
        raise RuntimeError("the models differ")
    notes = {"load": round(os.getloadavg()[0], 1), "steps": int(np.max(model.n_iter_))} | seconds
    name = f"logistic regression in blocks, {n} x {D}, m = {args.landmarks}, features on disk, processor time"
    yield Case(name, *map(statistics.median, seconds.values()), "features computed in every pass", notes=notes)


def machines(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Seconds of a support vector machine on two workers and in memory, in turn, at the default tolerance."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    from mercer.svm import SVC

    n, size = min(args.rows, 100_000), min(args.block, 25_000)
    X, label = labelled(n, size)
    model, seconds, passes = SVC(gamma=0.02, approximation=args.landmarks), {"dask": [], "memory": []}, 0
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        lazy_X, lazy_y = client.persist((da.from_array(X, chunks=(size, D)), da.from_array(label, chunks=size)))
        dask.compute(lazy_X.sum(), lazy_y.sum())
        model.fit(lazy_X[:size], lazy_y[:size])  # imports and first calls
        for _ in range(args.repeats):
            for where, data in (("dask", (lazy_X, lazy_y)), ("memory", (X, label))):
                begun = time.perf_counter()
                found = model.fit(*data).solution_
                seconds[where].append(time.perf_counter() - begun)
                if not found.converged:
                    raise RuntimeError(f"{where}: {found}")
                passes = int(np.sum(model.n_iter_)) if where == "dask" else passes
    notes = {"load": round(os.getloadavg()[0], 1), "passes": passes} | seconds
    name = f"SVC on two workers of one thread, {n} x {D} in blocks of {size}, m = {args.landmarks}"
    yield Case(name, *(statistics.median(seconds[where]) for where in ("dask", "memory")), "in memory", notes=notes)


def lazy(n: int, block_rows: int = BLOCK) -> tuple:
    """Samples as Dask arrays that the workers generate."""
    import dask
    import dask.array as da

    parts = [dask.delayed(block, nout=2)(start, rows) for start, rows in starts(n, block_rows)]
    sizes = [rows for _, rows in starts(n, block_rows)]
    X = [da.from_delayed(X, (rows, D), dtype=float) for (X, _), rows in zip(parts, sizes, strict=True)]
    y = [da.from_delayed(y, (rows,), dtype=float) for (_, y), rows in zip(parts, sizes, strict=True)]
    return da.concatenate(X), da.concatenate(y)


def equality(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Largest difference of predictions of three fits to the same samples, relative to their size."""
    import dask
    import polars as pl

    from mercer.datasets import read_blocks
    from mercer.ridge import KernelRidge

    n = min(args.rows, 300_000)
    X, y = (np.concatenate(parts) for parts in zip(*(block(*place) for place in starts(n)), strict=True))
    model = KernelRidge(kernel="rbf", gamma=0.02, alpha=1.0, approximation=args.landmarks)
    want, few = model.fit(X, y).predict(X[:1000]), pl.DataFrame(X[:1000], schema=[f"x{j}" for j in range(D)])
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder), n)
        got = {"Parquet": model.fit(read_blocks(folder, target="y")).predict(few)}
    with dask.config.set(scheduler="threads"):
        got["Dask"] = model.fit(*lazy(n)).predict(X[:1000])
    for name, values in got.items():
        error = float(np.abs(values - want).max() / np.abs(want).max())
        yield Goal(f"{name} against NumPy, {n} x {D}: relative difference of predictions", error, 1e-10)


FIT = """
import json, os, time
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
from mercer.datasets import read_blocks
from mercer.ridge import KernelRidge
source = read_blocks({folder!r}, target="y")
begun = time.process_time()
model = KernelRidge(kernel="rbf", gamma=0.02, alpha=1.0, approximation={landmarks}).fit(source)
print(json.dumps({{"seconds": time.process_time() - begun, "peak": PEAK}}))
"""


def from_parquet(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Processor time and peak memory for growing n; the slope of log(time) in log(n) over the largest two."""
    sizes, found = sorted({*args.sizes, *([10_000_000] if args.huge else [])}), []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_parquet(Path(folder), n)
            result = in_fresh_process(FIT.format(folder=folder, landmarks=args.landmarks))
        found.append(result["seconds"])
        where = f"from Parquet, {n} x {D}, m = {args.landmarks}"
        yield Goal(f"fit {where}: processor time of one thread", result["seconds"], None, "s")
        yield Goal(f"fit {where}: peak memory of the process", result["peak"], 2000, "MB")
    if len(sizes) > 1:
        slope = float(np.log(found[-1] / found[-2]) / np.log(sizes[-1] / sizes[-2]))
        name = f"exponent of n in the time of fits from Parquet, {sizes[-2]} to {sizes[-1]}"
        yield Goal(name, slope, 1.1, notes={"seconds": found})


RESUMED = """
import os, signal, sys, threading, time
from mercer.data import Checkpointed
from mercer.datasets import read_blocks
from mercer.ridge import KernelRidge
folder, path, after, landmarks = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
if after:
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGKILL)).start()
begun = time.monotonic()
source = Checkpointed(read_blocks(folder, target="y", block_bytes=8_000_000), path, seconds=0.5)
model = KernelRidge(kernel="rbf", gamma=0.02, alpha=1.0, approximation=landmarks).fit(source)
print(model.dual_coef_.tobytes().hex(), time.monotonic() - begun, flush=True)
os._exit(0)
"""


def resumed(args: argparse.Namespace) -> Iterator[Case | Goal]:
    """Number of different models of fits that were killed at random moments and resumed."""
    n, rng = min(args.rows, 300_000), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder), n)

        def run(after: float) -> list[str] | None:
            command = [sys.executable, "-c", RESUMED, folder, f"{folder}.checkpoint", str(after), str(args.landmarks)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode not in (0, -signal.SIGKILL):
                raise RuntimeError(done.stderr)
            return done.stdout.split() if done.returncode == 0 else None

        want, seconds = run(0)
        different = killed = 0
        for i in range(args.kills):
            killed += run(rng.uniform(0.1, 1.0) * float(seconds)) is None
            if i % 3 == 2 or i == args.kills - 1:
                different += run(0)[0] != want
    name = f"models that differ by a bit after {args.kills} kills, {n} x {D} from Parquet"
    yield Goal(name, different, 0, notes={"killed": killed})


CASES: dict[str, Callable[[argparse.Namespace], Iterator[Case | Goal]]] = {
    "workers": on_workers,
    "machines": machines,
    "logistic": logistic,
    "equality": equality,
    "parquet": from_parquet,
    "resume": resumed,
}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of {', '.join(CASES)}; all if none is named")
    parser.add_argument("--rows", type=int, default=1_000_000, help="samples of workers, at most 300 000 of the others")
    parser.add_argument("--block", type=int, default=25_000, help="rows of a block of workers")
    parser.add_argument("--landmarks", type=int, default=300, help="m")
    parser.add_argument("--sizes", type=int, nargs="+", default=[300_000, 1_000_000, 3_000_000], help="n of parquet")
    parser.add_argument("--huge", action="store_true", help="10⁷ samples in parquet, too")
    parser.add_argument("--kills", type=int, default=30, help="kills of resume")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args(given)
    if unknown := set(args.cases) - set(CASES):
        parser.error(f"CASE: expected some of {', '.join(CASES)}, got {', '.join(sorted(unknown))}")
    args.cases = [name for name in CASES if args.only in name and (not args.cases or name in args.cases)]
    return args


def main() -> None:
    args = arguments()
    found: list[Case | Goal] = []
    for name in args.cases:
        for result in CASES[name](args):
            found.append(result)
            print(json.dumps(as_row(result)), flush=True)
            part = "goals" if isinstance(result, Goal) else "cases"
            merge(args.json, TITLE, PACKAGES, {"cases": [], "goals": [], part: [as_row(result)]})
    report(TITLE, [result for result in found if isinstance(result, Case)], {}, PACKAGES, None)
    show([result for result in found if isinstance(result, Goal)])


if __name__ == "__main__":
    main()
