"""Shared type aliases."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
DoubleArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.int64]
Data: TypeAlias = Any  # data of a kernel: arrays, CSR matrices, frames, tables, lists of objects
