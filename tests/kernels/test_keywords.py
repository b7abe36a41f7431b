"""Parameters that a kernel does not have: the error names what to write instead."""

import copy
import inspect
import pickle
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from mercer.exceptions import KernelSyntaxError
from mercer.kernels import (
    RBF,
    Kernel,
    Laplacian,
    Matern,
    Polynomial,
    RationalQuadratic,
    Spectrum,
    Subsequence,
    WeisfeilerLehman,
    kernel,
)
from mercer.kernels.registry import LIBRARY, parameters


@pytest.mark.parametrize(
    ("cls", "name", "advice"),
    [
        (RBF, "sigma", "write RBF.from_sigma(sigma), which is gamma = 1/(2*sigma**2)"),
        (RBF, "bandwidth", "write RBF.from_sigma(bandwidth), which is gamma = 1/(2*bandwidth**2)"),
        (RBF, "length_scale", "write gamma = 1/(2*length_scale**2)"),
        (RBF, "gama", "did you mean 'gamma'?"),
        (RationalQuadratic, "length_scale", "write gamma = 1/(2*length_scale**2)"),
        (Matern, "length_scale", "write gamma = 1/length_scale"),
        (Laplacian, "sigma", "write gamma = 1/sigma"),
        (Polynomial, "sigma", "did you mean 'gamma'?"),
        (Polynomial, "d", "did you mean 'degree'?"),
        (Polynomial, "c", "did you mean 'coef0'?"),
        (Spectrum, "k", "did you mean 'p'?"),
        (Subsequence, "lambda_", "did you mean 'decay'?"),
        (WeisfeilerLehman, "iterations", "did you mean 'n_iter'?"),
    ],
)
def test_classes_and_texts_give_the_same_advice(cls, name, advice):
    with pytest.raises(TypeError) as by_class:
        cls(**{name: 1})
    known = ", ".join(parameters(cls))
    assert str(by_class.value) == f"{cls.__name__}: has no parameter {name!r}, it has {known}; {advice}"
    with pytest.raises(KernelSyntaxError) as by_text:
        kernel(f"{cls.name}({name}=1)")
    assert str(by_text.value).splitlines()[0] == (
        f"kernel: {cls.name} has no parameter {name!r}, it has {known}; {advice}"
    )


@pytest.mark.parametrize("cls", LIBRARY)
def test_every_kernel_names_itself_and_its_parameters(cls):
    with pytest.raises(TypeError, match=f"^{cls.__name__}: has no parameter 'qqqq', it has "):
        cls(qqqq=1)


def test_signatures_are_those_of_the_parameters():
    for cls in LIBRARY:
        assert list(inspect.signature(cls).parameters) == list(parameters(cls))


def test_authors_may_write_their_own_init():
    @dataclass(frozen=True)
    class Named(Kernel):
        gamma: float = field(init=False)

        def __init__(self, width):
            object.__setattr__(self, "gamma", 1 / width)

    @dataclass(frozen=True)
    class Anything(Kernel):
        gamma: float = field(init=False, default=1.0)

        def __init__(self, **options):
            object.__setattr__(self, "gamma", len(options))

    assert Named(width=2.0).gamma == 0.5
    assert Anything(a=1, b=2).gamma == 2
    with pytest.raises(TypeError, match="Named: has no parameter 'widht', it has width; did you mean 'width'"):
        Named(widht=2.0)


def test_copies_and_pickles():
    k = RBF(gamma=2.0)
    assert copy.copy(k) == copy.deepcopy(k) == pickle.loads(pickle.dumps(k)) == k


def test_signatures_show_the_parameters_of_the_class():
    assert list(inspect.signature(RBF).parameters) == ["gamma"]
    assert list(RBF.__signature__.parameters) == ["gamma"]
    assert list(inspect.signature(RBF()).parameters) == ["X", "Y", "out", "n_jobs"]
    assert not hasattr(Kernel, "__signature__")


def test_overridden_methods_without_docstring_inherit_it():
    @dataclass(frozen=True)
    class Own(Kernel):
        reads: ClassVar[str] = "items"

        def pair(self, a, b):
            return 1.0

        def proof(self):
            """Own text."""
            return super().proof()

        @property
        def may_vanish(self):
            return True

    class Below(Own):
        @property
        def reads(self):  # overrides a string, whose docstring is not its documentation
            return "items"

    assert Own.pair.__doc__ == Kernel.pair.__doc__
    assert Own.proof.__doc__ == "Own text."
    assert Own.may_vanish.__doc__ == Kernel.may_vanish.__doc__
    assert Below.reads.__doc__ == Kernel.reads.__doc__
