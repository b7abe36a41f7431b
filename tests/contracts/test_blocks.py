"""Estimators fitted to data sets in blocks equal those fitted to all rows in memory, however the rows are divided."""

import pickle
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mercer._estimator.blocks.spill import has_room, spilled
from mercer.data import ArrayBlocks, IterableBlocks
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, Columns
from mercer.persistence import load, save
from mercer.ridge import KernelRidge
from tests.contracts.behaviour import target
from tests.contracts.blocks import CASES, DIVISIONS, M, assert_same_fit, in_memory, rows, taking_blocks
from tests.contracts.estimators import ESTIMATORS, entry

PARTIAL = ["KernelRidge", "KernelRidgeClassifier", "KernelPCA", "KernelDiscriminantAnalysis"]


def divided(case, division, data, *, weighted):
    y = None if case.targets is None else getattr(data, case.targets)
    return DIVISIONS[division](data.X, y, data.weight if weighted else None)


def test_every_estimator_that_takes_blocks_has_a_case():
    assert {name.split(",")[0] for name in CASES} == taking_blocks()


@pytest.mark.parametrize("name", CASES)
def test_blocks_give_the_fit_in_memory(name):
    case, data = CASES[name], rows()
    known = in_memory(case, data, weighted=False)
    for division in DIVISIONS:
        model = case.make().fit(divided(case, division, data, weighted=False))
        assert_same_fit(known, model, data.X, tol=case.tol, rough=case.rough)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.weights])
def test_weights_of_blocks_are_used(name):
    case, data = CASES[name], rows()
    known = in_memory(case, data, weighted=True)
    model = case.make().fit(divided(case, "uneven", data, weighted=True))
    assert_same_fit(known, model, data.X, tol=case.tol, rough=case.rough)
    plain = in_memory(case, data, weighted=False)
    with pytest.raises(AssertionError):  # the weights matter
        assert_same_fit(plain, model, data.X, tol=case.tol, rough=case.rough)


