"""Cache of Gram matrices for searches over parameters that do not change the kernel."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple, Self, final

import numpy as np

from mercer._runtime.limits import SHARE, available_memory, format_bytes
from mercer._typing import FloatArray
from mercer._validation import check_flag, check_integer, describe
from mercer._words import OneWord
from mercer.kernels.prepared import Prepared
from mercer.operators.reuse import Content, content, opened

__all__ = ["GramCache"]

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


class _Entry(NamedTuple):
    """Block of kernel values or set of samples, with its size in bytes."""

    value: Any
    nbytes: int


@final
class GramCache(OneWord):
    r"""Cache that computes each Gram matrix once for all fits and predictions inside a ``with`` block.

    A grid search over C, alpha or any other parameter that does not change the kernel fits the same folds many times.
    While a cache is open, each Gram matrix of training samples, and each matrix between test and training samples, is
    computed once per fold and kernel. The key of a matrix is the content of its samples and the kernel with all
    parameters resolved, so that samples changed in place never receive outdated values.

    Parameters
    ----------
    max_bytes : int or str, default="1GB"
        Maximal size of all matrices together, as a number of bytes or with a unit (kB, MB, GB, TB). The least recently
        used matrices are dropped to make room. A matrix larger than `max_bytes` is computed without the cache.
    exact : bool, default=True
        Whether every result is bitwise equal to the result without the cache. True excludes computations that do not
        form a Gram matrix: products and rows of kernels on vectors, which the core computes on the fly (predictions of
        all models, fits of support vector machines). False: these read the cached matrix, too. Predictions then differ
        by rounding, and support vector machines within their tolerance.

    Attributes
    ----------
    max_bytes : int
        Maximal size of all matrices together in bytes.
    exact : bool
        Whether results are bitwise equal to those without the cache.
    hits : int
        Number of matrices read from the cache.
    misses : int
        Number of matrices computed and stored.
    skipped : int
        Number of matrices computed but not stored, because they are too large or their samples cannot be pickled.
    evictions : int
        Number of matrices dropped to make room.
    nbytes : int
        Present size of the cache in bytes.

    See Also
    --------
    mercer.operators.gram : Gram matrix as an operator.

    Notes
    -----
    The open cache is used by all threads of the process (``n_jobs=1``, or joblib's threading backend). Worker
    processes, which joblib starts by default for ``n_jobs > 1``, do not use it and compute every matrix. The matrices
    are released at the end of the ``with`` block. The counters are kept.

    A hit costs hashing the samples and copying the matrix. Samples other than arrays and containers of mercer are
    hashed by their pickle. A function as kernel must depend on its two arguments alone. It is the same kernel only if
    it is the same object; an instance with ``__call__`` is copied by `sklearn.model_selection.GridSearchCV` and is
    therefore never the same.

    Support vector machines use a whole matrix of a kernel on strings, trees or graphs, or of a kernel in Python, only
    if it fits into their `cache_size`. Otherwise they compute rows, which are not cached.

    Examples
    --------
    Eight values of C on three folds need three training matrices, three matrices of test against training samples, and
    one matrix for the refit on all samples:

    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mercer.model_selection import GramCache
    >>> from mercer.svm import SVC
    >>> words = ["GATTACA", "GATTTACA", "CATTAGA", "GATACA", "GATTA", "ATTACA"] * 2
    >>> words += ["CCGTCC", "CGTCCG", "TCCGTC", "CCGTC", "GTCCGT", "CCCGTC"] * 2
    >>> y = np.repeat([0, 1], 12)
    >>> search = GridSearchCV(SVC(kernel="subsequence(p=2, decay=0.7)"), {"C": np.logspace(-3, 4, 8)}, cv=3)
    >>> with GramCache("100MB") as cache:
    ...     search = search.fit(words, y)
    >>> cache
    GramCache: 0 bytes of 100.0 MB; 42 hits, 7 misses, 0 skipped, 0 evictions
    """

    def __init__(self, max_bytes: int | str = "1GB", *, exact: bool = True) -> None:
        self.max_bytes = _read_bytes(max_bytes)
        self.exact = check_flag("GramCache", "exact", exact)
        self.hits = self.misses = self.skipped = self.evictions = self.nbytes = 0
        self._entries: OrderedDict[Any, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._computing: dict[Any, threading.RLock] = {}
        self._blocks: list[ExitStack] = []

    def __enter__(self) -> Self:
        stack = ExitStack()
        stack.enter_context(opened(self))
        self._blocks.append(stack)
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks.pop().close()
        if not self._blocks:
            self.clear()

    def clear(self) -> None:
        """Release all matrices and keep the counters."""
        with self._lock:
            self._entries.clear()
            self.nbytes = 0

    def __len__(self) -> int:
        return sum(isinstance(entry.value, np.ndarray) for entry in list(self._entries.values()))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return (
            f"GramCache: {format_bytes(self.nbytes)} of {format_bytes(self.max_bytes)}; {self.hits} hits, "
            f"{self.misses} misses, {self.skipped} skipped, {self.evictions} evictions"
        )

    # ---- interface for operators

    def block(
        self, key: Any, shape: tuple[int, ...], dtype: Any, compute: Callable[[FloatArray], Any]
    ) -> FloatArray | None:
        """Return the block of a key, which is computed at the first call.

        Threads that request the same block wait for the first of them.

        Parameters
        ----------
        key : hashable or None
            Everything that the block depends on; None if that is not known.
        shape : tuple of int
            Shape of the block.
        dtype : dtype
            Type of its numbers.
        compute : callable
            Function that writes the block into an array.

        Returns
        -------
        ndarray or None
            Read-only block; None if it cannot be kept.
        """
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if key is None or not self._has_room(nbytes):
            self._count("skipped")
            return None
        with self._lock:
            alone = self._computing.setdefault(key, threading.RLock())
        try:
            with alone:
                known = self._find(key)
                if known is None:
                    known = np.empty(shape, dtype)
                    compute(known)
                    known.flags.writeable = False
                    self._put(key, _Entry(known, nbytes))
                    self._count("misses")
                else:
                    self._count("hits")
        finally:
            with self._lock:
                self._computing.pop(key, None)
        return known  # type: ignore[no-any-return]

    def keep(self, samples: Prepared, known: Content) -> None:
        """Keep samples from which a model selects some, for the matrix between new samples and all of them.

        Parameters
        ----------
        samples : Prepared
            Samples prepared by a kernel.
        known : Content
            Digest and size of the samples.
        """
        if known.nbytes <= self.max_bytes:
            self._put(("samples", known.digest), _Entry(samples, known.nbytes))

    def find(self, digest: bytes) -> Prepared | None:
        """Return samples that were kept.

        Parameters
        ----------
        digest : bytes
            Digest of the samples.

        Returns
        -------
        Prepared or None
            Samples; None if they were dropped or changed in place.
        """
        samples: Prepared | None = self._find(("samples", digest))
        if samples is None:
            return None
        now = content(samples)
        return samples if now is not None and now.digest == digest else None

    # ---- entries

    def _count(self, what: str) -> None:
        with self._lock:
            setattr(self, what, getattr(self, what) + 1)

    def _has_room(self, nbytes: int) -> bool:
        if nbytes > self.max_bytes:
            return False
        available = available_memory()
        return available is None or nbytes <= SHARE * available

    def _find(self, key: Any) -> Any:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry.value

    def _put(self, key: Any, entry: _Entry) -> None:
        with self._lock:
            if not self._blocks:  # the cache was closed while a thread was computing
                return
            old = self._entries.pop(key, None)
            self.nbytes += entry.nbytes - (0 if old is None else old.nbytes)
            self._entries[key] = entry
            while self.nbytes > self.max_bytes:
                _, dropped = self._entries.popitem(last=False)
                self.nbytes -= dropped.nbytes
                self.evictions += isinstance(dropped.value, np.ndarray)


def _read_bytes(value: Any) -> int:
    """Return a number of bytes from a number or a string with a unit.

    >>> _read_bytes("2GB"), _read_bytes("1.5 MB"), _read_bytes(800)
    (2000000000, 1500000, 800)
    """
    if not isinstance(value, str):
        return check_integer("GramCache", "max_bytes", value, low=1)
    text = value.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    try:
        number = float(digits) * _UNITS[text[len(digits) :].strip()]
        if not 1 <= number < 2**63:
            raise ValueError
    except (ValueError, KeyError):
        raise ValueError(
            f"GramCache: parameter max_bytes must be a positive number of bytes, such as 500_000_000 or '500MB' (units "
            f"kB, MB, GB, TB), got {describe(value)}."
        ) from None
    return int(number)
