"""Kernels around kernels: weights per sample, a map of the data, a choice of columns."""

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
from mercer.kernels.program import Builder, Op
from mercer.kernels.sharing import once

__all__ = ["Columns", "Map", "Weighted"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def _check_function(who: str, name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"{who}: parameter {name} must be a function of the data, got {describe(value)}.")


@final
@dataclass(frozen=True)
class Weighted(Unary):
    """f(x) k(x, z) f(z) for a real function f: PSD if k is.

    Parameters
    ----------
    f : callable
        Takes the data of n samples and returns n numbers. Import it by name if the kernel is to be saved.
    kernel : Kernel

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
        """f(x) φ(x)."""
        return scale_rows(self.kernel.features(X, options), self._weights(X))

    def _weights(self, X: Data) -> FloatArray:
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
    """k(φ(x), φ(z)) for a map φ of the data: PSD or CPD as k is.

    Parameters
    ----------
    phi : callable
        Takes the data of n samples and returns n samples that k takes, row by row. Import it by name if the kernel is
        to be saved.
    kernel : Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> Map(np.square, Linear())(np.array([[1.0, 2.0]]))  # 1 + 16
    array([[17.]])
    """

    formula: ClassVar[str] = "k(φ(x), φ(z))"
    reads: ClassVar[Reads] = "items"  # what φ takes
    takes_sparse: ClassVar[bool] = True
    phi: Callable[[Any], Any]
    kernel: Kernel

    def __post_init__(self) -> None:
        _check_function("Map", "phi", self.phi)
        check_kernel_part("Map", "kernel", self.kernel)

    def restrict(self, X: Data) -> Data:
        return once(("image", self.phi), X, lambda: self._image(X))

    def _image(self, X: Data) -> Data:
        image = self.phi(X)
        if n_samples(image) != n_samples(X):
            raise ValueError(
                f"Map: phi returned {n_samples(image)} samples for {n_samples(X)}; it must map every sample to one."
            )
        return image

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, self.restrict(X))

    def features(self, X: Data, options: Options) -> Any:
        """Features of k at φ(x)."""
        return self.kernel.features(self.restrict(X), options)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(self.restrict(X), {**options, "columns": None})  # φ makes other columns

    def text(self) -> tuple[str, int]:
        return f"map(<{_name(self.phi)}>, {self.kernel})", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner.conditional:
            return self._certify(
                inner, f"k(φ(x),φ(z)) is {inner.name} as k is: its Gram matrices are Gram matrices of k"
            )
        return self._certify(UNKNOWN, "φ may avoid the points where k fails")


@final
@dataclass(frozen=True)
class Columns(Unary):
    """k on some columns of the data: indices of arrays, names of frames and tables.

    Parameters
    ----------
    columns : int, str, slice or a sequence of them
        Which columns, in order. Negative indices count from the end, slices are of indices:
        ``Columns(slice(0, 3), k)`` has the first three columns and the text form ``k[0:3]``.
    kernel : Kernel
        The kernel on these columns.

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
        """Features of k on these columns."""
        return self.kernel.features(self.restrict(X), options)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(self.restrict(X), within("Columns", X, options, self.columns))

    def text(self) -> tuple[str, int]:
        inner, binding = self.kernel.text()
        return (inner if binding > 3 else f"({inner})") + f"[{choice_text(self.columns)}]", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner.conditional:
            return self._certify(inner, f"k on a part of x is {inner.name} as k is")
        if inner is NOT_PSD and reaches_all(self.columns):
            return self._certify(NOT_PSD, "different columns reach every point, so k fails here as it does there")
        return self._certify(UNKNOWN, "no rule for a part of x unless k is PSD or CPD")


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
