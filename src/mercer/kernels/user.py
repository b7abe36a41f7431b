"""Kernels from functions of the user, for any data.

A function of two samples::

    from mercer.kernels import RBF, user

    def shared(a, b):
        return len(set(a) & set(b))

    k = user(shared, definiteness="psd")
    k(["abc", "bcd"])

A class, which also prints, compares and has parameters, and a text form with `register`::

    @dataclass(frozen=True)
    class Shared(Kernel):
        weight: float = 1.0

        def pair(self, a, b):  # or evaluate(self, A, B) for whole blocks
            return self.weight * len(set(a) & set(b))

Both can be combined with other kernels: ``0.5 * k + 1``, ``k.normalized()``, ``Columns("word", k)``.
"""

import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import as_csr, as_dense, describe
from mercer.data import as_items, n_samples, take
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness

__all__ = ["User", "user"]


class _Items:
    """Samples with their row numbers in the whole data set, for error messages."""

    def __init__(self, data: Any, rows: Any = None) -> None:
        self.data = data
        self.rows = range(n_samples(data)) if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        rows = np.arange(len(self))[index]
        if rows.ndim == 0:
            return self.data[rows]
        return _Items(take(self.data, rows), np.asarray(self.rows)[rows])


def _items(A: Any) -> _Items:
    """Samples with row numbers, converted if necessary."""
    return A if isinstance(A, _Items) else _Items(as_items(A))


@final
@dataclass(frozen=True)
class User(Kernel):
    """Kernel computed by a Python function, made by `user`.

    Parameters
    ----------
    function : callable
        Symmetric function. It must be importable by name if the kernel is pickled.
    by : {"pair", "block"}, default="pair"
        Whether the function takes two samples or two sets of samples.
    label : str, default=""
        Name to print. The name of the function if empty.
    declared : Definiteness or str, default=Definiteness.UNKNOWN
        Definiteness declared by the user. The certificate states that it is declared, not proved.
    caller : str, default=""
        Name of the estimator that received the function, for error messages. It is neither compared nor printed.

    See Also
    --------
    user : Make such a kernel.
    Kernel : Base class of kernels, for kernels with parameters.
    mercer.testing.check_kernel : Test the declared definiteness on a sample.

    Notes
    -----
    Definiteness: as declared. Feature map: none. Complexity: n(n+1)/2 calls of a function of two samples for the Gram
    matrix of n samples, one call per block for a function of two sets. The kernel has no text form.

    References
    ----------
    * Schölkopf and Smola, *Learning with Kernels*, 2002.

    Examples
    --------
    >>> k = User(lambda a, b: abs(len(a) - len(b)), label="lengths")
    >>> print(k)
    user(<lengths>)
    >>> k(["ox", "horse"])
    array([[0., 3.],
           [3., 0.]])
    """

    formula: ClassVar[str] = "f(x, z)"
    function: Callable[[Any, Any], Any]
    by: Literal["pair", "block"] = "pair"
    label: str = ""
    declared: Definiteness | str = Definiteness.UNKNOWN
    caller: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"User: function must be callable, got {describe(self.function)}.")
        if self.by not in ("pair", "block"):
            raise ValueError(f"User: parameter by must be 'pair' or 'block', got {self.by!r}.")
        if not isinstance(self.label, str):
            raise TypeError(f"User: the name must be a string, got {describe(self.label)}.")
        known = {d.value: d for d in Definiteness}
        declared = self.declared.value if isinstance(self.declared, Definiteness) else self.declared
        if not isinstance(declared, str) or declared not in known:
            names = ", ".join(map(repr, known))
            raise ValueError(f"User: definiteness must be one of {names}, got {describe(declared)}.")
        object.__setattr__(self, "declared", known[declared])

    @property
    def may_vanish(self) -> bool:
        return True

    def pack(self, X: Data) -> _Items:
        if self.by == "block" and sp.issparse(X):
            return _Items(as_csr(str(self), X))  # a function of two sets takes a sparse matrix as a whole
        return _Items(super().pack(X))

    def pair(self, a: Any, b: Any) -> float:
        if self.by == "pair":
            return self._value(a, b, 0, 0)
        return float(self._block(_items([a]), _items([b]))[0, 0])

    def evaluate(self, A: Any, B: Any) -> FloatArray:
        left = _items(A)
        right = left if B is A else _items(B)
        if self.by == "block":
            return self._block(left, right)
        K = np.empty((len(left), len(right)))
        for i, row in enumerate(left.rows):
            for j in range(i if right is left else 0, len(right)):
                K[i, j] = self._value(left.data[i], right.data[j], row, right.rows[j])
                if right is left:
                    K[j, i] = K[i, j]
        return K

    def evaluate_pairs(self, A: Any, B: Any) -> FloatArray:
        left, right = _items(A), _items(B)
        if self.by == "block":
            return super().evaluate_pairs(left, right)
        pairs = zip(left.data, right.data, left.rows, right.rows, strict=True)
        return np.array([self._value(*pair) for pair in pairs], dtype=np.float64)

    def _value(self, a: Any, b: Any, i: int, j: int) -> float:
        """Checked value of a function of two samples; i and j are row numbers for error messages."""
        try:
            value = self.function(a, b)
        except Exception as error:
            raise self._failed(error, f"samples {i} and {j}") from error
        scalar = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
        if not isinstance(scalar, (numbers.Real, np.bool_)):
            where = f"for samples {i} and {j}"
            raise TypeError(f"{self}: expected a number {where}, got {describe(value)}. {self._how_called()}")
        return self._finite(float(scalar), i, j)

    def _block(self, A: _Items, B: _Items) -> FloatArray:
        """Checked block of a function of two sets of samples."""
        try:
            K = self.function(A.data, B.data)
        except Exception as error:
            raise self._failed(error, f"a block of {len(A)} x {len(B)} samples") from error
        K = as_dense(str(self), K, name="K")
        if K.shape != (len(A), len(B)):
            raise ValueError(
                f"{self}: expected a block of shape ({len(A)}, {len(B)}) for these samples, got {describe(K)}. "
                f"{self._how_called()}"
            )
        if K.dtype.kind not in "fiub":
            raise TypeError(f"{self}: expected a block of real numbers, got dtype {K.dtype}.")
        for i, j in np.argwhere(~np.isfinite(K))[:1]:
            self._finite(float(K[i, j]), A.rows[i], B.rows[j])
        return np.asarray(K)

    def _finite(self, value: float, i: int, j: int) -> float:
        """Return the value, or raise a ValueError if it is not finite."""
        if not np.isfinite(value):
            raise ValueError(
                f"{self}: the function returned {value} for samples {i} and {j}, expected a finite number."
            )
        return value

    def _failed(self, error: Exception, where: str) -> ValueError:
        """Error to raise if the function raised an exception."""
        what = f"{type(error).__name__} for {where}: {error}"
        return ValueError(f"{self}: the function raised {what}. {self._how_called()}")

    def _how_called(self) -> str:
        """How the function is called, and how to choose the other way."""
        with_what = {"pair": "two samples, f(a, b)", "block": "two sets of samples, f(A, B)"}
        other = "block" if self.by == "pair" else "pair"
        return (
            f"{self.caller or 'This kernel'} calls the function with {with_what[self.by]}; for a function of "
            f"{with_what[other]}, use mercer.kernels.user({other}=f)."
        )

    def text(self) -> tuple[str, int]:
        name = self.label or getattr(self.function, "__qualname__", type(self.function).__name__)
        return f"user(<{name}>)", 4

    def proof(self) -> Certificate:
        if self.declared is Definiteness.UNKNOWN:
            return super().proof()
        return self._certify(Definiteness(self.declared), "declared by the user, not proved")


