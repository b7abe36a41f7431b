"""Refusal of kernels that are not positive semidefinite."""

import numpy as np

from mercer._runtime.factors import try_cholesky
from mercer.kernels.validity import ROUNDING, check_gram
from mercer.operators import GramOperator

__all__ = ["require_psd"]


def require_psd(who: str, name: str, K: GramOperator) -> None:
    """Raise ValueError if K has negative eigenvalues beyond rounding, in n³/3 operations."""
    K.who = who
    A = K.array(buffers=2)
    n, eps = len(A), float(np.finfo(K.dtype).eps)
    size = float(np.abs(A).max()) or 1.0
    A /= size
    A.flat[:: n + 1] += ROUNDING * n * eps * float(np.linalg.norm(A))
    if not try_cholesky(A.T):
        return
    report = check_gram(K.dense())
    if not report.is_psd:
        raise ValueError(
            f"{who}: {name} is not positive semidefinite on these samples: its eigenvalues range from "
            f"{report.min_eigenvalue:.3g} to {report.max_eigenvalue:.3g}, so a weighted sum with it has no "
            "certificate; leave it out, or repair its matrix with mercer.kernels.repair and pass kernels='precomputed'."
        )
