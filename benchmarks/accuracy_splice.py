"""Splice sites and promoters by cross-validation, with kernels that know positions and kernels that do not.

``python -m benchmarks.accuracy_splice --data PATH``, with the folder that holds strings/celegans_splice, uci_splice and
uci_promoters. Kernels are normalised, folds shuffled and stratified. Parameters of the promoters are chosen inside each
fold; those of the other two sets are as given. Repeated sequences are kept.
"""

import argparse
import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate

from benchmarks.rivals.harness import header
from mercer.data import Strings
from mercer.kernels import Kernel
from mercer.kernels.strings import Subsequence, WeightedDegree
from mercer.svm import SVC

RESULTS = Path(__file__).parent / "results" / "accuracy_splice.json"


def table(path: Path) -> tuple[Strings, Any]:
    """Sequences and classes of a CSV file: class, name, sequence."""
    with gzip.open(path, "rt") as file:
        rows = [[field.strip() for field in row] for row in csv.reader(file) if len(row) == 3]
    rows = [row for row in rows if row[2] != "sequence"]
    return Strings([row[2] for row in rows]), np.array([row[0] for row in rows])


def evaluated(name: str, model: Any, X: Strings, y: Any, folds: int, *scores: str) -> dict[str, Any]:
    """Scores of the folds, printed as a line."""
    found = cross_validate(model, X, y, cv=StratifiedKFold(folds, shuffle=True, random_state=0), scoring=scores)
    values = (f"{s} {found[f'test_{s}'].mean():.3f} +- {found[f'test_{s}'].std():.3f}" for s in scores)
    print(f"{name:64} {', '.join(values)}", flush=True)
    return {"name": name, "folds": folds, "scores": {s: found[f"test_{s}"].tolist() for s in scores}}


def chosen(kernels: list[Kernel]) -> GridSearchCV:
    """A machine whose kernel is chosen by five folds of the training samples."""
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    return GridSearchCV(SVC(C=10.0), {"kernel": [kernel.normalized() for kernel in kernels]}, cv=folds)


def main() -> None:
    """Print a line for each set and kernel, and write all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds strings/")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    folder, rows = args.data / "strings", []
    X = Strings.read_fasta(next((folder / "celegans_splice").glob("*.gz")))
    y = np.array([(name or "").endswith("label=1") for name in X.names or ()])
    for kernel in (WeightedDegree(20), WeightedDegree(20, 8)):
        model = SVC(kernel=kernel.normalized(), class_weight="balanced")
        rows.append(evaluated(f"celegans {kernel}", model, X, y, 5, "balanced_accuracy", "roc_auc"))
    X, y = table(next((folder / "uci_splice").glob("*.gz")))
    for kernel in (WeightedDegree(8, alphabet="dna"), WeightedDegree(8, 1, alphabet="dna")):
        model = SVC(kernel=kernel.normalized(), C=3.0)
        rows.append(evaluated(f"splice {kernel}", model, X, y, 10, "accuracy"))
    X, y = table(next((folder / "uci_promoters").glob("*.gz")))
    degrees = [WeightedDegree(d, s) for d in (3, 4, 5, 6) for s in (0, 1, 3)]
    name = "promoters weighted degree, degree 3-6, shift 0 1 3"
    rows.append(evaluated(name, chosen(degrees), X, y, 10, "accuracy"))
    spans = [Subsequence(p, decay, blended=True) for p in (3, 4, 5) for decay in (0.3, 0.5, 0.7)]
    name = "promoters subsequence, blended, p 3-5, decay .3 .5 .7"
    rows.append(evaluated(name, chosen(spans), X, y, 10, "accuracy"))
    args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
