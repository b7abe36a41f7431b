"""Matrices of explicit features that are computed when they are needed."""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from mercer._typing import Data, FloatArray
from mercer.operators import tiles
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.tiles import Index, panels

__all__ = ["MappedOperator"]


@final
class MappedOperator(GramOperator):
    """Matrix φ(X) of the features of samples, computed in panels of rows and not held in memory.

    Parameters
    ----------
    features : callable
        Map from samples of shape (m, n_features) to features of shape (m, n_components).
    X : ndarray or CSR matrix of shape (m, n_features)
        Samples.
    n_components : int
        Number of features of a sample.
    memory_budget : int, default=64000000
        Maximal number of bytes of a panel.

    See Also
    --------
    LowRankOperator : Gram matrix of features that are held in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import MappedOperator
    >>> Phi = MappedOperator(lambda X: np.hstack([X, X**2]), np.array([[1.0], [2.0], [3.0]]), 2)
    >>> Phi @ np.array([1.0, 1.0])
    array([ 2.,  6., 12.])
    """

    def __init__(
        self, features: Callable[[Data], FloatArray], X: Any, n_components: int, *, memory_budget: int = MEMORY_BUDGET
    ) -> None:
        super().__init__(
            (X.shape[0], n_components),
            np.result_type(X.dtype, np.float32),
            symmetric=False,
            memory_budget=memory_budget,
            buffers=2,
        )
        self._features, self._X = features, X

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        out[...] = self._features(self._X[rows])[:, cols]

    def _diag(self) -> FloatArray:
        square = np.arange(min(self.shape))
        return self._features(self._X[: len(square)])[square, square]

    def _matmul(self, V: FloatArray) -> FloatArray:
        out = np.empty((self.shape[0], V.shape[1]))
        for rows in panels(self.shape[0], max(1, self.memory_budget // (16 * self.shape[1]))):
            out[rows] = self._features(self._X[rows]) @ V
        return out

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return tiles.rmatmul(self, V)

    def _label(self) -> str:
        return f"{self.shape[1]} features"
