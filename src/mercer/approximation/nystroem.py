"""Nyström approximation of a kernel from landmarks."""

from typing import Any

import numpy as np

from mercer._runtime.factors import try_cholesky
from mercer._words import one_word
from mercer.approximation.factor import NystroemFactor
from mercer.approximation.landmarks import Landmarks
from mercer.approximation.partial_cholesky import as_double
from mercer.approximation.samplers import CholeskySampler
from mercer.operators import as_operator

__all__ = ["nystroem"]

_WELL = 4  # times eps^(2/3) k(z, z): larger pivots can be trusted in any order


@one_word
def nystroem(K: Any, landmarks: Landmarks | None = None) -> NystroemFactor:
    """Create the Nyström approximation of a kernel from landmarks.

    Parameters
    ----------
    K : GramOperator or array-like
        Symmetric Gram matrix: of the landmarks, of shape (m, m), or, if `landmarks` is given, of the samples from which
        they were selected, of shape (n, n).
    landmarks : Landmarks, default=None
        Result of `select_landmarks`.

    Returns
    -------
    NystroemFactor
        Map from kernel values with the landmarks to features.

    Raises
    ------
    NotPositiveDefiniteError
        If the Gram matrix of the landmarks is not positive semidefinite.

    See Also
    --------
    NystroemFactor : The result.
    select_landmarks : Select landmarks.
    mercer.kernel_approximation.Nystroem : Transformer for pipelines.

    Notes
    -----
    L is the Cholesky factor of K_ZZ + δI in float64 with δ = ε tr(K_ZZ)/m, where ε is the precision of the kernel
    values. If landmarks nearly depend on those before them, pivots are chosen at random as in `select_landmarks`, the
    features are in the order of the pivots, and δ = 0. Landmarks whose residual given the pivots is below 128 ε k(z, z)
    are then not used, and are listed in `NystroemFactor.dropped`. For landmarks of "rpcholesky", L is known from the
    selection and δ = 0.

    References
    ----------
    * Williams and Seeger, *Using the Nyström method to speed up kernel machines*, NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import nystroem, select_landmarks
    >>> from mercer.operators import gram
    >>> X = np.linspace(0, 4, 50)[:, None]
    >>> K = gram("rbf(gamma=0.5)", X)
    >>> landmarks = select_landmarks(K, 8, method="uniform", random_state=0)
    >>> factor = nystroem(K, landmarks)
    >>> F = factor.features(gram("rbf(gamma=0.5)", X, X[landmarks.indices]))
    >>> (factor.residual_curve(K.diag(), F)[[0, 2, 4]] / 50).round(3)
    array([1.   , 0.352, 0.04 ])
    """
    if landmarks is not None and landmarks.factor is not None and landmarks.factor.dtype == np.float64:
        m = len(landmarks)
        return _checked(NystroemFactor(as_double(landmarks.factor[landmarks.indices]), np.arange(m), m))
    operator = as_operator("nystroem", K)
    operator = operator if landmarks is None else operator.take(landmarks.indices)
    m, eps = operator.shape[0], float(np.finfo(operator.dtype).eps)
    A = operator.array(buffers=2)
    diag = A.diagonal().copy()
    jitter = eps * float(diag.sum()) / m
    A[np.diag_indices(m)] += jitter
    L = A.T  # column-major
    if not try_cholesky(L) and (L.diagonal() ** 2 > _WELL * eps ** (2 / 3) * diag).all():
        return NystroemFactor(L, np.arange(m), m, jitter)
    sampler = CholeskySampler(operator, np.random.default_rng(0))
    sampler.extend(operator, m, 0.0)
    kept = np.array(sampler.indices, dtype=np.int64)
    return _checked(NystroemFactor(as_double(sampler.cholesky.F[kept]), kept, m))


def _checked(factor: NystroemFactor) -> NystroemFactor:
    if not factor.n_components:
        raise ValueError("nystroem: k(z, z) is 0 for all landmarks, so there are no features; use another kernel.")
    return factor
