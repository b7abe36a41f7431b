"""Base classes of all kernels.

A kernel is an immutable value: it has parameters, an algebra and a certificate of definiteness, but no data. A new
kernel is a frozen dataclass with one method: `pair` for two samples, `evaluate` for blocks of samples, or `emit`, which
writes a program for the compiled core. `Kernel` provides everything else.
"""

from types import FunctionType
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from mercer._typing import Data, FloatArray
from mercer._validation import Rebuilt
from mercer.data import as_items, take
from mercer.exceptions import NoFeatureMapError
from mercer.kernels.certified import Certified
from mercer.kernels.combinable import Combinable
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.differentiable import Differentiable
from mercer.kernels.evaluable import Evaluable
from mercer.kernels.keywords import InitSignature, check_keywords
from mercer.kernels.naming import located
from mercer.kernels.notebook import Displayed
from mercer.kernels.parametrised import Parametrised
from mercer.kernels.program import Builder
from mercer.kernels.sharing import once

__all__ = ["Kernel", "Reads"]

Reads: TypeAlias = Literal["vectors", "codes", "items"]


class Kernel(Rebuilt, Evaluable, Parametrised, Combinable, Certified, Differentiable, Displayed):
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
