"""The kernel perceptron: variants, budgets, chunks, classes, kinds of data, degenerate cases."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from mercer.data import Table
from mercer.kernels import RBF, Columns, Delta, user
from mercer.perceptron import KernelPerceptron
from tests.reference import perceptron as twin

REMOVALS = ["forgetron", "projectron", "random"]
VARIANTS = [{"variant": variant} for variant in ("plain", "averaged", "voted")]
BUDGETS = [{"budget": 5, "removal": removal, "random_state": 0} for removal in REMOVALS]


def moons(n=200, noise=0.05):
    return make_moons(n, noise=noise, random_state=0)


def quiet(model, X, y):
    """Fitted, however many mistakes are left."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


# ---- variants


def test_plain_is_the_loop():
    X, y = moons()
    model = KernelPerceptron(gamma=5.0).fit(X, y)
    sign = np.where(y, 1.0, -1.0)
    K = RBF(gamma=5.0)(X) + 1
    mistakes, counts, _ = twin.kernel(K, sign, 100)
    assert model.mistake_indices_[0].tolist() == mistakes
    assert model.mistakes_[0].tolist() == counts
    assert model.n_iter_ == len(counts)
    alpha = np.bincount(mistakes, minlength=len(X))
    np.testing.assert_array_equal(model.support_, np.flatnonzero(alpha))
    np.testing.assert_array_equal(model.dual_coef_[0], (alpha * sign)[model.support_])
    np.testing.assert_allclose(model.decision_function(X), K @ (alpha * sign), rtol=1e-10, atol=1e-9)
    assert model.score(X, y) == 1.0
    assert model.mistakes_.sum() <= model.novikoff_bound_[0]


