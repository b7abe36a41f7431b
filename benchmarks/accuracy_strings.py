"""Transcription factors and protein families with the gapped kernel: ROC AUC next to the published one.

``python -m benchmarks.accuracy_strings --data PATH``, with the folder that holds strings/EP300 and so on. The settings
(g, m, C) are those of FastSK (Blakely et al. 2020), kernels are normalised. FastSK's figures are not those of a kernel
machine: its scripts train a linear one, with balanced classes, on the rows of the Gram matrix. Both are shown.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from benchmarks.rivals.harness import header
from mercer.data import Strings
from mercer.kernels.strings import Gapped
from mercer.svm import SVC

RESULTS = Path(__file__).parent / "results" / "accuracy_strings.json"
SETTINGS = {  # g, m, C, published
    "EP300": (10, 4, 1.0, 0.9907),
    "CTCF": (13, 7, 1.0, 0.9696),
    "scop_1.34": (6, 2, 0.001, 1.0),
    "scop_2.31": (15, 10, 0.01, 0.9998),
    "ZZZ3": (10, 4, 0.1, 0.9629),
}


def sequences(folder: Path, part: str) -> tuple[Strings, Any]:
    """Sequences in upper case, and their labels from the headers."""
    strings = Strings.read_fasta(folder / f"{part}.fasta.gz").upper()
    return strings, np.array([int(name) for name in strings.names or ()])


def main() -> None:
    """Print the table as it grows, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds strings/")
    parser.add_argument("--sets", nargs="+", default=list(SETTINGS))
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    rows = []
    print("set         g  m      C  machine    rows published  Gram s in all s")
    for name in args.sets:
        g, m, C, published = SETTINGS[name]
        start = time.perf_counter()
        (train, y), (test, truth) = (sequences(args.data / "strings" / name, part) for part in ("train", "test"))
        kernel = Gapped(g, m).normalized().resolve(train)
        K, L = kernel(train), kernel(test, train)
        gram = time.perf_counter() - start
        machine = SVC(kernel="precomputed", C=C).fit(K, y)
        linear = LinearSVC(C=C, class_weight="balanced", random_state=0).fit(K, y)
        found = [float(roc_auc_score(truth, model.decision_function(L))) for model in (machine, linear)]
        seconds = time.perf_counter() - start
        print(
            f"{name:10} {g:2} {m:2} {C:6g} {found[0]:8.4f} {found[1]:7.4f} {published:9.4f} {gram:7.1f} {seconds:8.1f}",
            flush=True,
        )
        rows.append(
            {"set": name, "g": g, "m": m, "C": C, "machine": found[0], "rows": found[1], "published": published}
        )
        args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
