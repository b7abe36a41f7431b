"""Dask collections in place of arrays: the same models, lazy predictions, on threads."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info

import mercer
from mercer._estimator.blocks.outputs import BlockOutputs
from mercer.cluster import KernelKMeans
from mercer.data.blocks.dask_blocks import DaskBlocks
from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from mercer.svm import SVC, SVR, NuSVC, OneClassSVM
from tests.contracts import behaviour
from tests.contracts.blocks import taking_blocks
from tests.contracts.estimators import ESTIMATORS, entry

N, D = 400, 3
MODELS = {
    "ridge": KernelRidge(kernel="rbf", gamma="scale", alpha=0.1, approximation=30, fit_intercept=True),
    "random features": KernelRidge(kernel="rbf", approximation=RandomFourierFeatures(n_components=20, random_state=0)),
    "ridge cv": KernelRidgeCV(kernel="rbf", approximation=30),
    "ridge classifier": KernelRidgeClassifier(kernel="rbf", approximation=30),
    "logistic": KernelLogisticRegression(kernel="rbf", approximation=20, tol=1e-12),
    "pca": KernelPCA(3, kernel="rbf", approximation=30),
    "discriminant": KernelDiscriminantAnalysis(kernel="rbf", approximation=30),
    "k-means": KernelKMeans(3, kernel="rbf", approximation=30, random_state=0),
    "nystroem": Nystroem("rbf", n_components=20, random_state=0),
    "fourier": RandomFourierFeatures("rbf", n_components=20, random_state=0),
}
MACHINES = {
    "svc": SVC(C=3.0, tol=1e-6, approximation=30),
    "svc, ovr": SVC(C=3.0, tol=1e-6, multi_class="ovr", class_weight="balanced", approximation=30),
    "nu-svc": NuSVC(nu=0.2, gamma=1.0, tol=1e-6, approximation=30),
    "svr": SVR(epsilon=0.05, tol=1e-6, approximation=30),
    "one class": OneClassSVM(nu=0.2, tol=1e-6, approximation=30),
}
LABELLED = ("ridge classifier", "logistic", "discriminant", "svc", "svc, ovr", "nu-svc")
CHUNKS = {"uneven": (1, 150, 200, 49), "single": (N,), "empty": (0, 199, 0, 201, 0)}
METHODS = ("predict", "decision_function", "predict_proba", "transform")


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, D))
    return X, np.sin(X).sum(axis=1), np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]


def target(name, data):
    _, y, labels = data
    if name in ("pca", "k-means", "nystroem", "fourier", "one class"):
        return None
    return labels if name in LABELLED else y


def answers(model, X):
    return {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}


def decisions(model, X):
    return getattr(model, "decision_function", model.predict)(X)


def assert_same(got, want):
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-10)
    else:
        np.testing.assert_array_equal(got, want)


def test_every_estimator_that_takes_blocks_has_a_model():
    assert {type(model).__name__ for model in (MODELS | MACHINES).values()} == taking_blocks()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("chunks", CHUNKS)
def test_chunks_change_nothing(data, name, chunks):
    model, X, y = MODELS[name], data[0], target(name, data)
    want = answers(model.fit(X) if y is None else model.fit(X, y), X)
    lazy = da.from_array(X, chunks=(CHUNKS[chunks], (2, 1)))
    model.fit(lazy) if y is None else model.fit(lazy, da.from_array(y, chunks=130))
    got = answers(model, lazy)
    assert got.keys() == want.keys()
    for method, values in got.items():
        assert isinstance(values, da.Array)
        assert values.chunks[0] == CHUNKS[chunks]
        assert values._meta.dtype == want[method].dtype
        assert_same(values.compute(), want[method])
    assert_same(np.asarray(answers(model, X)[method]), want[method])  # the model itself is local


@pytest.mark.parametrize("name", MACHINES)
def test_support_vector_machines_have_the_optimum_of_arrays(data, name):
    model, X, y = MACHINES[name], data[0], target(name, data)
    known = clone(model).fit(X, y)
    found = {}
    for chunks, sizes in CHUNKS.items():
        found[chunks] = clone(model).fit(da.from_array(X, chunks=(sizes, D)), y)
        solution, want = found[chunks].solution_, known.solution_
        assert solution.converged
        both = solution.gap + want.gap  # both intervals contain the optimum
        assert abs(solution.objective - want.objective) <= both + 1e-7 * abs(want.objective)  # features in float32
        got, exact = decisions(found[chunks], X), decisions(known, X)
        np.testing.assert_allclose(got, exact, rtol=0, atol=1e-3 * np.abs(exact).max())
        assert found[chunks].approximation_.n_samples == N
        np.testing.assert_allclose(got, decisions(found["uneven"], X), rtol=0, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("name", ["ridge", "logistic"])
def test_certificates_are_those_of_arrays(data, name):
    model, X, y = MODELS[name], data[0], target(name, data)
    want = model.fit(X, y).solution_
    got = model.fit(da.from_array(X, chunks=(150, D)), y).solution_
    assert got.objective == pytest.approx(want.objective, rel=1e-12)
    assert got.exact_gap == pytest.approx(want.exact_gap, rel=1e-6)
    assert got.gap <= 1e-9 * abs(got.objective)


def test_weights_and_scores(data, rng):
    X, y, _ = data
    weight = rng.uniform(0, 2, size=N)
    lazy, lazy_y, lazy_weight = (da.from_array(values, chunks=90) for values in (X, y, weight))
    model = MODELS["ridge"]
    want = model.fit(X, y, weight).predict(X)
    wanted = model.score(X, y, weight)
    assert_same(model.fit(lazy, lazy_y, lazy_weight).predict(lazy).compute(), want)
    assert model.score(lazy, lazy_y, sample_weight=lazy_weight) == pytest.approx(wanted, abs=1e-12)
    assert_same(model.fit(lazy, lazy_y, 2.0).predict(X), model.fit(X, y, 2.0).predict(X))
    assert_same(model.fit(X=lazy, y=y, sample_weight=weight).predict(X), want)


def test_fit_transform_and_fit_predict_are_lazy(data):
    X = data[0]
    lazy = da.from_array(X, chunks=(150, D))
    want = MODELS["nystroem"].fit(X).transform(X)
    got = MODELS["nystroem"].fit_transform(lazy)
    assert isinstance(got, da.Array)
    assert_same(got.compute(), want)


def test_frames_keep_their_index_and_names(data):
    X, y, labels = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(N) + 7).assign(y=y, label=labels)
    lazy = dd.from_pandas(frame, npartitions=3)
    columns = ["a", "b", "c"]
    model = MODELS["ridge"].fit(lazy[columns], lazy["y"])
    assert model.feature_names_in_.tolist() == columns
    predicted = model.predict(lazy[columns])
    assert isinstance(predicted, dd.Series)
    pd.testing.assert_index_equal(predicted.compute().index, frame.index)
    assert_same(predicted.compute().to_numpy(), model.fit(X, y).predict(X))
    classifier = MODELS["logistic"].fit(lazy[columns], lazy["label"])
    probabilities = classifier.predict_proba(lazy[columns])
    assert isinstance(probabilities, dd.DataFrame)
    assert probabilities.columns.tolist() == ["high", "low", "middle"]
    assert_same(probabilities.compute().to_numpy(), classifier.fit(X, labels).predict_proba(X))
    classifier.fit(lazy[columns], lazy["label"])
    with pytest.raises(ValueError, match="the blocks have the columns"):
        classifier.predict(lazy[["b", "a", "c"]])


def test_a_fitted_model_needs_no_dask(data, tmp_path):
    X, y, _ = data
    model = KernelRidge(kernel="rbf", approximation=10).fit(da.from_array(X, chunks=(150, D)), y)
    (tmp_path / "model").write_bytes(pickle.dumps((model, X[:3], model.predict(X[:3]))))
    code = (
        "import pickle, sys\n"
        f"model, X, want = pickle.load(open({str(tmp_path / 'model')!r}, 'rb'))\n"
        "assert (model.predict(X) == want).all()\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_one_package_imports_dask():
    root = Path(mercer.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "dask" not in text and "distributed" not in text:  # most files, which need not be parsed
            continue
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in ("dask", "distributed") for name in names):
                found.add(path.parent.relative_to(root).as_posix())
    assert found == {"data/blocks/dask_blocks"}


def pools(block):
    return {pool["num_threads"] for pool in threadpool_info()}


def test_tasks_use_one_thread(data):
    source = DaskBlocks(da.from_array(data[0], chunks=(100, D)))
    before = pools(None)
    assert list(source.map(pools)) == [{1}] * 4
    assert pools(None) == before


def test_sums_are_trees_in_the_order_of_blocks(rng):
    X = rng.normal(size=(64, 1)) * 10.0 ** rng.integers(-8, 8, size=(64, 1))
    total = DaskBlocks(da.from_array(X, chunks=(1, 1))).reduce(lambda block: block.X[0])
    while len(X) > 1:
        X = X[::2] + X[1::2]
    assert total == X[0]


def test_graphs_are_sent_in_waves(data, monkeypatch):
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.source._WAVE", 3)
    X, y, _ = data
    model = MODELS["ridge"]
    assert_same(model.fit(da.from_array(X, chunks=(40, D)), y).predict(X), model.fit(X, y).predict(X))


# ---- bad input


@pytest.mark.parametrize("name", sorted(name for name in set(ESTIMATORS) - taking_blocks()))
def test_other_estimators_name_what_to_do_with_a_collection(data, name):
    X, cls = np.abs(data[0][:40]), ESTIMATORS[name]
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=4)
    with pytest.raises(TypeError, match=r"cannot be fitted to a Dask collection|call X\.compute\(\) first"):
        cls(**entry(name).options).fit(frame, behaviour.target(cls, len(X)))
    if issubclass(cls, BlockOutputs):
        with pytest.raises(TypeError, match=f"^{name}: cannot be fitted to a Dask collection.*X.compute"):
            cls(**entry(name).options).fit(da.from_array(X, chunks=(10, D)), behaviour.target(cls, len(X)))


def test_chunks_without_the_columns_of_the_collection_are_named(data):
    X = da.from_array(data[0], chunks=(100, D))
    cut = X.map_blocks(lambda block, block_id=None: block[:, : 3 - (block_id[0] == 3)], dtype=float, meta=data[0][:0])
    with pytest.raises(ValueError, match="KernelRidge: block 3 has 2 columns, but the collection declares 3"):
        MODELS["ridge"].fit(cut, data[1])


def test_columns_that_are_not_numbers_are_refused_before_they_are_read(data):
    frame = pd.DataFrame(data[0], columns=list("abc")).assign(kind=pd.Categorical(data[2]))
    read = []
    lazy = dd.from_pandas(frame, npartitions=2).map_partitions(lambda part: read.append(1) or part, meta=frame[:0])
    with pytest.raises(TypeError, match="column 'kind' of X has dtype category, expected numbers; encode"):
        MODELS["ridge"].fit(lazy, data[1])
    assert not read


def test_unknown_chunk_sizes_are_refused(data):
    X = da.from_array(data[0], chunks=(100, D))
    with pytest.raises(ValueError, match=r"chunk sizes of X are unknown.*compute_chunk_sizes"):
        MODELS["nystroem"].fit(X[X[:, 0] > 0])


def test_chunks_that_disagree_are_refused(data):
    X, y = da.from_array(data[0], chunks=(100, D)), da.from_array(data[1], chunks=100)
    with pytest.raises(ValueError, match=r"X has 400 rows in chunks \(100, 100, 100, 100\), but y has 399"):
        MODELS["ridge"].fit(X, y[:-1])
    frame = dd.from_pandas(pd.DataFrame(data[0], columns=list("abc")), npartitions=4)
    with pytest.raises(ValueError, match="X has 4 partitions, but y has 3"):
        MODELS["ridge"].fit(frame, dd.from_pandas(pd.Series(data[1]), npartitions=3))
    with pytest.raises(ValueError, match=r"block [12] has 100 rows, but targets of shape"):
        MODELS["ridge"].fit(frame, da.from_array(data[1], chunks=((100, 50, 150, 100),)))


@pytest.mark.parametrize("rows", [N - 1, N + 1])
def test_targets_in_memory_need_the_rows_of_the_collection(data, rows):
    X, frame = da.from_array(data[0], chunks=(100, D)), dd.from_pandas(pd.DataFrame(data[0]), npartitions=4)
    for collection in (X, frame):
        with pytest.raises(ValueError, match=f"X has 400 rows, but y has {rows}; every row needs one"):
            MODELS["ridge"].fit(collection, np.zeros(rows))
        with pytest.raises(ValueError, match=f"X has 400 rows, but sample_weight has {rows}"):
            MODELS["ridge"].fit(collection, data[1], np.ones(rows))


def test_chunks_that_shrink_are_noticed(data, tmp_path):
    for i in range(4):
        np.save(tmp_path / f"{i}.npy", data[0][100 * i : 100 * (i + 1)])
    files = [dask.delayed(np.load)(tmp_path / f"{i}.npy") for i in range(4)]
    X = da.concatenate([da.from_delayed(file, (100, D), dtype=float) for file in files])
    model = MODELS["ridge"].fit(X, data[1])
    np.save(tmp_path / "3.npy", data[0][300:350])
    with pytest.raises(ValueError, match=r"KernelRidge: block 3 has 50 rows, but 100 when the blocks were counted"):
        model.fit(X)
    with pytest.raises(ValueError, match=r"KernelRidge: block 3 has 50 rows, but targets of shape \(100,\)"):
        model.fit(X, data[1])


def test_nan_in_the_last_block_is_named(data):
    X = data[0].copy()
    X[-1, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN or infinity in block 3, row 99 of the block, which is row 399"):
        MODELS["ridge"].fit(da.from_array(X, chunks=(100, D)), data[1])


def test_joint_machines_name_alternatives(data):
    model = SVC(multi_class="crammer_singer", approximation=10)
    with pytest.raises(TypeError, match=r"cannot be fitted to a Dask collection.*'ovo' or 'ovr'.*read_blocks"):
        model.fit(da.from_array(data[0], chunks=(100, D)), data[2])


def test_support_vector_machines_predict_lazily(data):
    model = SVC(kernel="rbf").fit(data[0], data[2])
    lazy = model.predict(da.from_array(data[0], chunks=(100, D)))
    assert isinstance(lazy, da.Array)
    assert_same(lazy.compute(), model.predict(data[0]))


def test_exact_fits_are_refused(data):
    with pytest.raises(ValueError, match="samples in blocks need approximation="):
        KernelRidge(kernel="rbf").fit(da.from_array(data[0], chunks=(100, D)), data[1])


def test_other_collections_are_refused(data):
    with pytest.raises(ValueError, match="a Dask array of 1 dimensions"):
        MODELS["nystroem"].fit(da.ones(5, chunks=2))
    with pytest.raises(TypeError, match="expected a Dask array or data frame"):
        MODELS["nystroem"].fit(db.from_sequence([1, 2]))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        MODELS["nystroem"].fit(da.ones((0, 2)))
    with pytest.raises(ValueError, match="expecting 3 features"):
        MODELS["nystroem"].fit(da.from_array(data[0], chunks=100)).transform(da.ones((5, 2)))
