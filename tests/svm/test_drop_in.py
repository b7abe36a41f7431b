"""What a user of scikit-learn's machines relies on: layout, signs, ties, errors, weights, the end of a fit."""

import re

import numpy as np
import pytest
import sklearn.svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm.family import FAMILY, SHARED, values_of

pytestmark = pytest.mark.filterwarnings("ignore::mercer.exceptions.IndefiniteKernelWarning")  # "sigmoid"

CLASSIFIERS = [SVC, NuSVC]
SIX = np.array([[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]])
SIDES = np.array([1, 1, 1, 2, 2, 2])
IRIS = load_iris()


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
    with pytest.raises(ValueError, match="bound for the weights of the classes 9 and 3;"):
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
    with pytest.raises(TypeError if isinstance(weight, str) else ValueError, match="sample_weight"):
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
    numbers = r"objective \S+, gap \S+ \(relative \S+\), violation \S+, \d+ steps, \d+ support vectors"
    assert re.fullmatch(rf"\[{make.__name__}\] converged: {numbers}", line)


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


@pytest.mark.parametrize("make", SHARED)
def test_a_failed_fit_leaves_the_old_machine(make, two):
    X, y = two
    model = make().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="the function raised"):
        model.set_params(kernel=lambda A, B: 1 / 0).fit(X, y)
    np.testing.assert_array_equal(model.set_params(kernel="rbf").predict(X), before)
