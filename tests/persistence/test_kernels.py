"""Kernels in files: exact, by text or by class and parameters, and never with a function."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from mercer.kernels import (
    RBF,
    Bilinear,
    Kernel,
    Linear,
    Map,
    Scaled,
    Sum,
    User,
    Weighted,
    register,
    registered,
    registry,
)
from mercer.kernels.graphs import WeisfeilerLehman
from mercer.kernels.strings import BagOfWords
from mercer.persistence import UntrustedTypeError, about, load, save
from mercer.svm import SVC
from tests.contracts.cases import CASES, first_column


def has_function(k: Kernel) -> bool:
    return isinstance(k, User | Map | Weighted) or any(map(has_function, k.parts().values()))


@dataclass(frozen=True)
class Letters(Kernel):
    """A kernel of a user that is not registered."""

    weights: Any = (1.0, 2.0)

    def pair(self, a: str, b: str) -> float:
        return float(len(set(a) & set(b)))


@dataclass(frozen=True)
class Vowels(Kernel):
    """A kernel of a user that is."""

    name: ClassVar[str] = "vowels_of_a_test"
    bonus: float = 0.0

    def pair(self, a: str, b: str) -> float:
        return len(set(a) & set(b) & set("aeiou")) + self.bonus


@pytest.fixture(autouse=True)
def registered_here(monkeypatch):
    """Other tests count the kernels that there are."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    register(Vowels)


def round_trip(value: Any, folder: Any, **options: Any) -> Any:
    save(value, folder / "kernel.mercer")
    return load(folder / "kernel.mercer", **options)


def test_every_kernel_comes_back_as_it_is(tmp_path):
    kernels = [k for k, _ in CASES if not has_function(k)]
    nodes = ("polynomial", "exp", "normalized", "tanimoto_of", "linear_map")
    kernels += [cls() for cls in registered().values() if cls.name not in nodes]
    loaded = round_trip(kernels, tmp_path)
    assert loaded == kernels
    assert list(map(repr, loaded)) == list(map(repr, kernels))
    assert {type(k) for k in kernels} >= set(registered().values()) - {Vowels}


def test_values_are_the_same_to_the_bit(tmp_path):
    kernels, data = zip(*[case for case in CASES if not has_function(case[0])][::3], strict=True)
    for k, again, X in zip(kernels, round_trip(list(kernels), tmp_path), data, strict=True):
        assert np.array_equal(k(X), again(X))


@pytest.mark.parametrize("gamma", [0.1 + 0.2, 5e-324, 1.7976931348623157e308, 1 / 3, 1e15, 1e16, 123456789.123456789])
def test_every_digit_is_kept(gamma, tmp_path):
    k = RBF(gamma=gamma) + Linear()
    assert round_trip(k, tmp_path).terms[0].gamma.hex() == gamma.hex()
    assert about(tmp_path / "kernel.mercer")["kernels"] == [str(k)]


@pytest.mark.parametrize(
    "k",
    [
        Linear(coef0=-0.0),
        Bilinear(np.cov(np.random.default_rng(0).normal(size=(90, 200)))),
        Sum((RBF(), Scaled(2.0, Scaled(-0.0, Linear())))),
        BagOfWords(pattern=r"[^\W\d_]+'\"\\ü\n"),
        WeisfeilerLehman(2).normalized() ** 2,
    ],
    ids=lambda k: type(k).__name__,
)
def test_what_the_text_does_not_say(k, tmp_path):
    again = round_trip(k, tmp_path)
    assert again == k
    assert repr(again) == repr(k)


@pytest.mark.parametrize(
    "k",
    [
        User(len),
        RBF() + 0.5 * User(first_column, "block"),
        Weighted(first_column, RBF()),
        Map(np.square, Linear()).normalized(),
        WeisfeilerLehman(1).normalized() + Map(first_column, RBF()),
    ],
    ids=str,
)
def test_functions_are_refused_before_anything_is_written(k, tmp_path):
    with pytest.raises(TypeError, match=r"contains a Python function.*mercer\.kernels\.register"):
        save(k, tmp_path / "kernel.mercer")
    with pytest.raises(TypeError, match=r"save: SVC\.kernel.*contains a Python function"):
        save(SVC(kernel=k), tmp_path / "kernel.mercer")
    assert not list(tmp_path.iterdir())


def test_functions_as_kernels_of_estimators_are_refused(tmp_path):
    with pytest.raises(TypeError, match=r"SVC\.kernel contains a Python function"):
        save(SVC(kernel=first_column), tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_registered_kernels_of_users_need_no_word(tmp_path):
    k = 0.5 * Vowels(bonus=0.25) + 1
    assert round_trip(k, tmp_path) == k
    assert about(tmp_path / "kernel.mercer")["kernels"] == ["0.5*vowels_of_a_test(bonus=0.25) + constant"]


def test_kernels_of_users_need_the_users_word(tmp_path):
    k = Letters(weights=(0.5, np.arange(3.0))).normalized() + RBF(gamma=0.5)
    name = f"{Letters.__module__}.Letters"
    with pytest.raises(UntrustedTypeError, match=f"trusted=\\['{name}'\\]") as caught:
        round_trip(k, tmp_path)
    assert caught.value.types == (name,)
    assert about(tmp_path / "kernel.mercer")["untrusted"] == [name]
    for trusted in ([name], [Letters]):
        again = round_trip(k, tmp_path, trusted=trusted)
        assert again.terms[1] == k.terms[1]
        assert np.array_equal(again.terms[0].kernel.weights[1], np.arange(3.0))
        assert again.terms[0].kernel.weights[0] == 0.5


def test_a_class_inside_of_a_function_cannot_be_found_again(tmp_path):
    @dataclass(frozen=True)
    class Local(Kernel):
        pass

    with pytest.raises(TypeError, match="Local is defined inside a function"):
        save(Local() + RBF(), tmp_path / "kernel.mercer")


def test_a_kernel_that_is_not_registered_here(tmp_path, monkeypatch):
    save(SVC(kernel=Vowels()), tmp_path / "model.mercer")
    monkeypatch.delitem(registry._registered, "vowels_of_a_test")
    with pytest.raises(
        ValueError, match=r"contains an unknown kernel; import the module that registers it(.|\n)*unknown name 'vowels"
    ):
        load(tmp_path / "model.mercer")
