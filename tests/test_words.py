"""One word for one idea: what parameters are called, and what is said to those who use another word."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer._words import WORDS, OneWord, one_word, proper_name
from mercer.auto import evaluate, sample_rows
from mercer.decomposition import KernelPCA, preimages
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.exceptions import KernelSyntaxError
from mercer.faces import face_vectors
from mercer.kernels import RBF, Gapped, Graphlet, Kernel, Propagation, WeisfeilerLehman, find_counterexample, kernel
from mercer.operators import gram
from mercer.persistence import load, save
from mercer.plots import KernelSpectrumDisplay
from mercer.svm import SVC, c_path
from tests.contracts.estimators import ESTIMATORS
from tests.persistence.test_hostile import attributes, stored, with_schema
from tests.test_public_names import NAMED

NEVER = ["centre", "epochs", "folds", "most", "n_folds", "passes", "regularization", "seed", "threads", "tolerance"]
FUNCTIONS = {place: thing for place, thing in NAMED.items() if inspect.isfunction(thing)}
KERNELS = {place: t for place, t in NAMED.items() if isinstance(t, type) and issubclass(t, Kernel) and t is not Kernel}
USED = {name for cls in ESTIMATORS.values() for name in inspect.signature(cls).parameters}


# ---- the words that are used


@pytest.mark.parametrize("place", [*FUNCTIONS, *KERNELS, *ESTIMATORS])
def test_public_parameters_have_one_name(place):
    thing = {**FUNCTIONS, **KERNELS, **ESTIMATORS}[place]
    assert not set(inspect.signature(thing).parameters) & set(NEVER)


def test_the_list_names_parameters_that_exist():
    assert set(NEVER) <= WORDS.keys()
    assert {"random_state", "cv", "reg", "n_jobs", "tol", "max_iter", "n_components"} <= USED
    for words in WORDS.values():
        assert set(words) & (USED | {"max_samples"})


# ---- estimators


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_refuse_other_words_by_name(name):
    cls = ESTIMATORS[name]
    parameters = inspect.signature(cls).parameters
    for word in WORDS:
        known = proper_name(word, parameters)
        if known is None:
            continue
        message = f"{name}: got the parameter '{word}', which is called '{known}'; pass {known}=... instead"
        with pytest.raises(TypeError, match=message):
            cls(**{word: 1})
        with pytest.raises(ValueError, match=message):
            cls().set_params(**{word: 1})


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_sees_the_constructor_as_before(name):
    model = ESTIMATORS[name]()
    assert set(model.get_params(deep=False)) == set(inspect.signature(type(model)).parameters)
    assert repr(clone(model)) == repr(model) == repr(pickle.loads(pickle.dumps(model))) == repr(copy.copy(model))


def test_words_that_nobody_uses_are_errors_as_everywhere():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sead'"):
        SVC(sead=0)
    with pytest.raises(ValueError, match="Invalid parameter 'sead'"):
        SVC().set_params(sead=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'folds'"):
        KernelPCA(folds=0)  # which has no cv


def test_a_class_that_uses_the_word_itself_keeps_it():
    class Other(OneWord):
        def __init__(self, seed=0, random_state=1):
            self.seed = seed

    assert Other(seed=3).seed == 3


# ---- functions


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: evaluate(SVC(), np.eye(4), [0, 1, 0, 1], folds=2), "cv"),
        (lambda: preimages("nearest", RBF(), np.eye(3), np.eye(3), regularization=1.0), "reg"),
        (lambda: KernelPCA(1, fit_inverse_transform=True, inverse_map="fixed_point", kernel="rbf")
         .fit(np.eye(3)).inverse_transform([[0.0]], regularization=1.0), "reg"),
        (lambda: face_vectors(np.ones((2, 2, 2)), centre="none"), "center"),
        (lambda: sample_rows([1, 2, 3], 2, seed=1), "random_state"),
        (lambda: c_path(SVC(), np.eye(4), [0, 1, 0, 1], folds=2), "cv"),
        (lambda: gram(RBF(), np.eye(2), threads=1), "n_jobs"),
        (lambda: find_counterexample(RBF(), seed=1), "random_state"),
        (lambda: KernelSpectrumDisplay.from_matrix(np.eye(3), most=2), "max_samples"),
    ],
)  # fmt: skip
def test_functions_refuse_other_words_by_name(call, name):
    with pytest.raises(TypeError, match=rf"which is called '{name}'; pass {name}=\.\.\. instead"):
        call()


def test_a_decorated_function_is_what_it_was():
    def plain(a, *, random_state=0):
        """Text."""
        return a, random_state

    decorated = one_word(plain)
    assert decorated(1, random_state=2) == (1, 2)
    assert (decorated.__name__, decorated.__doc__) == ("plain", "Text.")
    assert inspect.signature(decorated) == inspect.signature(plain)


# ---- kernels


@pytest.mark.parametrize("cls", [Gapped, Graphlet, Propagation])
def test_random_kernels_take_random_state(cls):
    values = {"g": 4, "m": 2} if cls is Gapped else {}
    assert cls(**values, random_state=3).random_state == 3
    with pytest.raises(TypeError, match=f"{cls.__name__}: got the parameter 'seed', which is called 'random_state'"):
        cls(**values, seed=3)
    with pytest.raises(ValueError, match=f"{cls.__name__}: got the parameter 'seed', which is called 'random_state'"):
        cls(**values).with_params(seed=3)
    with pytest.raises(KernelSyntaxError, match=r"has no parameter 'seed'.*seed is called random_state here"):
        kernel(str(cls(**values, random_state=3)).replace("random_state", "seed"))


def test_kernels_stay_values():
    k = Graphlet(4, n_samples=10, random_state=2)
    assert pickle.loads(pickle.dumps(k)) == k == copy.deepcopy(k) == kernel(str(k)) == eval(repr(k))
    assert str(inspect.signature(WeisfeilerLehman)).startswith("(n_iter: int")


# ---- files of earlier versions


def test_files_with_kernels_under_other_words(tmp_path):
    path, words = tmp_path / "model.mercer", ["GATTA", "TACCA", "CCGT", "GGTA"]
    model = SVC(kernel=Gapped(4, 2, n_samples=3, random_state=5)).fit(words, [0, 1, 1, 0])
    save(model, path)

    def change(schema):
        for state in stored(schema, "kernel"):
            state["text"]["content"] = state["text"]["content"].replace("random_state", "seed")
            assert "seed=5" in state["text"]["content"]

    with_schema(path, change)
    loaded = load(path)
    assert (loaded.kernel, loaded.kernel_) == (model.kernel, model.kernel_)
    np.testing.assert_array_equal(loaded.decision_function(words), model.decision_function(words))


def test_files_without_a_parameter_of_today_get_its_default(tmp_path, rng):
    path, X, y = tmp_path / "model.mercer", rng.standard_normal((12, 2)), np.arange(12) % 2
    model = KernelDiscriminantAnalysis().fit(X, y)
    save(model, path)
    with_schema(path, lambda schema: attributes(schema).pop("mu") and None)
    loaded = load(path)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_files_with_a_parameter_under_another_word(tmp_path, rng):
    path, X = tmp_path / "model.mercer", rng.standard_normal((12, 2))
    model = mercer.KernelKMeans(2, random_state=4).fit(X)
    save(model, path)

    def change(schema):
        attributes(schema)["seed"] = attributes(schema).pop("random_state")

    with_schema(path, change)
    assert load(path).get_params() == model.get_params()
