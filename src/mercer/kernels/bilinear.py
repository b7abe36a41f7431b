"""Bilinear forms xᵀAz."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import check_vectors
from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options, root, vectors
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["Bilinear"]

PSD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


@final
@dataclass(frozen=True)
class Bilinear(VectorKernel):
    """Bilinear form  k(x, z) = xᵀ A z with a symmetric matrix A.

    Parameters
    ----------
    A : array-like of shape (n_features, n_features), default=((1.0,),)
        Symmetric matrix. The kernel is PSD if and only if A has no negative eigenvalue. Stored as a tuple of rows, so
        that kernels can be compared and hashed.

    See Also
    --------
    Linear : The case A = I.
    Map : Kernel of transformed samples.

    Notes
    -----
    Definiteness: PSD if all eigenvalues of A are nonnegative, up to rounding. Otherwise not PSD: an eigenvector v of a
    negative eigenvalue gives k(v, v) < 0.

    Feature map: φ(x) = Rᵀx with A = RRᵀ, from the eigenvectors of A. It has as many features as A has rank.

    Complexity: XA is computed once in O(nD²). After that, one value costs O(D) and a Gram matrix O(n²D). Sparse
    matrices are not accepted.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> k = Bilinear([[2.0, 1.0], [1.0, 2.0]])
    >>> k(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[2., 1.],
           [1., 2.]])
    >>> k.definiteness.value, Bilinear([[0.0, 1.0], [1.0, 0.0]]).definiteness.value
    ('psd', 'not_psd')
    """

    name: ClassVar[str] = "bilinear"
    formula: ClassVar[str] = "xᵀAz"
    takes_sparse: ClassVar[bool] = False
    A: Any = ((1.0,),)

    def __post_init__(self) -> None:
        A = check_vectors("Bilinear", self.A, name="parameter A")
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"Bilinear: parameter A must be a square matrix, got shape {A.shape}.")
        A = A.toarray() if sp.issparse(A) else A
        if not np.array_equal(A, A.T):
            raise ValueError(
                "Bilinear: parameter A must be symmetric, got a matrix that differs from its transpose; "
                "pass (A + A.T)/2 to use its symmetric part."
            )
        object.__setattr__(self, "A", tuple(tuple(float(v) for v in row) for row in A))

    @property
    def matrix(self) -> FloatArray:
        """The matrix A as an array.

        Returns
        -------
        ndarray of shape (n_features, n_features)
            The symmetric matrix.
        """
        return np.array(self.A)

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        left = program.once(("times", self.A), array, lambda: self._times(array, self.matrix))
        program.dot(array, left=left)

    def _times(self, array: FloatArray, factor: FloatArray) -> FloatArray:
        """The samples times a matrix, after a check of the number of features."""
        if len(factor) != array.shape[1]:
            raise ValueError(
                f"Bilinear: A is {len(factor)} x {len(factor)} but X has {array.shape[1]} features; give A one row and "
                "one column per feature."
            )
        return np.ascontiguousarray(array @ factor.astype(array.dtype))

    def features(self, X: Data, options: Options) -> Any:
        proof = self.proof()
        if proof.definiteness is not PSD:
            raise NotPositiveDefiniteError(
                f"Bilinear: {proof.rule}, so it has no real features; use a symmetric A with eigenvalues >= 0."
            )
        return self._times(vectors("Bilinear", X, dense=True), root(self.matrix))

    @property
    def may_vanish(self) -> bool:
        return not self.matrix.any()

    def proof(self) -> Certificate:
        A = self.matrix
        values = np.linalg.eigvalsh(A)
        lowest = float(values[0])
        if lowest >= -10 * len(A) * np.finfo(float).eps * max(float(abs(values).max()), 0.0):
            return self._certify(PSD, "xᵀAz with A symmetric and no negative eigenvalue (to rounding)")
        return self._certify(NOT_PSD, f"A has the eigenvalue {lowest:g}; its eigenvector v gives k(v,v) < 0")
