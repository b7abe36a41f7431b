"""Every estimator comes back from its file, and from a pickle, with the same answers to the bit."""

import importlib
import inspect
import pickle
from io import BytesIO

import joblib
import numpy as np
import pytest

from mercer.data import Table
from mercer.kernels import RBF, Kernel
from mercer.perceptron import KernelPerceptron
from mercer.persistence import TRUSTED_TYPES, about, load, save
from mercer.svm import SVC
from tests.contracts.behaviour import answers, same
from tests.contracts.estimators import ESTIMATORS
from tests.persistence.models import EVERYWHERE, MAIN, Case, cases

CASES = cases()
# The registry of estimators (tests/contracts) has every one of them on vectors; here are all kinds of data.
PARAMETERS = [
    pytest.param(case, id=str(case), marks=[] if case.estimator in EVERYWHERE else pytest.mark.exhaustive)
    for case in CASES
]
quiet = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:TransductiveSVC. no sample is unlabelled:UserWarning",
)


@quiet
@pytest.mark.parametrize("case", PARAMETERS)
def test_answers_are_the_same_to_the_bit(case, tmp_path):
    model = case.fitted()
    before = answers(model, case.new)
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert before
    assert same(answers(loaded, case.new), before)
    assert same(answers(pickle.loads(pickle.dumps(model)), case.new), before)
    buffer = BytesIO()
    joblib.dump(model, buffer)
    assert same(answers(joblib.load(buffer), case.new), before)


@pytest.mark.parametrize("data", ["vectors", "list of str", "Trees", "Graphs", "pandas"])
def test_files_name_packages(data, tmp_path):
    chosen = ("SVC", "FeatureMap", "KernelRidge")
    for case in (case for case in CASES if case.data == data and case.estimator in chosen):
        save(case.fitted(), tmp_path / "model.mercer")
        for name in about(tmp_path / "model.mercer")["classes"]:
            package, _, word = name.rpartition(".")
            if package.startswith("mercer.") and not package.startswith("mercer._"):
                assert word in importlib.import_module(package).__all__


def test_every_estimator_is_there_on_its_data():
    assert {case.estimator for case in CASES} == set(ESTIMATORS)
    assert {case.data for case in CASES if case.estimator == "SVC"} >= {*MAIN, "Table", "polars", "Strings", "networkx"}


def test_every_estimator_is_trusted():
    for cls in ESTIMATORS.values():
        assert f"{cls.__module__}.{cls.__qualname__}" in TRUSTED_TYPES


def test_no_kernel_and_no_container_is_trusted_by_name():
    for name in TRUSTED_TYPES:
        if name.startswith("mercer."):
            module, _, word = name.rpartition(".")
            cls = getattr(__import__(module, fromlist=[word]), word)
            assert inspect.isclass(cls)
            assert not issubclass(cls, Kernel)
            assert not name.startswith("mercer.data")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_that_are_not_fitted_keep_their_parameters(name, tmp_path):
    model = ESTIMATORS[name]()
    if "kernel" in model.get_params():
        model.set_params(kernel=0.5 * RBF(gamma=0.1 + 0.2) + 1)
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert vars(loaded).keys() == vars(model).keys()


def test_certificates_come_along(tmp_path):
    model = Case("SVC", "vectors").fitted()
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert loaded.solution_ == model.solution_
    assert loaded.solution_.status is model.solution_.status
    assert loaded.kernel_ == model.kernel_
    assert vars(loaded).keys() == vars(model).keys() - {"_kept"}  # a cache, which is rebuilt


def test_a_loaded_model_can_be_saved_again(tmp_path):
    case = Case("SVC", "polars")
    model = case.fitted()
    for i in range(2):
        save(model, tmp_path / f"{i}.mercer")
        model = load(tmp_path / f"{i}.mercer")
    assert isinstance(model.support_vectors_, Table)
    assert about(tmp_path / "0.mercer")["kernels"] == about(tmp_path / "1.mercer")["kernels"]
    assert same(answers(model, case.new), answers(case.fitted(), case.new))


@quiet
@pytest.mark.parametrize("options", [{}, {"budget": 5, "removal": "random"}, {"variant": "averaged"}], ids=str)
def test_learning_goes_on_after_loading(options, tmp_path, rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(3, size=30)
    model = KernelPerceptron(random_state=0, **options).partial_fit(X[:15], y[:15], classes=[0, 1, 2])
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    more = [m.partial_fit(X[15:], y[15:]).decision_function(X) for m in (model, loaded)]
    assert same(*more)


def test_the_rest_of_a_model_fits_after_loading(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1]
    model = SVC(kernel="rbf(gamma=0.5)", C=2.0).fit(X, y)
    save(model, tmp_path / "model.mercer")
    assert same(load(tmp_path / "model.mercer").fit(X, y).decision_function(X), model.decision_function(X))
