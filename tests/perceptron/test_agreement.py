"""What parameters and attributes mean is the same for the linear, the kernel and the budgeted perceptron."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from mercer.perceptron import KernelPerceptron, Perceptron
from mercer.persistence import load, save

MODELS = [
    Perceptron(),
    Perceptron(form="dual"),
    KernelPerceptron("linear"),
    KernelPerceptron(variant="averaged"),
    KernelPerceptron(variant="voted"),
    KernelPerceptron(budget=10),
    KernelPerceptron(budget=10, removal="projectron"),
    KernelPerceptron(budget=10, removal="random", random_state=0),
]


def label(model):
    return str(model)


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def noisy(request):
    """Samples that no machine separates within three passes."""
    options = {
        "n_informative": 5,
        "n_redundant": 0,
        "n_classes": request.param,
        "flip_y": 0.3,
        "class_sep": 0.3,
        "random_state": 0,
    }
    return make_classification(120, 5, **options)


def test_parameters_of_both_have_one_default():
    ours, theirs = (inspect.signature(cls).parameters for cls in (Perceptron, KernelPerceptron))
    for name in ours.keys() & theirs.keys():
        assert ours[name].default == theirs[name].default, name


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_max_iter_counts_passes(model, noisy):
    with pytest.warns(ConvergenceWarning, match=r"in the last of max_iter=3 passes"):
        model.set_params(max_iter=3).fit(*noisy)
    assert model.n_iter_ == 3
    assert model.mistakes_.shape == (len(model.dual_coef_), 3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=label)
def test_coefficients_are_those_of_the_support_vectors(model, noisy):
    X, y = noisy
    model.set_params(max_iter=3).fit(X, y)
    machines = 1 if len(model.classes_) == 2 else 3
    assert model.dual_coef_.shape == (machines, len(model.support_))
    assert model.intercept_.shape == (machines,)
    assert len(model.mistake_indices_) == machines
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert (np.diff(model.support_) > 0).all()
    remembered = np.unique(np.concatenate(model.mistake_indices_))
    assert set(model.support_) <= set(remembered)
    if getattr(model, "budget", None) is None:
        np.testing.assert_array_equal(model.support_, remembered)
    if getattr(model, "variant", "plain") != "voted":
        K = model.kernel_(X, model.support_vectors_)
        expected = K @ model.dual_coef_.T + model.intercept_
        found = model.decision_function(X).reshape(len(X), machines)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_files_with_a_coefficient_for_every_sample(tmp_path, noisy):
    """The linear perceptron stored those before it had support_."""
    X, y = noisy
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=2).fit(X, y)
    answers, dual, support = model.decision_function(X), model.dual_coef_, model.support_
    model.dual_coef_ = np.zeros((len(dual), len(X)))
    model.dual_coef_[:, support] = dual
    del model.support_, model.support_vectors_
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.decision_function(X), answers)
    np.testing.assert_array_equal(loaded.support_, support)
    np.testing.assert_array_equal(loaded.dual_coef_, dual)
