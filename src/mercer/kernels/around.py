"""Kernels around one kernel: weights per sample, maps of the data, selections of columns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from mercer._typing import Data, FloatArray
from mercer._validation import check_vector, describe
from mercer.data import n_samples, select_columns
from mercer.kernels.algebra import Unary, check_kernel_part
from mercer.kernels.base import Kernel, Reads
from mercer.kernels.column_choice import as_choice, choice_text, reaches_all
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options, scale_rows
from mercer.kernels.naming import within
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.sharing import once

__all__ = ["Columns", "Map", "Weighted"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def _check_function(who: str, name: str, value: Any) -> None:
    """Raise a TypeError if `value` cannot be called."""
    if not callable(value):
        raise TypeError(f"{who}: parameter {name} must be a function of the data, got {describe(value)}.")


@final
@dataclass(frozen=True)
class Weighted(Unary):
    """Weighted kernel  f(x) k(x, z) f(z) with a real function f of the samples.

    Parameters
    ----------
    f : callable
        Function that takes the data of n samples and returns n numbers. It must be importable by name if the kernel is
        pickled.
    kernel : Kernel
        Kernel k.

    See Also
    --------
    Scaled : Multiplication by a constant.
    Normalized : The weights f(x) = 1/√k(x, x).

    Notes
    -----
    Definiteness: PSD if k is PSD. Otherwise unknown.

    Feature map: f(x) φ(x).

    Complexity: that of k, and one call of f per data set. The kernel has no text form.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Constant
    >>> Weighted(lambda X: X[:, 0], Constant())(np.array([[2.0], [3.0]]))
    array([[4., 6.],
           [6., 9.]])
    """

    formula: ClassVar[str] = "f(x) k(x,z) f(z)"
    f: Callable[[Any], Any]
    kernel: Kernel

    def __post_init__(self) -> None:
        _check_function("Weighted", "f", self.f)
        check_kernel_part("Weighted", "kernel", self.kernel)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.outer(Op.outer_scale, self._weights(X))

    def features(self, X: Data, options: Options) -> Any:
        return scale_rows(self.kernel.features(X, options), self._weights(X))

    def _weights(self, X: Data) -> FloatArray:
        """Checked values of f, computed once per data set."""
        return once(("weights", self.f), X, lambda: check_vector("Weighted", "f(X)", self.f(X), n_samples(X)))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(X, options)

    def text(self) -> tuple[str, int]:
        return f"weighted(<{_name(self.f)}>, {self.kernel})", 4

    def proof(self) -> Certificate:
        if self.kernel.definiteness is PSD:
            return self._certify(PSD, "f(x)k(x,z)f(z) is PSD for PSD k and any real f")
        return self._certify(UNKNOWN, "no rule for f(x)k(x,z)f(z) unless k is PSD")


@final
@dataclass(frozen=True)
class Map(Unary):
    """Kernel of mapped samples  k(φ(x), φ(z)).

    Parameters
    ----------
    phi : callable
        Function that takes the data of n samples and returns n samples for the kernel, row by row. It must be
        importable by name if the kernel is pickled.
    kernel : Kernel
        Kernel k of the mapped samples.

    See Also
    --------
    Columns : Kernel on some columns of the data.
    Weighted : Multiplication by a function of each sample.

    Notes
    -----
    Definiteness: PSD or conditionally PSD if k is, because the Gram matrices are Gram matrices of k. Otherwise unknown.

    Feature map: that of k, at φ(x).

    Complexity: that of k, and one call of φ per data set. The kernel has no text form.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> Map(np.square, Linear())(np.array([[1.0, 2.0], [0.0, 1.0]]))
    array([[17.,  4.],
           [ 4.,  1.]])
    """

    formula: ClassVar[str] = "k(φ(x), φ(z))"
    reads: ClassVar[Reads] = "items"  # φ takes any samples
    takes_sparse: ClassVar[bool] = True
    phi: Callable[[Any], Any]
    kernel: Kernel

    def __post_init__(self) -> None:
        _check_function("Map", "phi", self.phi)
        check_kernel_part("Map", "kernel", self.kernel)

    def restrict(self, X: Data) -> Data:
        return once(("image", self.phi), X, lambda: self._image(X))

    def _image(self, X: Data) -> Data:
        """The mapped samples, after a check of their number."""
        image = self.phi(X)
        if n_samples(image) != n_samples(X):
            raise ValueError(
                f"Map: phi returned {n_samples(image)} samples for {n_samples(X)}; it must return one sample for each."
            )
        return image

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, self.restrict(X))

    def features(self, X: Data, options: Options) -> Any:
        return self.kernel.features(self.restrict(X), options)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(self.restrict(X), {**options, "columns": None})  # φ changes the columns

    def text(self) -> tuple[str, int]:
        return f"map(<{_name(self.phi)}>, {self.kernel})", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner.conditional:
            return self._certify(
                inner, f"k(φ(x),φ(z)) is {inner.name} as k is: its Gram matrices are Gram matrices of k"
            )
        return self._certify(UNKNOWN, "the samples on which k is not PSD may not occur as φ(x)")


@final
@dataclass(frozen=True)
class Columns(Unary):
    """Kernel on some columns of the data, written ``k[age, income]`` in the text form.

    Parameters
    ----------
    columns : int, str, slice or sequence of them
        Columns in order: indices of arrays, names of data frames and tables, slices of indices. Negative indices count
        from the end. ``Columns(slice(0, 3), k)`` selects the first three columns and has the text form ``k[0:3]``.
    kernel : Kernel
        Kernel on these columns.

    See Also
    --------
    Map : Kernel of samples mapped by a function.
    Sum : Sum of kernels, for example on different columns.

    Notes
    -----
    Definiteness: PSD or conditionally PSD if k is. Not PSD if k is not and the columns are distinct. Otherwise unknown.

    Feature map: that of k on the columns.

    Complexity: that of k on the columns.

    References
    ----------
    * Haussler, *Convolution kernels on discrete structures*, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> (Columns([0], Linear()) * Columns([1], Linear()))(np.array([[2.0, 3.0]]))
    array([[36.]])
    >>> Columns(slice(1, None), Linear())(np.array([[2.0, 3.0, 4.0]]))
    array([[25.]])
    """

    name: ClassVar[str] = "[]"
    formula: ClassVar[str] = "k(x_S, z_S)"
    columns: Any
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_choice("Columns", self.columns))
        check_kernel_part("Columns", "kernel", self.kernel)

    def restrict(self, X: Data) -> Data:
        return once(("columns", self.columns), X, lambda: select_columns(X, self.columns, "Columns"))

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, self.restrict(X))

    def features(self, X: Data, options: Options) -> Any:
        return self.kernel.features(self.restrict(X), options)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(self.restrict(X), within("Columns", X, options, self.columns))

    def text(self) -> tuple[str, int]:
        inner, binding = self.kernel.text()
        return (inner if binding > 3 else f"({inner})") + f"[{choice_text(self.columns)}]", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner.conditional:
            return self._certify(inner, f"the restriction of a {inner.name} kernel to some columns is {inner.name}")
        if inner is NOT_PSD and reaches_all(self.columns):
            return self._certify(NOT_PSD, "k is not PSD, and distinct columns can take any values")
        return self._certify(UNKNOWN, "no rule for the restriction of k to some columns unless k is PSD or CPD")


def _name(function: Any) -> str:
    """Name of a function in the printed kernel."""
    return getattr(function, "__qualname__", type(function).__name__)
