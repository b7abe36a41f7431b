"""Automatic models on small tables, sequences, texts and graphs, scored by nested cross-validation.

``python -m benchmarks.accuracy_auto --data PATH``, with the folder that holds strings/ and graphs/. More tables are in
``benchmarks.accuracy_tables``. Every model has its default parameters. A score is the mean over five outer folds, in
each of which the whole model is chosen again; the baseline predicts the most frequent class, or the mean. Seconds are
of the evaluation and one fit to all samples. Samples of larger sets are drawn at random.
"""

import argparse
import csv
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from benchmarks.rivals.harness import header, limit_threads, timed
from mercer.auto import AutoClassifier, AutoRegressor, evaluate
from mercer.data import Graphs, Strings

RESULTS = Path(__file__).parent / "results" / "accuracy_auto.json"
REGRESSION = ("diabetes",)
SCORES = {"accuracy": "accuracy", "ROC AUC": "AUC", "R²": "R²"}  # metrics of an evaluation, and their short names
Loader = Callable[[Path], tuple[Any, Any]]


def some(X: Sequence[str], y: Any, size: int) -> tuple[list[str], Any]:
    """Random samples."""
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:size])
    return [X[i] for i in rows], np.asarray(y)[rows]


def column(name: str, texts: Sequence[str]) -> dict[str, list[str]]:
    """A table with one column of texts."""
    return {name: [text.strip().upper() if name == "sequence" else text for text in texts]}


def sequences(path: str, size: int | None = None) -> Loader:
    """Sequences of a CSV file: class, name, sequence."""

    def load(data: Path) -> tuple[Any, Any]:
        with gzip.open(data / "strings" / path, "rt") as file:
            rows = [[field.strip() for field in row] for row in csv.reader(file) if len(row) == 3]
        rows = [row for row in rows if row[2] != "sequence"]
        X, y = some([row[2] for row in rows], [row[0] for row in rows], len(rows) if size is None else size)
        return column("sequence", X), y

    return load


def sites(data: Path) -> tuple[Any, Any]:
    reads = Strings.read_fasta(data / "strings" / "EP300" / "train.fasta.gz")
    X, y = some(list(reads), np.array(reads.names), 600)
    return column("sequence", X), y


def messages(data: Path) -> tuple[Any, Any]:
    """Messages, one per line; a line without a class continues the message before it."""
    lines = gzip.decompress((data / "strings" / "sms_spam" / "SMSSpamCollection.gz").read_bytes()).decode().split("\n")
    pairs = [line.split("\t", 1) for line in lines if "\t" in line]
    X, y = some([text for _, text in pairs], [kind for kind, _ in pairs], 1200)
    return column("message", X), y


def graphs(name: str) -> Loader:
    return lambda data: Graphs.read_tu(data / "graphs" / name)


TASKS: dict[str, Loader] = {
    "wine": lambda _: load_wine(return_X_y=True),
    "breast cancer": lambda _: load_breast_cancer(return_X_y=True),
    "diabetes": lambda _: load_diabetes(return_X_y=True),
    "promoters": sequences("uci_promoters/promoters.data.gz"),
    "splice": sequences("uci_splice/splice.csv.gz", 800),
    "EP300": sites,
    "SMS spam": messages,
    "MUTAG": graphs("MUTAG"),
    "PTC_MR": graphs("PTC_MR"),
    "ENZYMES": graphs("ENZYMES"),
}


def chosen(model: Any) -> str:
    """What the model fitted to all samples consists of."""
    if model.best_params_.get("model") == "stack":
        members = sum((candidate.weight or 0) > 0 for candidate in model.candidates_)
        return f"stack of {members} machine{'s' * (members > 1)}"
    (best,) = (candidate for candidate in model.candidates_ if candidate.chosen)
    return f"{best.name}, {best.model}"


def run(name: str, X: Any, y: Any) -> dict[str, Any]:
    kind = AutoRegressor if name in REGRESSION else AutoClassifier
    seconds, result = timed(lambda: evaluate(kind(random_state=0), X, y, cv=5))
    more, model = timed(lambda: kind(random_state=0).fit(X, y))
    shown = [metric for metric in SCORES if metric in result.metrics]
    return {
        "set": name,
        "samples": len(y),
        "columns": X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else None,
        "scores": {SCORES[metric]: np.asarray(result.metrics[metric]).tolist() for metric in shown},
        "baseline": float(np.mean(result.baseline[shown[0]])),
        "chosen": chosen(model),
        "seconds": seconds + more,
    }


def main() -> None:
    """Print a line for each set as it is done, and write all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds strings/ and graphs/")
    parser.add_argument("--sets", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for the results of a run of all sets")
    args = parser.parse_args()
    limit_threads(1)
    rows = []
    for name in args.sets:
        row = run(name, *TASKS[name](args.data))
        found = ", ".join(f"{score} {np.mean(values):.3f}" for score, values in row["scores"].items())
        print(f"{name}: {found}, baseline {row['baseline']:.3f}, {row['chosen']}, {row['seconds']:.0f} s", flush=True)
        rows.append(row)
    if len(rows) == len(TASKS):
        args.json.write_text(json.dumps({**header(["mercer", "numpy", "scikit-learn"]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
