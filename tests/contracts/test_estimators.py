"""What every public estimator promises: scikit-learn's contract, weights, kernels in every form, round trips."""

import inspect
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import mercer
from tests.contracts.behaviour import answers, checks, has_kernel, named, same, target
from tests.contracts.estimators import ENTRIES, ESTIMATORS, entry

N, NEW = 24, 6
CENTRES = np.random.default_rng(1).permutation(np.repeat([0.0, 3.0, 6.0], (N + NEW) // 3))
X = np.random.default_rng(0).normal(size=(N + NEW, 3)) + CENTRES[:, None]
WITH_KERNEL = [name for name, cls in ESTIMATORS.items() if has_kernel(cls)]
WEIGHTED = [name for name, cls in ESTIMATORS.items() if "sample_weight" in inspect.signature(cls.fit).parameters]


def close(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Numbers equal up to the tolerance of solvers, labels equal."""
    assert first.keys() == second.keys()
    for name, values in first.items():
        for one, other in zip(np.atleast_2d(values), np.atleast_2d(second[name]), strict=True):
            if one.dtype.kind == "f":
                np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6, err_msg=name)
            else:
                np.testing.assert_array_equal(one, other, err_msg=name)


def test_the_registry_holds_public_estimators_only():
    assert ENTRIES.keys() <= ESTIMATORS.keys()
    assert all(type(e).__name__ == name for name, known in ENTRIES.items() for e in known.checked + known.also_checked)
    assert len(WEIGHTED) > 10
    assert len(WITH_KERNEL) > 20


# ---- scikit-learn's contract


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


ARRAY_API = """
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.contracts.behaviour import ARRAY_API
from tests.contracts.estimators import ESTIMATORS

for cls in ESTIMATORS.values():
    # KernelPCA has inverse_transform whether it is fitted or not, as in scikit-learn, and the check calls it.
    options = {"fit_inverse_transform": True} if cls.__name__ == "KernelPCA" else {}
    for estimator, check in estimator_checks_generator(cls(**options)):
        if getattr(check, "func", check).__name__ == ARRAY_API:
            check(estimator)
            print(cls.__name__)
"""


@pytest.mark.exhaustive
def test_array_api_dispatch_changes_nothing():
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", ARRAY_API]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.stdout.split() == list(ESTIMATORS), found.stderr


# ---- weights

# What depends on more than the weighted samples is given: the penalty, which leave-one-out chooses by leaving a sample
# out with its whole weight; and the samples where k-means starts, which are drawn by position. Automatic models draw
# folds by position and standardise columns without weights: repetitions are not weights for them.
ROWS = [0, 1, 2]
AUTOMATIC = ("AutoClassifier", "AutoRegressor")


def weighted_options(name: str, start: Any) -> dict[str, Any]:
    given = {"KernelRidgeCV": {"alphas": [0.1]}, "KernelKMeans": {"init": start}}
    return entry(name).options | given.get(name, {})


@pytest.mark.parametrize(
    ("name", "most"),
    [
        pytest.param(*one.values, most, marks=one.marks, id=f"{one.values[0]}-{what}")
        for one in named(WEIGHTED)
        for most, what in [(1, "zero is absence"), (3, "integers are repetitions")]
        if most == 1 or one.values[0] not in AUTOMATIC
    ],
)
def test_weights(name, most):
    cls = ESTIMATORS[name]
    weight = np.random.default_rng(3).integers(0, most, N, endpoint=True)
    weight[ROWS] = 1
    y, copies = target(cls, N), np.repeat(np.arange(N), weight)
    weighted = cls(**weighted_options(name, ROWS)).fit(X[:N], y, sample_weight=weight)
    start = [int(np.flatnonzero(copies == row)[0]) for row in ROWS]
    repeated = cls(**weighted_options(name, start)).fit(X[copies], y[copies])
    close(answers(weighted, X), answers(repeated, X))


# ---- kernels


def function(a: Any, b: Any) -> Any:
    """`Entry.kernel` of two samples, or of two sets of samples: both conventions of scikit-learn."""
    squares = np.square(np.atleast_2d(a)[:, None] - np.atleast_2d(b)[None]).sum(axis=-1)
    return np.exp(-0.3 * squares) if np.ndim(a) == 2 else float(np.exp(-0.3 * squares[0, 0]))


@pytest.mark.parametrize("form", ["text", "function", "precomputed"])
@pytest.mark.parametrize("name", named(WITH_KERNEL))
def test_the_form_of_a_kernel_does_not_matter(name, form):
    cls, known, y = ESTIMATORS[name], entry(name), target(ESTIMATORS[name], N)
    expected = answers(cls(**known.options, kernel=known.kernel).fit(X[:N], y), X)
    kernel: Any = {"text": str(known.kernel), "function": function, "precomputed": "precomputed"}[form]
    samples, new = (known.kernel(X[:N]), known.kernel(X, X[:N])) if form == "precomputed" else (X[:N], X)
    model = cls(**known.options, kernel=kernel)
    if form in known.refused:
        with pytest.raises(ValueError, match=known.refused[form].replace("(", r"\(").replace(")", r"\)")):
            model.fit(samples, y)
        return
    found = answers(model.fit(samples, y), new)
    if form == "text":
        assert same(found, expected)
    elif form == "function":
        close(found, expected)
    else:
        assert expected.keys() - found.keys() == set(known.needs_norms)
        close(found, {method: expected[method] for method in found})


# ---- round trips


@pytest.mark.parametrize("name", named(ESTIMATORS))
def test_clones_pickles_and_files_give_the_same_bits(name, tmp_path):
    cls = ESTIMATORS[name]
    unfitted, y = cls(**entry(name).options), target(cls, N)
    samples, new = X[:N], X[N:]
    if unfitted.__sklearn_tags__().input_tags.pairwise:
        samples, new = samples @ samples.T, new @ samples.T
    model = clone(unfitted).fit(samples, y)
    expected = answers(model, new)
    assert expected
    assert same(answers(clone(model).fit(samples, y), new), expected)
    assert same(answers(pickle.loads(pickle.dumps(model)), new), expected)
    mercer.save(model, tmp_path / "model.mercer")
    assert same(answers(mercer.load(tmp_path / "model.mercer"), new), expected)


@pytest.mark.parametrize("name", named(name for name in WITH_KERNEL if "function" not in entry(name).refused))
def test_functions_are_pickled_but_never_written_to_model_files(name, tmp_path):
    cls = ESTIMATORS[name]
    model = cls(**entry(name).options, kernel=function).fit(X[:N], target(cls, N))
    assert same(answers(pickle.loads(pickle.dumps(model)), X), answers(model, X))
    with pytest.raises(TypeError, match="contains a Python function, which cannot be stored"):
        mercer.save(model, tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())
