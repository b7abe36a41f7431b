"""Every estimator with ``approximation=``: exact with all samples as landmarks, small models, honest records."""

import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from mercer.approximation import FittedApproximation
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import Spectrum
from mercer.persistence import load, save
from mercer.svm import SVC
from tests.contracts.behaviour import answers, named, target
from tests.contracts.estimators import ESTIMATORS, entry

N = 60
X = np.random.default_rng(0).normal(size=(N, 3))
NEW = np.random.default_rng(1).normal(size=(9, 3))
NAMES = [name for name, cls in ESTIMATORS.items() if "approximation" in inspect.signature(cls).parameters]
AUTOMATIC = [name for name in NAMES if name.startswith("Auto")]
DIRECT = [name for name in NAMES if name not in AUTOMATIC]
# Estimators that choose or learn kernels have no single kernel whose features could be drawn.
OF_ONE_KERNEL = [name for name in DIRECT if "kernel" in inspect.signature(ESTIMATORS[name]).parameters]


def model(name, **options):
    cls = ESTIMATORS[name]
    own = {"kernel": "rbf", "gamma": 0.3} if name in OF_ONE_KERNEL else {}
    return cls(**entry(name).options | own | options)


def fitted(name, samples=X, **options):
    return model(name, **options).fit(samples, target(ESTIMATORS[name], len(samples)))


def answered(first, second):
    """Answers of two models on new samples, in pairs."""
    return list(zip(answers(first, NEW).values(), answers(second, NEW).values(), strict=True))


def test_the_keyword_comes_last():
    assert "KernelRidge" in NAMES
    for name in NAMES:
        assert list(inspect.signature(ESTIMATORS[name]).parameters)[-1] == "approximation", name


@pytest.mark.parametrize("name", named(DIRECT))
def test_all_samples_as_landmarks_give_the_exact_model(name):
    exact, approximated = fitted(name), fitted(name, approximation=N)
    assert exact.approximation_ is None
    assert isinstance(approximated.approximation_, FittedApproximation)
    for mine, known in answered(approximated, exact):
        if np.asarray(known).dtype.kind == "f":
            np.testing.assert_allclose(mine, known, atol=2e-2 * (1 + np.abs(known).max()))


@pytest.mark.parametrize("name", named(DIRECT))
def test_the_model_holds_landmarks_and_says_so(name):
    found = fitted(name, approximation=12)
    record = found.approximation_
    assert record.n_components == 12
    assert record.n_samples == N
    assert 0 < record.residual_trace < 1
    assert record.reason == "approximation=12"
    assert "12 landmarks" in repr(record)
    assert "approximation=12" in repr(found)
    held = found.support_vectors_ if hasattr(found, "support_vectors_") else found.X_fit_
    assert np.shape(held)[0] == 12


@pytest.mark.parametrize("name", named(DIRECT))
def test_predictions_survive_copies_and_files(name, tmp_path):
    found = fitted(name, approximation=12)
    copied = pickle.loads(pickle.dumps(found))
    save(found, tmp_path / "model.mercer")
    for other in (copied, load(tmp_path / "model.mercer")):
        for mine, known in answered(other, found):
            if np.asarray(known).dtype.kind == "f":
                np.testing.assert_allclose(mine, known, rtol=1e-9, atol=1e-9)
            else:
                np.testing.assert_array_equal(mine, known)


@pytest.mark.parametrize("name", named(OF_ONE_KERNEL))
def test_transformers_choose_the_features(name):
    assert fitted(name, approximation=Nystroem(n_components=9, random_state=0)).approximation_.n_components == 9
    given = fitted(name, approximation=Nystroem(landmarks=X[:7]))
    assert given.approximation_.indices is None
    assert given.approximation_.n_components == 7
    drawn = fitted(name, approximation=RandomFourierFeatures(n_components=500, random_state=0))
    assert drawn.approximation_.method == "random_fourier"
    again = pickle.loads(pickle.dumps(drawn))
    for mine, known in answered(again, drawn):
        np.testing.assert_array_equal(mine, known)


@pytest.mark.parametrize("name", named(DIRECT))
def test_small_data_is_exact_by_default_and_automatically(name):
    assert model(name).approximation is None
    assert fitted(name, approximation="auto").approximation_ is None


@pytest.mark.parametrize("name", named(DIRECT))
def test_too_many_landmarks_are_refused(name):
    with pytest.raises(ValueError, match=rf"approximation={N + 1} landmarks must be at most the number of samples"):
        fitted(name, approximation=N + 1)


@pytest.mark.parametrize("name", named(OF_ONE_KERNEL))
def test_a_second_kernel_is_refused(name):
    with pytest.raises(ValueError, match=r"uses the kernel of .* but its kernel, gamma differ"):
        fitted(name, approximation=Nystroem("laplacian", gamma=2.0))


@pytest.mark.parametrize("name", named(OF_ONE_KERNEL))
def test_kernels_without_random_features_are_refused(name):
    with pytest.raises(ValueError, match="the kernel linear has no random Fourier features"):
        fitted(name, kernel="linear", approximation=RandomFourierFeatures())


@pytest.mark.parametrize(
    "asked", [SVC(kernel=Spectrum(2), approximation=RandomFourierFeatures()), RandomFourierFeatures(Spectrum(2))]
)
def test_random_features_are_refused_for_strings_because_of_the_kernel(asked):
    with pytest.raises(ValueError, match=f"{type(asked).__name__}: the kernel spectrum.* has no random Fourier"):
        asked.fit(["abab", "abba", "bbbb", "baba"], [0, 1, 0, 1])


@pytest.mark.parametrize("name", named(NAMES))
def test_other_values_are_refused(name):
    for value in (0, -3, "landmarks", 2.5, True, object()):
        with pytest.raises(ValueError, match="approximation"):
            fitted(name, approximation=value)


def test_the_guide_lists_every_estimator():
    page = (Path(__file__).parents[2] / "docs" / "guide" / "scaling.md").read_text(encoding="utf-8")
    listed = page.partition("Estimators with the keyword are ")[2].partition(". ")[0]
    assert set(NAMES) <= set(re.findall(r"`(\w+)`", listed))
