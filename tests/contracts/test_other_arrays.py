"""Arrays other than the samples follow the same rule: nothing that a mask hides and no date is read as a number."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from mercer import auto, faces, model_selection
from mercer import kernels as mk
from mercer.cluster import KernelKMeans
from mercer.data import ArrayBlocks, IterableBlocks, Table, take
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.explain import KernelExpansion, partial_dependence, shapley_values
from mercer.feature_learning import (
    LeaveOneOutWeights,
    RecursiveFeatureMachine,
    agop,
    column_kernel,
    column_weights,
    rotation,
)
from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
from mercer.operators import center_gram, gram
from mercer.perceptron import KernelPerceptron
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelRidgeCV, Ridge
from mercer.svm import SVC
from tests.border.sentences import problem
from tests.contracts.behaviour import target
from tests.contracts.estimators import ESTIMATORS, entry

RNG = np.random.default_rng(5)
X = RNG.uniform(0.1, 1.0, (32, 3))
Y, LABEL, GROUPS, ONES = RNG.normal(size=32), np.arange(32) % 2, np.arange(32) % 8, np.ones(32)
K = X @ X.T + np.eye(32)
RBF = mk.RBF(gamma=0.5)
RIDGE, MACHINE = KernelRidge(kernel="rbf").fit(X, Y), SVC().fit(X, LABEL)
AUTO = {"kernel": "rbf", "model": "ridge", "cv": 2}


class Argument(NamedTuple):
    """A plain array, and a call with an array in its place."""

    plain: Any
    call: Callable[[Any], Any]


def on_blocks(*parts: Any) -> Any:
    return KernelRidge(kernel="rbf", approximation=6).fit(IterableBlocks([parts]))


NUMBERS = {
    "agop: coef": Argument(ONES, lambda v: agop(RBF, X, v)),
    "agop: at": Argument(X, lambda v: agop(RBF, X, ONES, at=v)),
    "agop: sample_weight": Argument(ONES, lambda v: agop(RBF, X, ONES, sample_weight=v)),
    "rotation: coef": Argument(ONES, lambda v: rotation(RBF, X, v)),
    "rotation: sample_weight": Argument(ONES, lambda v: rotation(RBF, X, ONES, sample_weight=v)),
    "column_kernel: X": Argument(X, column_kernel),
    "KernelRidge: alpha": Argument([0.5, 0.7], lambda v: KernelRidge(alpha=v).fit(X, X[:, :2])),
    "Ridge: alpha": Argument([0.5, 0.7], lambda v: Ridge(alpha=v).fit(X, X[:, :2])),
    "KernelRidgeCV: alphas": Argument([0.5, 0.7], lambda v: KernelRidgeCV(alphas=v).fit(X, Y)),
    "RecursiveFeatureMachine: alphas": Argument([0.5, 0.7], lambda v: RecursiveFeatureMachine(alphas=v).fit(X, Y)),
    "RecursiveFeatureMachine: bandwidths": Argument(
        [1.0, 4.0], lambda v: RecursiveFeatureMachine(bandwidths=v).fit(X, Y)
    ),
    "KernelDiscriminantAnalysis: priors": Argument(
        [0.5, 0.5], lambda v: KernelDiscriminantAnalysis(priors=v).fit(X, LABEL)
    ),
    "center_gram: weight": Argument(ONES, lambda v: center_gram(K, weight=v)),
    "neighbors: weights(distances)": Argument(
        np.ones((32, 1)), lambda v: KernelKNeighborsRegressor(1, weights=lambda _: v).fit(X, Y).predict(X)
    ),
    "regressor.score: y": Argument(Y, lambda v: RIDGE.score(X, v)),
    "regressor.score: sample_weight": Argument(ONES, lambda v: RIDGE.score(X, Y, v)),
    "classifier.score: sample_weight": Argument(ONES, lambda v: MACHINE.score(X, LABEL, v)),
    "k.gradient: coef": Argument(np.ones((32, 2)), lambda v: RBF.gradient(X, X, v)),
    "k.parameter_gradient: G": Argument(np.ones((32, 32)), lambda v: RBF.parameter_gradient(X, X, v)),
    "k.parameter_gradient: Z": Argument(X, lambda v: RBF.parameter_gradient(X, v, np.ones((32, 32)))),
    "ArrayBlocks: X": Argument(
        X, lambda v: KernelRidge(kernel="rbf", approximation=6).fit(ArrayBlocks(v, Y, rows=10))
    ),
    "ArrayBlocks: y": Argument(
        Y, lambda v: KernelRidge(kernel="rbf", approximation=6).fit(ArrayBlocks(X, v, rows=32))
    ),
    "KernelExpansion: points": Argument(
        X, lambda v: shapley_values(KernelExpansion(RBF, v, ONES), X[:2], X)
    ),
    "KernelExpansion: coef": Argument(ONES, lambda v: shapley_values(KernelExpansion(RBF, X, v), X[:2], X)),
    "KernelExpansion: intercept": Argument(
        [0.5, 0.7], lambda v: shapley_values(KernelExpansion(RBF, X, X[:, :2], v), X[:2], X)
    ),
    "IterableBlocks: X": Argument(X, lambda v: on_blocks(v, Y)),
    "IterableBlocks: y": Argument(Y, lambda v: on_blocks(X, v)),
    "IterableBlocks: weight": Argument(ONES, lambda v: on_blocks(X, Y, v)),
}  # fmt: skip
LABELS = {
    "AutoClassifier.fit: y": Argument(LABEL, lambda v: auto.AutoClassifier(**AUTO).fit(X, v)),
    "AutoRegressor.fit: y": Argument(Y, lambda v: auto.AutoRegressor(**AUTO).fit(X, v)),
    "evaluate: y": Argument(LABEL, lambda v: auto.evaluate(auto.AutoClassifier(**AUTO), X, v, cv=2)),
    "infer_task": Argument(LABEL, auto.infer_task),
    "why_task": Argument(LABEL, auto.why_task),
    "rare_classes": Argument(LABEL, auto.rare_classes),
    "SVC.fit: y": Argument(LABEL, lambda v: SVC().fit(X, v)),
    "neighbors.fit: y": Argument(LABEL, lambda v: KernelKNeighborsClassifier().fit(X, v)),
    "SVC on blocks: y": Argument(LABEL, lambda v: SVC(approximation=6).fit(IterableBlocks([(X, v)]))),
    "classifier.score: y": Argument(LABEL, lambda v: MACHINE.score(X, v)),
    "partial_fit: y": Argument(LABEL, lambda v: KernelPerceptron().partial_fit(X, LABEL, [0, 1]).partial_fit(X, v)),
    "partial_fit: classes": Argument([0, 1], lambda v: KernelPerceptron().partial_fit(X, LABEL, v)),
    "alignment_weights: y": Argument(LABEL, lambda v: model_selection.alignment_weights(["rbf", "linear"], X, v)),
    "mean_faces: labels": Argument(LABEL, lambda v: faces.mean_faces(X.reshape(32, 1, 3), v)),
    "AutoRegressor.fit: groups": Argument(GROUPS, lambda v: auto.AutoRegressor(**AUTO).fit(X, Y, groups=v)),
    "evaluate: groups": Argument(
        GROUPS, lambda v: auto.evaluate(auto.AutoRegressor(**AUTO), X, Y, groups=v, cv=2)
    ),
    "KernelRidgeCV.fit: groups": Argument(GROUPS, lambda v: KernelRidgeCV().fit(X, Y, groups=v)),
    "LeaveOneOutWeights.fit: groups": Argument(
        GROUPS, lambda v: LeaveOneOutWeights(max_iter=1).fit(X, Y, groups=v)
    ),
}  # fmt: skip
PLACES = {
    "K.block": Argument([0, 1], lambda v: gram(RBF, X).block(v, [0])),
    "K.rows": Argument([0, 1], lambda v: gram(RBF, X).rows(v)),
    "K[rows, columns]": Argument([0, 1], lambda v: gram(RBF, X)[v, v]),
    "take": Argument([0, 1], lambda v: take(X, v)),
    "prepared.take": Argument([0, 1], lambda v: RBF.prepare(X).take(v)),
    "ArrayBlocks.take": Argument([0, 1], lambda v: ArrayBlocks(X, rows=10).take(v)),
    "mmd: rows": Argument([0, 1], lambda v: model_selection.mmd(gram("precomputed", K), v, [3, 4])),
    "rotation: columns": Argument([0, 1], lambda v: rotation(RBF, X, ONES, columns=v)),
    "column_kernel: categorical": Argument([0, 1], lambda v: column_kernel(X, v)),
    "KernelKMeans: init": Argument([0, 1], lambda v: KernelKMeans(2, init=v).fit(X)),
    "Columns": Argument([0, 1], lambda v: mk.Columns(v, RBF)(X)),
}
WEIGHING = [
    SVC,
    KernelRidgeClassifier,
    KernelLogisticRegression,
    LeaveOneOutWeights,
    partial(auto.AutoClassifier, **AUTO),
]
ARGUMENTS = NUMBERS | LABELS | PLACES


def masked(values: Any) -> Any:
    """The same array, of which one number is hidden."""
    hidden = np.ma.array(values, copy=True)
    hidden[1] = np.ma.masked
    return hidden


DAMAGES: dict[str, Callable[[Any], Any]] = {
    "complex": lambda v: np.asarray(v) + 0j,
    "ragged": lambda v: [[1], [2, 3]],
    "dicts": lambda v: np.full(np.shape(v), {}, dtype=object),
    "None": lambda v: np.where(np.arange(np.size(v)).reshape(np.shape(v)) == 1, None, np.asarray(v, dtype=object)),
}
TEMPORAL: dict[str, Callable[[Any], Any]] = {
    "dates": lambda v: np.asarray(v).astype("int64").astype("datetime64[D]"),
    "durations": lambda v: np.asarray(v).astype("int64").astype("timedelta64[s]"),
    "texts": lambda v: np.asarray(v).astype(str),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_plain_arrays_are_taken(name):
    argument = ARGUMENTS[name]
    argument.call(np.array(argument.plain))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_a_mask_hides_is_not_read(name):
    argument = ARGUMENTS[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        argument.call(masked(argument.plain))
    assert "mask" in str(caught.value).lower()
    assert not problem(caught.value)


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_damaged_arrays_are_refused_by_a_sentence(name, kind):
    argument = ARGUMENTS[name]
    if kind == "None" and name == "rare_classes":  # None marks samples without a label
        return
    with pytest.raises((TypeError, ValueError, IndexError)) as caught:
        argument.call(DAMAGES[kind](argument.plain))
    assert not problem(caught.value)


@pytest.mark.parametrize("kind", TEMPORAL)
@pytest.mark.parametrize("name", NUMBERS | PLACES)
def test_dates_and_texts_are_not_numbers(name, kind):
    argument = ARGUMENTS[name]
    with pytest.raises((TypeError, ValueError, IndexError)) as caught:
        argument.call(TEMPORAL[kind](argument.plain))
    assert not problem(caught.value)


FRAMES: dict[str, Argument] = {
    **{name: argument for name, argument in NUMBERS.items() if np.ndim(argument.plain) == 2},
    "KernelRidge.fit: y": Argument(X[:, :2], lambda v: KernelRidge().fit(X, v)),
    "precomputed: K": Argument(K, lambda v: gram("precomputed", v)),
    "check_gram": Argument(K, mk.check_gram),
    "K @ V": Argument(X, lambda v: gram(RBF, X) @ v),
    "KernelExpansion: coef of outputs": Argument(
        X[:, :2], lambda v: shapley_values(KernelExpansion(RBF, X, v), X[:2], X)
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["M8[ns]", "M8[D]", "m8[ns]"])
@pytest.mark.parametrize("name", FRAMES)
def test_dates_in_a_frame_are_not_numbers(name, kind):
    """NumPy converts a frame of polars to the common type of its columns, which for dates and numbers is float64."""
    argument = FRAMES[name]
    plain = np.asarray(argument.plain)
    columns = {f"c{j}": plain[:, j] for j in range(plain.shape[1])}
    argument.call(pl.DataFrame(columns))
    with pytest.raises(TypeError, match=r"column 'c1'.* holds dates or times") as caught:
        argument.call(pl.DataFrame(columns | {"c1": np.arange(len(plain)).astype(kind)}))
    assert not problem(caught.value)


@pytest.mark.parametrize("kind", ["dates", "texts"])
@pytest.mark.parametrize("name", [name for name in LABELS if name.endswith("groups")])
def test_groups_are_any_labels(name, kind):
    argument = LABELS[name]
    argument.call(TEMPORAL[kind](argument.plain))


@pytest.mark.parametrize("name", [name for name, cls in ESTIMATORS.items() if hasattr(cls, "score")])
@pytest.mark.filterwarnings("ignore")
def test_every_score_refuses_masked_weights(name):
    cls = ESTIMATORS[name]
    if "sample_weight" not in inspect.signature(cls.score).parameters:
        return
    options = entry(name).options | (AUTO if name.startswith("Auto") else {})
    y = target(cls, len(X))
    model = cls(**options).fit(X, y)
    with pytest.raises(TypeError, match="masked array"):
        model.score(X, y, sample_weight=masked(ONES))


def test_a_missing_group_is_no_group():
    with pytest.raises(
        ValueError, match="Input groups contains NaN or None, so that the label is missing for sample 3"
    ):
        KernelRidgeCV().fit(X, Y, groups=np.where(np.arange(32) == 3, np.nan, GROUPS))


def test_labels_of_several_types_are_named():
    mixed = np.array(["a", 1] * 16, dtype=object)
    with pytest.raises(TypeError, match="y mixes texts and numbers, such as 'a' and 1; convert all of them to texts"):
        SVC().fit(X, mixed)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: agop(RBF, X, ONES, sample_weight=np.ones(3)), "agop: sample_weight must have shape \\(32,\\)"),
        (lambda: agop(RBF, X, ONES, sample_weight=-ONES), "agop: sample_weight must not be negative"),
        (lambda: agop(RBF, X, np.float64(1)), "coef must have shape"),
        (lambda: rotation(RBF, X, ONES, columns=[0, 7]), "rotation: column 7 is selected but X has 3 features"),
        (lambda: rotation(RBF, X, ONES, columns=[0, 0]), "rotation: columns must be distinct"),
        (lambda: column_kernel(X, width=np.nan), "column_kernel: parameter width must be a finite number > 0"),
        (lambda: column_kernel(X, p=0), "column_kernel: parameter p must be a finite number > 0"),
        (lambda: column_kernel(X, [3]), "column_kernel: column 3 is selected"),
        (lambda: column_weights(RBF, 2.5), "column_weights: parameter n_features must be an integer >= 1"),
        (lambda: RBF.parameter_gradient(X, X, np.ones((32, 31))), "G must have shape \\(32, 32\\)"),
        (lambda: RBF.parameter_gradient(X, X, np.full((32, 32), np.nan)), "G contains NaN"),
        (lambda: RBF.gradient(X, X[:, :2]), "features"),
        (lambda: partial_dependence(RIDGE, X, np.datetime64("2024-01-01")), "by its name or its position"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_named(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call()
    assert not problem(caught.value)


@pytest.mark.parametrize("weight", [np.nan, -1.0, np.inf, 1j, "ox", None, np.ma.masked])
@pytest.mark.parametrize(
    "make",
    [SVC, KernelRidgeClassifier, KernelLogisticRegression, LeaveOneOutWeights, partial(auto.AutoClassifier, **AUTO)],
)
def test_weights_of_classes_are_numbers(make, weight):
    with pytest.raises((TypeError, ValueError), match="class_weight\\[1\\] must be a finite number >= 0") as caught:
        make(class_weight={0: 1.0, 1: weight}).fit(X, LABEL)
    assert not problem(caught.value)


def test_a_masked_column_of_a_table_is_refused():
    with pytest.raises(TypeError, match="column 'age' is a masked array"):
        Table.from_frame({"age": masked(ONES)})


def test_rows_as_lists_give_the_same_kernel():
    assert column_kernel(X.tolist()) == column_kernel(X)
