"""The kernel: a frozen value with parameters, an algebra, a certificate, and no data.

An author of a kernel writes a frozen dataclass and one method: `pair(a, b)` for two samples, or `evaluate(A, B)` for
blocks of them; vector kernels of the library write `emit`, their program for the compiled core. All else is here.
"""

import dataclasses
import math
import numbers
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import Data, FloatArray
from mercer._validation import Rebuilt, as_csr, check_real, is_number
from mercer.data import as_items, n_samples, take
from mercer.exceptions import NoFeatureMapError
from mercer.kernels import evaluate as evaluation
from mercer.kernels import params as parameters
from mercer.kernels.bandwidth import RULES
from mercer.kernels.certified import Certified
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keywords import check_keywords
from mercer.kernels.metric import distances_in_place
from mercer.kernels.naming import located
from mercer.kernels.notebook import Displayed
from mercer.kernels.program import Builder, Prepared
from mercer.kernels.sharing import once, sharing

__all__ = ["Kernel", "Reads", "VectorKernel", "literal"]

Reads: TypeAlias = Literal["vectors", "codes", "items"]


class Kernel(Rebuilt, Certified, Displayed):
    """A symmetric function k(x, z) of two samples, as an immutable value.

    Kernels compare and hash by their parameters, pickle, print as code (``eval(repr(k)) == k``) and as text
    (``mercer.kernel(str(k)) == k``), and combine: ``k1 + k2``, ``k1 * k2``, ``0.5 * k``, ``k ** 2``, ``k + 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Agree(Kernel):
    ...     def pair(self, a, b):
    ...         return float(a[0] == b[0])
    >>> k = Agree() + 1
    >>> k(np.array([[1.0], [2.0]]))
    array([[2., 1.],
           [1., 2.]])
    """

    name: ClassVar[str] = ""  # in the text form; "" for kernels that have none
    formula: ClassVar[str] = ""
    domain: ClassVar[str] = ""  # where the data must lie, if not everywhere
    fills: ClassVar[bool] = False  # whether it writes its values into the result with `fill`: see PackedKernel
    __array_ufunc__ = None  # np.float64(2) * k reaches __rmul__

    def __new__(cls, *args: Any, **options: Any) -> Self:  # noqa: ARG004 - the dataclass's __init__ takes them
        """Explain keywords that are not parameters, before ``__init__`` refuses them."""
        if options:
            check_keywords(cls, options)
        return super().__new__(cls)

    # ---- what an author writes: one of these three

    def pair(self, a: Any, b: Any) -> float:
        """k(a, b) for two samples."""
        raise TypeError(f"{type(self).__name__}: define pair(a, b) or evaluate(A, B).")

    def evaluate(self, A: Any, B: Any) -> FloatArray:
        """Block of values for two packs of samples; ``B is A`` where symmetry may be used."""
        K = np.empty((len(A), len(B)))
        for i, a in enumerate(A):
            for j in range(i if B is A else 0, len(B)):
                K[i, j] = self.pair(a, B[j])
                if B is A:
                    K[j, i] = K[i, j]
        return K

    def emit(self, program: Builder, X: Data) -> None:
        """Write this kernel into a program; by default as a node that evaluates itself."""
        program.foreign(self, X)

    # ---- what an author may refine

    @property
    def reads(self) -> Reads:
        """What a sample is to the kernel: a vector of numbers, a row of categories ("codes"), or any item.

        A leaf declares it as a class attribute. A node reads the most general of what its parts read.

        >>> from mercer.kernels import RBF, Overlap
        >>> RBF().reads, (RBF() + Overlap()).reads
        ('vectors', 'codes')
        """
        return max((part.reads for part in self.parts().values()), key=get_args(Reads).index, default="items")

    @property
    def takes_sparse(self) -> bool:
        """Whether CSR matrices are taken: by a leaf unless it declares False, by a node if all parts take them."""
        return all(part.takes_sparse for part in self.parts().values())

    def pack(self, X: Data) -> Any:
        """The data in the form `evaluate` reads, made once per data set; supports len and indexing."""
        return once("items", X, lambda: as_items(X))

    def evaluate_pairs(self, A: Any, B: Any) -> FloatArray:
        """k(A_i, B_i) for every i; by default from small blocks."""
        if type(self).evaluate is Kernel.evaluate:
            return np.array([self.pair(a, b) for a, b in zip(A, B, strict=True)], dtype=np.float64)
        step = 16
        blocks = [np.asarray(self.evaluate(A[s : s + step], B[s : s + step])) for s in range(0, len(A), step)]
        return np.concatenate([np.diagonal(b) for b in blocks]) if blocks else np.empty(0)

    @property
    def may_vanish(self) -> bool:
        """Whether k could be identically zero, for all that is known; asked of leaves."""
        return False

    def proof(self) -> Certificate:
        """The certificate of this node; a leaf states a theorem, a node its closure rule."""
        return self._certify(Definiteness.UNKNOWN, "nothing is declared about this kernel")

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        """The same kernel with parameters that depend on the data replaced by numbers; parts by theirs."""
        parts = self.parts()
        fixed = {name: part._resolve(self.restrict(X), sample_weight) for name, part in parts.items()}
        return self if fixed == parts else self.with_parts(fixed)

    def restrict(self, X: Data) -> Data:
        """The data as the parts of this node see it."""
        return X

    def features(self, X: Data, options: "dict[str, Any]") -> Any:
        """Explicit features of checked data; see `feature_map`."""
        raise NoFeatureMapError(
            f"{self}: has no explicit feature map of finite size; use mercer.preprocessing.KernelRows for features "
            "relative to a set of landmarks, or an operator from mercer.operators.gram, which needs no features."
        )

    def feature_names(self, X: Data, options: "dict[str, Any]") -> list[str]:
        """A name for each column of `features`, given the same options; numbered where features have no names.

        Columns of the data are called as ``options["columns"]`` says, if it is there.
        """
        width = self.features(take(X, [0]), options).shape[1]
        return located([f"{self}[{i}]" for i in range(width)], options)

    # ---- values

    def __call__(
        self, X: Data, Y: Data = None, *, out: FloatArray | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Dense Gram matrix of shape (n_X, n_Y); ``Y=None`` means X and exploits symmetry.

        Data-dependent parameters are resolved on X. Raises before allocating if the result will not fit in memory.
        """
        left = self.prepare(X)
        right = left if Y is None else left.kernel.prepare(Y)
        return self.block(left, right, out=out, n_jobs=n_jobs)

    def prepare(self, X: Data) -> Prepared:
        """Pack data once for many calls of `block`; parameters are resolved on X if they are not yet numbers.

        Leaves that read the same samples share their conversion: a list of texts becomes one `Strings`, whatever the
        number of string kernels in the expression.
        """
        with sharing():
            return self._prepare(X)

    def _prepare(self, X: Data) -> Prepared:
        """Prepare data for a node around this kernel, which shares its conversions with all others."""
        if n_samples(X) == 0:
            raise ValueError(f"{type(self).__name__}: X has 0 samples, expected at least 1; check how it was selected.")
        with sharing(join=True):
            X = as_csr(type(self).__name__, X) if sp.issparse(X) else X
            kernel = self._resolve(X, None)
            builder = Builder(X)
            kernel.emit(builder, X)
            return builder.finish(kernel)

    def block(
        self, A: Prepared, B: Prepared, *, out: FloatArray | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Block of the Gram matrix between prepared data sets; ``B is A`` exploits symmetry."""
        if isinstance(A, Prepared) and self.is_resolved and A.kernel != self:
            raise ValueError(
                f"{type(self).__name__}: the data were prepared for another kernel, {A.kernel}; "
                f"call {self!s}.prepare(X)."
            )
        if out is None and isinstance(A, Prepared) and isinstance(B, Prepared):
            shape = f"{A.n} x {B.n}"
            itemsize = np.result_type(A.dtype, B.dtype).itemsize
            require_memory(
                A.n * B.n * itemsize,
                what=f"{type(self).__name__}: a dense {shape} Gram matrix of {8 * itemsize}-bit numbers",
                instead="Use mercer.operators.gram(kernel, X), whose matmul and rows never hold the matrix"
                + (", or float32 data, which halves it." if itemsize == 8 else "."),
            )
        return evaluation.block(A, B, out=out, n_jobs=n_jobs)

    def diag(self, X: Data, *, n_jobs: int | None = None) -> FloatArray:
        """k(x, x) for every sample, without the matrix."""
        prepared = X if isinstance(X, Prepared) else self.prepare(X)
        return evaluation.paired(prepared, prepared, n_jobs=n_jobs)

    def distance(self, X: Data, Y: Data = None, *, n_jobs: int | None = None) -> FloatArray:
        """The metric the kernel induces, √(k(x,x) + k(z,z) − 2k(x,z)), of shape (n_X, n_Y).

        A pseudo-metric for (conditionally) PSD kernels. Radicands below zero by more than rounding raise ValueError.
        """
        left = self.prepare(X)
        right = left if Y is None else left.kernel.prepare(Y)
        K = self.block(left, right, n_jobs=n_jobs)
        a = self.diag(left, n_jobs=n_jobs)
        b = a if right is left else self.diag(right, n_jobs=n_jobs)
        distances_in_place(str(self), K, a, b)
        if Y is None:
            np.fill_diagonal(K, 0)
        return K

    def feature_map(
        self, X: Data, *, degree: int | None = None, maximum: int | None = None, vocabularies: Any = None
    ) -> Any:
        """Explicit features φ(X) with φ(X) φ(Z)ᵀ = k(X, Z) for kernels whose φ is finite.

        CSR if every part is, else dense.

        Parameters
        ----------
        degree : int, optional
            Where φ is infinite but has a Taylor series (RBF, ExpOf): keep terms up to this degree. The result is then
            an approximation; `RBF.taylor_bound` bounds its error.
        maximum : int, optional
            For kernels on integer counts (Intersection, AdditiveChi2, ...): the largest count that can occur.
        vocabularies : mercer.kernels.Vocabularies, optional
            For kernels of strings and trees, whose features are those that occur in the data: keeps which column is
            which, so that other data get the same columns. `mercer.preprocessing.FeatureMap` does so by itself.
        """
        options = {"degree": degree, "maximum": maximum, "vocabularies": vocabularies}
        with sharing():
            return self._resolve(X, None).features(X, options)

    # ---- parameters

    def parts(self) -> "dict[str, Kernel]":
        """Sub-kernels by name."""
        return {}

    def with_parts(self, parts: "dict[str, Kernel]") -> Self:
        """The same node around other sub-kernels."""
        return dataclasses.replace(self, **parts)  # type: ignore[type-var]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, those of parts under ``part__name``."""
        return parameters.get_params(self, deep)

    def with_params(self, **changes: Any) -> "Kernel":
        """A new kernel with some parameters changed; the original stays as it is.

        >>> from mercer.kernels import RBF, Linear
        >>> (RBF() + Linear()).with_params(**{"0__gamma": 2.0})
        Sum(terms=(RBF(gamma=2.0), Linear(coef0=0.0)))
        """
        return parameters.with_params(self, changes)

    def resolve(self, X: Data, *, sample_weight: FloatArray | None = None) -> Self:
        """Replace data-dependent parameters (``"scale"``, ``"median"``) by numbers found on X."""
        with sharing():
            return self._resolve(X, sample_weight)

    def _resolve(self, X: Data, sample_weight: FloatArray | None) -> Self:
        """Resolve the kernel for a node around it, which shares its conversions with all others."""
        return self if self.is_resolved else self.resolved(X, sample_weight)

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter is a number, so that values do not depend on the data at hand."""
        if not dataclasses.is_dataclass(self):
            raise TypeError(
                f"{type(self).__name__}: a kernel must be a dataclass; put @dataclass(frozen=True) above the class."
            )
        own = [getattr(self, f.name) for f in dataclasses.fields(self)]
        return not any(isinstance(v, str) and v in RULES for v in own) and all(
            p.is_resolved for p in self.parts().values()
        )

    def __sklearn_clone__(self) -> Self:
        return self

    # ---- text

    def text(self) -> tuple[str, int]:
        """The text form and how tightly it binds (1 sum, 2 product, 3 power, 4 name).

        Leaves print fields that differ from their default.
        """
        fields = sorted(dataclasses.fields(self), key=lambda f: bool(f.kw_only))  # type: ignore[arg-type]
        shown = [f"{f.name}={literal(getattr(self, f.name))}" for f in fields if getattr(self, f.name) != f.default]
        name = self.name or type(self).__name__
        return (f"{name}({', '.join(shown)})" if shown else name), 4

    def __str__(self) -> str:
        return self.text()[0]

    # ---- algebra

    def normalized(self) -> "Kernel":
        """k(x, z)/√(k(x, x) k(z, z)): unit diagonal."""
        from mercer.kernels.closure import Normalized

        return self if isinstance(self, Normalized) else Normalized(self)

    def __add__(self, other: Any) -> "Kernel":
        from mercer.kernels.algebra import Sum
        from mercer.kernels.discrete import Constant

        if isinstance(other, Kernel):
            return Sum((self, other))
        if is_number(other):
            return self if other == 0 else Sum((self, Constant(other)))
        return NotImplemented

    def __radd__(self, other: Any) -> "Kernel":
        from mercer.kernels.algebra import Sum
        from mercer.kernels.discrete import Constant

        if is_number(other):
            return self if other == 0 else Sum((Constant(other), self))
        return NotImplemented

    def __mul__(self, other: Any) -> "Kernel":
        from mercer.kernels.algebra import multiply, scale

        if isinstance(other, Kernel):
            return multiply(self, other)
        return scale(_factor(other), self) if is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> "Kernel":
        from mercer.kernels.algebra import scale

        return scale(_factor(other), self) if is_number(other) else NotImplemented

    def __truediv__(self, other: Any) -> "Kernel":
        from mercer.kernels.algebra import scale

        return scale(1 / _factor(other, divisor=True), self) if is_number(other) else NotImplemented

    def __neg__(self) -> "Kernel":
        return -1.0 * self

    def __sub__(self, other: Any) -> "Kernel":
        return self + (-other) if isinstance(other, Kernel) or is_number(other) else NotImplemented

    def __rsub__(self, other: Any) -> "Kernel":
        return (-self) + other if is_number(other) else NotImplemented

    def __pow__(self, exponent: Any) -> "Kernel":
        from mercer.kernels.closure import PowerOf

        if not isinstance(exponent, numbers.Real):
            return NotImplemented
        return self if exponent == 1 else PowerOf(self, exponent)  # type: ignore[arg-type]


class VectorKernel(Kernel):
    """A leaf that reads samples as vectors of numbers and is evaluated by the core."""

    reads: ClassVar[Reads] = "vectors"


def _factor(value: Any, *, divisor: bool = False) -> float:
    factor = check_real("kernel algebra", "divisor" if divisor else "factor", value)
    if divisor and (factor == 0 or not math.isfinite(1 / factor)):
        raise ValueError(f"kernel algebra: cannot divide a kernel by {value!r}.")
    return factor


def literal(value: Any) -> str:
    """A parameter in the text form: numbers as short as they round-trip, tuples as lists, strings quoted, kernels."""
    if isinstance(value, Kernel):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