@pytest.mark.parametrize("kind", ["random", "odd", "given", "kmeans++"])
def test_other_features(kind):
    data = rows()
    features = {
        "random": RandomFourierFeatures(n_components=40, random_state=1),
        "odd": RandomFourierFeatures(n_components=41, orthogonal=False, random_state=1),
        "given": Nystroem(landmarks=data.X[:: len(data.X) // M] + 0.1),
        "kmeans++": Nystroem(landmarks="kmeans++", n_components=M, random_state=0),
    }[kind]
    for name in ("KernelRidge", "KernelPCA", "KernelKMeans"):
        case = CASES[name]
        y = None if case.targets is None else data.y
        model = case.make().set_params(gamma=2.0, approximation=features)
        known = clone(model).fit(data.X, y)
        assert_same_fit(known, model.fit(DIVISIONS["uneven"](data.X, y, None)), data.X, tol=1e-10, rough=case.rough)


@pytest.mark.parametrize(
    "kernel", [RBF(gamma="median"), Columns((0, 2), RBF(gamma="scale")) + 0.5 * RBF(gamma="auto"), "laplacian"], ids=str
)
def test_kernel_widths_are_those_of_all_rows(kernel):
    data = rows()
    model = KernelRidge(kernel=kernel, approximation=M)
    known = clone(model).fit(data.X, data.y, data.weight)
    found = model.fit(ArrayBlocks(data.X, data.y, data.weight, rows=11))
    assert_same_fit(known, found, data.X, tol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_predictions_of_blocks(name):
    case, data = CASES[name], rows()
    model = in_memory(case, data, weighted=False)
    source = divided(case, "empty", data, weighted=case.weights)
    for method in ("predict", "decision_function", "transform", "predict_proba", "score_samples"):
        if hasattr(model, method):
            known = getattr(model, method)(data.X)
            found = getattr(model, method)(source)
            assert found.dtype == known.dtype
            if known.dtype.kind == "f":
                np.testing.assert_allclose(found, known, rtol=0, atol=1e-12 * np.abs(known).max())
            else:
                assert np.array_equal(found, known)
    if case.targets is not None or name == "KernelKMeans":
        y = None if case.targets is None else getattr(data, case.targets)
        known = model.score(data.X, y, sample_weight=data.weight if case.weights else None)
        assert model.score(source) == pytest.approx(known, rel=1e-12)
        if y is not None:
            assert model.score(ArrayBlocks(data.X), y) == pytest.approx(model.score(data.X, y), rel=1e-12)


@pytest.mark.parametrize("name", ["KernelPCA", "KernelKMeans", "KernelDiscriminantAnalysis", "Nystroem"])
def test_outputs_of_the_training_rows(name):
    case, data = CASES[name], rows()
    y = None if case.targets is None else getattr(data, case.targets)
    known, found = (
        case.make().fit_transform(data.X, y),
        case.make().fit_transform(divided(case, "uneven", data, weighted=False)),
    )
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-9 * np.abs(known).max())


def test_stored_sums_that_do_not_fit_are_refused():
    data = rows()
    model = CASES["KernelRidge"].make().set_params(gamma=0.3).partial_fit(data.X, data.y)
    for name, shape in (("cholesky", (3, 3)), ("outer", (3, 3)), ("cross", (M, 2))):
        other = pickle.loads(pickle.dumps(model))
        other._sums = other._sums | {name: np.eye(*shape)}
        with pytest.raises(ValueError, match="stored"):
            other.partial_fit(data.X, data.y)


def test_few_rows_are_fitted_exactly_with_auto():
    data = rows()
    known = KernelRidge(kernel="rbf", gamma="scale", approximation="auto").fit(data.X, data.y)
    model = clone(known).fit(ArrayBlocks(data.X, data.y, rows=7))
    assert model.approximation_ is None
    assert_same_fit(known, model, data.X, tol=1e-10)


def test_targets_and_weights_may_be_passed_to_fit():
    data = rows()
    known = CASES["KernelRidge"].make().fit(data.X, data.y, data.weight)
    model = CASES["KernelRidge"].make().fit(ArrayBlocks(data.X, rows=9), data.y, data.weight)
    assert_same_fit(known, model, data.X, tol=1e-10)


def batches(case, data):
    for first, last in ((0, 80), (80, 81), (81, len(data.X))):
        part = slice(first, last)
        y = None if case.targets is None else getattr(data, case.targets)[part]
        options = {"classes": np.unique(data.label)} if case.targets == "label" and not first else {}
        yield data.X[part], y, {"sample_weight": data.weight[part]} | options


@pytest.mark.parametrize("keep", [lambda m: m, lambda m: pickle.loads(pickle.dumps(m))], ids=["same", "pickled"])
@pytest.mark.parametrize("name", PARTIAL)
@pytest.mark.parametrize("random", [False, True])
def test_partial_fits_give_one_fit_to_all(name, random, keep, tmp_path):
    case, data = CASES[name], rows()
    model = case.make()
    if name == "KernelRidgeClassifier":
        model.set_params(class_weight={"red": 2.0, "green": 1.0, "blue": 0.5})
    if name != "KernelDiscriminantAnalysis":
        model.set_params(gamma=0.3)
    features = RandomFourierFeatures(n_components=30, random_state=0) if random else M
    model.set_params(approximation=features)
    known = clone(model)
    first, second, third = batches(case, data)
    for X, y, options in (first, second):
        model.partial_fit(X, y, **options)
    save(model, tmp_path / "model.mercer")
    model = keep(load(tmp_path / "model.mercer"))
    X, y, options = third
    model.partial_fit(ArrayBlocks(X, y, options["sample_weight"], rows=5))  # blocks are a batch, too
    if not random:
        known.set_params(approximation=Nystroem(landmarks=model.X_fit_))
    known.fit(data.X, None if case.targets is None else getattr(data, case.targets), data.weight)
    assert model.approximation_.n_samples == len(data.X)
    if name == "KernelPCA":  # the trace of the residual is a sum, too
        assert model.solution_.exact_gap == pytest.approx(known.solution_.exact_gap, rel=1e-8, nan_ok=True)
    else:
        assert np.isnan(model.solution_.exact_gap)
    assert model.solution_.objective == pytest.approx(known.solution_.objective, rel=1e-10)
    method = "decision_function" if case.targets == "label" else "transform" if case.targets is None else "predict"
    mine, theirs = getattr(model, method)(data.X), getattr(known, method)(data.X)
    if method == "transform":  # signs are free
        mine, theirs = np.abs(mine), np.abs(theirs)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_partial_fit_exists_with_an_approximation_only():
    for name, cls in ESTIMATORS.items():
        if name in PARTIAL:
            assert not hasattr(cls(), "partial_fit"), name
            assert hasattr(cls(approximation=3), "partial_fit"), name


def test_names_of_columns_of_further_calls():
    data = rows(40)
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    model = CASES["KernelRidge"].make().set_params(gamma=0.3)
    named, plain = clone(model).partial_fit(frame, data.y), clone(model).partial_fit(data.X, data.y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but KernelRidge was fitted with"):
        named.partial_fit(data.X, data.y)
    with pytest.warns(UserWarning, match="X has feature names, but KernelRidge was fitted without"):
        plain.partial_fit(frame, data.y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(plain, "feature_names_in_")
    assert named.predict(frame) == pytest.approx(plain.predict(data.X))
    with pytest.raises(ValueError, match=r"X has the columns \['c', 'b', 'a'\], but KernelRidge is expecting"):
        named.partial_fit(frame[["c", "b", "a"]], data.y)


def test_errors_of_partial_fit():
    data = rows()
    model = CASES["KernelRidge"].make().set_params(gamma=0.3).partial_fit(data.X, data.y)
    before = model.predict(data.X)
    with pytest.raises(ValueError, match="X has 2 features, but KernelRidge is expecting 3"):
        model.partial_fit(data.X[:, :2], data.y)
    with pytest.raises(ValueError, match="y has 2 targets, expected 1"):
        model.partial_fit(data.X, np.column_stack([data.y, data.y]))
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((2, 3), np.nan), [0.0, 0.0])
    assert np.array_equal(model.predict(data.X), before)
    with pytest.raises(ValueError, match="keeps no sums"):
        clone(model).fit(data.X, data.y).partial_fit(data.X, data.y)
    with pytest.raises(ValueError, match="'auto' is exact for 130 samples"):
        clone(model).set_params(approximation="auto").partial_fit(data.X, data.y)
    classifier = CASES["KernelRidgeClassifier"].make()
    with pytest.raises(ValueError, match="class_weight='balanced' needs the sizes"):
        classifier.partial_fit(data.X, data.label, classes=np.unique(data.label))
    classifier.set_params(class_weight=None)
    with pytest.raises(ValueError, match="classes must be passed in the first call"):
        classifier.partial_fit(data.X, data.label)
    with pytest.raises(ValueError, match="the label 'blue', which is not among the classes"):
        classifier.partial_fit(data.X, data.label, classes=["green", "red"])
    discriminant = CASES["KernelDiscriminantAnalysis"].make()
    with pytest.raises(ValueError, match="no sample of positive weight so far is of class 'grey'"):
        discriminant.partial_fit(data.X, data.label, classes=[*np.unique(data.label), "grey"])
    with pytest.raises(ValueError, match="reg='auto' needs passes over all samples"):
        discriminant.set_params(reg="auto").partial_fit(data.X, data.label, classes=np.unique(data.label))


def test_errors_of_fits_to_blocks():
    data = rows()
    source = ArrayBlocks(data.X, data.y, rows=20)
    with pytest.raises(ValueError, match="need approximation=, because an exact fit"):
        KernelRidge(kernel="rbf").fit(source)
    with pytest.raises(ValueError, match="'precomputed' needs the Gram matrix in memory"):
        KernelRidge(kernel="precomputed", approximation=M).fit(source)
    with pytest.raises(ValueError, match="y was passed to fit, but the blocks contain y"):
        CASES["KernelRidge"].make().fit(source, data.y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        CASES["KernelRidge"].make().fit(ArrayBlocks(data.X))
    with pytest.raises(ValueError, match="matrices of numbers, but the kernel"):
        KernelRidge(kernel="spectrum(p=2)", approximation=M).fit(source)
    with pytest.raises(ValueError, match="is expecting 3 features"):
        CASES["KernelRidge"].make().fit(source).predict(ArrayBlocks(data.X[:, :2]))
    with pytest.raises(ValueError, match="fit_inverse_transform=True needs the training samples"):
        CASES["KernelPCA"].make().set_params(fit_inverse_transform=True).fit(source)


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - taking_blocks()))
def test_other_estimators_refuse_blocks(name):
    data = rows()
    with pytest.raises(TypeError, match="ArrayBlocks"):
        ESTIMATORS[name](**entry(name).options).fit(ArrayBlocks(data.X, rows=20), target(ESTIMATORS[name], len(data.X)))


def test_bad_rows_in_the_last_block_are_named_before_the_long_work():
    data = rows()
    X = data.X.copy()
    X[-2, 1] = np.nan
    for source, where in (
        (ArrayBlocks(X, data.y, rows=50), "block 2, row 28 of the block, which is row 128"),
        (IterableBlocks([(X[:129], data.y[:129]), (X[129:], data.y[129:])]), "block 0, row 128"),
    ):
        with pytest.raises(ValueError, match=where):
            CASES["KernelRidge"].make().fit(source)
    y = data.y.copy()
    y[-1] = np.inf
    with pytest.raises(ValueError, match="Input y contains NaN or infinity in block 2, row 29"):
        CASES["KernelRidge"].make().fit(ArrayBlocks(data.X, y, rows=50))


def test_features_on_disk_are_removed(tmp_path):
    data = rows()

    def source(fail=False):
        count = [0]

        def blocks():
            count[0] += 1
            for first in range(0, len(data.X), 40):
                if fail and count[0] > 4 and first > 40:
                    raise KeyboardInterrupt
                yield data.X[first : first + 40], data.label[first : first + 40]

        return IterableBlocks(blocks, folder=tmp_path)

    CASES["SVC"].make().fit(source())
    assert not list(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        CASES["SVC"].make().fit(source(fail=True))
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        CASES["SVC"].make().fit(ArrayBlocks(data.X, data.label, folder=tmp_path / "absent"))


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression_reads_features_that_are_written_once(tmp_path, monkeypatch, weighted):
    data, written = rows(), []
    model = CASES["KernelLogisticRegression"].make()
    weight = data.weight * (np.arange(len(data.X)) % 5 > 0) if weighted else None

    def fitted():
        source = ArrayBlocks(data.X, data.label, weight, rows=40, folder=tmp_path)
        return clone(model).fit(source)

    def watched(who, blocks, shape, dtype, folder):
        written.append((shape, dtype, folder))
        return spilled(who, blocks, shape, dtype, folder)

    monkeypatch.setattr("mercer._estimator.blocks.features.spilled", watched)
    from_disk = fitted()
    assert written == [((len(data.X), M), np.float64, tmp_path)]
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("mercer._estimator.blocks.features.has_room", lambda *_: False)
    again = fitted()
    assert len(written) == 1
    assert_same_fit(again, from_disk, data.X, tol=1e-10)


def test_room_on_disk_is_half_of_the_free_space(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    assert has_room((free // 64, 1), np.float64, tmp_path)
    assert not has_room((free // 8, 1), np.float64, tmp_path)
