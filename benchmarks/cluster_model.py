"""Time and memory of ``KernelRidge(approximation=m)`` on Dask workers, and what they are for 10⁹ samples.

``python -m benchmarks.cluster_model`` fits on one and on two workers of one thread, over a grid of n, d, m and r rows
of a chunk. Chunks are read from NumPy files in every pass. Models are sums of terms with coefficients that are not
negative, as those of `cost_model`. Relative errors are reported for a third of the grid that was left out, and for the
largest n of the grid, predicted by a model of all smaller ones.

time            seconds on the clock: what p workers share, and what the client and the scheduler do alone, for each
                sample, each block and the candidates for landmarks
worker memory   largest peak of a worker above its libraries
client memory   peak of the client above its libraries

The extrapolation to 10⁹ samples has an interval: the 5th and 95th percentile of models that were fitted to points of
the grid drawn with replacement, widened by the largest relative error. It assumes that a task costs the scheduler as
much as here, whatever the number of workers; that messages between machines take the time of those between processes of
one machine; and that blocks are read as fast as here, from the memory in which the system keeps files. With other sizes
benchmarks/results/cluster_model.json is not written.
"""

import argparse
import ctypes
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cost_model import Size, fitted, modelled, predicted, rounded
from benchmarks.rivals.harness import header, limit_threads
from benchmarks.rivals.tables import smooth_regression

RESULTS = Path(__file__).parent / "results" / "cluster_model.json"
SIZES = {
    "n": [100_000, 300_000, 1_000_000],
    "d": [5, 20],
    "m": [100, 300],
    "rows": [25_000, 100_000],
    "workers": [1, 2],
}
FAR = [(10**9, 20, 300, 500_000, workers) for workers in (10, 100, 1000)]  # what is extrapolated to
RESAMPLED = 300  # models of the interval
PACKAGES = ("mercer", "numpy", "scipy", "dask", "distributed")


