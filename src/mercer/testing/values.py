"""Laws about the kernel as a value: equality, hashing, pickling, printing, parameters."""

import copy
import dataclasses
import importlib
import json
import pickle
import sys

from mercer import kernels
from mercer._typing import Data
from mercer.data import take
from mercer.kernels import Kernel
from mercer.testing.case import Case, nodes

__all__ = ["VALUE_LAWS"]


def immutable(case: Case) -> None:
    """A kernel is a frozen dataclass."""
    kernel = case.given
    if not dataclasses.is_dataclass(kernel) or not type(kernel).__dataclass_params__.frozen:
        raise AssertionError(f"{type(kernel).__name__} is not a dataclass with frozen=True")


def equality(case: Case) -> None:
    """Kernels with equal parameters are equal and have equal hashes; other objects are different."""
    kernel, twin = case.given, copy.copy(case.given)
    if kernel != twin or hash(kernel) != hash(twin):
        raise AssertionError("a copy of the kernel is not equal to it or has a different hash")
    if kernel == object() or kernel == kernel + 1:
        raise AssertionError("the kernel is equal to a different object")


def pickling(case: Case) -> None:
    """Unpickling returns an equal kernel."""
    kernel = case.given
    back = pickle.loads(pickle.dumps(kernel))
    if back != kernel or hash(back) != hash(kernel):
        raise AssertionError(f"unpickling returns {back!r}, which is not equal to the kernel")


def printed_as_code(case: Case) -> None:
    """eval(repr(k)) == k with the names of mercer.kernels and the classes of the kernel."""
    names = {type(kernel).__name__: type(kernel) for kernel, _ in nodes(case.given)}
    text = repr(case.given)
    back = eval(text, {**vars(kernels), **names})
    if back != case.given:
        raise AssertionError(f"eval({text!r}) returns {back!r}")


def printed_as_text(case: Case) -> None:
    """mercer.kernel(str(k)) == k."""
    parse = importlib.import_module("mercer.kernels.text").kernel
    back = parse(str(case.given))
    if back != case.given:
        raise AssertionError(f"the text {str(case.given)!r} is read as {back!r}")


def cloning(case: Case) -> None:
    """scikit-learn's clone returns the kernel itself."""
    clone = case.given.__sklearn_clone__()
    if clone is not case.given:
        raise AssertionError(f"__sklearn_clone__ returns {clone!r}, expected the kernel itself")


def parameters(case: Case) -> None:
    """Setting parameters to their current values changes nothing; unknown names raise a ValueError."""
    kernel = case.given
    for deep in (False, True):
        back = kernel.with_params(**kernel.get_params(deep=deep))
        if back != kernel:
            raise AssertionError(f"with_params(**get_params(deep={deep})) returns {back!r}")
    for name, value in kernel.get_params().items():
        if kernel.with_params(**{name: value}) != kernel:
            raise AssertionError(f"with_params({name}={value!r}) with the current value changes the kernel")
    try:
        kernel.with_params(no_such_parameter=1)
    except ValueError:
        return
    raise AssertionError("with_params(no_such_parameter=1) was accepted, expected a ValueError")


def resolution(case: Case) -> None:
    """A resolved kernel does not depend on further data and has the values of the original kernel."""
    fixed = case.kernel
    if not fixed.is_resolved:
        raise AssertionError(f"resolve(X) returns {fixed}, which still depends on the data")
    for data in (case.sample, take(case.sample, range(case.n // 2 + 1))):
        if fixed.resolve(data) != fixed:
            raise AssertionError(f"resolving {fixed} again returns {fixed.resolve(data)}")
    if case.given.resolve(case.sample) != fixed:
        raise AssertionError("resolving twice on the same data returns different kernels")
    case.agree(case.given(case.sample), case.gram, "k(X) and k.resolve(X)(X)")


def proof_as_data(case: Case) -> None:
    """The certificate agrees with `definiteness`, prints, and converts to JSON."""
    proof = case.given.certificate()
    if proof.definiteness is not case.given.definiteness:
        verdicts = f"{proof.definiteness} and {case.given.definiteness}"
        raise AssertionError(f"certificate and definiteness differ: {verdicts}")
    if not proof.rule or proof.rule not in str(proof):
        raise AssertionError("the certificate does not name a rule")
    if json.loads(json.dumps(proof.to_dict()))["definiteness"] != proof.definiteness.value:
        raise AssertionError("to_dict does not contain the verdict")


def _importable(kernel: Kernel, _: Data) -> bool:
    """Whether all classes and functions of the kernel can be imported by name, as pickle requires."""
    objects = [type(node) for node, _ in nodes(kernel)] + _functions(kernel)
    return all(_found(thing) for thing in objects)


def _found(thing: object) -> bool:
    """Whether an object can be imported by its name."""
    found: object = sys.modules.get(getattr(thing, "__module__", None) or "")
    for name in getattr(thing, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is thing


def _functions(kernel: Kernel) -> list[object]:
    """Python functions among the parameters of the kernel and its parts."""
    return [
        value
        for node, _ in nodes(kernel)
        for value in node.get_params(deep=False).values()
        if callable(value) and not isinstance(value, Kernel)
    ]


def _holds_no_function(kernel: Kernel, _: Data) -> bool:
    """Whether no parameter is a Python function."""
    return not _functions(kernel)


def _has_text(kernel: Kernel, X: Data) -> bool:
    """Whether every node belongs to the library and has a name in the text form."""
    types = {type(node) for node, _ in nodes(kernel)}
    own = all(getattr(kernels, t.__name__, None) is t and t.name for t in types)
    return own and _holds_no_function(kernel, X)


VALUE_LAWS = (
    (immutable, None),
    (equality, None),
    (pickling, _importable),
    (printed_as_code, _holds_no_function),
    (printed_as_text, _has_text),
    (cloning, None),
    (parameters, None),
    (resolution, None),
    (proof_as_data, None),
)
