"""A fit that ends early, by an error or by Ctrl-C, leaves the estimator as it was, to the last object."""

import inspect
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import mercer
from mercer._estimator import TransactionalFit
from mercer._estimator.transaction import transaction
from mercer.kernels import Kernel, user
from tests.contracts.behaviour import answers, has_kernel, named, same, target
from tests.contracts.estimators import ESTIMATORS, entry

SOURCE = os.path.dirname(mercer.__file__)
FITS = ("fit", "partial_fit", "fit_transform", "fit_predict")
WITH_FUNCTIONS = [name for name in ESTIMATORS if has_kernel(ESTIMATORS[name]) and "function" not in entry(name).refused]


def samples(name: str, n: int) -> tuple[Any, Any]:
    X = np.random.default_rng(n).normal(size=(n, 4))
    return X @ X.T if name == "KernelRepair" else X, target(ESTIMATORS[name], n)


def own_fits() -> list[tuple[str, str]]:
    """Every method that fits, of every estimator that has it from mercer."""
    pairs = ((name, method) for name in ESTIMATORS for method in FITS)
    return [
        (name, method)
        for name, method in pairs
        if any(method in vars(base) for base in ESTIMATORS[name].__mro__ if base.__module__.startswith("mercer"))
    ]


def begun(name: str, method: str) -> Any:
    """A fitted model that a method can fit again."""
    cls, given = ESTIMATORS[name], samples(name, 40)
    if method != "partial_fit" or "approximation" not in inspect.signature(cls).parameters:
        return cls(**entry(name).options).fit(*given)
    model = cls(**entry(name).options, approximation=9)  # sums can be continued, if the model is made of sums
    classes = {"classes": np.unique(given[1])} if "classes" in inspect.signature(model.partial_fit).parameters else {}
    return model.partial_fit(*given, **classes)