class Run(NamedTuple):
    """Numbers of samples, features and landmarks, rows of a chunk, workers."""

    n: int
    d: int
    m: int
    rows: int
    workers: int

    @property
    def blocks(self) -> int:
        """Number of chunks."""
        return -(-self.n // self.rows)

    @property
    def values(self) -> int:
        """Kernel values of the workers: two passes over samples and landmarks, and the certificate."""
        return 2 * self.n * self.m + Size(self.n, self.d, self.m).certificate

    @property
    def candidates(self) -> int:
        """Samples among which the client selects landmarks."""
        return Size(self.n, self.d, self.m).candidates


Terms = Mapping[str, Callable[[Run], float]]
TIME: Terms = {  # seconds
    "1": lambda _: 1.0,
    "v/p": lambda r: r.values / r.workers,
    "vd/p": lambda r: r.values * r.d / r.workers,
    "nm²/p": lambda r: float(r.n) * r.m**2 / r.workers,
    "n": lambda r: float(r.n),
    "blocks": lambda r: float(r.blocks),
    "n′m²": lambda r: float(r.candidates) * r.m**2,
}
WORKER: Terms = {  # bytes
    "1": lambda _: 1.0,
    "rd": lambda r: float(r.rows * r.d),
    "rm": lambda r: float(r.rows * r.m),
    "m²": lambda r: float(r.m**2),
}
CLIENT: Terms = {  # bytes
    "1": lambda _: 1.0,
    "n": lambda r: float(r.n),
    "n′m": lambda r: float(r.candidates * r.m),
    "m²": lambda r: float(r.m**2),
}
MODELS: Mapping[str, tuple[Terms, str]] = {
    "time": (TIME, "seconds"),
    "worker memory": (WORKER, "worker bytes"),
    "client memory": (CLIENT, "client bytes"),
}


def part(path: str, start: int, stop: int) -> np.ndarray:
    """Rows of a file, which only the worker reads."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def lazy(path: str, run: Run, width: tuple[int, ...]) -> Any:
    """The first rows of a file as a Dask array."""
    import dask
    import dask.array as da

    read = dask.delayed(part)
    places = [(start, min(start + run.rows, run.n)) for start in range(0, run.n, run.rows)]
    return da.concatenate(
        [da.from_delayed(read(path, *place), (place[1] - place[0], *width), dtype=float) for place in places]
    )


def reset_peak() -> float:
    """Give free memory back and forget the peak of this process; its resident memory in MB."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def status(mark: str) -> float:
    """Line of /proc/self/status in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(mark))


def measure(client: Any, run: Run, folder: Path, libraries: Mapping[str, float], repeats: int) -> dict[str, Any]:
    """Smallest time of some fits, and peaks above the libraries."""
    from mercer.ridge import KernelRidge

    X, y = lazy(str(folder / f"X{run.d}.npy"), run, (run.d,)), lazy(str(folder / f"y{run.d}.npy"), run, ())
    model = KernelRidge(0.1, kernel="rbf", gamma=1 / run.d, approximation=run.m)
    client.run(reset_peak)
    reset_peak()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - begun)
    peaks = {worker: peak - libraries[worker] for worker, peak in client.run(status, "VmHWM").items()}
    found = {
        "seconds": min(times),
        "worker bytes": 1e6 * max(peaks.values()),
        "client bytes": 1e6 * (status("VmHWM") - libraries["client"]),
    }
    row = {**run._asdict(), **{key: rounded(value) for key, value in found.items()}}
    print(row, flush=True)
    return row


def grid(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measurements of all sizes."""
    with tempfile.TemporaryDirectory() as folder:
        for d in args.d:
            X, y = smooth_regression(max(args.n), d)
            np.save(Path(folder) / f"X{d}.npy", X)
            np.save(Path(folder) / f"y{d}.npy", y)
        del X, y
        return [row for workers in args.workers for row in on_workers(workers, Path(folder), args)]


def on_workers(workers: int, folder: Path, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measurements with one number of workers."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    runs = [Run(*sizes, workers) for sizes in itertools.product(args.n, args.d, args.m, args.rows)]
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
        nothing = dict.fromkeys(["client", *client.scheduler_info(n_workers=-1)["workers"]], 0.0)
        first = min(runs)._replace(rows=1000, n=20_000)
        measure(client, first, folder, nothing, 1)  # imports and first calls
        libraries = {"client": reset_peak(), **client.run(reset_peak)}
        for run in runs:
            yield measure(client, run, folder, libraries, args.repeats)


def largest(terms: Terms, runs: Sequence[Run], measured: Sequence[float]) -> dict[str, Any]:
    """Relative errors on the largest n of a model of all smaller ones."""
    n = max(run.n for run in runs)
    small = [i for i, run in enumerate(runs) if run.n < n]
    coefficients = fitted(terms, [runs[i] for i in small], [measured[i] for i in small])
    far = [i for i, run in enumerate(runs) if run.n == n]
    errors = [abs(predicted(terms, coefficients, runs[i]) / measured[i] - 1) for i in far]
    return {"n": n, "median relative error": rounded(float(np.median(errors))), "largest": rounded(max(errors))}


def extrapolated(
    terms: Terms, runs: Sequence[Run], measured: Sequence[float], far: Run, error: float
) -> tuple[float, float, float]:
    """Value of the model of all runs for another one, and the ends of its interval."""
    rng, values = np.random.default_rng(0), []
    for _ in range(RESAMPLED):
        chosen = rng.integers(len(runs), size=len(runs))
        values.append(predicted(terms, fitted(terms, [runs[i] for i in chosen], [measured[i] for i in chosen]), far))
    low, high = np.percentile(values, [5, 95])
    value = predicted(terms, fitted(terms, runs, measured), far)
    return value, min(value, low) * (1 - min(error, 1.0)), max(value, high) * (1 + error)


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Models of a grid, their errors, and the extrapolation."""
    runs = [Run(*(row[name] for name in Run._fields)) for row in rows]
    models = {}
    for name, (terms, key) in MODELS.items():
        measured = [row[key] for row in rows]
        models[name] = modelled(terms, runs, measured) | {"largest size": largest(terms, runs, measured)}
    return {"models": models, "extrapolation": [far(runs, rows, models, Run(*sizes)) for sizes in FAR]}


def far(runs: Sequence[Run], rows: Sequence[Mapping[str, Any]], models: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """Time with its interval, the part of it that more workers do not shorten, and the memory of both sides."""
    found: dict[str, Any] = {**run._asdict()}
    for name, (terms, key) in MODELS.items():
        measured = [row[key] for row in rows]
        error = max(models[name]["largest relative error"], models[name]["largest size"]["largest"])
        value, low, high = extrapolated(terms, runs, measured, run, error)
        found[key] = {"value": rounded(value), "low": rounded(low), "high": rounded(high)}
        if name == "time":
            alone = {term: count for term, count in terms.items() if not term.endswith("/p")}
            coefficients = fitted(terms, runs, measured)
            found["seconds of client and scheduler"] = rounded(predicted(alone, coefficients, run))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in SIZES.items():
        parser.add_argument(f"--{name}", type=int, nargs="+", default=default, help="%(default)s")
    parser.add_argument(
        "--repeats", type=int, default=2, help="runs of a fit, of which the fastest counts (%(default)s)"
    )
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    top = {"title": "Cost of KernelRidge(approximation=m) on Dask workers", **header(PACKAGES)}
    limit_threads(1)  # also of the workers
    rows = grid(args)
    found = summary(rows)
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if any(getattr(args, name) != default for name, default in SIZES.items()):
        return
    text = json.dumps({**top, **found, "grid": rows}, indent=1, ensure_ascii=False)
    args.json.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
