"""Time and memory of ``KernelRidge(approximation=m)`` for n samples, d features and m landmarks.

``python -m benchmarks.cost_model`` measures two things, each fit in a process of its own:

grid    fits over a grid of n, d and m. Time and memory are modelled by sums of terms with coefficients that are not
        negative and minimise the squared relative errors on two thirds of the grid; the relative errors on the last
        third are reported.
curve   exact and approximated fits to growing samples of one function, with their errors on new samples;
        ``python docs/pictures.py scaling`` draws them.

Times are processor seconds of one thread, the smallest of some runs: unlike the time on the clock they hardly depend
on what else the machine does. Memory is the peak above data and libraries. ``--only`` chooses a part; the file
benchmarks/results/cost_model.json keeps the other. With other sizes it is not written.
"""

import argparse
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from benchmarks.rivals.harness import in_fresh_process, machine, versions

RESULTS = Path(__file__).parent / "results" / "cost_model.json"
SIZES = {
    "n": [5_000, 20_000, 50_000, 100_000],
    "d": [4, 16, 64],
    "m": [200, 500, 1000],
    "curve_n": [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000],
    "curve_m": [100, 1000],
}
MOST_EXACT = 16_000  # samples of an exact fit of the curve
HELD_OUT = 3  # every third point of the grid tests the model
PACKAGES = ("mercer", "numpy", "scipy")


class Size(NamedTuple):
    """Numbers of samples, features and landmarks."""

    n: int
    d: int
    m: int | None  # None: exact

    @property
    def candidates(self) -> int:
        """Samples among which landmarks are selected."""
        return min(self.n, max(5 * self.m, int(min(20_000, 4e10 / self.m**2))))

    @property
    def certificate(self) -> int:
        """Kernel values of the certificate: 400 rows of the Gram matrix, or 2·10⁷ values if that is more."""
        return self.n * min(self.n, max(400, 20_000_000 // self.n))


Terms = Mapping[str, Callable[[Size], float]]
TIME: Terms = {  # seconds
    "1": lambda _: 1.0,
    "v": lambda s: float(values(s)),
    "vd": lambda s: float(values(s)) * s.d,
    "nm²": lambda s: float(s.n) * s.m**2,
    "n′m²": lambda s: float(s.candidates) * s.m**2,
    "m³": lambda s: float(s.m) ** 3,
}
MEMORY: Terms = {  # bytes
    "1": lambda _: 1.0,
    "n′m": lambda s: float(s.candidates * s.m),
    "nm [n = n′]": lambda s: float(s.n * s.m * (s.n == s.candidates)),  # the features of the candidates are kept
    "m²": lambda s: float(s.m**2),
}


def values(size: Size) -> int:
    """Kernel values of a fit: two passes over samples and landmarks, the selection and the certificate."""
    return (2 * size.n + size.candidates) * size.m + size.certificate


MEASURE = """
import os
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import json, time
from pathlib import Path
import numpy as np
from benchmarks.rivals.tables import smooth_regression
from mercer.ridge import KernelRidge

lines = lambda: Path("/proc/self/status").read_text().splitlines()
X, y = smooth_regression({n}, {d})
model = KernelRidge(0.1, kernel="rbf", gamma={gamma}, approximation={m})
KernelRidge(0.1, kernel="rbf", gamma={gamma}, approximation=50).fit(X[:500], y[:500])
before = next(int(line.split()[1]) for line in lines() if line.startswith("VmRSS")) / 1000
times = []
for _ in range({repeats}):
    start = time.process_time()
    model.fit(X, y)
    times.append(time.process_time() - start)
peak = PEAK
X, y = smooth_regression(5000, {d}, seed=1, noise=0.0)
error = float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
print(json.dumps(dict(seconds=min(times), megabytes=peak - before, error=error)))
"""


def measure(size: Size, gamma: float, repeats: int) -> dict[str, Any]:
    """Size, smallest processor time, peak memory above data and libraries, and error on new samples, of a fit."""
    found = in_fresh_process(MEASURE.format(**size._asdict(), gamma=gamma, repeats=repeats))
    row = {**size._asdict(), **{key: rounded(value) for key, value in found.items()}}
    print(row, flush=True)
    return row


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


def fitted(terms: Terms, sizes: Sequence[Size], measured: Sequence[float]) -> dict[str, float]:
    """Coefficients ≥ 0 of the terms that minimise Σ(prediction/measured − 1)²."""
    A = np.array([[term(size) for term in terms.values()] for size in sizes]) / np.asarray(measured)[:, None]
    scale = np.linalg.norm(A, axis=0)  # the terms differ by many orders of magnitude
    found = nnls(A / scale, np.ones(len(sizes)))[0] / scale
    return dict(zip(terms, map(float, found), strict=True))


def predicted(terms: Terms, coefficients: Mapping[str, float], size: Size) -> float:
    """Value of a model."""
    return sum(coefficients[name] * term(size) for name, term in terms.items())


def modelled(terms: Terms, sizes: Sequence[Size], measured: Sequence[float]) -> dict[str, Any]:
    """Coefficients from two thirds of the points, chosen at random, and relative errors on the others."""
    test = np.random.default_rng(0).permutation(len(sizes)) % HELD_OUT == 0
    train = np.flatnonzero(~test)
    coefficients = fitted(terms, [sizes[i] for i in train], [measured[i] for i in train])
    errors = [abs(predicted(terms, coefficients, sizes[i]) / measured[i] - 1) for i in np.flatnonzero(test)]
    return {
        "coefficients": {name: rounded(value) for name, value in coefficients.items()},
        "points": len(train),
        "held out": len(errors),
        "median relative error": rounded(float(np.median(errors))),
        "largest relative error": rounded(max(errors)),
    }


def grid(args: argparse.Namespace) -> dict[str, Any]:
    """Measured grid and its two models."""
    sizes = [Size(n, d, m) for n, d, m in itertools.product(args.n, args.d, args.m)]
    rows = [measure(size, 1 / size.d, args.repeats) for size in sizes]
    models = {
        "time": modelled(TIME, sizes, [row["seconds"] for row in rows]),
        "memory": modelled(MEMORY, sizes, [1e6 * row["megabytes"] for row in rows]),
    }
    print(json.dumps(models, indent=1, ensure_ascii=False))
    return {"models": models, "grid": rows}


def curve(args: argparse.Namespace) -> dict[str, Any]:
    """Exact fits up to a size, and approximated ones with at most half of the samples as landmarks."""
    sizes = [Size(n, 5, m) for n, m in itertools.product(args.curve_n, (None, *args.curve_m))]
    wanted = [size for size in sizes if (size.n <= args.most_exact if size.m is None else 2 * size.m <= size.n)]
    return {"curve": [measure(size, 0.2, args.repeats) for size in wanted]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in SIZES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, nargs="+", default=default, help="%(default)s")
    parser.add_argument("--most-exact", type=int, default=MOST_EXACT, help="samples of an exact fit (%(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a fit (%(default)s)")
    parser.add_argument("--only", choices=["grid", "curve"], help="measure this part only")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    parts = {"grid": grid, "curve": curve}
    found: dict[str, Any] = {}
    for name, part in parts.items():
        if args.only in (None, name):
            found |= part(args)
    if any(getattr(args, name) != default for name, default in SIZES.items()):
        return
    old = json.loads(args.json.read_text(encoding="utf-8")) if args.json.exists() else {}
    header = {"title": "Cost of KernelRidge(approximation=m)", "date": date.today().isoformat()}
    header |= {"machine": {**machine(), "threads": 1}, "versions": versions(PACKAGES)}
    args.json.write_text(json.dumps(old | header | found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