@pytest.mark.parametrize("variant", ["averaged", "voted"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_averaged_and_voted_are_those_of_all_states(variant, fit_intercept):
    X, y = moons(100, noise=0.4)
    new = moons(60)[0]
    model = quiet(KernelPerceptron(gamma=2.0, variant=variant, fit_intercept=fit_intercept, max_iter=4), X, y)
    kernel, sign = RBF(gamma=2.0), np.where(y, 1.0, -1.0)
    want = getattr(twin, variant)(kernel(X) + fit_intercept, kernel(new, X) + fit_intercept, sign, 4)
    np.testing.assert_allclose(model.decision_function(new), want, atol=1e-11)


def test_variants_make_the_same_mistakes():
    X, y = moons(noise=0.4)
    models = [quiet(KernelPerceptron(variant=v, max_iter=3), X, y) for v in ("plain", "averaged", "voted")]
    for other in models[1:]:
        np.testing.assert_array_equal(other.mistake_indices_[0], models[0].mistake_indices_[0])


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("variant", ["plain", "averaged", "voted"])
def test_classes_are_learned_independently(variant, shuffle):
    X, y = load_iris(return_X_y=True)
    options = {"variant": variant, "shuffle": shuffle, "random_state": 3, "max_iter": 30, "gamma": 0.5}
    model = quiet(KernelPerceptron(**options), X, y)
    values = model.decision_function(X)
    assert values.shape == (150, 3)
    for c in range(3):
        alone = quiet(KernelPerceptron(**options), X, y == c)
        np.testing.assert_array_equal(model.mistake_indices_[c], alone.mistake_indices_[0])
        np.testing.assert_allclose(values[:, c], alone.decision_function(X), atol=1e-9)
        np.testing.assert_allclose(model.novikoff_bound_[c], alone.novikoff_bound_[0])
    np.testing.assert_array_equal(model.predict(X), values.argmax(axis=1))


# ---- budgets


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("budget", [1, 10, 40])
def test_a_budget_is_kept(removal, budget):
    X, y = moons(noise=0.4)
    model = quiet(KernelPerceptron(budget=budget, removal=removal, max_iter=5, random_state=0), X, y)
    assert len(model.support_) <= budget
    for start in range(0, 200, 30):
        model.partial_fit(X[start : start + 30], y[start : start + 30])
        assert len(model.support_) <= budget
    assert np.isnan(model.novikoff_bound_).all()


def test_budgets_are_of_each_machine():
    X, y = load_iris(return_X_y=True)
    model = quiet(KernelPerceptron(budget=5, removal="projectron", max_iter=5), X, y)
    assert all(np.count_nonzero(row) <= 5 for row in model.dual_coef_)
    alone = quiet(KernelPerceptron(budget=5, removal="projectron", max_iter=5), X, y == 1)
    np.testing.assert_array_equal(model.mistake_indices_[1], alone.mistake_indices_[0])


@pytest.mark.parametrize("removal", REMOVALS)
def test_a_budget_that_is_never_reached_changes_nothing(removal):
    X, y = moons()
    plain = KernelPerceptron(gamma=5.0).fit(X, y)
    roomy = KernelPerceptron(gamma=5.0, budget=10**9, removal=removal).fit(X, y)
    if removal == "projectron":  # samples in the span are projected all the same
        np.testing.assert_array_equal(roomy.predict(X), plain.predict(X))
    else:
        np.testing.assert_array_equal(roomy.mistake_indices_[0], plain.mistake_indices_[0])
        np.testing.assert_allclose(roomy.decision_function(X), plain.decision_function(X), atol=1e-9)


def test_the_threshold_saves_support_vectors():
    X, y = moons(noise=0.3)
    sizes = [
        len(quiet(KernelPerceptron(budget=1000, removal="projectron", threshold=t, max_iter=5), X, y).support_)
        for t in (0.0, 0.3, 0.6)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_random_removal_is_reproducible():
    X, y = moons(noise=0.4)
    one, same, other = (
        quiet(KernelPerceptron(budget=10, removal="random", max_iter=3, random_state=s), X, y) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.support_, same.support_)
    assert not np.array_equal(one.support_, other.support_)


def test_all_mistakes_do_not_fit_a_budget():
    with pytest.raises(ValueError, match=r"KernelPerceptron: variant='voted' stores every mistake"):
        KernelPerceptron(variant="voted", budget=5).fit([[0.0], [1.0]], [0, 1])


# ---- chunks


@pytest.mark.parametrize("size", [1, 7, 64, 200])
@pytest.mark.parametrize("options", [*VARIANTS, *BUDGETS])
def test_partial_fit_in_chunks_is_one_pass(options, size):
    X, y = moons(noise=0.3)
    model = KernelPerceptron(gamma=2.0, max_iter=1, **options)
    whole = quiet(clone(model), X, y)
    for start in range(0, 200, size):
        model.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
    np.testing.assert_array_equal(model.mistake_indices_[0], whole.mistake_indices_[0])
    np.testing.assert_array_equal(model.support_, whole.support_)
    assert model.mistakes_.sum() == whole.mistakes_.sum()
    assert model.n_samples_seen_ == 200
    new = moons(50, noise=0.5)[0]
    np.testing.assert_allclose(model.decision_function(new), whole.decision_function(new), atol=1e-7)


def test_pass_by_pass_is_fit():
    X, y = moons(noise=0.4)
    whole = quiet(KernelPerceptron(gamma=2.0, max_iter=3), X, y)
    model = KernelPerceptron(gamma=2.0)
    for _ in range(3):
        model.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(model.mistakes_, whole.mistakes_)
    np.testing.assert_array_equal(model.mistake_indices_[0] % 200, whole.mistake_indices_[0])
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-9)


def test_partial_fit_goes_on_after_fit():
    X, y = moons()
    model = quiet(KernelPerceptron(gamma=2.0, max_iter=1), X[:100], y[:100])
    model.partial_fit(X[100:], y[100:])
    whole = quiet(KernelPerceptron(gamma=2.0, max_iter=1), X, y)
    np.testing.assert_array_equal(model.mistake_indices_[0], whole.mistake_indices_[0])


def test_three_classes_in_chunks_one_of_them_late():
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(gamma=0.5)
    for start in range(0, 150, 25):
        model.partial_fit(X[start : start + 25], y[start : start + 25], classes=[0, 1, 2])
    whole = quiet(KernelPerceptron(gamma=0.5, max_iter=1), X, y)
    for ours, theirs in zip(model.mistake_indices_, whole.mistake_indices_, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_errors_of_partial_fit():
    X, y = moons(20)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        KernelPerceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"target labels \[2\] in y do not exist in the initial classes \[0, 1\]"):
        KernelPerceptron().partial_fit(X, y + 1, classes=[0, 1])
    model = KernelPerceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"target labels \[7\] in y do not exist"):
        model.partial_fit(X, np.full(20, 7))
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :1], y)
    with pytest.raises(ValueError, match="greater than one"):
        KernelPerceptron().partial_fit(X, np.zeros(20), classes=[0])
    assert not hasattr(KernelPerceptron("precomputed"), "partial_fit")


# ---- data


def letters(a, b):
    return float(len(set(a) & set(b)))


WORDS, SIDES = ["abba", "baab", "cddc", "dcdc", "ab", "cd", "aab", "ddc"], [0, 0, 1, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("variant", ["plain", "voted"])
def test_strings(variant):
    model = KernelPerceptron(user(letters), variant=variant).fit(WORDS, SIDES)
    assert model.predict(["aaa", "ccc"]).tolist() == [0, 1]
    assert set(model.support_vectors_) <= set(WORDS)
    chunks = KernelPerceptron(user(letters), variant=variant)
    for word, side in zip(WORDS, SIDES, strict=True):
        chunks.partial_fit([word], [side], classes=[0, 1])
    assert chunks.predict(["aaa", "ccc"]).tolist() == [0, 1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, Table.from_frame], ids=["pandas", "polars", "Table"])
