"""What an automatic model remembers of its training rows: hashes, to recognise them among the rows of a prediction."""

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer.auto.evaluation.identical import graph_hashes, hash_rows, mixed, segment_sums
from mercer.data import Graphs, Strings, Table, Trees, n_samples
from mercer.data.hashing.categories import text_codes
from mercer.data.hashing.texts import HashArray

__all__ = ["MOST", "TrainedRows", "sample_hashes"]

MOST = 20_000  # hashes that a model keeps, 160 kB


def sample_hashes(samples: Data) -> HashArray:
    """64-bit hash of every prepared sample, the same in every process; equal samples have equal hashes.

    Parameters
    ----------
    samples : ndarray, sparse matrix, Table, Graphs, Strings or Trees
        Samples as `TablePreparer` returns them. Numbers are rounded to float32.

    Returns
    -------
    ndarray of uint64 of shape (n_samples,)
        Hashes.

    Examples
    --------
    >>> a, b = sample_hashes(Strings(["ox", "cow"])), sample_hashes(Strings(["cow"]))
    >>> bool(a[1] == b[0]), bool(a[0] == a[1])
    (True, False)
    """
    if isinstance(samples, Graphs):
        return graph_hashes(samples)
    if isinstance(samples, Trees):
        nodes = hash_rows(np.column_stack([samples.labels, samples.sizes.astype(np.uint64)]))
        return mixed(segment_sums(nodes * _places(samples.offsets), samples.offsets))
    if isinstance(samples, Table):
        columns = [(column.kind, column.values) for column in samples.columns]
    elif isinstance(samples, Strings):
        columns = [("text", samples.to_list())]
    elif sp.issparse(samples):
        rows = sp.csr_array(samples).copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        cells = hash_rows(np.column_stack([rows.indices.astype(np.uint64), _bits(rows.data)]))
        return mixed(segment_sums(cells, rows.indptr))
    else:
        columns = [("number", column) for column in np.asarray(samples, dtype=np.float64).T]
    found = [_bits(values) if kind in ("number", "category") else _texts(values) for kind, values in columns]
    return hash_rows(np.column_stack(found)) if found else np.zeros(n_samples(samples), dtype=np.uint64)


def _bits(values: Data) -> HashArray:
    """Bit patterns of numbers as float32, so that rounding errors of the preparation do not count."""
    with np.errstate(over="ignore"):
        rounded = np.asarray(values, dtype=np.float64).astype(np.float32) + np.float32(0)  # -0.0 becomes 0.0
    return rounded.view(np.uint32).astype(np.uint64)


def _texts(values: Data) -> HashArray:
    return text_codes(value if isinstance(value, str) else repr(value) for value in values).view(np.uint64)


def _places(offsets: Data) -> HashArray:
    """An odd number for every place in a part, so that a sum depends on the order."""
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return mixed(places) | np.uint64(1)


class TrainedRows:
    """Mixin of automatic models: recognises training rows.

    A model keeps the smallest `MOST` hashes of its training samples, no values. If there are more, only samples whose
    hashes are at most as large as the largest one kept are compared: a random share of all samples, and the same one
    in every data set.
    """

    _row_hashes: HashArray | None = None
    _all_hashes = True

    def _remember(self, samples: Data) -> None:
        """Keep the hashes of prepared training samples."""
        hashes = np.unique(sample_hashes(samples))
        self._row_hashes, self._all_hashes = hashes[:MOST].copy(), len(hashes) <= MOST

    def _recognised(self, samples: Data) -> tuple[int, int]:
        """Number of prepared samples that equal a training sample, and of those that could be compared."""
        kept = self._row_hashes
        if kept is None or not len(kept):  # a file of an earlier version
            return 0, 0
        hashes = sample_hashes(samples)
        if not self._all_hashes:
            hashes = hashes[hashes <= kept[-1]]
        return int(np.isin(hashes, kept).sum()), len(hashes)
