"""Laws about a kernel as a value: it compares, hashes, pickles, prints, gives its parameters."""

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
    """Equal parameters make equal kernels with equal hashes, and nothing else is equal."""
    kernel, twin = case.given, copy.copy(case.given)
    if kernel != twin or hash(kernel) != hash(twin):
        raise AssertionError("a copy is not equal to the kernel, or has another hash")
    if kernel == object() or kernel == kernel + 1:
        raise AssertionError("the kernel equals something else")


def pickling(case: Case) -> None:
    """A pickled kernel comes back equal."""
    kernel = case.given
    back = pickle.loads(pickle.dumps(kernel))
    if back != kernel or hash(back) != hash(kernel):
        raise AssertionError(f"pickle gives back {back!r}")


def printed_as_code(case: Case) -> None:
    """eval(repr(k)) == k with the names of mercer.kernels and the kernel's own class."""
    names = {type(kernel).__name__: type(kernel) for kernel, _ in nodes(case.given)}
    text = repr(case.given)
    back = eval(text, {**vars(kernels), **names})
    if back != case.given:
        raise AssertionError(f"eval({text!r}) gives {back!r}")


def printed_as_text(case: Case) -> None:
    """mercer.kernel(str(k)) == k."""
    parse = importlib.import_module("mercer.kernels.text").kernel
    back = parse(str(case.given))
    if back != case.given:
        raise AssertionError(f"the text {str(case.given)!r} is read as {back!r}")


def cloning(case: Case) -> None:
    """A clone, as scikit-learn makes it, is the kernel itself."""
    clone = case.given.__sklearn_clone__()
    if clone is not case.given:
        raise AssertionError(f"__sklearn_clone__ gives {clone!r}")


def parameters(case: Case) -> None:
    """Parameters put back as they are change nothing; unknown names are refused."""
    kernel = case.given
    for deep in (False, True):
        back = kernel.with_params(**kernel.get_params(deep=deep))
        if back != kernel:
            raise AssertionError(f"with_params(**get_params(deep={deep})) gives {back!r}")
    for name, value in kernel.get_params().items():
        if kernel.with_params(**{name: value}) != kernel:
            raise AssertionError(f"with_params({name}={value!r}), as it is, changes the kernel")
    try:
        kernel.with_params(no_such_parameter=1)
    except ValueError:
        return
    raise AssertionError("with_params(no_such_parameter=1) was accepted, expected a ValueError")


def resolution(case: Case) -> None:
    """Resolving gives numbers that no other data change, and the values of the kernel as given."""
    fixed = case.kernel
    if not fixed.is_resolved:
        raise AssertionError(f"resolve(X) gives {fixed}, which still depends on data")
    for data in (case.sample, take(case.sample, range(case.n // 2 + 1))):
        if fixed.resolve(data) != fixed:
            raise AssertionError(f"resolving twice gives {fixed} and then {fixed.resolve(data)}")
    if case.given.resolve(case.sample) != fixed:
        raise AssertionError("resolving on the same data twice gives different kernels")
    case.agree(case.given(case.sample), case.gram, "k(X) and k.resolve(X)(X)")


def proof_as_data(case: Case) -> None:
    """The certificate agrees with `definiteness`, prints, and converts to JSON."""
    proof = case.given.certificate()
    if proof.definiteness is not case.given.definiteness:
        verdicts = f"{proof.definiteness} and {case.given.definiteness}"
        raise AssertionError(f"certificate and definiteness say {verdicts}")
    if not proof.rule or proof.rule not in str(proof):
        raise AssertionError("the certificate names no rule")
    if json.loads(json.dumps(proof.to_dict()))["definiteness"] != proof.definiteness.value:
        raise AssertionError("to_dict does not carry the verdict")


def _importable(kernel: Kernel, _: Data) -> bool:
    """Whether every class and function inside can be found by name, as pickle needs."""
    held = [node for node, _ in nodes(kernel)]
    objects = [type(node) for node in held] + _functions(kernel)
    return all(_found(thing) for thing in objects)


def _found(thing: object) -> bool:
    found: object = sys.modules.get(getattr(thing, "__module__", None) or "")
    for name in getattr(thing, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is thing


def _functions(kernel: Kernel) -> list[object]:
    return [
        value
        for node, _ in nodes(kernel)
        for value in node.get_params(deep=False).values()
        if callable(value) and not isinstance(value, Kernel)
    ]


def _holds_no_function(kernel: Kernel, _: Data) -> bool:
    return not _functions(kernel)


def _has_text(kernel: Kernel, X: Data) -> bool:
    """Whether every node is one of the library's and has a name in the text form."""
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