@pytest.mark.parametrize("options", [{}, {"budget": 6}])
def test_frames_in_chunks(make, options):
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=60), rng.choice(["red", "blue"], size=60)
    y = (size > 0) ^ (colour == "red")
    kernel = Columns(["size"], RBF(gamma=1.0)) * Columns(["colour"], Delta())

    def rows(part):
        return make({"size": size[part].tolist(), "colour": colour[part].tolist()})

    whole = quiet(KernelPerceptron(kernel, max_iter=1, **options), rows(slice(None)), y)
    model = KernelPerceptron(kernel, **options)
    for start in range(0, 60, 20):
        model.partial_fit(rows(slice(start, start + 20)), y[start : start + 20], classes=[False, True])
    np.testing.assert_array_equal(model.mistake_indices_[0], whole.mistake_indices_[0])
    np.testing.assert_allclose(
        model.decision_function(rows(slice(None))), whole.decision_function(rows(slice(None))), atol=1e-9
    )


@pytest.mark.parametrize("variant", ["plain", "averaged", "voted"])
def test_gram_matrices_sparse_matrices_and_callables(variant):
    X, y = moons()
    new = moons(30, noise=0.5)[0]
    kernel = RBF(gamma=2.0)
    want = quiet(KernelPerceptron(kernel, variant=variant, max_iter=5), X, y)
    gram = quiet(KernelPerceptron("precomputed", variant=variant, max_iter=5), kernel(X), y)
    sparse = quiet(KernelPerceptron(kernel, variant=variant, max_iter=5), sp.csr_matrix(X), y)
    block = quiet(KernelPerceptron(kernel.__call__, variant=variant, max_iter=5), X, y)
    for model, data in ((gram, kernel(new, X)), (sparse, sp.csr_matrix(new)), (block, new)):
        np.testing.assert_array_equal(model.mistake_indices_[0], want.mistake_indices_[0])
        np.testing.assert_allclose(model.decision_function(data), want.decision_function(new), atol=1e-9)
    assert sp.issparse(sparse.support_vectors_)
    sparse.partial_fit(sp.csr_matrix(new), np.zeros(30, dtype=int))
    assert sp.issparse(sparse.support_vectors_)


@pytest.mark.parametrize("variant", ["plain", "averaged", "voted"])
def test_batches(variant):
    X, y = moons()
    model = quiet(KernelPerceptron(variant=variant, max_iter=5), X, y)
    whole = model.decision_function(X)
    parts = np.concatenate([model.decision_function(X[i : i + 7]) for i in range(0, 200, 7)])
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-12 * np.abs(whole).max())


def test_pickle_clone_and_search():
    X, y = moons()
    model = KernelPerceptron(RBF(gamma=5.0)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    again.partial_fit(X, y)
    search = GridSearchCV(KernelPerceptron(RBF(gamma=1.0)), {"kernel__gamma": [0.01, 5.0]}, cv=3)
    assert quiet(search, X, y).best_params_ == {"kernel__gamma": 5.0}


def test_no_bound_before_a_clean_pass():
    X, y = moons()
    model = quiet(KernelPerceptron(gamma=2.0, max_iter=1), X, y)
    assert model.score(X, y) == 1.0
    assert np.isnan(model.novikoff_bound_).all()
    assert np.isfinite(model.set_params(max_iter=2).fit(X, y).novikoff_bound_).all()


# ---- degenerate


def test_one_class():
    with pytest.raises(ValueError, match=r"KernelPerceptron: the number of classes has to be greater than one; got 1"):
        KernelPerceptron().fit(np.zeros((3, 1)), [1, 1, 1])


@pytest.mark.parametrize("options", [{}, *BUDGETS])
def test_constant_samples_with_both_labels(options):
    with pytest.warns(ConvergenceWarning, match="mistakes in the last of max_iter=10 passes"):
        model = KernelPerceptron(gamma=1.0, max_iter=10, **options).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert np.isfinite(model.decision_function(np.ones((2, 2)))).all()
    assert np.isnan(model.novikoff_bound_).all()


@pytest.mark.parametrize("options", [*VARIANTS, *BUDGETS])
def test_a_kernel_that_is_zero(options):
    X = np.arange(6.0)[:, None]
    model = KernelPerceptron(lambda A, B: np.zeros((len(A), len(B))), fit_intercept=False, max_iter=4, **options)
    with pytest.warns(ConvergenceWarning, match="6 mistakes in the last"):
        model.fit(X, [0, 1, 0, 1, 0, 1])
    assert (model.decision_function(X) == 0).all()
    assert model.mistakes_.tolist() == [[6, 6, 6, 6]]


def test_duplicates_with_one_label_are_separated():
    X, y = moons()
    model = KernelPerceptron(gamma=5.0).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert model.solution_.converged
    assert model.score(X, y) == 1.0


def test_an_indefinite_kernel_has_no_bound_or_a_true_one():
    X, y = moons()
    model = quiet(KernelPerceptron("sigmoid", gamma=1.0, coef0=-1.0, max_iter=5), X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_an_asymmetric_matrix_is_refused():
    with pytest.raises(ValueError, match="symmetric"):
        KernelPerceptron("precomputed").fit([[1.0, 0.5], [0.0, 1.0]], [0, 1])
