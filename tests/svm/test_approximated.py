"""``approximation=`` of support vector machines: the optimum on the features, certificates, small models, paths."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from mercer.explain import top_features
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, user
from mercer.plots import DecisionBoundaryDisplay, blank
from mercer.solvers import Status
from mercer.svm import SVC, SVR, NuSVC, OneClassSVM, c_path
from tests.svm.family import values_of

WIDTH = 0.3
MODELS = {
    "SVC": SVC(gamma=WIDTH),
    "SVC ovr": SVC(gamma=WIDTH, multi_class="ovr", C=5.0),
    "SVC balanced": SVC(gamma=WIDTH, class_weight={0: 0.5, 1: 3.0}),
    "SVC crammer_singer": SVC(gamma=WIDTH, multi_class="crammer_singer"),
    "NuSVC": NuSVC(gamma=WIDTH, nu=0.6),
    "SVR": SVR(gamma=WIDTH, epsilon=0.05),
    "OneClassSVM": OneClassSVM(gamma=WIDTH, nu=0.2),
    "OneClassSVM of all": OneClassSVM(gamma=WIDTH, nu=1.0),
}
every_model = pytest.mark.parametrize("name", MODELS)


def made(name, **options):
    return clone(MODELS[name]).set_params(**options)


def samples(n=240, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    label = np.searchsorted(np.quantile(X[:, 0], np.arange(1, classes) / classes), X[:, 0] + 0.3 * rng.normal(size=n))
    return X, label


def targets(model, X, label):
    return np.sin(2 * X[:, 0]) + X[:, 1] if isinstance(model, SVR) else label


def features(model, X, y, weight=None):
    """Features that a fit uses, in float64."""
    training, _ = clone(model)._training(X, y, weight, targets=y is not None, numeric=isinstance(model, SVR))
    return model._approximated(training).array()


# ---- the optimum


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@every_model
def test_it_is_the_optimum_for_the_linear_kernel_of_the_features(name, classes, weighted):
    X, label = samples(classes=classes)
    rng = np.random.default_rng(1)
    weight = rng.integers(0, 4, len(X)) * 0.5 if weighted else None
    model = made(name, approximation=40, tol=1e-4)
    y = targets(model, X, label)
    fit = model.fit(X, y, sample_weight=weight)
    F = features(made(name, approximation=40), X, y, weight)
    exact = made(name, kernel="precomputed").fit(F @ F.T, y, sample_weight=weight)
    mine, known = fit.solution_, exact.solution_
    slack = 1e-6 * abs(known.objective)  # features are held in float32
    assert mine.status is Status.CONVERGED
    assert mine.relative_gap <= 1e-4 or name == "SVC crammer_singer"
    assert known.objective - slack <= mine.objective <= known.objective + mine.gap + slack
    assert mine.objective - mine.gap <= known.objective + slack
    rows = fit._machine_values(X) if isinstance(fit, SVC | NuSVC) else values_of(fit, X)
    want = exact._machine_values(F @ F.T) if isinstance(fit, SVC | NuSVC) else values_of(exact, F @ F.T)
    np.testing.assert_allclose(rows, want, atol=0.02 * np.abs(want).max())
    np.testing.assert_allclose(fit.intercept_, exact.intercept_, atol=0.02 * np.abs(want).max())
    if hasattr(exact, "margin_width_"):
        np.testing.assert_allclose(fit.margin_width_, exact.margin_width_, rtol=0.01)


@every_model
def test_more_landmarks_come_closer_to_the_exact_machine(name):
    X, label = samples()
    model = made(name)
    y = targets(model, X, label)
    exact = values_of(made(name).fit(X, y), X)
    if exact.ndim == 2:  # votes jump where a machine is near zero
        exact = made(name).fit(X, y)._machine_values(X)
    errors = []
    for m in (10, 40, len(X)):
        fit = made(name, approximation=m, tol=1e-4).fit(X, y)
        values = fit._machine_values(X) if exact.ndim == 2 else values_of(fit, X)
        errors.append(np.abs(values - exact).max() / np.abs(exact).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


@pytest.mark.filterwarnings("ignore:NuSVC.* there is no margin")
@pytest.mark.parametrize("seed", range(6))
@every_model
def test_the_interval_contains_the_exact_optimum(name, seed):
    rng = np.random.default_rng(seed)
    X, label = samples(n=300, seed=seed, classes=2 + seed % 2)
    model = made(name, approximation=int(rng.choice([5, 25, 100])))
    if hasattr(model, "C"):
        model.set_params(C=float(10 ** rng.uniform(-2, 2)))
    y, weight = targets(model, X, label), None if seed % 3 else rng.uniform(0.2, 2, 300)
    fit = model.fit(X, y, sample_weight=weight)
    exact = clone(model).set_params(approximation=None).fit(X, y, sample_weight=weight).solution_
    lower, upper = fit.solution_.exact_interval
    slack = 1e-9 * abs(exact.objective)
    assert fit.solution_.confidence == 1.0
    assert fit.solution_.exact_gap > 0
    assert lower - slack <= exact.objective
    assert exact.objective - exact.gap <= upper + slack
    assert all(np.isnan(part.exact_gap) for part in fit.solution_.machines)


@pytest.mark.parametrize("name", ["SVC", "SVC crammer_singer", "SVR"])
def test_a_coarse_approximation_does_not_bound_the_optimum_by_more_than_zero(name):
    X, label = samples()
    model = made(name, gamma=5.0, C=100.0, approximation=8)  # β = 0 is feasible, so the optimum is not positive
    y = targets(model, X, label)
    exact, fit = clone(model).set_params(approximation=None).fit(X, y), model.fit(X, y)
    assert exact.solution_.objective <= fit.solution_.exact_interval[1] < 0


def test_a_sampled_certificate_has_its_level(monkeypatch):
    monkeypatch.setattr("mercer._estimator.landmark_features._VALUES", 0)
    monkeypatch.setattr("mercer._estimator.landmark_features._ROWS", 40)
    contained = []
    for seed in range(20):
        X, label = samples(300, seed=seed, classes=2)
        fit, exact = SVC(gamma=WIDTH, approximation=25).fit(X, label), SVC(gamma=WIDTH).fit(X, label)
        assert fit.solution_.confidence == pytest.approx(0.95)
        lower, upper = fit.solution_.exact_interval
        contained.append(lower <= exact.solution_.objective <= upper)
    assert sum(contained) >= 17


def test_many_machines_are_certified_in_batches(monkeypatch):
    monkeypatch.setattr("mercer.svm.approximated._DENSE", 0)
    X, label = samples(120, classes=6)  # 15 machines; dense coefficients may take as much memory as the features
    whole = SVC(gamma=WIDTH, approximation=40).fit(X, label)
    few = SVC(gamma=WIDTH, approximation=6, tol=1e-5).fit(X, label)  # 3 machines at a time
    F = features(few, X, label)
    exact = SVC(kernel="precomputed").fit(F @ F.T, label)
    np.testing.assert_allclose(few._machine_values(X), exact._machine_values(F @ F.T), atol=0.05)
    assert whole.solution_.exact_gap < few.solution_.exact_gap
    assert few.solution_.objective + few.solution_.exact_gap >= SVC(gamma=WIDTH).fit(X, label).solution_.objective


# ---- the model


@every_model
def test_the_model_holds_landmarks(name):
    X, label = samples()
    model = made(name, approximation=30)
    y = targets(model, X, label)
    fit = model.fit(X, y)
    np.testing.assert_array_equal(fit.support_vectors_, X[fit.support_])
    np.testing.assert_array_equal(fit.support_, fit.approximation_.indices)
    assert fit.support_.dtype == np.int32
    n_machines = 3 if hasattr(fit, "classes_") else 1
    assert fit.dual_coef_.shape == (n_machines, 30)
    assert fit.intercept_.shape == (n_machines,)
    assert len(fit.n_support_) == n_machines
    assert 30 < fit.n_support_.sum() <= 240
    assert fit.fit_status_ == 0
    assert fit.shape_fit_ == (240, 3)
    assert fit.kernel_ == RBF(gamma=WIDTH)
    assert np.min(fit.n_iter_) >= (0 if name == "OneClassSVM of all" else 1)
    assert len(pickle.dumps(fit)) < 20_000
    values = fit.kernel_(X, fit.support_vectors_) @ fit.dual_coef_.T + fit.intercept_
    mine = fit._machine_values(X) if n_machines > 1 else values_of(fit, X)[:, None]
    np.testing.assert_allclose(mine, values, rtol=1e-9, atol=1e-9)


def test_samples_with_coefficients_are_counted_by_class():
    X, label = samples()
    exact, fit = SVC(gamma=WIDTH).fit(X, label), SVC(gamma=WIDTH, approximation=len(X)).fit(X, label)
    np.testing.assert_allclose(fit.n_support_, exact.n_support_, atol=3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@every_model
def test_forms_of_samples(name, form, dtype):
    X, label = samples()
    X[:, 2] = np.maximum(X[:, 2], 0.0)
    model = made(name, approximation=30, tol=1e-5)
    y = targets(model, X, label)
    fit, known = clone(model).fit(form(X.astype(dtype)), y), model.fit(X, y)
    assert fit.support_vectors_.dtype == np.float64
    assert fit.support_vectors_.shape == (30, 3)
    assert sp.issparse(fit.support_vectors_) == sp.issparse(fit.dual_coef_) == (form is sp.csr_matrix)
    if dtype == np.float64:
        np.testing.assert_array_equal(fit.support_, known.support_)
    if (fit.support_ == known.support_).all():
        got = fit._machine_values(X) if hasattr(fit, "classes_") else values_of(fit, X)
        want = known._machine_values(X) if hasattr(fit, "classes_") else values_of(known, X)
        np.testing.assert_allclose(got, want, atol=5e-3 * np.abs(want).max())
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_allclose(values_of(again, X), values_of(fit, X), rtol=1e-9, atol=1e-9)


@every_model
def test_precomputed_kernels(name):
    X, label = samples()
    K = RBF(gamma=WIDTH)(X)
    model = made(name, approximation=30)
    y = targets(model, X, label)
    fit, known = clone(model).set_params(kernel="precomputed").fit(K, y), model.fit(X, y)
    assert fit.support_vectors_.size == 0
    np.testing.assert_array_equal(fit.support_, known.support_)
    np.testing.assert_allclose(values_of(fit, K[:20]), values_of(known, X[:20]), atol=1e-6)
    np.testing.assert_array_equal(values_of(pickle.loads(pickle.dumps(fit)), K), values_of(fit, K))


@every_model
def test_given_landmarks_and_random_features_have_no_indices(name):
    X, label = samples()
    model = made(name)
    y = targets(model, X, label)
    given = clone(model).set_params(approximation=Nystroem(landmarks=X[:25] + 0.01)).fit(X, y)
    assert len(given.support_) == 0
    np.testing.assert_array_equal(given.support_vectors_, X[:25] + 0.01)
    drawn = clone(model).set_params(approximation=RandomFourierFeatures(n_components=600, random_state=0)).fit(X, y)
    assert drawn.support_vectors_ is None
    assert len(drawn.support_) == 0
    assert np.isnan(drawn.solution_.exact_gap)
    assert drawn.dual_coef_.shape[1] == 600
    exact = clone(model).fit(X, y)
    assert np.corrcoef(values_of(drawn, X).ravel(), values_of(exact, X).ravel())[0, 1] > 0.95
    with pytest.raises(TypeError, match="not a kernel expansion"):
        drawn._expansion()


def test_a_linear_kernel_has_primal_coefficients():
    X, label = samples(classes=2)
    exact, fit = SVC(kernel="linear").fit(X, label), SVC(kernel="linear", approximation=3, tol=1e-6).fit(X, label)
    np.testing.assert_allclose(fit.coef_, exact.coef_, atol=1e-3)
    np.testing.assert_allclose(X @ fit.coef_[0] + fit.intercept_, fit.decision_function(X), atol=1e-9)


def test_explanations_and_plots_work():
    X, label = samples()
    for multi_class in ("ovo", "ovr"):
        fit = SVC(kernel="poly", degree=2, multi_class=multi_class, approximation=6).fit(X, label)
        top = top_features(fit, X[0], n=3, output=1)
        values = fit._machine_values(X[:1])[0]
        assert top.decision == pytest.approx(values[1] if multi_class == "ovr" else values[2] - values[0])
    plane = SVC(gamma=WIDTH, approximation=20).fit(X[:, :2], label > 0)
    display = DecisionBoundaryDisplay.from_estimator(plane, X[:, :2], label > 0, ax=blank()[1])
    assert display.support is None  # landmarks are not support vectors
    with pytest.raises(ValueError, match="has no support vectors"):
        DecisionBoundaryDisplay.from_estimator(plane, X[:, :2], label > 0, support=True, ax=blank()[1])


# ---- samples that do not count, errors, progress


@every_model
def test_zero_weights_leave_samples_out(name):
    X, label = samples()
    model = made(name, approximation=30, tol=1e-5)
    y = targets(model, X, label)
    weight = np.ones(len(X))
    weight[::5] = 0
    weight[1::7] = -1.0
    kept = np.flatnonzero(weight > 0)
    fit = clone(model).fit(X, y, sample_weight=weight)
    known = model.fit(X[kept], y[kept])
    np.testing.assert_array_equal(fit.support_, kept[known.support_])
    np.testing.assert_array_equal(fit.n_support_, known.n_support_)
    np.testing.assert_allclose(fit.solution_.objective, known.solution_.objective, rtol=1e-5)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_machines_of_a_single_class_are_constant(multi_class):
    X, label = samples()
    weight = np.where(label == 2, 0.0, 1.0)
    exact = SVC(gamma=WIDTH, multi_class=multi_class).fit(X, label, sample_weight=weight)
    fit = SVC(gamma=WIDTH, multi_class=multi_class, approximation=60).fit(X, label, sample_weight=weight)
    for machine in np.flatnonzero(np.isinf(exact.margin_width_)):
        np.testing.assert_array_equal(fit.dual_coef_[machine], 0)
        assert fit.intercept_[machine] == exact.intercept_[machine]
    np.testing.assert_array_equal(np.isinf(fit.margin_width_), np.isinf(exact.margin_width_))
    assert (fit.predict(X) == exact.predict(X)).mean() > 0.97


@pytest.mark.parametrize("estimator", [SVC, SVR])
def test_infinite_C_is_refused(estimator):
    X, label = samples(classes=2)
    with pytest.raises(ValueError, match=r"C must be finite with an approximation, got inf; use a large value"):
        estimator(C=np.inf, approximation=20).fit(X, label)
    estimator(C=np.inf, epsilon=2.0).fit(X, label) if estimator is SVR else None  # exact fits allow it


def test_no_margin_warns_and_the_machine_is_constant():
    rng = np.random.default_rng(0)
    X, label = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    with pytest.warns(ConvergenceWarning, match="there is no margin between the classes 1 and 0"):
        fit = NuSVC(nu=0.2, approximation=5).fit(X, label)
    np.testing.assert_array_equal(fit.dual_coef_, 0)
    assert np.isinf(fit.margin_width_).all()


@pytest.mark.parametrize("name", ["SVC", "SVC crammer_singer", "NuSVC", "SVR"])
def test_progress_is_reported_and_can_stop_the_fit(name):
    X, label = samples(3000)
    model = made(name, approximation=200, tol=1e-13)
    model.set_params(C=1e4) if hasattr(model, "C") else model.set_params(nu=0.3)
    y = targets(model, X, label)
    training, y = model._training(X, y)
    seen = []

    def report(done, total, gap):
        seen.append((done, total, gap))
        return True

    training.report = report
    with pytest.warns(ConvergenceWarning, match="terminated early"):
        fit = model._fit_training(training, y)
    assert fit.solution_.status is Status.MAX_ITER
    assert fit.fit_status_ == 1
    assert all(0 <= done <= total for done, total, _ in seen)


@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
def test_too_few_passes_warn(name):
    X, label = samples()
    model = made(name, approximation=30, tol=1e-6, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        fit = model.fit(X, targets(model, X, label))
    assert np.max(fit.n_iter_) == 1


def test_the_certificate_is_printed(capsys):
    X, label = samples(classes=2)
    fit = SVC(approximation=20, verbose=True).fit(X, label)
    assert f"{fit.n_support_.sum()} support vectors" in capsys.readouterr().out


def test_automatic_approximation_starts_above_thirty_thousand_samples():
    assert [cls._exact_limit for cls in (SVC, SVR, NuSVC, OneClassSVM)] == [30_000] * 4
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_001, 2))
    fit = SVC(gamma=0.01, approximation="auto").fit(X, X[:, 0] > 0)
    assert "30001 samples are more than 30000" in fit.approximation_.reason
    assert fit.score(X, X[:, 0] > 0) > 0.99


# ---- warm starts and paths


@pytest.mark.parametrize("name", ["SVC", "SVC ovr", "SVR"])
def test_warm_starts_go_on_from_the_dual_coefficients(name):
    X, label = samples()
    model = made(name, approximation=30, warm_start=True)
    y = targets(model, X, label)
    model.fit(X, y)
    first = values_of(model, X)
    model.fit(X, y)
    assert np.max(model.n_iter_) == 1  # at least one by definition; the start is a solution
    assert model.solution_.n_iter == 0
    np.testing.assert_allclose(values_of(model, X), first, atol=2e-3)  # the best bias is computed anew
    cold = made(name, C=3.0).fit(X, y)
    model.set_params(approximation=None, C=3.0).fit(X, y)  # from approximated to exact
    np.testing.assert_allclose(model.solution_.objective, cold.solution_.objective, rtol=1e-6)
    model.set_params(approximation=30).fit(X, y)  # and back
    known = made(name, C=3.0, approximation=30).fit(X, y)
    np.testing.assert_allclose(model.solution_.objective, known.solution_.objective, rtol=2e-4)


def test_warm_starts_without_usable_coefficients_are_cold():
    X, label = samples()
    cold = SVC(gamma=WIDTH).fit(X, label)
    for before in (
        SVC(gamma=WIDTH, approximation=30),  # has kept no dual coefficients
        SVC(gamma=WIDTH, approximation=RandomFourierFeatures(random_state=0)),
    ):
        before.fit(X, label).set_params(approximation=None, warm_start=True).fit(X, label)
        assert before.solution_.n_iter == cold.solution_.n_iter
    other = SVC(gamma=WIDTH, approximation=30, warm_start=True).fit(X, label).fit(X[:200], label[:200])
    known = SVC(gamma=WIDTH, approximation=30).fit(X[:200], label[:200])
    np.testing.assert_allclose(other.solution_.objective, known.solution_.objective, rtol=1e-9)


VALUES = [0.1, 1.0, 10.0]
PATHS = ["SVC", "SVC ovr", "SVC balanced", "SVR"]


@pytest.mark.parametrize("name", PATHS)
def test_every_model_of_a_path_is_as_if_fitted_alone(name):
    X, label = samples()
    model = made(name, approximation=30, tol=1e-4)
    y = targets(model, X, label)
    weight = np.random.default_rng(3).uniform(0.5, 2, len(X))
    path = c_path(model, X, y, VALUES, sample_weight=weight)
    for C, mine in zip(VALUES, path.estimators, strict=True):
        alone = clone(model).set_params(C=C).fit(X, y, sample_weight=weight)
        assert mine.get_params() == alone.get_params()
        assert vars(mine).keys() == vars(alone).keys()
        assert mine._duals is None
        np.testing.assert_array_equal(mine.support_, alone.support_)
        np.testing.assert_allclose(mine.solution_.objective, alone.solution_.objective, rtol=2e-5)
        np.testing.assert_allclose(mine.solution_.exact_gap, alone.solution_.exact_gap, rtol=0.02)
        got, want = (m._machine_values(X) if hasattr(m, "classes_") else values_of(m, X) for m in (mine, alone))
        np.testing.assert_allclose(got, want, atol=0.01 * np.abs(want).max())


@pytest.mark.parametrize("name", PATHS)
def test_folds_share_the_features(name):
    X, label = samples()
    model = made(name, approximation=30, tol=1e-4)
    y = targets(model, X, label)
    folds = KFold(3, shuffle=True, random_state=0)
    path = c_path(model, X, y, VALUES, cv=folds)
    F = features(model, X, y)
    for fold, (train, test) in enumerate(folds.split(X)):
        for row, C in enumerate(VALUES):
            exact = made(name, kernel="precomputed", C=C).fit(F[train] @ F[train].T, y[train])
            score = exact.score(F[test] @ F[train].T, y[test])
            assert path.scores[row, fold] == pytest.approx(score, abs=0.015)
    assert path.n_iter.shape == (3, 3)


@pytest.mark.parametrize("cv", [None, 4])
def test_a_path_computes_features_once(cv):
    X, label = samples(120, classes=2)
    seen = []

    def block(A, B):
        seen.append(len(A) * len(B))
        return np.exp(-WIDTH * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    kernel = user(block=block, definiteness="psd")
    SVC(kernel=kernel, approximation=20).fit(X, label)
    alone = sum(seen)
    seen.clear()
    path = c_path(SVC(kernel=kernel, approximation=20), X, label, VALUES, cv=cv)
    certificate = 120 * 120  # of each model
    assert sum(seen) <= alone + (2 * certificate if cv is None else 0)
    if cv is not None:
        assert (path.scores[-1] > 0.8).all()


def test_a_grid_of_values_shares_the_features(monkeypatch):
    X, label = samples(classes=2)
    model = SVC(gamma=WIDTH, approximation=30)
    training, y = model._training(X, label)
    drawn = []
    original = SVC._features
    monkeypatch.setattr(SVC, "_features", lambda self, t: drawn.append(t.approximation) or original(self, t))
    fits = list(model._fit_each(training, y, [{"C": C} for C in VALUES]))
    assert drawn[0] is None
    assert all(known is drawn[1] and known is not None for known in drawn[1:])
    for C, fit in zip(VALUES, fits, strict=True):
        alone = SVC(gamma=WIDTH, approximation=30, C=C).fit(X, label)
        np.testing.assert_allclose(fit.solution_.objective, alone.solution_.objective, rtol=2e-4)
    others = list(model._fit_each(training, y, [{"approximation": m} for m in (10, 20)]))
    assert [len(fit.support_) for fit in others] == [10, 20]


def test_nothing_warns_on_ordinary_data():
    X, label = samples()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in MODELS:
            model = made(name, approximation=50)
            model.fit(X, targets(model, X, label))
