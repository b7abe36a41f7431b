"""Sums, products and multiples of kernels, and the operators that build them.

Each closure rule has a node class of its own. Sums and products are n-ary and are flattened by exact class:
``a + (b + c)`` has three terms, ``a + b * c`` has two. Terms are not reordered, so that ``str`` returns the expression
as it was written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from typing import Any, ClassVar, Self, final

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_real, describe
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.evaluate import paired
from mercer.kernels.features import Options, hstack, kron, real_root, scale_columns
from mercer.kernels.naming import product_name
from mercer.kernels.operations import Op
from mercer.kernels.parametrised import literal
from mercer.kernels.program import Builder
from mercer.kernels.sharing import once, sharing

__all__ = ["Product", "Scaled", "Sum", "Unary", "check_kernel_part", "multiply", "scale"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def check_kernel_part(who: str, name: str, value: Any) -> Kernel:
    """Return `value` if it is a kernel, else raise a TypeError."""
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
        """The joined kernels."""
        return getattr(self, self.field)  # type: ignore[no-any-return]

    def _check(self) -> None:
        """Check the joined kernels and flatten nested nodes of the same class."""
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
        """Explicit features of every member. The members share conversions of the data."""
        with sharing(join=True):
            return [member.features(X, options) for member in self._members()]

    def _feature_names(self, X: Data, options: Options) -> list[list[str]]:
        """Feature names of every member."""
        with sharing(join=True):
            return [member.feature_names(X, options) for member in self._members()]

    def text(self) -> tuple[str, int]:
        texts = [member.text() for member in self._members()]
        return self.sign.join(t if binding > self.binding else f"({t})" for t, binding in texts), self.binding


@final
@dataclass(frozen=True)
class Sum(_NaryKernel):
    """Sum of kernels  k(x, z) = k₁(x, z) + k₂(x, z) + …, written ``k1 + k2``.

    Parameters
    ----------
    terms : tuple of Kernel
        At least two kernels. Terms that are sums are replaced by their terms.

    See Also
    --------
    Product : Product of kernels.
    Scaled : Multiple of a kernel.
    mercer.multiple_kernel.MKLClassifier : Learn the weights of a sum of kernels.

    Notes
    -----
    Definiteness: PSD if all terms are PSD, because tᵀ(K₁ + K₂)t = tᵀK₁t + tᵀK₂t. Conditionally PSD if all terms are
    conditionally PSD. Otherwise unknown.

    Feature map: the features of all terms side by side; sparse if those of every term are.

    Complexity: the sum of the complexities of the terms. Terms of the compiled core are evaluated in one pass, without
    a matrix for each.

    References
    ----------
    * Aronszajn, *Theory of reproducing kernels*, Transactions of the American Mathematical Society 68, 1950.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear, Power
    >>> k = Linear() + Power(degree=2.0)
    >>> k
    Sum(terms=(Linear(coef0=0.0), Power(degree=2.0)))
    >>> k(np.array([[1.0], [2.0]]))
    array([[1., 1.],
           [1., 4.]])
    >>> k.definiteness.value
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
    """Product of kernels  k(x, z) = k₁(x, z) · k₂(x, z) · …, written ``k1 * k2``.

    Parameters
    ----------
    factors : tuple of Kernel
        At least two kernels. Factors that are products are replaced by their factors.

    See Also
    --------
    Sum : Sum of kernels.
    PowerOf : Power of a kernel.
    Columns : Kernel on some columns; a product of such kernels compares several kinds of columns.

    Notes
    -----
    Definiteness: PSD if all factors are PSD, by Schur's product theorem. Otherwise unknown.

    Feature map: all products of one feature of each factor; sparse if those of every factor are.

    Complexity: the sum of the complexities of the factors. Factors of the compiled core are evaluated in one pass.

    References
    ----------
    * Schur, *Bemerkungen zur Theorie der beschränkten Bilinearformen mit unendlich vielen Veränderlichen*, Journal für
      die reine und angewandte Mathematik 140, 1911.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Linear, Power
    >>> k = Linear() * Linear(coef0=1.0)
    >>> k(np.array([[1.0], [2.0]]))
    array([[ 2.,  6.],
           [ 6., 20.]])
    >>> k.definiteness.value, (RBF() * Power()).definiteness.value
    ('psd', 'unknown')
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
        return reduce(partial(kron, "Product"), self._features(X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*self._feature_names(X, options))]

    def proof(self) -> Certificate:
        if all(factor.definiteness is PSD for factor in self.factors):
            return self._certify(PSD, "an entrywise product of PSD kernels is PSD", "Schur 1911")
        return self._certify(UNKNOWN, "no rule for a product with a factor that is not known to be PSD")


class Unary(Kernel):
    """Base class of kernels with one sub-kernel."""

    kernel: Kernel

    def parts(self) -> dict[str, Kernel]:
        return {"kernel": self.kernel}

    def _inner_diag(self, X: Data) -> DoubleArray:
        """Diagonal of the sub-kernel, which shares its conversions of the data with this node."""

        def diagonal() -> DoubleArray:
            prepared = self.kernel._prepare(X)
            return np.asarray(paired(prepared, prepared), dtype=np.float64)

        return once(("diag", self.kernel), X, diagonal)

    def squared_norms(self, X: Data) -> DoubleArray:
        """Diagonal of the sub-kernel, for nodes that divide by it.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Nonnegative values k(x, x).

        Raises
        ------
        ValueError
            If a value is negative.
        """
        norms = self._inner_diag(X)
        if norms.min() < 0:
            i = int(norms.argmin())
            raise ValueError(
                f"{self}: k(x,x) = {norms[i]:g} is negative for sample {i}, expected k(x,x) >= 0; use a PSD kernel."
            )
        return norms


@final
@dataclass(frozen=True)
class Scaled(Unary):
    """Multiple of a kernel  c · k(x, z), written ``0.5 * k``.

    Parameters
    ----------
    scale : float
        Factor c.
    kernel : Kernel
        Kernel k.

    See Also
    --------
    Sum : Sum of kernels.
    Weighted : Multiplication by a function of each sample.

    Notes
    -----
    Definiteness: for c > 0 that of k, for c = 0 PSD. For c < 0, a PSD leaf that is not identically zero becomes not
    PSD, and everything else is unknown.

    Feature map: √c φ(x) for c ≥ 0.

    Complexity: that of k.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> k = 0.5 * Linear()
    >>> k(np.array([[1.0], [2.0]]))
    array([[0.5, 1. ],
           [1. , 2. ]])
    >>> k.definiteness.value, (-k).definiteness.value
    ('psd', 'not_psd')
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
            return self._certify(NOT_PSD, "c·k(x,x) < 0 for c < 0 and some x, as k is PSD and not zero")
        return self._certify(UNKNOWN, "no rule for c·k with c < 0")


def multiply(left: Kernel, right: Kernel) -> Kernel:
    """Product of two kernels, with constant factors collected in front."""
    factor = 1.0
    if isinstance(left, Scaled):
        factor, left = factor * left.scale, left.kernel
    if isinstance(right, Scaled):
        factor, right = factor * right.scale, right.kernel
    return scale(factor, Product((left, right)))


def scale(factor: float, kernel: Kernel) -> Kernel:
    """Multiple of a kernel. The factors of nested multiples are multiplied."""
    if isinstance(kernel, Scaled):
        factor, kernel = factor * kernel.scale, kernel.kernel
    return kernel if factor == 1.0 else Scaled(factor, kernel)
