"""Five positive samples: areas under the ROC curve of automatic models and of logistic regression, measured precisely.

``python -m benchmarks.accuracy_few_positives --data PATH [--draws 8]``, with the folder that holds tables/adult and so
on. From tables of two classes, 5 samples of the smaller class and at most 495 of the other are drawn for training; the
models are tested on up to 1500 samples of each class among the others. The area does not depend on the frequencies of
the classes, so that all positive samples of a table can test it. ``accuracy_tables --rare`` tests on thinned tables, of
which small ones have two positive test samples.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks.rivals.harness import header
from benchmarks.tables import rare
from benchmarks.tables.facts import FACTS, HELD_OUT, Table, read
from benchmarks.tables.methods import METHODS

RESULTS = Path(__file__).parent / "results" / "accuracy_few_positives.json"
POSITIVES, TRAINING, TESTED = 5, 500, 1500
COMPARED = ("mercer", "logistic")


def drawn(table: Table, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows, test rows, and the classes of all rows: 1 for the rarer one."""
    rng = np.random.default_rng(seed)
    y = (table.y == np.bincount(table.y).argmin()).astype(int)
    positive, negative = rng.permutation(np.flatnonzero(y == 1)), rng.permutation(np.flatnonzero(y == 0))
    m = min(TRAINING - POSITIVES, int((1 - HELD_OUT) * len(negative)))
    train = np.concatenate([positive[:POSITIVES], negative[:m]])
    test = np.concatenate([positive[POSITIVES:][:TESTED], negative[m:][:TESTED]])
    return np.sort(train), np.sort(test), y


def areas(table: Table, seed: int, threads: int) -> dict[str, float]:
    """Area under the ROC curve of each method."""
    train, test, y = drawn(table, seed)
    X, found = table.X.iloc[train].reset_index(drop=True), {}
    for name in COMPARED:
        method = METHODS[name]
        with threadpool_limits(threads):
            model = method.make(table.task, X, seed, threads, **method.params).fit(X, y[train])
            P = model.predict_proba(table.X.iloc[test].reset_index(drop=True))
        found[name] = float(f"{roc_auc_score(y[test], P[:, 1]):.6g}")
    return found


def main(argv: list[str] | None = None) -> None:
    """Print the areas table by table, and write them after each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/")
    parser.add_argument("--tables", nargs="+", choices=list(FACTS), default=list(FACTS), metavar="TABLE")
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    rows = []
    for name in args.tables:
        if FACTS[name].task != "classification" or rare.refused(table := read(args.data, name)):
            continue
        each = [areas(table, seed, args.threads) for seed in range(args.draws)]
        rows.append({"table": name, **{who: [one[who] for one in each] for who in COMPARED}})
        print(name, {who: round(float(np.mean(rows[-1][who])), 4) for who in COMPARED}, flush=True)
        found = {**header(["mercer", "numpy", "scikit-learn"]), "positives": POSITIVES, "rows": rows}
        found["machine"]["threads"] = args.threads
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
