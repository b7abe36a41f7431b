"""The table of SimpleMKL: accuracy and number of kernels on small sets, next to the published ones.

``python -m benchmarks.accuracy_simplemkl --data PATH [--repeats 20]``, with a folder of KEEL files bupa.dat (Liver),
pima.dat, ionosphere.dat and sonar.dat; sets without a file are reported. 20 random splits, 70 % for training, columns
standardised by the training samples. Kernels: Gaussians exp(−‖x − z‖²/2σ²) with σ = 0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20
and polynomials (⟨x, z⟩ + 1)^d with d = 1, 2, 3, on all variables and on each one alone, of unit trace; C = 100, gap
0.01. Unit trace and C = 100 are mean diagonal 1 and C = 100/n. Published: Rakotomamonjy et al. 2008, table 1.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.rivals.harness import header
from mercer.kernels import RBF, Columns, Kernel, Polynomial
from mercer.multiple_kernel import MKLClassifier

RESULTS = Path(__file__).parent / "results" / "accuracy_simplemkl.json"
WIDTHS = (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20)
# file, accuracy and its standard deviation, number of kernels
PUBLISHED = {
    "Liver": ("bupa.dat", 65.9, 2.3, 11.2),
    "Pima": ("pima.dat", 76.5, 2.6, 14.7),
    "Ionosphere": ("ionosphere.dat", 91.5, 2.5, 23.6),
    "Wpbc": ("wpbc.dat", 76.7, 1.2, 15.8),
    "Sonar": ("sonar.dat", 80.6, 5.1, 36.7),
}


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """A KEEL file: header lines start with @, the class is the last column."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("@")]
    rows = [[entry.strip() for entry in line.split(",")] for line in lines]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])


def kernels(width: int) -> list[Kernel]:
    base: list[Kernel] = [RBF(gamma=1 / (2 * s * s)) for s in WIDTHS]
    base += [Polynomial(degree=d, gamma=1.0, coef0=1.0) for d in (1, 2, 3)]
    return [*base, *(Columns([j], k) for j in range(width) for k in base)]


def main() -> None:
    """Print the table as it grows, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of KEEL files")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=list(PUBLISHED), choices=list(PUBLISHED))
    parser.add_argument("--json", type=Path, default=RESULTS, help="results of other sets in it are kept")
    args = parser.parse_args()
    print(
        f"{'set':11}{'n':>5}{'M':>5}{'accuracy':>10}{'+-':>5}{'published':>14}{'kernels':>9}{'':>6}{'gap':>9}{'s/fit':>7}"
    )
    for name in args.sets:
        file, accuracy, spread, count = PUBLISHED[name]
        if not (args.data / file).exists():
            print(f"{name:11} no file {file}")
            continue
        X, y = read(args.data / file)
        given = kernels(X.shape[1])
        scores, chosen, gaps, seconds = [], [], [], []
        for seed in range(args.repeats):
            train, test = train_test_split(np.arange(len(y)), train_size=0.7, random_state=seed)
            scale = StandardScaler().fit(X[train])
            start = time.perf_counter()
            model = MKLClassifier(given, C=100 / len(train), tol=0.01).fit(scale.transform(X[train]), y[train])
            seconds.append(time.perf_counter() - start)
            scores.append(100 * model.score(scale.transform(X[test]), y[test]))
            chosen.append(int((model.weights_ > 1e-4).sum()))
            gaps.append(model.solution_.relative_gap)
        mean = float(np.mean(scores))
        row = {
            "set": name,
            "accuracies": scores,
            "kernels": chosen,
            "gaps": gaps,
            "seconds": seconds,
            "published": {"accuracy": accuracy, "spread": spread, "kernels": count},
            "within one standard deviation": abs(mean - accuracy) <= spread,
        }
        print(
            f"{name:11}{len(train):>5}{len(given):>5}{mean:>10.1f}{np.std(scores):>5.1f}"
            f"{accuracy:>8.1f} ±{spread:>4.1f}{np.mean(chosen):>9.1f}{count:>6.1f}"
            f"{max(gaps):>9.2g}{np.median(seconds):>7.2f}",
            flush=True,
        )
        known = json.loads(args.json.read_text())["rows"] if args.json.exists() else []
        rows = [*(old for old in known if old["set"] != name), row]
        args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