def user(
    pair: Callable[[Any, Any], Any] | None = None,
    *,
    block: Callable[[Any, Any], Any] | None = None,
    name: str | None = None,
    definiteness: Definiteness | Literal["psd", "cpd", "not_psd", "unknown"] = "unknown",
) -> User:
    """Make a kernel from a symmetric function of two samples, or of two sets of samples.

    Parameters
    ----------
    pair : callable, default=None
        ``pair(a, b)`` returns the number k(a, b). A sample is a row of an array or an item of a list. The function is
        called n(n+1)/2 times for the Gram matrix of n samples.
    block : callable, default=None
        ``block(A, B)`` returns the array of shape (n_A, n_B) of values for two arrays or lists of samples. Exactly one
        of `pair` and `block` is required.
    name : str, default=None
        Name to print. None means the name of the function.
    definiteness : {"psd", "cpd", "not_psd", "unknown"}, default="unknown"
        Definiteness of the kernel. The certificate states that it is declared, not proved.
        `mercer.testing.check_kernel` tests it on a sample.

    Returns
    -------
    User
        The kernel.

    See Also
    --------
    Kernel : Base class of kernels, for kernels with parameters.
    mercer.testing.check_kernel : Test that a kernel obeys the contract.
    find_counterexample : Search for data that refute a declared definiteness.

    Examples
    --------
    >>> import numpy as np
    >>> k = user(lambda a, b: len(set(a) & set(b)), name="letters", definiteness="psd")
    >>> (k + 1)(["abc", "bcd"])
    array([[4., 3.],
           [3., 4.]])
    >>> print(k.certificate())
    user(<letters>) — PSD: declared by the user, not proved
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> user(block=lambda A, B: A @ B.T)(X)
    array([[ 5., 11.],
           [11., 25.]])
    """
    if (pair is None) == (block is None):
        raise TypeError(
            f"user: expected one of pair and block, got {'neither' if pair is None else 'both'}; "
            "pair(a, b) takes two samples, block(A, B) two sets of samples."
        )
    if block is not None:
        return User(block, "block", "" if name is None else name, definiteness)
    return User(pair, "pair", "" if name is None else name, definiteness)  # type: ignore[arg-type]
