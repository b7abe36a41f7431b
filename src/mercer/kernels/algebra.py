"""Sums, products and multiples of kernels, and the operators that build them.

Each rule is a node of its own class. Sums and products are n-ary and flatten by exact class: ``a + (b + c)`` has three
terms, ``a + b * c`` has two. Nothing is reordered, so ``str`` gives back what was written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from typing import Any, ClassVar, Self, final

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_real, describe
from mercer.kernels.base import Kernel, literal
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.evaluate import paired
from mercer.kernels.features import Options, hstack, kron, real_root, scale_columns
from mercer.kernels.naming import product_name
from mercer.kernels.program import Builder, Op
from mercer.kernels.sharing import once, sharing

__all__ = ["Product", "Scaled", "Sum", "Unary", "check_kernel_part", "multiply", "scale"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def check_kernel_part(who: str, name: str, value: Any) -> Kernel:
    """`value` if it is a kernel, else a TypeError."""
    if not isinstance(value, Kernel):
        raise TypeError(
            f"{who}: {name} must be a kernel, got {describe(value)}; "
            "make one with mercer.kernel('...') or mercer.kernels.user(...)."
        )
    return value


class _NaryKernel(Kernel):
    """Two or more kernels joined by one operation."""

    field: ClassVar[str]
    operation: ClassVar[Op]
    sign: ClassVar[str]
    binding: ClassVar[int]

    def _members(self) -> tuple[Kernel, ...]:
        return getattr(self, self.field)  # type: ignore[no-any-return]

    def _check(self) -> None:
        who = type(self).__name__
        given: Any = self._members()
        if isinstance(given, Kernel) or not isinstance(given, Iterable):
            raise TypeError(f"{who}: {self.field} must be a sequence of kernels, got {describe(given)}.")
        members = tuple(given)
        if len(members) < 2:
            raise ValueError(f"{who}: needs at least two kernels, got {len(members)}.")
        for i, member in enumerate(members):
            check_kernel_part(who, f"{self.field}[{i}]", member)
        flat = tuple(kernel for m in members for kernel in (m._members() if type(m) is type(self) else (m,)))
        object.__setattr__(self, self.field, flat)

    def parts(self) -> dict[str, Kernel]:
        return {str(i): member for i, member in enumerate(self._members())}

    def with_parts(self, parts: dict[str, Kernel]) -> Self:
        return type(self)(tuple(parts.values()))

    def emit(self, program: Builder, X: Data) -> None:
        for i, member in enumerate(self._members()):
            member.emit(program, X)
            if i:
                program.join(self.operation)

    def _features(self, X: Data, options: Options) -> list[Any]:
        """Features of every member; all read the same conversions of the data."""
        with sharing(join=True):
            return [member.features(X, options) for member in self._members()]

    def _feature_names(self, X: Data, options: Options) -> list[list[str]]:
        with sharing(join=True):
            return [member.feature_names(X, options) for member in self._members()]

    def text(self) -> tuple[str, int]:
        texts = [member.text() for member in self._members()]
        return self.sign.join(t if binding > self.binding else f"({t})" for t, binding in texts), self.binding


@final
@dataclass(frozen=True)
class Sum(_NaryKernel):
    """k₁ + k₂ + …: PSD if all terms are, CPD if all are at least CPD. φ is all features side by side.

    >>> from mercer.kernels import Linear, Power
    >>> Sum((Linear(), Power())).definiteness.value
    'cpd'
    """

    name: ClassVar[str] = "+"
    formula: ClassVar[str] = "k₁ + k₂"
    field: ClassVar[str] = "terms"
    operation: ClassVar[Op] = Op.add
    sign: ClassVar[str] = " + "
    binding: ClassVar[int] = 1
    terms: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        self._check()

    def features(self, X: Data, options: Options) -> Any:
        """Features of all terms side by side: CSR if every term's are, else dense."""
        return hstack("Sum", self._features(X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [name for names in self._feature_names(X, options) for name in names]

    def proof(self) -> Certificate:
        verdicts = [term.definiteness for term in self.terms]
        if all(v is PSD for v in verdicts):
            return self._certify(PSD, "a sum of PSD kernels is PSD")
        if all(v.conditional for v in verdicts):
            return self._certify(CPD, "a sum of conditionally PSD kernels is conditionally PSD (PSD implies CPD)")
        return self._certify(UNKNOWN, "no rule for a sum with a term that is not known to be PSD or CPD")


@final
@dataclass(frozen=True)
class Product(_NaryKernel):
    """k₁ · k₂ · …: PSD if all factors are (Schur). φ is all products of features.

    >>> from mercer.kernels import RBF, Power
    >>> Product((RBF(), Power())).definiteness.value
    'unknown'
    """

    name: ClassVar[str] = "*"
    formula: ClassVar[str] = "k₁ · k₂"
    field: ClassVar[str] = "factors"
    operation: ClassVar[Op] = Op.multiply
    sign: ClassVar[str] = "*"
    binding: ClassVar[int] = 2
    factors: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        self._check()

    def features(self, X: Data, options: Options) -> Any:
        """All products of one feature of each factor: CSR if every factor's are, else dense."""
        return reduce(partial(kron, "Product"), self._features(X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*self._feature_names(X, options))]

    def proof(self) -> Certificate:
        if all(factor.definiteness is PSD for factor in self.factors):
            return self._certify(PSD, "an entrywise product of PSD kernels is PSD", "Schur 1911")
        return self._certify(UNKNOWN, "no rule for a product with a factor that is not known to be PSD")


class Unary(Kernel):
    """A node around one kernel."""

    kernel: Kernel

    def parts(self) -> dict[str, Kernel]:
        return {"kernel": self.kernel}

    def _inner_diag(self, X: Data) -> DoubleArray:
        """k(x, x) of every sample for the kernel inside, which shares its conversions with this node."""

        def diagonal() -> DoubleArray:
            prepared = self.kernel._prepare(X)
            return np.asarray(paired(prepared, prepared), dtype=np.float64)

        return once(("diag", self.kernel), X, diagonal)

    def squared_norms(self, X: Data) -> DoubleArray:
        """k(x, x) of every sample, for nodes that divide by it; ValueError if one is negative."""
        norms = self._inner_diag(X)
        if norms.min() < 0:
            i = int(norms.argmin())
            raise ValueError(
                f"{self}: k(x,x) = {norms[i]:g} is negative for sample {i}, so it has no norm; the kernel is not PSD."
            )
        return norms


@final
@dataclass(frozen=True)
class Scaled(Unary):
    """c · k: PSD or CPD as k is, for c ≥ 0. Written ``0.5 * k``.

    >>> from mercer.kernels import Linear
    >>> (-1 * Linear()).definiteness.value
    'not_psd'
    """

    name: ClassVar[str] = "c*"
    formula: ClassVar[str] = "c · k"
    scale: float
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", check_real("Scaled", "scale", self.scale))
        check_kernel_part("Scaled", "kernel", self.kernel)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.map(Op.affine, self.scale)

    def features(self, X: Data, options: Options) -> Any:
        """√c φ(x)."""
        weight = real_root("Scaled", "scale", self.scale)
        return scale_columns(self.kernel.features(X, options), weight)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(X, options)

    def text(self) -> tuple[str, int]:
        inner, binding = self.kernel.text()
        return f"{literal(self.scale)}*" + (inner if binding > 2 else f"({inner})"), 2

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if self.scale == 0:
            return self._certify(PSD, "0·k is the zero kernel")
        if self.scale > 0:
            if inner.conditional:
                return self._certify(inner, f"c·k is {inner.name} for c ≥ 0 and {inner.name} k")
            return self._certify(inner, "c·k has the definiteness of k for c > 0")
        if inner is PSD and not self.kernel.parts() and not self.kernel.may_vanish:
            return self._certify(NOT_PSD, "c < 0 turns a PSD kernel with k(x,x) > 0 for some x around")
        return self._certify(UNKNOWN, "no rule for c·k with c < 0")


def multiply(left: Kernel, right: Kernel) -> Kernel:
    """left · right; constant multiples are collected in front."""
    factor = 1.0
    if isinstance(left, Scaled):
        factor, left = factor * left.scale, left.kernel
    if isinstance(right, Scaled):
        factor, right = factor * right.scale, right.kernel
    return scale(factor, Product((left, right)))


def scale(factor: float, kernel: Kernel) -> Kernel:
    """factor · kernel; multiples of multiples become one."""
    if isinstance(kernel, Scaled):
        factor, kernel = factor * kernel.scale, kernel.kernel
    return kernel if factor == 1.0 else Scaled(factor, kernel)
