"""Tables of accuracies in docs/kernels and docs/guide, from the files in benchmarks/results."""

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.tables_page import rows

__all__ = ["BODIES"]

STRINGS = {"scop_1.34": "SCOP 1.34", "scop_2.31": "SCOP 2.31"}
SPLICE = [  # data set and kernel, in the order of the file
    ("C. elegans splice sites, 2200 × 82", "`WeightedDegree(20)`, C = 1, balanced"),
    ("", "`WeightedDegree(20, shift=8)`"),
    ("UCI splice junctions, 3190 × 60, three classes", '`WeightedDegree(8, alphabet="dna")`, C = 3'),
    ("", "the same with `shift=1`"),
    ("UCI promoters, 106 × 57", "`WeightedDegree`, degree 3–6 and shift 0, 1, 3 tuned, C = 10"),
    ("", "`Subsequence`, blended, p 3–5 and decay 0.3, 0.5, 0.7 tuned, C = 10"),
]
TREES = {  # kernels by their text form
    "bag_of_words": "bag of words",
    "subset_tree(leaves=True)": "`SubsetTree(0.4, leaves=True)`",
    "subset_tree": "`SubsetTree(0.4)`",
    "partial_tree(terminal_factor=5)": "`PartialTree(0.4, 0.4, terminal_factor=5)`",
    "subtree(decay=0.4)": "`Subtree(0.4)`",
}
GRAPHS = {"WL": "`WeisfeilerLehman`", "WL-OA": "`WLOptimalAssignment`", "SP": "`ShortestPath`"}
VIEWS = {"easymkl": "EasyMKL"}
SIZES = {"Liver": (241, 91), "Pima": (537, 117), "Ionosphere": (245, 442), "Sonar": (145, 793)}  # samples, kernels


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Mean ± standard deviation."""
    return f"{statistics.mean(values):.{digits}f} ± {statistics.pstdev(values):.{digits}f}"


def strings(data: dict[str, Any]) -> str:
    return rows(
        ["data set", "g", "m", "C", "`SVC`", "rows, `LinearSVC`", "published"],
        (
            [
                STRINGS.get(row["set"], row["set"]),
                *(f"{row[name]:g}" for name in ("g", "m", "C")),
                *(f"{row[name]:.4f}" for name in ("machine", "rows", "published")),
            ]
            for row in data["rows"]
        ),
    )


def splice(data: dict[str, Any]) -> str:
    body = []
    for (name, kernel), row in zip(SPLICE, data["rows"], strict=True):
        scores = row["scores"]
        if "roc_auc" in scores:
            mean = {score: statistics.mean(values) for score, values in scores.items()}
            result = f"balanced accuracy {mean['balanced_accuracy']:.3f}, AUC {mean['roc_auc']:.3f}"
        else:
            result = f"accuracy {spread(scores['accuracy'], 3)}"
        body.append([name, kernel, str(row["folds"]), result])
    return rows(["data set", "kernel", "folds", "result"], body)


def trec(data: dict[str, Any]) -> str:
    return rows(
        ["kernel, normalised", "accuracy", "published (KeLP)"],
        (
            [
                TREES[row["kernel"]],
                f"{row['accuracy']:.1f} %",
                "" if row["published"] is None else f"{row['published']:.1f} %",
            ]
            for row in data["rows"]
        ),
    )


def graphs(data: dict[str, Any]) -> str:
    sets = list(dict.fromkeys(row["set"] for row in data["rows"]))
    found = {(row["kernel"], row["set"]): f"{spread(row['accuracies'])} ({row['published']})" for row in data["rows"]}
    return rows(
        ["kernel", *sets], ([label, *(found[kernel, name] for name in sets)] for kernel, label in GRAPHS.items())
    )


def views(data: dict[str, Any]) -> str:
    mean = {VIEWS.get(name, name): 100 * statistics.mean(values) for name, values in data["scores"].items()}
    return rows(mean, [[f"{value:.1f}" for value in mean.values()]])


def simplemkl(data: dict[str, Any]) -> str:
    return rows(
        ["set", "n", "M", "accuracy", "published", "kernels", "published"],
        (
            [
                row["set"],
                *map(str, SIZES[row["set"]]),
                spread(row["accuracies"]),
                f"{row['published']['accuracy']} ± {row['published']['spread']}",
                f"{statistics.mean(row['kernels']):.1f}",
                f"{row['published']['kernels']}",
            ]
            for row in data["rows"]
        ),
    )


def few_labels(data: dict[str, Any]) -> str:
    """Transductive models, and in brackets those of the labelled samples only."""
    sets = list(dict.fromkeys(row["set"] for row in data["rows"]))
    found = {
        (row["labels"], row["set"]): f"{statistics.mean(row['transductive']):.3f} ({statistics.mean(row['svm']):.3f})"
        for row in data["rows"]
    }
    numbers = dict.fromkeys(row["labels"] for row in data["rows"])
    return rows(["labels of each class", *sets], ([str(n), *(found[n, name] for name in sets)] for n in numbers))


BODIES = {
    "accuracy_few_labels": few_labels,
    "accuracy_strings": strings,
    "accuracy_splice": splice,
    "accuracy_trec": trec,
    "accuracy_graphs": graphs,
    "accuracy_views": views,
    "accuracy_simplemkl": simplemkl,
}
