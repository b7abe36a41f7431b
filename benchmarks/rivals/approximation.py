"""Nyström features against scikit-learn's: ``python -m benchmarks.rivals.approximation [--data kin40k.npy]``.

Fit and transform of the same samples with the same kernel and the same number of landmarks. Uniform landmarks compare
equal work. Landmarks of randomly pivoted Cholesky cost more, and leave a smaller error: the relative error
tr(K − K̂)/tr K of both is noted, on the same sample of rows. The data are kin40k (36 000 × 8) if a file is given (a CSV
or npy file, the first eight columns are read), otherwise a mixture of Gaussians with outliers of the same size.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn import kernel_approximation

from benchmarks.rivals.harness import Case, alternate, options, report
from mercer.kernel_approximation import Nystroem

RESULTS = Path(__file__).parents[1] / "results" / "approximation.json"


def samples(path: Path | None, rows: int) -> np.ndarray:
    if path is not None:
        data = np.load(path) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",")
        X = np.asarray(data[:rows, :8], dtype=np.float64)
        return (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 8))
    X = centres[rng.integers(20, size=rows)] + 0.4 * rng.normal(size=(rows, 8))
    X[rng.choice(rows, rows // 100, replace=False)] = rng.uniform(-4, 4, size=(rows // 100, 8))
    return X


def error(F: np.ndarray) -> float:
    """tr(K − K̂)/tr K of a kernel with k(x, x) = 1."""
    return float(1 - np.einsum("ij,ij->", F, F) / len(F))


def case(X: np.ndarray, gamma: float, m: int, landmarks: str, repeats: int) -> Case:
    def ours() -> Any:
        return Nystroem(gamma=gamma, n_components=m, landmarks=landmarks, random_state=0).fit_transform(X)

    def rival() -> Any:
        return kernel_approximation.Nystroem(gamma=gamma, n_components=m, random_state=0).fit_transform(X)

    notes = {"relative error": {"mercer": error(ours()), "scikit-learn": error(rival())}}
    mercer, sklearn = alternate(ours, rival, repeats)
    target = 1.0 if landmarks == "uniform" else None
    return Case(f"Nystroem, m={m}, {landmarks}", mercer, sklearn, "scikit-learn, uniform", target, notes=notes)


def main() -> None:
    parser = options(__doc__ or "")
    parser.set_defaults(repeats=3, json=RESULTS)
    parser.add_argument("--rows", type=int, default=36_000)
    parser.add_argument("--components", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--data", type=Path, default=None, help="samples of kin40k, CSV or npy")
    args = parser.parse_args()
    X = samples(args.data, args.rows)
    cases = [
        case(X, 0.1, m, landmarks, args.repeats)
        for m in args.components
        for landmarks in ("uniform", "rpcholesky")
        if args.only in f"Nystroem, m={m}, {landmarks}"
    ]
    title = f"Nyström features, n={len(X)}, d=8, {'kin40k' if args.data else 'generated'}"
    report(title, cases, {}, ["mercer", "numpy", "scipy", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
