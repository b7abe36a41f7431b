"""Interface between operators and stores of kernel values, such as `mercer.model_selection.GramCache`.

`BlockedOperator` looks a block up in the open store before it computes it. Without an open store the lookup only checks
an empty list. The key of a block consists of the content of its samples, the kernel and the call that computed it. A
block from the store is therefore bitwise equal to the result of the same call, and samples that were changed in place
have another key.
"""

import hashlib
import io
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np

from mercer._runtime.engine import thread_count
from mercer._typing import FloatArray, IndexArray
from mercer.kernels.base import Kernel
from mercer.kernels.prepared import Prepared
from mercer.kernels.user import User

__all__ = ["Content", "Origin", "Store", "block_key", "content", "current_store", "opened", "origin", "pair_by_pair"]

_PIECE = 1 << 26  # number of bytes hashed between two points where Ctrl-C can interrupt


class Content(NamedTuple):
    """Content of samples: a digest of their bytes, and the number of bytes."""

    digest: bytes
    nbytes: int


class Origin(NamedTuple):
    """Origin of selected samples: the digest of all samples, and the row indices of the selected ones."""

    digest: bytes
    rows: IndexArray


class Store(Protocol):
    """Interface of a store, which `mercer.model_selection.GramCache` implements."""

    exact: bool

    def block(
        self, key: Any, shape: tuple[int, ...], dtype: Any, compute: Callable[[FloatArray], Any]
    ) -> FloatArray | None:
        """Return the read-only block of a key, computed into a new array if unknown; None if it cannot be kept."""

    def keep(self, samples: Prepared, known: Content) -> None:
        """Keep samples for `find`."""

    def find(self, digest: bytes) -> Prepared | None:
        """Return samples that were kept, if their content is unchanged; else None."""


_open: list[tuple[Store, int]] = []  # with the process id, because a forked process must not wait for their locks


def current_store() -> Store | None:
    """Return the store that was opened last by any thread of this process; None if all are closed."""
    return _open[-1][0] if _open and _open[-1][1] == os.getpid() else None


@contextmanager
def opened(store: Store) -> Iterator[None]:
    """Open a store for all threads of this process until the end of the block."""
    entry = store, os.getpid()
    _open.append(entry)
    try:
        yield
    finally:
        _open[:] = [other for other in _open if other is not entry]


class _Digest(io.RawIOBase):
    """File that computes a digest of the data written to it."""

    def __init__(self) -> None:
        self.hash, self.nbytes = hashlib.blake2b(digest_size=20), 0

    def write(self, data: Any, /) -> int:
        view = memoryview(data).cast("B")
        for start in range(0, view.nbytes, _PIECE):
            self.hash.update(view[start : start + _PIECE])
        self.nbytes += view.nbytes
        return view.nbytes


def content(samples: Prepared) -> Content | None:
    """Return the digest of packed samples; None if they contain objects that cannot be pickled.

    Arrays are hashed by their bytes, other objects (containers of mercer, strings, numbers, lists) by their pickle.
    Equal samples may have different digests, which only costs time. Different samples have equal digests only if a
    user's class excludes part of its state from its pickle.
    """
    file = _Digest()
    packs = [pack for _, pack in samples.foreign]
    parts = samples.n_data, repr((samples.steps, samples.pool)), samples.operands, samples.factors, packs, samples.rows
    try:
        pickle.Pickler(file, protocol=5).dump(parts)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return None
    return Content(file.hash.digest(), file.nbytes)


def block_key(
    what: Any, left: Prepared, right: Prepared, dtype: np.dtype[Any], n_jobs: int | None
) -> tuple[Any, ...] | None:
    """Return everything that a block depends on as a key; None if that is not known."""
    ours = content(left)
    theirs = ours if right is left else content(right)
    kernel = left.kernel
    try:
        hash(kernel)
    except TypeError:  # a user's kernel whose parameters are lists or arrays
        return None
    if ours is None or theirs is None:
        return None
    return what, kernel, repr(kernel), ours.digest, theirs.digest, right is left, dtype.str, thread_count(n_jobs)


def origin(samples: Prepared, chosen: IndexArray, before: Origin | None) -> Origin | None:
    """Return the origin of a selection of samples and keep the samples in the open store; None without a store."""
    store = current_store()
    known = None if store is None or before is not None else content(samples)
    if store is None or known is None:
        return None
    store.keep(samples, known)
    return Origin(known.digest, chosen)


def pair_by_pair(samples: Prepared) -> bool:
    """Whether each value depends bitwise on its two samples alone, so that columns can be read from a wider block.

    This does not hold for distances between vectors, which are computed around the mean of the data, nor for a user's
    function that computes blocks.
    """
    return not samples.operands and all(map(_is_pair_by_pair, (kernel for kernel, _ in samples.foreign)))


def _is_pair_by_pair(kernel: Kernel) -> bool:
    from mercer.kernels.graphs.attributed import AttributedKernel  # computes distances of attributes

    if isinstance(kernel, User):
        return kernel.by == "pair"
    if isinstance(kernel, AttributedKernel):
        return False
    return kernel.fills or type(kernel).evaluate is Kernel.evaluate
