"""Mixin of kernels with parts, parameters and a text form."""

import dataclasses
from typing import TYPE_CHECKING, Any, Self, TypeVar

from mercer._typing import Data, FloatArray
from mercer.kernels import params as parameters
from mercer.kernels.bandwidth import RULES
from mercer.kernels.sharing import sharing

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Parametrised", "literal"]

K = TypeVar("K", bound="Kernel")


class Parametrised:
    """Mixin of kernels whose parameters are the fields of a dataclass, and whose parts are other kernels."""

    def parts(self) -> "dict[str, Kernel]":
        """Sub-kernels of a composite kernel, by name.

        Returns
        -------
        dict of str to Kernel
            Empty for leaves. The names are the first components of nested parameter names.
        """
        return {}

    def with_parts(self: K, parts: "dict[str, Kernel]") -> K:  # type: ignore[misc]
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

    def get_params(self: "Kernel", deep: bool = True) -> dict[str, Any]:  # type: ignore[misc]
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

    def with_params(self: "Kernel", **changes: Any) -> "Kernel":  # type: ignore[misc]
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

    def resolve(self: K, X: Data, *, sample_weight: FloatArray | None = None) -> K:  # type: ignore[misc]
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

    def _resolve(self: K, X: Data, sample_weight: FloatArray | None) -> K:  # type: ignore[misc]
        """Resolve the kernel for an enclosing kernel, which shares the conversions of all its parts."""
        return self if self.is_resolved else self.resolved(X, sample_weight)

    @property
    def is_resolved(self: "Kernel") -> bool:  # type: ignore[misc]
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

    def text(self: "Kernel") -> tuple[str, int]:  # type: ignore[misc]
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

    def __str__(self: "Kernel") -> str:  # type: ignore[misc]
        return self.text()[0]


def literal(value: Any) -> str:
    """Parameter value in the text form.

    Numbers are as short as they round-trip, tuples become lists, strings are quoted, kernels have their text form.
    """
    if isinstance(value, Parametrised):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
