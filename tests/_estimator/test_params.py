"""Kernels under scikit-learn's parameters: replaced, never changed in place."""

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import StandardScaler

from mercer._estimator import KernelParams
from mercer.kernels import RBF, Columns, Linear, Polynomial


class Model(KernelParams, BaseEstimator):
    def __init__(self, kernel=RBF(), other=None, step=None):  # noqa: B008
        self.kernel = kernel
        self.other = other
        self.step = step


def test_nested_parameter_replaces_the_kernel():
    kernel = RBF(gamma=1.0) + 2 * Columns([0, 1], Polynomial())
    model = Model(kernel).set_params(kernel__0__gamma=3.0, kernel__1__kernel__kernel__degree=2)
    assert model.kernel == RBF(gamma=3.0) + 2 * Columns([0, 1], Polynomial(degree=2))
    assert kernel == RBF(gamma=1.0) + 2 * Columns([0, 1], Polynomial())


def test_whole_kernel_first_then_its_details():
    model = Model(Linear()).set_params(kernel__gamma=2.0, kernel=RBF())
    assert model.kernel == RBF(gamma=2.0)


def test_several_owners():
    model = Model(RBF(), Linear(), StandardScaler())
    model.set_params(kernel__gamma=2.0, other__coef0=1.0, step__with_mean=False)
    assert (model.kernel, model.other) == (RBF(gamma=2.0), Linear(coef0=1.0))
    assert model.step.with_mean is False


def test_get_params_lists_what_set_params_takes():
    model = Model(RBF(gamma=1.0) + Linear())
    deep = model.get_params(deep=True)
    assert deep["kernel__0__gamma"] == 1.0
    assert model.set_params(**deep).get_params() == deep


def test_clone_keeps_the_kernel():
    model = Model(RBF(gamma=1.0) + Linear())
    assert clone(model).kernel is model.kernel


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("kernel__sigma", "RBF has no parameter 'sigma'"),
        ("kernel__0__gamma", "RBF has no parameter '0__gamma'"),
        ("nothing", "'nothing'"),
        ("nothing__gamma", "'nothing'"),
    ],
)
def test_unknown_names(name, match):
    with pytest.raises(ValueError, match=match):
        Model().set_params(**{name: 1.0})


def test_no_parameters():
    model = Model()
    assert model.set_params() is model
