"""Consecutive rows of a data set."""

import zlib
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._typing import FloatArray

__all__ = ["Block"]


@final
@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows of a data set, with their targets and weights.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows, of type float32 or float64.
    y : ndarray of shape (n_rows,) or (n_rows, n_targets), default=None
        Targets of the rows.
    weight : ndarray of shape (n_rows,), default=None
        Weights of the rows.
    start : int, default=0
        Number of the first row in the whole data set.
    index : int, default=0
        Number of the block.

    See Also
    --------
    BlockSource : Data set that is read in blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data import Block
    >>> Block(np.zeros((3, 2)), start=10, index=4)
    Block 4: rows 10 to 12, 2 columns
    """

    X: FloatArray
    y: Any = None
    weight: FloatArray | None = None
    start: int = 0
    index: int = 0

    def __repr__(self) -> str:
        n, d = self.X.shape
        rows = f"rows {self.start} to {self.start + n - 1}" if n else "no rows"
        return f"Block {self.index}: {rows}, {d} columns"

    def __len__(self) -> int:
        return len(self.X)

    @property
    def rows(self) -> slice:
        """Place of the rows in the whole data set.

        Returns
        -------
        slice
            Row numbers.
        """
        return slice(self.start, self.start + len(self.X))

    @property
    def fingerprint(self) -> int:
        """Checksum of the first and the last row, by which another pass recognises the block.

        Returns
        -------
        int
            Checksum; 0 for an empty block.
        """
        return zlib.crc32(np.ascontiguousarray(self.X[[0, -1]]).tobytes()) if len(self.X) else 0
