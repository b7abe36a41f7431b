"""Gram matrices against scikit-learn and SciPy: ``python -m benchmarks.rivals.gram``.

Same data, same parameters, same threads, results compared before they are timed. Times include allocation of the
result on both sides. The operator case measures memory in a process of its own.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import Matern as SkMatern
from sklearn.metrics import pairwise

from benchmarks.rivals.harness import Case, alternate, in_fresh_process, options, report
from mercer import kernels as mk

Pair = tuple[str, Callable[[], Any], str, Callable[[], Any], float | None]


def _points(n: int, d: int, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, d)).astype(dtype)


def _exponential(X: np.ndarray, gamma: float) -> np.ndarray:
    K = cdist(X, X)
    K *= -gamma
    return np.exp(K, out=K)


def pairs(n: int) -> Iterator[Pair]:
    """Every rival case: name, ours, rival's name, rival, target."""
    for d, target in ((20, 5.0), (784, 2.0)):
        X, g = _points(n, d), 1 / d
        yield (
            f"rbf float64 d={d}",
            partial(mk.RBF(gamma=g), X),
            "sklearn rbf_kernel",
            partial(pairwise.rbf_kernel, X, gamma=g),
            target,
        )
    X, g = _points(n, 784, np.float32), 1 / 784
    yield (
        "rbf float32 d=784",
        partial(mk.RBF(gamma=g), X),
        "sklearn rbf_kernel",
        partial(pairwise.rbf_kernel, X, gamma=g),
        None,
    )
    X, g = _points(n, 20), 0.2
    yield (
        "exponential d=20",
        partial(mk.Exponential(gamma=g), X),
        "scipy cdist + np.exp",
        partial(_exponential, X, g),
        5.0,
    )
    for nu in (1.5, 2.5):
        rival = partial(SkMatern(length_scale=1 / g, nu=nu), X)
        yield f"matern nu={nu} d=20", partial(mk.Matern(nu=nu, gamma=g), X), "sklearn Matern", rival, 5.0
    yield (
        "laplacian d=20",
        partial(mk.Laplacian(gamma=g), X),
        "sklearn laplacian_kernel",
        partial(pairwise.laplacian_kernel, X, gamma=g),
        5.0,
    )
    poly = mk.Polynomial(degree=3, gamma=g)
    yield (
        "poly degree=3 d=20",
        partial(poly, X),
        "sklearn polynomial_kernel",
        partial(pairwise.polynomial_kernel, X, degree=3, gamma=g),
        None,
    )
    H = np.abs(X)
    yield (
        "chi2 d=20",
        partial(mk.Chi2(gamma=g), H),
        "sklearn chi2_kernel",
        partial(pairwise.chi2_kernel, H, gamma=g),
        None,
    )
    S = sp.random(n, 5000, density=0.01, format="csr", random_state=0)
    yield (
        "rbf CSR d=5000, 1 %",
        partial(mk.RBF(gamma=g), S),
        "sklearn rbf_kernel",
        partial(pairwise.rbf_kernel, S, gamma=g),
        None,
    )


def composite(n: int, d: int, repeats: int) -> Case:
    """(rbf*poly + linear)(X) against the slowest of its leaves."""
    X = _points(n, d)
    rbf, poly, linear = mk.RBF(gamma=1 / d), mk.Polynomial(degree=2, gamma=1 / d), mk.Linear()
    whole = rbf * poly + linear
    timed = {
        name: alternate(partial(whole, X), partial(k, X), repeats)
        for name, k in (("rbf", rbf), ("poly", poly), ("linear", linear))
    }
    slowest = max(timed, key=lambda name: timed[name][1])
    ours = float(np.median([t[0] for t in timed.values()]))
    return Case(
        f"(rbf*poly + linear) d={d}", ours, timed[slowest][1], f"its slowest leaf alone: {slowest}", 1.6, at_most=True
    )


OPERATOR = """
import json, numpy as np
from mercer.kernels import RBF
from mercer.operators import gram
rng = np.random.default_rng(0)
X, V = rng.standard_normal((50_000, 20)), rng.standard_normal((50_000, 8))
gram(RBF(gamma=0.05), X).matmul(V)
print(json.dumps({"peak": PEAK}))
"""


def operator(repeats: int) -> Case:
    """matmul of a 50 000-point operator with 8 vectors against its tiles alone, and its memory."""
    from mercer.operators import gram

    rng = np.random.default_rng(0)
    n, width = 50_000, 256
    X, V = rng.standard_normal((n, 20)), rng.standard_normal((n, 8))
    K = gram(mk.RBF(gamma=0.05), X)
    buffer = np.empty((n, width))

    def tiles() -> None:
        for first in range(0, n, width):
            last = min(first + width, n)
            K.block(slice(0, last), slice(first, last), out=buffer[:last, : last - first])

    ours, alone = alternate(lambda: K.matmul(V), tiles, max(1, repeats // 2))
    memory = in_fresh_process(OPERATOR)
    notes = {"peak memory of the process with matmul": f"{memory['peak']:.0f} MB (target: below 300 MB)"}
    return Case(
        "matmul rbf n=50000, 8 vectors", ours, alone, "computing its tiles alone", 1.3, at_most=True, notes=notes
    )


def peaks() -> dict[str, str]:
    """What this machine can do at best, by the libraries themselves."""
    A = _points(3000, 1500)
    B = A + 1
    v = -np.abs(_points(4000, 1000)).ravel()

    def best(run: Callable[[], Any]) -> float:
        times = []
        for _ in range(7):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)

    out = np.empty_like(v)
    gemm = 2 * 3000 * 3000 * 1500 / best(lambda: A @ B.T) / 1e9
    exp = v.size / best(lambda: np.exp(v, out=out)) / 1e9
    fill = out.nbytes / best(lambda: out.fill(1.0)) / 1e9
    return {"dgemm": f"{gemm:.1f} GFLOP/s", "np.exp": f"{exp:.2f} G/s", "refill": f"{fill:.1f} GB/s"}


def rates(cases: list[Case], n: int) -> dict[str, str]:
    """Arithmetic rates of the Gaussian cases; symmetry halves the work, and only the work done is counted."""
    found = {}
    for c in cases:
        if c.name.startswith("rbf float64"):
            d = int(c.name.split("=")[1])
            evaluated = n * n / 2
            found[c.name] = (
                f"{2 * evaluated * d / c.mercer / 1e9:.1f} GFLOP/s, {evaluated / c.mercer / 1e9:.2f}e9 exp/s"
            )
    return found


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("-n", type=int, default=8000, help="samples in the Gram cases")
    args = parser.parse_args()
    cases = []
    for name, ours, rival_name, rival, target in pairs(args.n):
        if args.only not in name:
            continue
        np.testing.assert_allclose(ours(), rival(), rtol=1e-4, atol=1e-4 if "float32" in name else 1e-9)
        cases.append(Case(name, *alternate(ours, rival, args.repeats), rival_name, target))
    if args.only in "composite":
        cases += [composite(args.n, d, args.repeats) for d in (20, 784)]
    if args.only in "operator":
        cases.append(operator(args.repeats))
    extra = {"peaks": peaks(), "rates": rates(cases, args.n)}
    report("Gram matrices", cases, extra, ["mercer", "numpy", "scipy", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
