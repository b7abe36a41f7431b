"""Six views of the same handwritten digits: each alone, their uniform sum, and learned weights.

``python -m benchmarks.accuracy_views --data PATH [--repeats 10]``, with the folder that holds mfeat-fac.csv.gz and so
on (UCI multiple features, Duin). Columns are standardised by the training samples, every view has a Gaussian kernel
with gamma="scale", and the machine is a support vector machine with C = 10. In each repetition 30 samples of every
class are trained on and all others are tested.
"""

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.rivals.harness import header
from mercer.kernels import RBF, Columns, Kernel
from mercer.multiple_kernel import MKLClassifier
from mercer.svm import SVC

RESULTS = Path(__file__).parent / "results" / "accuracy_views.json"
VIEWS = ("fac", "fou", "kar", "mor", "pix", "zer")
C = 10.0
LEARNED = {
    "uniform": {"method": "uniform"},
    "p = 1": {"p": 1.0},
    "p = 2": {"p": 2.0},
    "easymkl": {"method": "easymkl"},
    "alignf": {"method": "alignf"},
}


def read(folder: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Kernel]]:
    """All views side by side, the digits, and a kernel for the columns of each view."""
    parts, kernels, width = [], {}, 0
    for view in VIEWS:
        with gzip.open(folder / f"mfeat-{view}.csv.gz", "rt") as stream:
            table = np.loadtxt(stream, delimiter=",", skiprows=1)
        parts.append(table[:, :-1])
        kernels[view] = Columns(slice(width, width + table.shape[1] - 1), RBF())
        width += table.shape[1] - 1
    return np.hstack(parts), table[:, -1].astype(int), kernels


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds mfeat-fac.csv.gz and others")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    X, y, kernels = read(args.data)
    scores: dict[str, list[float]] = {}
    weights, gaps, seconds = [], [], []
    for seed in range(args.repeats):
        train, test = train_test_split(np.arange(len(y)), train_size=300, stratify=y, random_state=seed)
        scale = StandardScaler().fit(X[train])
        A, B = scale.transform(X[train]), scale.transform(X[test])
        for view, kernel in kernels.items():
            scores.setdefault(view, []).append(SVC(kernel=kernel, C=C).fit(A, y[train]).score(B, y[test]))
        for name, options in LEARNED.items():
            start = time.perf_counter()
            model = MKLClassifier(list(kernels.values()), C=C, **options).fit(A, y[train])
            scores.setdefault(name, []).append(model.score(B, y[test]))
            if name == "p = 1":
                seconds.append(time.perf_counter() - start)
                weights.append(model.weights_.tolist())
            if name.startswith("p"):
                gaps.append(model.solution_.relative_gap)
    print(f"{'kernel':8} {'accuracy':>8} {'+-':>5}")
    for name, values in scores.items():
        print(f"{name:8} {100 * np.mean(values):8.2f} {100 * np.std(values):5.2f}")
    best = max(VIEWS, key=lambda view: np.mean(scores[view]))
    beaten = all(np.mean(scores[name]) > np.mean(scores[best]) for name in ("p = 1", "p = 2"))
    print(f"weights at p = 1: {dict(zip(VIEWS, np.mean(weights, axis=0).round(3).tolist(), strict=True))}")
    print(f"largest gap {max(gaps):.2g}, {np.median(seconds):.2f} s for p = 1, every view beaten: {beaten}")
    found = {"scores": scores, "weights": weights, "gaps": gaps, "seconds": seconds, "every view beaten": beaten}
    args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
