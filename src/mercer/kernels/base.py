"""Base classes of all kernels.

A kernel is an immutable value: it has parameters, an algebra and a certificate of definiteness, but no data. A new
kernel is a frozen dataclass with one method: `pair` for two samples, `evaluate` for blocks of samples, or `emit`, which
writes a program for the compiled core. `Kernel` provides everything else.
"""

import dataclasses
import math
import numbers
from types import FunctionType
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
from mercer.kernels.differentiable import Differentiable
from mercer.kernels.keywords import InitSignature, check_keywords
from mercer.kernels.metric import distances_in_place
from mercer.kernels.naming import located
from mercer.kernels.notebook import Displayed
from mercer.kernels.program import Builder, Prepared
from mercer.kernels.sharing import once, sharing

__all__ = ["Kernel", "Reads", "VectorKernel", "literal"]

Reads: TypeAlias = Literal["vectors", "codes", "items"]


class Kernel(Rebuilt, Certified, Differentiable, Displayed):
    """Base class of all kernels: a symmetric function k(x, z) of two samples, as an immutable value.

    A kernel is called on data: ``k(X)`` is the Gram matrix of X, ``k(X, Y)`` the matrix of all values k(x, y). Kernels
    compare and hash by their parameters and can be pickled. They print as code (``eval(repr(k)) == k``) and as text
    (``mercer.kernel(str(k)) == k``). They combine with each other and with numbers: ``k1 + k2``, ``k1 * k2``, ``0.5 *
    k``, ``k ** 2``, ``k + 1``, ``k.normalized()``.

    Subclasses are frozen dataclasses whose fields are the parameters. They define one of `pair`, `evaluate` and `emit`,
    and usually `proof`.

    Parameters
    ----------
    *args : object
        Parameters of the subclass, in the order of its fields.
    **options : object
        Parameters of the subclass, by name.

    Attributes
    ----------
    name : str
        Name in the text form, ``""`` for kernels without one. Class attribute.
    formula : str
        Short formula of k(x, z) for tables. Class attribute.
    domain : str
        Set to which the samples must belong, such as ``"x ≥ 0"``; ``""`` if there is no restriction. Class attribute.

    See Also
    --------
    kernel : Build a kernel from its text form.
    user : Build a kernel from a Python function.
    VectorKernel : Base class of kernels on numerical vectors.
    KeyedKernel : Base class of kernels that compare sparse, named features.
    PackedKernel : Base class of structured kernels that are evaluated by the compiled core.
    register : Give a kernel class a name in the text form.
    mercer.testing.check_kernel : Test that a kernel obeys the contract.

    Notes
    -----
    A Gram matrix of n samples costs n(n+1)/2 kernel values. Vector kernels compute them tile by tile in the compiled
    core with all threads. Every subclass documents the cost of one value.

    Methods that a subclass overrides without a docstring inherit the docstring of the base class.

    References
    ----------
    * Aronszajn, *Theory of reproducing kernels*, Transactions of the American Mathematical Society 68, 1950.
    * Schölkopf and Smola, *Learning with Kernels*, 2002.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004.

    Examples
    --------
    Use a kernel of the library:

    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> k = 0.5 * RBF(gamma=1.0) + 1
    >>> k(np.array([[0.0], [1.0]])).round(4)
    array([[1.5   , 1.1839],
           [1.1839, 1.5   ]])
    >>> k.definiteness.value
    'psd'

    Define a new one:

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Agree(Kernel):
    ...     def pair(self, a, b):
    ...         return float(a[0] == b[0])
    >>> (Agree() + 1)(np.array([[1.0], [2.0]]))
    array([[2., 1.],
           [1., 2.]])
    """

    name: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    domain: ClassVar[str] = ""
    fills: ClassVar[bool] = False  # whether `fill` writes the values into the result; see PackedKernel
    __array_ufunc__ = None  # so that np.float64(2) * k calls __rmul__
    __signature__ = InitSignature()

    def __init_subclass__(cls, **options: Any) -> None:
        """Give overridden methods without a docstring the docstring of the base class."""
        super().__init_subclass__(**options)
        documented = (FunctionType, property)
        for name, member in vars(cls).items():
            if isinstance(member, documented) and not member.__doc__ and not name.startswith("_"):
                overridden = (vars(base).get(name) for base in cls.__mro__[1:])
                member.__doc__ = next((m.__doc__ for m in overridden if isinstance(m, documented) and m.__doc__), None)

    def __new__(cls, *args: Any, **options: Any) -> Self:  # noqa: ARG004 - for __init__ of the dataclass
        """Raise a TypeError with advice for keywords that are not parameters, before ``__init__`` is called."""
        if options:
            check_keywords(cls, options)
        return super().__new__(cls)

    # ---- a subclass defines one of these three methods

    def pair(self, a: Any, b: Any) -> float:
        """Kernel value k(a, b) of two samples.

        Subclasses override this method if neither `evaluate` nor `emit` is defined.

        Parameters
        ----------
        a : object
            First sample: an item of the packed data, by default a row of an array or an item of a list.
        b : object
            Second sample.

        Returns
        -------
        float
            The kernel value.
        """
        raise TypeError(
            f"{type(self).__name__}: the class does not compute kernel values; define pair(a, b), evaluate(A, B) or "
            "emit(program, X)."
        )

    def evaluate(self, A: Any, B: Any) -> FloatArray:
        """Block of kernel values between two packed sets of samples.

        The default calls `pair` for every pair of samples. Subclasses override this method to compute a block at once.

        Parameters
        ----------
        A : object
            Samples in the form that `pack` returns.
        B : object
            Samples in the form that `pack` returns. ``B is A`` means that the block is symmetric and only half of it
            has to be computed.

        Returns
        -------
        ndarray of shape (len(A), len(B))
            Kernel values.
        """
        K = np.empty((len(A), len(B)))
        for i, a in enumerate(A):
            for j in range(i if B is A else 0, len(B)):
                K[i, j] = self.pair(a, B[j])
                if B is A:
                    K[j, i] = K[i, j]
        return K

    def emit(self, program: Builder, X: Data) -> None:
        """Write the kernel into a program for the compiled core.

        The default adds a node whose blocks are computed by `evaluate`. Vector kernels override this method.

        Parameters
        ----------
        program : Builder
            Program that is being built. Its methods push operations in postfix order.
        X : array, sparse matrix, list, DataFrame or container
            Samples for which the program is built.
        """
        program.foreign(self, X)

    # ---- methods that a subclass may override

    @property
    def reads(self) -> Reads:
        """Kind of samples that the kernel reads: ``"vectors"``, ``"codes"`` or ``"items"``.

        ``"vectors"`` are rows of numbers, ``"codes"`` rows of categories, ``"items"`` objects of any kind. A leaf
        declares the kind as a class attribute. A composite kernel reads the most general kind that its parts read, in
        this order.

        Returns
        -------
        {"vectors", "codes", "items"}
            The kind of samples.
        """
        return max((part.reads for part in self.parts().values()), key=get_args(Reads).index, default="items")

    @property
    def takes_sparse(self) -> bool:
        """Whether the kernel accepts sparse matrices.

        A leaf accepts them unless it declares ``takes_sparse = False``. A composite kernel accepts them if all its
        parts do.

        Returns
        -------
        bool
            True if sparse matrices are accepted.
        """
        return all(part.takes_sparse for part in self.parts().values())

    def pack(self, X: Data) -> Any:
        """Convert the data into the form that `evaluate` reads.

        The conversion is made once per data set. The default is a list or array of the samples.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.

        Returns
        -------
        object
            Packed samples. The object supports ``len`` and indexing with row numbers.
        """
        return once("items", X, lambda: as_items(X))

    def evaluate_pairs(self, A: Any, B: Any) -> FloatArray:
        """Kernel values k(A[i], B[i]) of corresponding samples.

        The default takes the diagonals of small blocks.

        Parameters
        ----------
        A : object
            Samples in the form that `pack` returns.
        B : object
            Equally many samples in the same form.

        Returns
        -------
        ndarray of shape (len(A),)
            Kernel values.
        """
        if type(self).evaluate is Kernel.evaluate:
            return np.array([self.pair(a, b) for a, b in zip(A, B, strict=True)], dtype=np.float64)
        step = 16
        blocks = [np.asarray(self.evaluate(A[s : s + step], B[s : s + step])) for s in range(0, len(A), step)]
        return np.concatenate([np.diagonal(b) for b in blocks]) if blocks else np.empty(0)

    @property
    def may_vanish(self) -> bool:
        """Whether the kernel may be identically zero.

        Only leaves are asked. A negative multiple of a PSD leaf is certified as not PSD if this is False.

        Returns
        -------
        bool
            False if k(x, x) > 0 is known for some x.
        """
        return False

    def proof(self) -> Certificate:
        """Certificate of this kernel, from a theorem or from a closure rule.

        A leaf states a theorem and the range of parameters in which it holds. A composite kernel applies a closure rule
        to the verdicts on its parts. The default states that nothing is declared. Users call `certificate`, which
        proves every part once.

        Returns
        -------
        Certificate
            Verdict, rule and reference of this node, with the certificates of its parts.
        """
        return self._certify(Definiteness.UNKNOWN, "nothing is declared about this kernel")

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        """Copy of the kernel with data-dependent parameters replaced by numbers.

        Subclasses with such parameters override this method. Users call `resolve`.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples from which the numbers are computed.
        sample_weight : ndarray of shape (n_samples,) or None
            Weights of the samples.

        Returns
        -------
        Kernel
            Resolved kernel.
        """
        parts = self.parts()
        fixed = {name: part._resolve(self.restrict(X), sample_weight) for name, part in parts.items()}
        return self if fixed == parts else self.with_parts(fixed)

    def _numbers(self, X: Data) -> Data:
        """The samples in a form that can be converted to vectors; kernels of mixed tables replace categories."""
        return X

    def restrict(self, X: Data) -> Data:
        """Data as the parts of this kernel see them.

        `Columns` returns the selected columns and `Map` the mapped samples. All other kernels return X.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples that this kernel reads.

        Returns
        -------
        array, sparse matrix, list, DataFrame or container
            Samples that its parts read.
        """
        return X

    def features(self, X: Data, options: "dict[str, Any]") -> Any:
        """Explicit features of data, for a resolved kernel.

        Subclasses with a finite feature map override this method. Users call `feature_map`.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        options : dict
            The arguments ``"degree"``, ``"maximum"`` and ``"vocabularies"`` of `feature_map`, each of which may be
            None.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features_out)
            Features φ(X) with φ(X) φ(Z)ᵀ = k(X, Z).

        Raises
        ------
        NoFeatureMapError
            If the kernel has no finite feature map, or needs an option that is None.
        """
        raise NoFeatureMapError(
            f"{self}: has no explicit feature map of finite size; use mercer.preprocessing.KernelRows for features "
            "relative to a set of landmarks, or mercer.operators.gram, which needs no features."
        )

    def feature_names(self, X: Data, options: "dict[str, Any]") -> list[str]:
        """Names of the columns of `features`.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples; one is enough.
        options : dict
            The options of `features`, and optionally ``"columns"``, the names of the columns of X, and ``"where"``, a
            prefix for names that do not contain a column name.

        Returns
        -------
        list of str
            One name for each feature. Features without names of their own are numbered.
        """
        width = self.features(take(X, [0]), options).shape[1]
        return located([f"{self}[{i}]" for i in range(width)], options)

    # ---- values

    def __call__(
        self, X: Data, Y: Data = None, *, out: FloatArray | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Compute the dense Gram matrix.

        Data-dependent parameters are resolved on X. A result that does not fit in memory raises an error before it is
        allocated.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        Y : array, sparse matrix, list, DataFrame or container, default=None
            Second set of samples. None means X, and only half of the values are computed.
        out : ndarray of shape (n_samples_X, n_samples_Y), default=None
            Array for the result.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
            Kernel values, in float32 if all data are float32, else in float64.
        """
        left = self.prepare(X)
        right = left if Y is None else left.kernel.prepare(Y)
        return self.block(left, right, out=out, n_jobs=n_jobs)

    def prepare(self, X: Data) -> Prepared:
        """Convert data once for several calls of `block`.

        Data-dependent parameters are resolved on X unless they are numbers already. Parts of an expression that read
        the same samples share their conversion: a list of texts becomes one `Strings` container, whatever the number of
        string kernels.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.

        Returns
        -------
        Prepared
            The converted samples and the resolved kernel, ``prepared.kernel``. ``prepared.take(rows)`` selects samples
            without copying.
        """
        with sharing():
            return self._prepare(X)

    def _prepare(self, X: Data) -> Prepared:
        """Prepare data for an enclosing kernel, which shares the conversions of all its parts."""
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
        """Compute a block of the Gram matrix between prepared data sets.

        Parameters
        ----------
        A : Prepared
            Samples prepared by `prepare`.
        B : Prepared
            Samples prepared for the same resolved kernel. ``B is A`` means that only half of the values are computed.
        out : ndarray of shape (n_samples_A, n_samples_B), default=None
            Array for the result.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_A, n_samples_B)
            Kernel values.

        Raises
        ------
        ValueError
            If the data were prepared for another kernel.
        """
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
                instead="Use mercer.operators.gram(kernel, X), which never stores the whole matrix"
                + (", or float32 data, which halves it." if itemsize == 8 else "."),
            )
        return evaluation.block(A, B, out=out, n_jobs=n_jobs)

    def diag(self, X: Data, *, n_jobs: int | None = None) -> FloatArray:
        """Diagonal of the Gram matrix, computed without the matrix.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame, container or Prepared
            Samples.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples,)
            Values k(x, x).
        """
        prepared = X if isinstance(X, Prepared) else self.prepare(X)
        return evaluation.paired(prepared, prepared, n_jobs=n_jobs)

    def distance(self, X: Data, Y: Data = None, *, n_jobs: int | None = None) -> FloatArray:
        """Distances in the feature space of the kernel, √(k(x, x) + k(z, z) − 2k(x, z)).

        The distance is a pseudo-metric if the kernel is PSD or conditionally PSD.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        Y : array, sparse matrix, list, DataFrame or container, default=None
            Second set of samples. None means X.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
            Distances.

        Raises
        ------
        ValueError
            If a squared distance is negative by more than rounding.
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
        """Explicit features φ(X) with φ(X) φ(Z)ᵀ = k(X, Z), for kernels with a finite feature map.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples. Data-dependent parameters are resolved on them.
        degree : int, default=None
            Highest degree of the Taylor series, for kernels with infinitely many features that have one (`RBF`,
            `ExpOf`). The features are then an approximation; `RBF.taylor_bound` bounds its error.
        maximum : int, default=None
            Largest count that can occur, for kernels on integer counts (`Intersection`, `AdditiveChi2`, `Brownian`) and
            on categories 0, …, maximum (`Delta`, `Overlap`).
        vocabularies : Vocabularies, default=None
            Assignment of features to columns, for kernels on strings, trees, graphs and categories, whose features are
            those that occur in the data. The same object, read with ``again()``, gives other data the same columns.
            `mercer.preprocessing.FeatureMap` does this automatically.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features_out)
            Features; a CSR matrix if all parts of the kernel have sparse features.

        Raises
        ------
        NoFeatureMapError
            If the kernel has no finite feature map, or needs an option that is None.
        NotPositiveDefiniteError
            If the kernel is not PSD, so that no real features exist.
        """
        options = {"degree": degree, "maximum": maximum, "vocabularies": vocabularies}
        with sharing():
            return self._resolve(X, None).features(X, options)

    # ---- parameters

    def parts(self) -> "dict[str, Kernel]":
        """Sub-kernels of a composite kernel, by name.

        Returns
        -------
        dict of str to Kernel
            Empty for leaves. The names are the first components of nested parameter names.
        """
        return {}

    def with_parts(self, parts: "dict[str, Kernel]") -> Self:
        """Copy of a composite kernel with other sub-kernels.

        Parameters
        ----------
        parts : dict of str to Kernel
            New sub-kernels, with the keys of `parts`.

        Returns
        -------
        Kernel
            New kernel.
        """
        return dataclasses.replace(self, **parts)  # type: ignore[type-var]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters of the kernel.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the sub-kernels and their parameters, as ``part__name``.

        Returns
        -------
        dict of str to object
            Parameter names mapped to their values.
        """
        return parameters.get_params(self, deep)

    def with_params(self, **changes: Any) -> "Kernel":
        """Copy of the kernel with some parameters changed.

        Parameters
        ----------
        **changes : object
            New values by parameter name, with nested names as in `get_params`.

        Returns
        -------
        Kernel
            New kernel. The original is not modified.

        Raises
        ------
        ValueError
            If a parameter does not exist or its value is invalid.

        Examples
        --------
        >>> from mercer.kernels import RBF, Linear
        >>> (RBF() + Linear()).with_params(**{"0__gamma": 2.0})
        Sum(terms=(RBF(gamma=2.0), Linear(coef0=0.0)))
        """
        return parameters.with_params(self, changes)

    def resolve(self, X: Data, *, sample_weight: FloatArray | None = None) -> Self:
        """Replace data-dependent parameters, such as ``gamma="scale"``, by numbers computed from X.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        sample_weight : ndarray of shape (n_samples,), default=None
            Weights of the samples. None gives every sample the same weight.

        Returns
        -------
        Kernel
            Resolved kernel; self if no parameter depends on the data.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import RBF
        >>> RBF(gamma="median").resolve(np.array([[0.0], [2.0], [4.0]]))
        RBF(gamma=0.25)
        """
        with sharing():
            return self._resolve(X, sample_weight)

    def _resolve(self, X: Data, sample_weight: FloatArray | None) -> Self:
        """Resolve the kernel for an enclosing kernel, which shares the conversions of all its parts."""
        return self if self.is_resolved else self.resolved(X, sample_weight)

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter is a number, so that kernel values depend on their two samples only.

        Returns
        -------
        bool
            False if a parameter such as ``gamma="scale"`` still depends on the data.
        """
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
        """Text form of the kernel and its binding strength.

        Parameters that have their default value are omitted.

        Returns
        -------
        text : str
            The text that `mercer.kernel` reads.
        binding : int
            1 for a sum, 2 for a product, 3 for a power, 4 for a name. An enclosing kernel sets parentheses accordingly.
        """
        fields = sorted(dataclasses.fields(self), key=lambda f: bool(f.kw_only))  # type: ignore[arg-type]
        shown = [f"{f.name}={literal(getattr(self, f.name))}" for f in fields if getattr(self, f.name) != f.default]
        name = self.name or type(self).__name__
        return (f"{name}({', '.join(shown)})" if shown else name), 4

    def __str__(self) -> str:
        return self.text()[0]

    # ---- algebra

    def normalized(self) -> "Kernel":
        """Normalised kernel k(x, z)/√(k(x, x) k(z, z)), which has a unit diagonal.

        Returns
        -------
        Kernel
            `Normalized` of this kernel; self if it is normalised already.
        """
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
    """Base class of kernels on numerical vectors that are evaluated by the compiled core.

    A subclass is a frozen dataclass that defines `emit`, and usually `proof`. Class attributes declare the data it
    accepts: ``takes_sparse = False`` refuses sparse matrices, ``domain = "x ≥ 0"`` refuses negative numbers.

    Parameters
    ----------
    *args : object
        Parameters of the subclass, in the order of its fields.
    **options : object
        Parameters of the subclass, by name.

    See Also
    --------
    Kernel : Base class of all kernels.
    Builder : The operations that `emit` can push.
    Op : Sources and maps of the compiled core.

    References
    ----------
    * Schölkopf and Smola, *Learning with Kernels*, 2002.

    Examples
    --------
    The Cauchy kernel 1/(1 + ‖x − z‖²):

    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from mercer.kernels import Op
    >>> @dataclass(frozen=True)
    ... class Cauchy(VectorKernel):
    ...     def emit(self, program, X):
    ...         program.sqdist(program.vectors(self, X))
    ...         program.map(Op.rational_quadratic, 1.0, 1.0)
    >>> Cauchy()(np.array([[0.0], [1.0], [3.0]]))
    array([[1. , 0.5, 0.1],
           [0.5, 1. , 0.2],
           [0.1, 0.2, 1. ]])
    """

    reads: ClassVar[Reads] = "vectors"


def _factor(value: Any, *, divisor: bool = False) -> float:
    """Check a number by which a kernel is multiplied or divided."""
    factor = check_real("kernel algebra", "divisor" if divisor else "factor", value)
    if divisor and (factor == 0 or not math.isfinite(1 / factor)):
        raise ValueError(f"kernel algebra: cannot divide a kernel by {value!r}.")
    return factor


def literal(value: Any) -> str:
    """Parameter value in the text form.

    Numbers are as short as they round-trip, tuples become lists, strings are quoted, kernels have their text form.
    """
    if isinstance(value, Kernel):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
