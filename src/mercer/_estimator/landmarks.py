"""Landmarks of training data, selected or given."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mercer._estimator.basis import Basis, KernelBasis
from mercer._estimator.blocks.features import BlockLandmarks
from mercer._estimator.blocks.training import BlockTraining
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._estimator.samples import check_samples
from mercer._estimator.training import Training
from mercer._estimator.warn import warn
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.approximation import FittedApproximation, NystroemFactor, nystroem, select_landmarks
from mercer.approximation.samplers import SAMPLERS
from mercer.data import take

__all__ = ["landmark_features"]

_CANDIDATES = 20_000  # landmarks are selected from at most this many samples,
_PER_LANDMARK = 5  # but from at least this many for each,
_WORK = 4e10  # and from no more than this, divided by the squared number of landmarks
_SINGLE = 1e-4  # relative residual that single precision distinguishes from 0


def landmark_features(
    estimator: Any,
    training: Training,
    n_components: int,
    landmarks: Any = "rpcholesky",
    random_state: Any = None,
    *,
    tol: float = 0.0,
    reason: str = "",
) -> LandmarkFeatures:
    """Nyström features of training data.

    Parameters
    ----------
    estimator : estimator
        Estimator by whose rules given landmarks are validated.
    training : Training
        Training data.
    n_components : int
        Largest number of landmarks.
    landmarks : str or data, default="rpcholesky"
        Method of `mercer.approximation.select_landmarks`, or the landmarks.
    random_state : int, RandomState or None, default=None
        Seed of the selection.
    tol : float, default=0.0
        Relative trace of the residual at which the selection by "rpcholesky" stops.
    reason : str, default=""
        Why an approximation is used, for the record.

    Returns
    -------
    LandmarkFeatures
        Features, with those of all training samples if the selection has computed them.
    """
    who, n, rng = training.who, training.n, check_random_state(random_state)
    candidates = training.kept
    limit = max(_PER_LANDMARK * n_components, int(min(_CANDIDATES, _WORK / n_components**2)))
    if len(candidates) > limit:
        candidates = np.sort(rng.choice(candidates, limit, replace=False))
    if isinstance(landmarks, str):
        if landmarks not in SAMPLERS:
            raise ValueError(
                f"{who}: landmarks must be 'rpcholesky', 'uniform', 'kmeans++' or samples, got {landmarks!r}."
            )
        found = _selected(training, candidates, min(n_components, len(candidates)), landmarks, rng, tol)
    else:
        found = _given(estimator, training, candidates, landmarks)
    factor, basis, Z, indices, F = found
    if dropped := len(factor.dropped):
        warn(
            f"{who}: {dropped} landmarks depend on the others up to rounding and are left out, so that there are "
            f"{factor.n_components} features; use fewer landmarks, or landmarks='rpcholesky'."
        )
    curve = factor.residual_curve(np.asarray(training.gram(candidates).diag(), dtype=np.float64), F)
    r = factor.n_components
    used = factor  # whose landmarks are the samples of the basis, in their order; a copy of L only if they differ
    if not np.array_equal(factor.kept, np.arange(factor.n_landmarks)):
        used = NystroemFactor(factor.cholesky, np.arange(r), r, factor.jitter)
    fitted = FittedApproximation("nystroem", r, n, len(candidates), reason, curve / curve[0], indices)
    made = BlockLandmarks if isinstance(training, BlockTraining) else LandmarkFeatures
    if len(candidates) == n:
        return made(training, fitted, basis, Z, used, F=F)
    return made(training, fitted, basis, Z, used, sample=(candidates, F))


def _selected(
    training: Training, candidates: IndexArray, count: int, method: Any, rng: Any, tol: float
) -> tuple[NystroemFactor, Basis, Data, IndexArray | None, DoubleArray]:
    """Factor of selected landmarks, their basis, samples and indices, and the features of the candidates.

    Features of a subsample serve for the selection and for preconditioners only, so single precision is enough, unless
    it ends the selection too early.
    """
    K, options = training.gram(candidates), {"method": method, "tol": tol}
    if len(candidates) == training.n:
        found = select_landmarks(K, count, random_state=rng, **options)
    else:
        found = select_landmarks(K, count, random_state=rng, dtype="float32", **options)
        if len(found) < count and tol < _SINGLE:
            found = select_landmarks(K, count, random_state=rng, **options)
    factor = nystroem(K, found)
    known = found.factor is not None and not len(factor.dropped)
    F: Any = found.factor if known else factor.features(K, columns=found.indices)
    indices = candidates[found.indices[factor.kept]]
    Z, basis = training.landmarks(indices)
    return factor, basis, Z, indices, F


def _given(
    estimator: Any, training: Training, candidates: IndexArray, landmarks: Any
) -> tuple[NystroemFactor, Basis, Data, IndexArray | None, DoubleArray]:
    """Return as `_selected` does, for landmarks that were given."""
    if not isinstance(training.basis, KernelBasis) or training.kernel is None:
        raise ValueError(
            f"{training.who}: landmarks must be 'rpcholesky', 'uniform' or 'kmeans++' with kernel='precomputed', got "
            f"{describe(landmarks)}."
        )
    Z = check_samples(estimator, training.kernel, landmarks, reset=False, dtypes=estimator._dtypes)
    basis = KernelBasis(training.kernel, Z)
    factor = nystroem(basis.gram(training.n_jobs))
    F: Any = factor.features(basis.rows(training.packed(candidates), training.n_jobs))
    return factor, basis.select(factor.kept), take(Z, factor.kept), None, F
