"""Landmarks: samples that represent all others in a Nyström approximation."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_integer, check_real
from mercer.approximation.samplers import Sampler
from mercer.operators import as_operator

__all__ = ["Landmarks", "checked_count", "landmarks_of"]


@final
@dataclass(frozen=True, eq=False)
class Landmarks:
    """Landmarks that were selected from n samples. `select_landmarks` creates it.

    The landmarks are nested: the first j of them are landmarks that the same method selects for ``n_landmarks=j``.

    Parameters
    ----------
    indices : ndarray of shape (m,)
        Indices of the landmarks among the samples, in the order of selection.
    residuals : ndarray of shape (m + 1,)
        Traces tr(K − K̂_j) of the residual of the Nyström approximation with the first j = 0, …, m landmarks. NaN for
        j > 0 if they are not known, see `NystroemFactor.residual_curve`.
    trace : float
        Trace of K.
    method : {"rpcholesky", "uniform", "kmeans++"}
        Method of selection.
    n_samples : int
        Number n of samples from which the landmarks were selected.
    sampler : object
        State of the selection, which `grow` continues.
    factor : ndarray of shape (n, m), default=None
        Nyström features F of all samples, K̂ = FFᵀ. None if they are not known.

    See Also
    --------
    select_landmarks : Select landmarks.
    nystroem : Nyström approximation for landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import select_landmarks
    >>> from mercer.operators import gram
    >>> K = gram("rbf(gamma=0.5)", np.linspace(0, 4, 50)[:, None])
    >>> landmarks = select_landmarks(K, 4, random_state=0)
    >>> landmarks
    Landmarks: 4 of 50 by rpcholesky, relative residual 0.026
    >>> (landmarks.residuals / landmarks.trace).round(3)
    array([1.   , 0.68 , 0.395, 0.145, 0.026])
    """

    indices: IndexArray
    residuals: DoubleArray
    trace: float
    method: str
    n_samples: int
    sampler: Sampler
    factor: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        text = f"Landmarks: {len(self)} of {self.n_samples} by {self.method}"
        return text if np.isnan(self.residuals[-1]) else f"{text}, relative residual {self.relative_residual:.2g}"

    @property
    def relative_residual(self) -> float:
        """Share tr(K − K̂)/tr K of the trace that the landmarks leave; NaN if it is unknown.

        Returns
        -------
        float
            A number in [0, 1].
        """
        return float(self.residuals[-1] / self.trace) if self.trace > 0 else 0.0

    def grow(self, K: Any, n_landmarks: int, *, tol: float = 0.0) -> "Landmarks":
        """Continue the selection. The result equals one call of `select_landmarks` with more landmarks.

        Parameters
        ----------
        K : GramOperator or array-like of shape (n, n)
            The Gram matrix from which the landmarks were selected.
        n_landmarks : int
            Number of landmarks in all.
        tol : float, default=0.0
            Relative trace of the residual at which "rpcholesky" stops.

        Returns
        -------
        Landmarks
            These landmarks and the new ones. This object does not change.
        """
        who = "Landmarks.grow"
        operator = as_operator(who, K)
        if operator.shape[0] != self.n_samples:
            raise ValueError(
                f"{who}: K has {operator.shape[0]} rows, but the landmarks were selected from {self.n_samples} "
                "samples; pass the same Gram matrix."
            )
        count = checked_count(who, n_landmarks, self.n_samples, low=len(self))
        sampler = self.sampler.copied()
        sampler.extend(operator, count, check_real(who, "tol", tol, low=0.0))
        return landmarks_of(sampler, self.trace, self.method, self.n_samples)


def checked_count(who: str, n_landmarks: Any, n: int, *, low: int) -> int:
    """Number of landmarks, from `low` to n."""
    count = check_integer(who, "n_landmarks", n_landmarks, low=low)
    if count > n:
        raise ValueError(f"{who}: n_landmarks={count} must be at most the number of samples, {n}; lower it.")
    return count


def landmarks_of(sampler: Sampler, trace: float, method: str, n: int) -> Landmarks:
    """Landmarks that a sampler has selected from n samples."""
    indices = np.array(sampler.indices, dtype=np.int64)
    known = sampler.cholesky
    if known is not None:
        return Landmarks(indices, np.array(known.curve), trace, method, n, sampler, known.F[:, : known.size])
    residuals = np.append(trace, np.full(len(indices), np.nan))
    return Landmarks(indices, residuals, trace, method, n, sampler)
