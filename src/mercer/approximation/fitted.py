"""Record of the approximation that a fit used."""

import math
from dataclasses import dataclass
from typing import Literal

from mercer._typing import DoubleArray, IndexArray
from mercer.approximation.fourier import FourierMap

__all__ = ["FittedApproximation"]


@dataclass(frozen=True, eq=False)
class FittedApproximation:
    """Approximation of the kernel that a fit used, stored by estimators as ``approximation_``.

    Parameters
    ----------
    method : {"nystroem", "random_fourier"}
        Nyström features of landmarks, or random Fourier features.
    n_components : int
        Number of features, which is the number of landmarks for "nystroem".
    n_samples : int
        Number of training samples.
    n_candidates : int
        Number of training samples from which the landmarks were selected.
    reason : str
        Why an approximation of this size was used.
    residual_curve : ndarray of shape (n_components + 1,), default=None
        Relative traces tr(K − K̂_j)/tr K of the residual for the first j = 0, … landmarks, where K is the Gram matrix of
        the candidates. None for random features.
    indices : ndarray of shape (n_components,), default=None
        Indices of the landmarks among the training samples; None if they were given, and for random features.
    map : FourierMap, default=None
        Random features; None for "nystroem".

    See Also
    --------
    mercer.kernel_approximation.Nystroem : Options of Nyström features.
    mercer.kernel_approximation.RandomFourierFeatures : Options of random features.
    mercer.solvers.Solution : Certificate of a fit, with a bound on the error of the approximation.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelRidge
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = KernelRidge(kernel="rbf", gamma=0.5, approximation=40).fit(X, X[:, 0] ** 2)
    >>> model.approximation_
    FittedApproximation: Nyström, 40 landmarks for 500 samples, relative residual 0.0024
    >>> model.approximation_.reason
    'approximation=40'
    """

    method: Literal["nystroem", "random_fourier"]
    n_components: int
    n_samples: int
    n_candidates: int
    reason: str
    residual_curve: DoubleArray | None = None
    indices: IndexArray | None = None
    map: FourierMap | None = None

    def __repr__(self) -> str:
        return f"FittedApproximation: {self}"

    def __str__(self) -> str:
        if self.method == "random_fourier":
            return f"{self.n_components} random Fourier features for {self.n_samples} samples"
        residual = f"relative residual {self.residual_trace:.2g}"
        return f"Nyström, {self.n_components} landmarks for {self.n_samples} samples, {residual}"

    @property
    def residual_trace(self) -> float:
        """Relative error tr(K − K̂)/tr K of the approximation, on the candidates; NaN for random features.

        Returns
        -------
        float
            Last entry of `residual_curve`.
        """
        return math.nan if self.residual_curve is None else float(self.residual_curve[-1])
