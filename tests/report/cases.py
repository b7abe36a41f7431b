"""Small fits of every kind of data, each made once, and the pages about them."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris

from mercer.auto import AutoClassifier, AutoRegressor, Evaluation, evaluate
from mercer.data import Strings, take
from mercer.datasets import Dataset, read
from mercer.report import render_report

CODE = 'from mercer.auto import AutoClassifier\nprint("a < b & c")'
HOSTILE = '<script>alert("x")</script>'


@dataclass(frozen=True, eq=False)
class Case:
    model: Any
    evaluation: Evaluation
    dataset: Dataset
    X: Any
    y: Any

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.model, self.evaluation, self.dataset, self.X, self.y


def fitted(dataset: Dataset, model: Any, *, step: int = 1, folds: int = 2, baselines: bool = False) -> Case:
    """A fit to every n-th sample."""
    X, y, _ = dataset.split()
    rows = np.arange(0, len(y), step)
    X, y = take(X, rows), y[rows]
    return Case(model.fit(X, y), evaluate(model, X, y, cv=folds, baselines=baselines), dataset, X, y)


def table(name: str, columns: dict[str, Any], target: str) -> Dataset:
    return Dataset(name, pl.DataFrame(columns), target=target)


def wine() -> Case:
    return fitted(read("wine"), AutoClassifier(cv=2), folds=3, baselines=True)


def diabetes() -> Case:
    return fitted(read("diabetes"), AutoRegressor("rbf", "ridge", cv=2), step=3)


def linear() -> Case:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    columns = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "price": 3 * x[:, 0] - x[:, 1] + 0.1 * rng.normal(size=60)}
    return fitted(table("prices", columns, "price"), AutoRegressor("linear", "ridge", cv=2))


def strings() -> Case:
    return fitted(read("motifs"), AutoClassifier("normalized(spectrum(p=3))[sequence]", "svm", cv=2), step=3)


def graphs() -> Case:
    return fitted(read("rings"), AutoClassifier("normalized(weisfeiler_lehman(n_iter=2))", "svm", cv=2), step=3)


def trees() -> Case:
    return fitted(read("expressions"), AutoClassifier("normalized(subset_tree)[tree]", "ridge", cv=2), step=3)


def mixed() -> Case:
    kernel = "rbf(gamma=0.1)[price, days] + overlap[product, shop] + normalized(bag_of_words)[review]"
    return fitted(read("reviews"), AutoClassifier(kernel, "logistic", cv=2), step=3)


def neighbours() -> Case:
    return fitted(read("iris"), AutoClassifier("rbf", "knn", cv=2), step=2)


def one_column() -> Case:
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    return fitted(
        table("single", {"x": x, "side": np.where(x > 0, "right", "left")}, "side"), AutoClassifier("rbf", cv=2)
    )


def rare_classes() -> Case:
    rng = np.random.default_rng(0)
    labels = np.repeat(["one", "two", "few", "single"], [30, 30, 4, 1])
    columns = {"x": np.repeat([0.0, 2.0, 4.0, 9.0], [30, 30, 4, 1]) + rng.normal(size=65), "y": labels}
    return fitted(table("rare", columns, "y"), AutoClassifier("rbf", "svm", cv=2), folds=5)


def many_classes() -> Case:
    rng = np.random.default_rng(0)
    centre, codes = rng.normal(size=(45, 4)) * 9, np.repeat(np.arange(45), 8)
    x = centre[codes] + rng.normal(size=(360, 4))
    columns = {f"x{j}": x[:, j] for j in range(4)} | {"kind": [f"class number {c}" for c in codes]}
    return fitted(table("many", columns, "kind"), AutoClassifier("linear", "ridge", cv=2))


def sparse() -> Case:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = sp.random(80, 200, density=0.05, random_state=rng, format="csr") + sp.csr_matrix(
        (np.ones(80), (np.arange(80), y)), shape=(80, 200)
    )
    return fitted(Dataset("words", sp.csr_matrix(X), y, "label"), AutoClassifier("linear", "svm", cv=2))


def images() -> Case:
    X, y = load_digits(n_class=3, return_X_y=True)
    return fitted(Dataset("digits", X[:90], y[:90], "digit", shape=(8, 8)), AutoClassifier("rbf", "svm", cv=2))


def packed() -> Case:
    frame = read("motifs").X
    data = Dataset("reads", Strings(frame["sequence"].to_list()), frame["class"].to_numpy(), "class")
    return fitted(data, AutoClassifier("normalized(spectrum(p=3))", "ridge", cv=2), step=5)


def array() -> Case:
    X, y = load_iris(return_X_y=True)
    return fitted(Dataset("matrix", X, y, "species"), AutoClassifier("linear", "lda", cv=2))


def two_classes() -> Case:
    return fitted(read("breast_cancer"), AutoClassifier("rbf", "svm", cv=2), step=2)


def few_labels() -> Case:
    """Wines, most of them without a label."""
    data = read("wine")
    X, y, _ = data.split()
    some = np.array(y, dtype=object)
    some[np.random.default_rng(0).permutation(len(y))[30:]] = None
    model = AutoClassifier("rbf", "transductive", cv=2)
    return Case(model.fit(X, some), evaluate(model, X, some, cv=2), data, X, some)


def large() -> Case:
    """More rows than the scores are computed on, and an approximated kernel."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    target = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.3 * rng.normal(size=6000)
    columns = {f"x{j}": X[:, j] for j in range(3)} | {"label": np.where(target > 1, "fraud", "fine")}
    data = table("payments", columns, "label")
    X, y, _ = data.split()
    model = AutoClassifier("rbf", "ridge", cv=2, approximation=100)
    return Case(model.fit(X, y), evaluate(model, X, y, cv=2, max_samples=1500), data, X, y)


def hostile() -> Case:
    """Names and values that try to be markup, formulas of the plots, or too long."""
    rng = np.random.default_rng(0)
    y = np.repeat(['"quoted" & <b>', HOSTILE, "$x^2$ " + "very " * 40 + "long"], 20)
    x = rng.normal(size=60) + np.repeat([0.0, 2.0, 4.0], 20)
    columns = {
        HOSTILE: x,
        "'; DROP TABLE --": rng.normal(size=60),
        "_" + "long name " * 20: rng.normal(size=60),
        "day": [date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(300, size=60)],
        "nothing": [None] * 60,
        "level": rng.choice([HOSTILE, "a\x00b\tc", "</td></table>"], 60),
        "</title><b>": y,
    }
    return fitted(table('<img src=x onerror="alert(1)">', columns, "</title><b>"), AutoClassifier(model="svm", cv=2))


ALL = (
    wine,
    diabetes,
    linear,
    strings,
    graphs,
    trees,
    mixed,
    neighbours,
    one_column,
    rare_classes,
    many_classes,
    sparse,
    images,
    packed,
    array,
    two_classes,
    few_labels,
    large,
    hostile,
)
_MAKERS = {maker.__name__: maker for maker in ALL}
DAILY = (wine, diabetes, strings, graphs, mixed, many_classes, hostile)  # classes, numbers, every kind of section
NAMES = [
    pytest.param(maker.__name__, marks=[] if maker in DAILY else pytest.mark.exhaustive) for maker in ALL
]  # of pages, as parameters of a test


@cache
def case(name: str) -> Case:
    return _MAKERS[name]()


@cache
def page(name: str) -> str:
    return render_report(*case(name).parts, code=CODE)
