"""Tables of accuracies in docs/kernels and docs/guide, from the files in benchmarks/results."""

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.tables_page import SPACE, rows

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
    most = max(len(row["accuracies"]) for row in data["rows"])

    def cell(row: dict[str, Any]) -> str:
        times = len(row["accuracies"])
        fewer = "" if times == most else f", {times} repetition{'s' if times > 1 else ''}"
        mean = spread(row["accuracies"]) if times > 1 else f"{row['accuracies'][0]:.1f}"
        return f"{mean} ({row['published']}{fewer})"

    found = {(row["kernel"], row["set"]): cell(row) for row in data["rows"]}
    return rows(
        ["kernel", *sets], ([label, *(found[kernel, name] for name in sets)] for kernel, label in GRAPHS.items())
    )


def views(data: dict[str, Any]) -> str:
    mean = {VIEWS.get(name, name): 100 * statistics.mean(values) for name, values in data["scores"].items()}
    return rows(mean, [[f"{value:.1f}" for value in mean.values()]])


def columns(data: dict[str, Any]) -> str:
    """Accuracies with equal and learned weights, and the numbers of kernels with positive weight."""

    def kept(found: dict[str, list[float]]) -> str:
        return f"{statistics.mean(found['kernels']):.0f}"

    return rows(
        ["table", "n", "M", *(f"{name} weights" if name == "equal" else name for name in data["rows"][0]["methods"])],
        (
            [
                row["set"],
                str(row["samples"]),
                str(row["kernels"]),
                *(f"{spread(found['accuracies'])} ({kept(found)})" for found in row["methods"].values()),
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


def few_positives(data: dict[str, Any]) -> str:
    """Mean areas of automatic models and logistic regression, and their mean difference with its standard error."""
    body = []
    for row in data["rows"]:
        gaps = [own - other for own, other in zip(row["mercer"], row["logistic"], strict=True)]
        error = statistics.stdev(gaps) / len(gaps) ** 0.5
        means = [f"{statistics.mean(row[who]):.4f}" for who in ("mercer", "logistic")]
        missed = ", not met" if statistics.mean(gaps) < -error else ""
        body.append([row["table"], f"{len(gaps)}", *means, f"{statistics.mean(gaps):+.4f} ± {error:.4f}{missed}"])
    return rows(["table", "draws", "mercer", "logistic regression", "difference, ≥ −1 standard error"], body)


def growth(data: dict[str, Any]) -> str:
    """Error rates and log-losses of automatic models and gradient boosting for growing numbers of rows."""
    names = {"mercer": "mercer", "catboost": "CatBoost", "lightgbm": "LightGBM"}
    return rows(
        [
            "table",
            "training rows",
            *(f"error rate, {who}" for who in names.values()),
            *(f"log-loss, {who}" for who in names.values()),
        ],
        (
            [
                row["table"],
                str(row["n"]),
                *(f"{row[who][score]:.4f}" for score in ("error", "log_loss") for who in names),
            ]
            for row in data["rows"]
        ),
    )


def rotated(data: dict[str, Any]) -> str:
    """Errors of automatic models of tables with and without rotated columns."""
    return rows(
        ["table", "training rows", "error without", "error with", "weight of rotated columns", "CPU seconds"],
        (
            [
                row["table"],
                str(row["n"]),
                f"{row['without']:.4f}",
                f"{row['with']:.4f}",
                f"{row['weight']:.2f}",
                f"{row['without_seconds']:.1f}, {row['with_seconds']:.1f}",
            ]
            for row in data["rotation"]
        ),
    )


def in_leaves(data: dict[str, Any]) -> str:
    """Errors of ridge regression in leaves and on landmarks, with CPU seconds of a fit."""
    methods = {"leaves": "leaves", "landmarks_1000": "1000 landmarks", "landmarks_2000": "2000 landmarks"}
    return rows(
        ["table", "training rows", *(f"error, {name}" for name in methods.values()), "CPU seconds"],
        (
            [
                row["table"],
                str(row["n"]),
                *(f"{row[key]:.4f}" for key in methods),
                ", ".join(f"{row[f'{key}_seconds']:.1f}" for key in methods),
            ]
            for row in data["landmarks"]
        ),
    )


def errors(data: dict[str, Any], methods: Sequence[str]) -> str:
    """Mean errors in per cent, a column for each data set."""
    found = data["errors"]
    return rows(
        ["data, labels", *found],
        ([who, *(f"{100 * statistics.mean(by[who]):.1f}" for by in found.values())] for who in methods),
    )


def transductive(data: dict[str, Any]) -> str:
    names = ("SVC", "TransductiveSVC", "TransductiveSVC, cccp", "SelfTrainingClassifier", "LabelSpreading")
    return errors(data, names)


def laplacian(data: dict[str, Any]) -> str:
    names = next(iter(data["errors"].values()))
    return errors(data, [name for name in names if not name.startswith("Transductive")])


KINDS = {  # data sets of automatic models
    "promoters": "E. coli promoters, sequences",
    "splice": "primate splice junctions, sequences, a sample",
    "EP300": "EP300 binding sites, sequences, a sample",
    "SMS spam": "SMS spam, texts, a sample",
    "MUTAG": "MUTAG, graphs",
    "PTC_MR": "PTC_MR, graphs",
    "ENZYMES": "ENZYMES, graphs with attributes",
}


def automatic(data: dict[str, Any]) -> str:
    """Scores of automatic models by nested cross-validation."""
    return rows(
        ["data", "samples", "score", "baseline", "fitted to all samples", "seconds"],
        (
            [
                KINDS.get(row["set"], row["set"]),
                str(row["samples"]),
                ", ".join(f"{score} {statistics.mean(values):.3f}" for score, values in row["scores"].items()),
                f"{row['baseline']:.3f}".replace("-", "−"),
                row["chosen"],
                f"{row['seconds']:.0f}",
            ]
            for row in data["rows"]
        ),
    )


def faces(collection: Sequence[dict[str, Any]]) -> str:
    """Numbers of errors for each number of components; one cell for discriminants, whose number has a limit."""
    counts = sorted({int(k) for row in collection for k in row["errors"]})
    return rows(
        ["errors with components", *map(str, counts), "smallest", "rate", "published"],
        (
            [
                row["method"],
                *(str(row["errors"].get(str(k), "")) for k in counts),
                str(row["best"]),
                f"{100 * row['rate']:.2f}{SPACE}%",
                str(row["published"][0]),
            ]
            for row in collection
        ),
    )


def penalties(data: dict[str, Any]) -> str:
    found = data["orl, penalties"]
    return rows(found[0], ([f"{row['ridge']:g}", *(str(n) for n in list(row.values())[1:])] for row in found))


BODIES = {
    "accuracy_auto": automatic,
    "accuracy_faces_orl": lambda data: faces(data["orl"]),
    "accuracy_faces_yale": lambda data: faces(data["yale"]),
    "accuracy_faces_ridge": penalties,
    "accuracy_few_positives": few_positives,
    "accuracy_growth": growth,
    "rotated_tables": rotated,
    "landmark_tables": in_leaves,
    "semi_supervised": transductive,
    "semi_supervised_laplacian": laplacian,
    "accuracy_few_labels": few_labels,
    "accuracy_strings": strings,
    "accuracy_splice": splice,
    "accuracy_trec": trec,
    "accuracy_graphs": graphs,
    "accuracy_views": views,
    "accuracy_columns": columns,
}
