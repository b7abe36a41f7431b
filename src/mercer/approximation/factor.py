"""Nyström features of samples from their kernel values with landmarks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._runtime.factors import solve_triangle
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_rows
from mercer.operators import GramOperator
from mercer.operators.tiles import panels

__all__ = ["NystroemFactor"]


@final
@dataclass(frozen=True, eq=False)
class NystroemFactor:
    """Nyström features φ̂(x) = L⁻¹ k(Z, x) for landmarks Z with K_ZZ = LLᵀ. `nystroem` creates it.

    The approximate kernel k̂(x, z) = ⟨φ̂(x), φ̂(z)⟩ is exact if x or z is a landmark, and K − K̂ is positive semidefinite.
    The first j features are those of the first j landmarks that are used.

    Parameters
    ----------
    cholesky : ndarray of shape (r, r)
        Lower triangular factor L, in column-major order.
    kept : ndarray of shape (r,)
        Positions of the landmarks that are used, in the order of the features.
    n_landmarks : int
        Number m of landmarks, including those that are not used.
    jitter : float, default=0.0
        Number that was added to the diagonal of K_ZZ.

    See Also
    --------
    nystroem : Create a factor from the Gram matrix of landmarks.
    select_landmarks : Select landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import nystroem
    >>> from mercer.operators import gram
    >>> X = np.linspace(0, 3, 4)[:, None]
    >>> factor = nystroem(gram("rbf(gamma=1)", X[::2]))
    >>> F = factor.features(gram("rbf(gamma=1)", X, X[::2]))
    >>> F.round(3)
    array([[1.   , 0.   ],
           [0.368, 0.361],
           [0.018, 1.   ],
           [0.   , 0.368]])
    """

    cholesky: DoubleArray
    kept: IndexArray
    n_landmarks: int
    jitter: float = 0.0

    def __post_init__(self) -> None:
        own = np.array(self.cholesky, order="F")
        for j in range(1, len(own)):  # np.tril would make a mask, and two more copies
            own[:j, j] = 0.0
        object.__setattr__(self, "cholesky", own)

    def __repr__(self) -> str:
        unused = self.n_landmarks - self.n_components
        return f"NystroemFactor: {self.n_components} features" + (f", {unused} landmarks unused" if unused else "")

    @property
    def n_components(self) -> int:
        """Number r of features.

        Returns
        -------
        int
            Number of landmarks that are used.
        """
        return len(self.kept)

    @property
    def dropped(self) -> IndexArray:
        """Positions of the landmarks that are not used, because they depend on the others up to rounding.

        Returns
        -------
        ndarray of shape (m - r,)
            Positions, ascending.
        """
        return np.setdiff1d(np.arange(self.n_landmarks), self.kept)

    def blocks(self, K: GramOperator, *, columns: Any = None) -> Iterator[tuple[slice, DoubleArray]]:
        """Compute the features in blocks of rows within the memory budget of the operator.

        Parameters
        ----------
        K : GramOperator of shape (n, m)
            Kernel values of samples with the landmarks.
        columns : array-like of shape (m,), default=None
            Columns of K that belong to the landmarks, if it has others too; None means all.

        Yields
        ------
        rows : slice
            Rows of the block.
        F : ndarray of shape (n_rows, r)
            Their features, in memory of their own.
        """
        used = self._used(K, columns)
        for rows in panels(K.shape[0], max(1, K.memory_budget // (16 * self.n_landmarks))):
            F = np.empty((rows.stop - rows.start, self.n_components))
            self._write(K, rows, used, F)
            yield rows, F

    def features(self, K: GramOperator, *, columns: Any = None, dtype: Any = "float64") -> FloatArray:
        """Compute the features of samples.

        Parameters
        ----------
        K : GramOperator of shape (n, m)
            Kernel values of samples with the landmarks.
        columns : array-like of shape (m,), default=None
            Columns of K that belong to the landmarks, if it has others too; None means all.
        dtype : {"float64", "float32"}, default="float64"
            Type of the result. They are computed in float64.

        Returns
        -------
        ndarray of shape (n, r)
            Features F = K L⁻ᵀ, so that K̂ = FFᵀ.
        """
        used = self._used(K, columns)
        shape = K.shape[0], self.n_components
        require_memory(
            np.dtype(dtype).itemsize * shape[0] * shape[1],
            what=f"{K.who}: {shape[0]} x {shape[1]} Nyström features",
            instead="Use fewer landmarks, or compute the features in blocks.",
        )
        out = np.empty(shape, dtype=dtype)
        if out.dtype != np.float64:
            for rows, F in self.blocks(K, columns=columns):
                out[rows] = F
            return out
        for rows in panels(shape[0], max(1, K.memory_budget // (8 * self.n_landmarks))):
            self._write(K, rows, used, out[rows])
        return out

    def coefficients(self, w: Any) -> DoubleArray:
        """Coefficients over the landmarks of the function f(x) = ⟨w, φ̂(x)⟩ = Σ_j c_j k(z_j, x).

        Parameters
        ----------
        w : array-like of shape (r,) or (r, n_outputs)
            Weights of the features.

        Returns
        -------
        ndarray of shape (m,) or (m, n_outputs)
            Coefficients c = L⁻ᵀw; 0 for landmarks that are not used.
        """
        own = np.array(w, dtype=np.float64, order="F")
        coef = np.zeros((self.n_landmarks, *own.shape[1:]))
        coef[self.kept] = solve_triangle(self.cholesky, own, transposed=True)
        return coef

    def residual_diag(self, diag: FloatArray, F: FloatArray) -> DoubleArray:
        """Diagonal of K − K̂: squared distances in feature space to the span of the landmarks.

        Parameters
        ----------
        diag : ndarray of shape (n,)
            Values k(x, x).
        F : ndarray of shape (n, r)
            Features of the same samples.

        Returns
        -------
        ndarray of shape (n,)
            Residuals, at least 0.
        """
        left: DoubleArray = diag - np.einsum("ij,ij->i", F, F, dtype=np.float64)
        return np.maximum(left, 0.0)

    def residual_curve(self, diag: FloatArray, F: FloatArray) -> DoubleArray:
        """Traces tr(K − K̂_j) of the residual for the first j = 0, …, r landmarks that are used.

        Parameters
        ----------
        diag : ndarray of shape (n,)
            Values k(x, x).
        F : ndarray of shape (n, r)
            Features of the same samples.

        Returns
        -------
        ndarray of shape (r + 1,)
            Traces, descending, at least 0.
        """
        explained = np.cumsum(np.einsum("ij,ij->j", F, F, dtype=np.float64))
        trace = float(np.sum(diag, dtype=np.float64))
        left: DoubleArray = np.append(trace, trace - explained)
        return np.maximum(left, 0.0)

    def _used(self, K: GramOperator, columns: Any) -> slice | IndexArray:
        """Columns of K that belong to the landmarks that are used."""
        if columns is not None:
            columns = check_rows("NystroemFactor", columns, K.shape[1], name="columns")
        count = K.shape[1] if columns is None else len(columns)
        if count != self.n_landmarks:
            raise ValueError(
                f"NystroemFactor: expected one column of K for each of {self.n_landmarks} landmarks, got {count}; use "
                "mercer.operators.gram(kernel, X, Z), or pass columns=."
            )
        if columns is not None:
            return columns[self.kept]  # type: ignore[no-any-return]
        return slice(None) if np.array_equal(self.kept, np.arange(count)) else self.kept

    def _write(self, K: GramOperator, rows: slice, columns: slice | IndexArray, out: DoubleArray) -> None:
        if K.dtype == np.float64:
            K.block(rows, columns, out=out)
        else:
            out[...] = K.block(rows, columns)
        solve_triangle(self.cholesky, out.T)