@contextmanager
def interrupted(after: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt at a call of a function of mercer, the first being number 1; count the calls."""
    count = [0]

    def watch(frame: Any, event: str, _: Any) -> None:
        # Python ignores what is raised while a generator is thrown away.
        generator = frame.f_code.co_flags & inspect.CO_GENERATOR
        if event == "call" and not generator and frame.f_code.co_filename.startswith(SOURCE):
            count[0] += 1
            if count[0] == after:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield count
    finally:
        sys.setprofile(before)


def test_the_end_of_a_fit_runs_no_callback_in_which_ctrl_c_would_be_lost():
    """Python discards exceptions in callbacks of weak references, KeyboardInterrupt among them."""
    called = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_filename) if event == "call" else None)
    try:
        mercer.svm.SVC().fit(*samples("SVC", 40))
    finally:
        sys.setprofile(before)
    assert any(name.startswith(SOURCE) for name in called)
    assert [name for name in called if name.endswith("weakref.py")] == []


def test_every_estimator_fits_in_transactions():
    assert len(own_fits()) > len(ESTIMATORS)
    for name, cls in ESTIMATORS.items():
        assert issubclass(cls, TransactionalFit), name


@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param(*known.values, method, marks=known.marks)
        for known in named(ESTIMATORS)
        for method in FITS
        if (*known.values, method) in own_fits()
    ],
)
def test_ctrl_c_at_any_call_leaves_the_old_model(name, method):
    model = begun(name, method)
    new = samples(name, 36)
    fit = getattr(pickle.loads(pickle.dumps(model)), method)
    with interrupted(after=-1) as calls:
        fit(*new)
    before, said = dict(vars(model)), answers(model, samples(name, 40)[0])
    arrays = {key: value.copy() for key, value in before.items() if isinstance(value, np.ndarray)}
    moments = np.unique(np.linspace(1, calls[0], 9).astype(int))
    for moment in moments:
        try:
            with interrupted(after=moment) as calls:
                getattr(model, method)(*new)
        except KeyboardInterrupt:
            pass
        else:  # a fit that waits for threads makes more or fewer calls, depending on what else the machine does
            assert calls[0] < moment == moments[-1], (moment, calls)
            vars(model).clear()
            vars(model).update(before)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[key] is before[key] for key in before), (moment, calls)
    assert same(arrays, {key: before[key] for key in arrays})
    assert same(answers(model, samples(name, 40)[0]), said)
    getattr(model, method)(*new)


class Limited:
    """A kernel that raises an error at one of its calls."""

    def __init__(self) -> None:
        self.calls, self.error_at, self.error = 0, -1, ValueError

    def __call__(self, A: Any, B: Any) -> Any:
        self.calls += 1
        if self.calls == self.error_at:
            raise self.error("limit")
        return np.exp(-np.square(A[:, None] - B).sum(axis=2) / 8)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("name", named(WITH_FUNCTIONS))
def test_a_kernel_that_raises_leaves_the_old_model(name, error):
    function = Limited()
    model = ESTIMATORS[name](**{**entry(name).options, "kernel": user(block=function)})
    model.fit(*samples(name, 40))
    total, function.error = function.calls, error
    before, said = dict(vars(model)), answers(model, samples(name, 40)[0])
    for moment in range(1, total + 1, max(1, total // 4)):
        function.calls, function.error_at = 0, moment
        with pytest.raises(error, match="limit"):
            model.fit(*samples(name, 40))
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[key] is before[key] for key in before), moment
    function.error_at = -1
    assert same(answers(model, samples(name, 40)[0]), said)


# ---- the mechanism


@contextmanager
def interrupted_at_step(after: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt before a bytecode of the function that wraps a fit; count the bytecodes."""
    count = [0]

    def step(frame: Any, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            count[0] += 1
            if count[0] == after:
                raise KeyboardInterrupt
        return step

    def enter(frame: Any, *_: Any) -> Any:
        frame.f_trace_opcodes = True
        return step if frame.f_code.co_filename == transaction.__code__.co_filename else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield count
    finally:
        sys.settrace(before)


class Sum(TransactionalFit, BaseEstimator):
    def __init__(self, seen=None):
        self.seen = seen

    def fit(self, X, y=None, sample_weight=None):
        """Add up."""
        self.seen.append(self)
        self.sum_ = sum(X)
        if y == "error":
            raise RuntimeError
        return self

    def fit_transform(self, X, y=None):
        return self.fit(X, y).sum_


class Product(Sum):
    def fit(self, X, y=None, sample_weight=None):
        self.product_ = float(np.prod(X))
        return super().fit(X, y, sample_weight)


def test_ctrl_c_at_every_bytecode_leaves_the_old_model_or_the_new_one():
    model = Sum([]).fit([1.0])
    with interrupted_at_step(after=-1) as steps:
        model.fit([1.0])
    outcomes = []
    for moment in range(1, steps[0] + 1):
        model.fit([1.0])
        before = vars(model)
        with interrupted_at_step(after=moment), pytest.raises(KeyboardInterrupt):
            model.fit([2.0])
        outcomes.append((vars(model) is before, model.sum_))
    assert set(outcomes) == {(True, 1.0), (False, 2.0)}
    assert outcomes == sorted(outcomes, reverse=True)  # one step replaces the model, between all others it is whole


def test_calls_of_other_fits_work_on_the_same_draft():
    model = Product([])
    assert model.fit([2.0, 3.0]) is model
    assert model.fit_transform([1.0, 1.0]) == 2.0
    assert len(model.seen) == 2
    assert all(draft is not model for draft in model.seen)
    with pytest.raises(RuntimeError):
        model.fit_transform([5.0], "error")
    assert (model.sum_, model.product_) == (2.0, 1.0)


def test_wrapped_methods_keep_their_description():
    assert list(inspect.signature(Sum.fit).parameters) == ["self", "X", "y", "sample_weight"]
    assert Sum.fit.__doc__ == "Add up."
    assert hasattr(Sum(), "set_fit_request")


def test_a_copy_made_during_a_fit_is_fitted_in_a_transaction_of_its_own():
    class Outer(TransactionalFit, BaseEstimator):
        def fit(self, X, y=None):
            self.inner_ = Sum([]).fit(X)
            try:
                self.inner_.fit([9.0], "error")
            except RuntimeError:
                self.failed_ = True
            return self

    model = Outer().fit([1.0])
    assert model.failed_
    assert model.inner_.sum_ == 1.0


def test_others_predict_while_a_model_is_fitted_again():
    reached, go = threading.Event(), threading.Event()

    class Slow(Sum):
        def fit(self, X, y=None, sample_weight=None):
            self.sum_ = None
            reached.set()
            assert go.wait(60)
            return super().fit(X, y)

    model = Slow([])
    go.set()
    model.fit([1.0])
    reached.clear()
    go.clear()
    thread = threading.Thread(target=model.fit, args=([2.0],))
    thread.start()
    assert reached.wait(60)
    assert model.sum_ == 1.0
    go.set()
    thread.join()
    assert model.sum_ == 2.0


def test_a_fit_does_not_fill_what_a_loaded_model_shares_with_it():
    X, y = samples("KernelRidge", 40)
    model = pickle.loads(pickle.dumps(mercer.KernelRidge(kernel="rbf").fit(X, y)))
    said = model.predict(X)
    model = pickle.loads(pickle.dumps(model))

    class Refit(mercer.KernelRidge):
        def fit(self, X, y, sample_weight=None):
            self.kernel_ = Kernel
            self.X_fit_ = X
            self._kept.basis = object()
            raise RuntimeError

    model.__class__ = Refit
    with pytest.raises(RuntimeError):
        model.fit(X[:5], y[:5])
    assert np.array_equal(model.predict(X), said)
