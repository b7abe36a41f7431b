"""What a user of scikit-learn's machines relies on: layout, signs, ties, errors, inputs, and the tools around them."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils._param_validation import InvalidParameterError

from mercer.kernels import RBF, Linear
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

FAMILY = [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD]
SHARED = FAMILY[:-1]  # with scikit-learn
CLASSIFIERS = [SVC, NuSVC]
SIX = np.array([[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]])
SIDES = np.array([1, 1, 1, 2, 2, 2])
IRIS = load_iris()


@pytest.fixture
def two():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    return X, (X[:, 0] + 0.3 * X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(80) > 0).astype(int)


def values_of(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


# ---- layout and signs


def test_the_six_points():
    model = SVC(kernel="linear").fit(SIX, SIDES)
    np.testing.assert_allclose(model.dual_coef_, [[-0.25, 0.25]], atol=1e-12)
    np.testing.assert_array_equal(model.support_, [1, 3])
    np.testing.assert_array_equal(model.support_vectors_, SIX[[1, 3]])
    np.testing.assert_allclose(model.intercept_, [0.0], atol=1e-12)
    np.testing.assert_array_equal(model.predict(SIX), SIDES)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("make", CLASSIFIERS)
def test_layout_of_classifiers(make, kernel, n_classes):
    chosen = IRIS.target > 2 - n_classes
    X, y = IRIS.data[chosen], IRIS.target_names[IRIS.target[chosen]]
    options = {"kernel": kernel, "decision_function_shape": "ovo", "gamma": 0.1}
    ours, theirs = make(**options).fit(X, y), getattr(sklearn.svm, make.__name__)(tol=1e-9, **options).fit(X, y)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for name in ("intercept_", "class_weight_", "n_iter_"):
        mine, yours = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == yours.shape
        assert mine.dtype == yours.dtype
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    assert ours.support_.dtype == ours.n_support_.dtype == np.int32
    assert ours.dual_coef_.shape == (n_classes - 1, len(ours.support_))
    labels = np.searchsorted(ours.classes_, y[ours.support_])
    np.testing.assert_array_equal(np.bincount(labels), ours.n_support_)
    np.testing.assert_array_equal(np.lexsort((ours.support_, labels)), np.arange(len(labels)))  # by class, then by row
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert ours.shape_fit_ == X.shape
    assert ours.fit_status_ == 0


def test_coefficients_of_pairs_are_where_scikit_learn_has_them():
    ours = SVC(gamma=0.5).fit(IRIS.data, IRIS.target)
    theirs = sklearn.svm.SVC(gamma=0.5, tol=1e-9).fit(IRIS.data, IRIS.target)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)


@pytest.mark.parametrize("make", [SVR, NuSVR, OneClassSVM])
def test_layout_of_single_machines(make, two):
    X, y = two[0], two[0][:, 0] ** 2
    ours, theirs = make().fit(X, y), getattr(sklearn.svm, make.__name__)(tol=1e-9).fit(X, y)
    np.testing.assert_allclose(values_of(ours, X), values_of(theirs, X), atol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert ours.n_support_.shape == (1,)
    assert ours.intercept_.shape == (1,)
    assert isinstance(ours.n_iter_, int)
    if make is OneClassSVM:
        np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-4)
        np.testing.assert_allclose(ours.score_samples(X) - ours.offset_, ours.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("make", FAMILY)
def test_coef_belongs_to_linear_kernels_and_is_read_only(make, two):
    X, y = two
    model = make(kernel="linear").fit(X, y)
    with pytest.raises((AttributeError, ValueError)):
        model.coef_ = np.zeros((1, 4))
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 0.0
    if make is not SVDD:
        np.testing.assert_allclose(values_of(model, X), X @ model.coef_[0] + model.intercept_, atol=1e-10)
    for other in (make(), make(kernel="linear").fit(X, y).set_params(kernel="rbf").fit(X, y)):
        with pytest.raises(AttributeError, match="coef_ is only available when using a linear kernel"):
            other.coef_  # noqa: B018


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_coef_has_a_row_for_every_machine(multi_class):
    X, y = make_blobs(90, n_features=3, centers=4, random_state=0)
    model = SVC(kernel="linear", decision_function_shape="ovo", multi_class=multi_class).fit(X, y)
    assert model.coef_.shape == ((6 if multi_class == "ovo" else 4), 3)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, atol=1e-9)


# ---- ties and shapes of decision values


def test_zero_is_the_second_class():
    model = SVC(kernel="linear").fit([[-1.0], [1.0]], ["no", "yes"])
    assert model.decision_function([[0.0]])[0] == 0
    assert model.predict([[0.0]])[0] == "yes"


def test_votes_of_pairs():
    X, y = make_blobs(60, centers=3, random_state=1)
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    values = model.decision_function(X)
    votes = np.zeros((len(X), 3), dtype=int)
    for column, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        votes[np.arange(len(X)), np.where(values[:, column] > 0, i, j)] += 1
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))
    ovr = model.set_params(decision_function_shape="ovr").decision_function(X)  # needs no new fit
    np.testing.assert_array_equal(np.rint(ovr), votes)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_break_ties(make):
    X, y = make_blobs(20, random_state=42)
    grid = np.stack(np.meshgrid(np.linspace(-12, 6, 80), np.linspace(-10, 12, 80)), axis=-1).reshape(-1, 2)
    options = {"kernel": "sigmoid", "gamma": 0.01, "nu": 0.5} if make is NuSVC else {"kernel": "linear"}
    model = make(**options).fit(X, y)
    best = model.decision_function(grid).argmax(axis=1)
    np.testing.assert_array_equal(model.set_params(break_ties=True).predict(grid), best)
    with pytest.raises(ValueError, match="break_ties must be False"):
        model.set_params(decision_function_shape="ovo").predict(grid)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_shapes_of_decision_values(make):
    X, y = make_blobs(80, centers=5, random_state=0)
    assert make(decision_function_shape="ovr").fit(X, y).decision_function(X).shape == (80, 5)
    assert make(decision_function_shape="ovo").fit(X, y).decision_function(X).shape == (80, 10)
    assert make().fit(X, y % 2).decision_function(X).shape == (80,)


# ---- errors


@pytest.mark.parametrize("make", FAMILY)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", -1.0),
        ("degree", -1),
        ("tol", 0.0),
        ("cache_size", 0),
        ("max_iter", -2),
        ("polish", "no"),
        ("kernel", 3),
    ],
)
def test_parameters_out_of_range(make, name, value, two):
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of {make.__name__}"):
        make(**{name: value}).fit(*two)


def test_errors_in_the_words_of_scikit_learn(two):
    X, y = two
    cases = [
        (SVC(), (X, np.zeros(80)), "The number of classes has to be greater than one; got 1 class"),
        (SVC(kernel="precomputed"), (X, y), "Precomputed matrix must be a square matrix. Input is a 80x4 matrix."),
        (NuSVC(nu=0.9), (X, np.arange(80) < 5), "specified nu is infeasible"),
        (SVC(class_weight={7: 2.0}), (X, y), "are not in class_weight"),
        (SVR(), (X[:3], y[:2]), "inconsistent numbers of samples"),
        (SVC(), (X, X[:, 0]), "Unknown label type"),
    ]
    for model, data, words in cases:
        with pytest.raises(ValueError, match=re.escape(words)):
            model.fit(*data)
    with pytest.raises(NotFittedError, match="This SVC instance is not fitted yet"):
        SVC().predict(X)
    with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 4 features as input"):
        SVC().fit(X, y).predict(X[:, :3])


def test_labels_are_printed_as_the_user_wrote_them():
    with pytest.raises(ValueError, match="of the classes 9 and 3 allow"):
        NuSVC(nu=1.0).fit(SIX, [3, 3, 3, 3, 3, 9])
    with pytest.raises(ValueError, match="does not separate the classes 'b' and 'a'"):
        SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])


def test_probability_is_left_to_calibration(two):
    X, y = two
    for make in CLASSIFIERS:
        with pytest.raises(ValueError, match=r"CalibratedClassifierCV\(" + make.__name__):
            make(probability=True).fit(X, y)
        assert not hasattr(make().fit(X, y), "predict_proba")
    calibrated = CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y)
    assert ((calibrated.predict_proba(X)[:, 1] > 0.5) == calibrated.predict(X)).all()


# ---- weights


@pytest.mark.parametrize("make", SHARED)
@pytest.mark.parametrize("weight", [0.0, -0.3])
def test_no_weight_at_all(make, weight):
    with pytest.raises(ValueError, match=r"Invalid input - all samples have zero or negative weights\."):
        make().fit(SIX, SIDES, sample_weight=np.full(6, weight))


@pytest.mark.parametrize("make", FAMILY)
def test_samples_without_a_positive_weight_do_not_count(make):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    weight = np.where(np.arange(40) < 8, -rng.uniform(size=40).round(), 1.0)
    weighted, fewer = make().fit(X, y, sample_weight=weight), make().fit(X[8:], y[8:])
    np.testing.assert_allclose(values_of(weighted, X), values_of(fewer, X), atol=1e-9)
    assert (weighted.support_ >= 8).all()


def test_one_class_left():
    weight = [0, -0.5, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        SVC().fit(SIX, SIDES, sample_weight=weight)
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSVC().fit(SIX, SIDES, sample_weight=weight)


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_class_without_weight_is_never_predicted(C, multi_class):
    X, y = make_blobs(60, centers=3, cluster_std=0.5, random_state=0)
    model = SVC(C=C, multi_class=multi_class).fit(X, y, sample_weight=y != 1)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert set(model.predict(X)) == {0, 2}
    assert model.n_support_[1] == 0


@pytest.mark.parametrize("make", FAMILY)
@pytest.mark.parametrize("weight", [np.ones(5), np.ones((6, 1)), "a"])
def test_weights_of_the_wrong_shape(make, weight):
    with pytest.raises(ValueError, match=r"sample_weight|could not convert"):
        make().fit(SIX, SIDES, sample_weight=weight)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_class_weight_equals_sample_weight(make, two):
    X, y = two
    by_class = make(class_weight={0: 0.7}).fit(X, y)
    np.testing.assert_array_equal(by_class.class_weight_, [0.7, 1.0])
    by_sample = make(gamma=by_class.kernel_.gamma).fit(X, y, sample_weight=np.where(y == 0, 0.7, 1.0))
    np.testing.assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_balanced_classes_count_weights(make, rng):
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 3 == 0
    times = rng.integers(0, 4, 30)
    weighted = make(class_weight="balanced").fit(X, y, sample_weight=times)
    repeated = make(class_weight="balanced").fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.class_weight_, repeated.class_weight_)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-7)


# ---- the end of a fit


@pytest.mark.parametrize("make", SHARED)
def test_max_iter(make, two):
    X, y = two
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=1\)\.  Consider pre-processing"):
        model = make(max_iter=1).fit(X, y)
    assert model.fit_status_ == 1
    assert np.all(model.n_iter_ == 1)
    assert np.isfinite(values_of(model, X)).all()
    assert make().fit(X, y).fit_status_ == 0


@pytest.mark.parametrize("make", FAMILY)
def test_verbose_writes_the_certificate(make, two, capsys):
    make().fit(*two)
    assert capsys.readouterr().out == ""
    make(verbose=True).fit(*two)
    (line,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        rf"\[{make.__name__}\] converged: objective \S+, gap \S+, violation \S+, \d+ steps, \d+ support vectors", line
    )


def test_infinite_C(two):
    X, y = two
    for make, target in ((SVC, y), (SVR, X[:, 0])):
        hard, large = make(C=np.inf).fit(X, target), make(C=1e10).fit(X, target)
        np.testing.assert_allclose(values_of(hard, X), values_of(large, X), atol=1e-6)


def test_no_function_inside_the_tube(two):
    X, _ = two
    for points, target in (([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]), (X, X[:, 0] ** 2)):
        with pytest.raises(ValueError, match=r"errors of at most epsilon=0\.1, but no function of this kernel"):
            SVR(C=np.inf, kernel="linear").fit(points, target)


# ---- inputs


@pytest.mark.parametrize("make", FAMILY)
def test_batches_do_not_matter(make, two):
    X, y = two
    model = make().fit(X, y)
    alone = np.concatenate([values_of(model, X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_allclose(alone, values_of(model, X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(values_of(model, X[::-1])[::-1], values_of(model, X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", FAMILY)
def test_storage_does_not_matter(make, two):
    X, y = np.round(4 * two[0]), two[1]
    expected = values_of(make().fit(X, y), X)
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((len(X), 8))
    wide[:, ::2] = X
    for other in (np.asfortranarray(X), frozen, wide[:, ::2], X.astype(int), X.tolist(), X.astype(np.float32)):
        model = make().fit(other, y)
        np.testing.assert_allclose(values_of(model, other), expected, atol=1e-5)
        assert values_of(model, other).dtype == np.float64


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("make", SHARED)
def test_sparse_is_dense(make, kernel, two):
    X, y = np.where(abs(two[0]) > 0.7, two[0], 0.0), two[1]
    rows = sp.lil_matrix(X)
    dense, sparse = (make(kernel=kernel).fit(data, y) for data in (X, rows))
    assert sp.issparse(sparse.support_vectors_)
    assert sp.issparse(sparse.dual_coef_)
    if kernel == "linear":
        assert sp.issparse(sparse.coef_)
        np.testing.assert_allclose(sparse.coef_.toarray(), dense.coef_, atol=1e-8)
    if kernel != "sigmoid":  # stationary points may differ
        expected = values_of(dense, X)
        for model, data in ((sparse, rows), (sparse, X), (dense, rows)):
            np.testing.assert_allclose(values_of(model, data), expected, atol=1e-8)


def test_feature_names(two):
    frame = pd.DataFrame(two[0], columns=["a", "b", "c", "d"])
    model = SVC().fit(frame, two[1])
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    assert model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but SVC"):
        model.predict(two[0])


# ---- a Gram matrix


@pytest.mark.parametrize("make", SHARED)
def test_precomputed_is_the_kernel(make, two, tmp_path):
    X, y = two
    kernel = RBF(gamma=0.3)
    K = kernel(X)
    expected = values_of(make(kernel=kernel).fit(X, y), X)
    np.save(tmp_path / "gram.npy", K)
    mapped = np.load(tmp_path / "gram.npy", mmap_mode="r")
    for gram in (K, mapped, np.asfortranarray(K)):
        model = make(kernel="precomputed").fit(gram, y)
        np.testing.assert_allclose(values_of(model, gram), expected, atol=1e-9)
        assert model.support_vectors_.shape == (0, 0)
        assert model.kernel_ is None
    single = make(kernel="precomputed").fit(K.astype(np.float32), y)
    np.testing.assert_allclose(values_of(single, K), expected, atol=1e-4)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 80 features"):
        model.predict(K[:, :5])
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        make(kernel="precomputed").fit(sp.csr_matrix(K), y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        model.predict(sp.csr_matrix(K))
    with pytest.raises(ValueError, match=f"{make.__name__}: kernel='precomputed' needs a symmetric matrix"):
        make(kernel="precomputed").fit(np.triu(K), y)


def test_splits_of_a_gram_matrix(two):
    X, y = two
    scores = [cross_val_score(SVC(kernel=k), data, y) for k, data in (("linear", X), ("precomputed", X @ X.T))]
    np.testing.assert_array_equal(*scores)
    search = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}).fit(X @ X.T, y)
    assert search.predict(X @ X.T).shape == (80,)


# ---- kernels


class Counting:
    """A linear kernel that remembers the shapes it was called with."""

    def __init__(self):
        self.shapes = []

    def __call__(self, A, B):
        self.shapes.append((len(A), len(B)))
        return A @ B.T


@pytest.mark.parametrize("make", SHARED)
def test_functions_are_called_on_blocks(make, two):
    X, y = two
    function = Counting()
    model = make(kernel=function).fit(X, y)
    assert function.shapes == [(80, 80)]
    values = values_of(model, X[:7])
    assert function.shapes[1:] == [(7, len(model.support_))]
    np.testing.assert_allclose(values, values_of(make(kernel="linear").fit(X, y), X[:7]), atol=1e-8)


def test_functions_are_given_sparse_matrices(two):
    X, y = two
    model = SVC(kernel=lambda A, B: (A @ B.T).toarray()).fit(sp.csr_matrix(X), y)
    expected = SVC(kernel="linear").fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(sp.lil_matrix(X)), expected, atol=1e-8)
    assert isinstance(model.dual_coef_, np.ndarray)


def test_a_kernel_by_name_by_text_and_by_object(two):
    X, y = two
    expected = SVC(kernel="rbf", gamma=0.2).fit(X, y).decision_function(X)
    for kernel in ("rbf(gamma=0.2)", RBF(gamma=0.2)):
        np.testing.assert_array_equal(SVC(kernel=kernel).fit(X, y).decision_function(X), expected)
    model = SVC(kernel=RBF() + Linear())
    other = clone(model).set_params(kernel__0__gamma=0.2, C=2.0)
    assert other.kernel == RBF(gamma=0.2) + Linear()
    assert model.kernel == RBF() + Linear()
    search = GridSearchCV(SVC(kernel=RBF()), {"kernel__gamma": [1e-4, 0.2]}).fit(X, y)
    assert search.best_estimator_.kernel_ == RBF(gamma=0.2)


@pytest.mark.parametrize("gamma", [0.0, 0.7, "scale", "auto"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_parameters_of_named_kernels(kernel, gamma, two):
    X, y = two
    options = {"kernel": kernel, "gamma": gamma, "degree": 2, "coef0": 0.3}
    theirs = sklearn.svm.SVC(tol=1e-9, **options).fit(X, y)
    np.testing.assert_allclose(SVC(**options).fit(X, y).decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_sigmoid_is_that_of_scikit_learn(two):
    X, y = two
    model = SVC(kernel="sigmoid", gamma=0.1, coef0=0.3).fit(X, y)
    K = np.tanh(0.1 * X @ X[model.support_].T + 0.3)
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_[0] + model.intercept_, atol=1e-9)


def test_degree_zero_and_constant_features(two):
    _, y = two
    assert SVC(kernel="poly", degree=0).fit(two[0], y).solution_.converged
    constant = SVC().fit(np.ones((80, 2)), y)
    assert constant.kernel_.gamma == 1.0


# ---- copies


@pytest.mark.parametrize("make", FAMILY)
def test_pickles_predict_the_same_and_carry_no_packed_copy(make, rng):
    X, y = rng.standard_normal((300, 50)), np.arange(300) % 2
    model = make().fit(X, y)
    small = len(pickle.dumps(model))
    expected = values_of(model, X)  # packs the support vectors
    assert len(pickle.dumps(model)) == small
    assert small < 1.2 * model.support_vectors_.nbytes + 20_000
    np.testing.assert_array_equal(values_of(pickle.loads(pickle.dumps(model)), X), expected)


@pytest.mark.parametrize("make", FAMILY)
def test_a_new_fit_forgets_the_last_one(make, two):
    X, y = two
    model = make().fit(X, y)
    values_of(model, X)
    again = model.fit(X[:60, :2], y[:60])
    np.testing.assert_array_equal(values_of(again, X[:, :2]), values_of(make().fit(X[:60, :2], y[:60]), X[:, :2]))
