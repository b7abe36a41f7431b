"""Reduced spaces of faces fitted without one image, for each image in turn.

All images are written once in coordinates of their principal components, rows z of an array Z with ZᵀZ = diag(λ).
Without image i, and centred at the mean of the others, the scatter matrix is

    S_i = diag(λ) − w z_i z_iᵀ,  w = n/(n − 1),

a rank-one change. So no fold decomposes an n × n matrix again, and n folds cost O(n³k) in total for k components.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from mercer._typing import DoubleArray, IndexArray
from mercer.faces.downdate import downdated
from mercer.solvers.discriminant import indicators
from mercer.solvers.principal import principal_components

__all__ = ["GramSpectrum", "discriminant_space", "gram_spectrum", "principal_space"]

_EPS = float(np.finfo(np.float64).eps)
_ZERO = 1e-12  # relative size below which an eigenvalue counts as zero, as in mercer.solvers.principal


@dataclass(frozen=True, eq=False)
class GramSpectrum:
    """Eigendecomposition V diag(λ) Vᵀ of a centred Gram matrix, without zero eigenvalues.

    Parameters
    ----------
    values : ndarray of shape (r,)
        Eigenvalues λ, descending.
    scores : ndarray of shape (n_images, r)
        Z = V√λ, the coordinates of the images along their principal components.
    """

    values: DoubleArray
    scores: DoubleArray

    @property
    def weight(self) -> float:
        """w = n/(n − 1)."""
        return len(self.scores) / (len(self.scores) - 1)


def gram_spectrum(K: DoubleArray) -> GramSpectrum:
    """Return the eigendecomposition of a Gram matrix, which is overwritten."""
    found = principal_components(K, len(K), positive=True)
    return GramSpectrum(found.values, found.vectors * np.sqrt(found.values))


def principal_space(spectrum: GramSpectrum, i: int, k: int, *, whiten: bool = False) -> DoubleArray:
    """Return the coordinates (n, k) of all images along the first k components of all but image i.

    They are determined up to a shift and signs. With `whiten`, all coordinates have the same variance; those without
    variance are zero.
    """
    values, axes = downdated(spectrum.values, spectrum.scores[i], spectrum.weight, k)
    if whiten:
        positive = values > _ZERO * spectrum.values[0]
        axes = axes * np.divide(1.0, np.sqrt(values), where=positive, out=np.zeros(k))
    return np.asarray(spectrum.scores @ axes)


def discriminant_space(spectrum: GramSpectrum, label: IndexArray, i: int, reg: float) -> DoubleArray:
    """Return the projections of all images onto the discriminant directions of all but image i, up to a shift.

    The result has shape (n, at most c − 1). Let S_b = QᵀQ, where the rows of Q are √l_j times the centred class means,
    and μ = reg·tr(S_w)/(n − 1). The directions solve S_b v = θ (S_i + μI) v. They follow from an eigenproblem of size
    c, Q(S_i + μI)⁻¹Qᵀe = θe and v = (S_i + μI)⁻¹Qᵀe, with vᵀ(S_w + μI)v = θ(1 − θ). The inverse is that of a diagonal
    matrix plus a rank-one change.
    """
    Z, z = spectrum.scores, spectrum.scores[i]
    others = np.arange(len(Z)) != i
    _, number = np.unique(label[others], return_inverse=True)  # the person on image i may have no other image
    member = indicators(number, int(number.max()) + 1)
    size = member.sum(axis=0)[:, None]
    Q = (member.T @ Z[others] / size + z / (len(Z) - 1)) * np.sqrt(size)  # the mean of the others is −z/(n − 1)
    total = float(spectrum.values.sum() - spectrum.weight * z @ z)
    within = total - float(np.vdot(Q, Q))
    mu = reg * (within if within > len(Z) * _EPS * total else total) / (len(Z) - 1)
    inverse = 1 / (spectrum.values + mu)
    solved, pull = Q * inverse, z * inverse
    solved += np.outer(solved @ z, pull) / (1 / spectrum.weight - z @ pull)
    share, rotation = eigh(solved @ Q.T)
    kept = share > len(Z) * _EPS
    share, rotation = share[kept][::-1], rotation[:, kept][:, ::-1]
    rotation = rotation / np.sqrt(share * np.maximum(1 - share, _EPS))
    return np.asarray(Z @ (solved.T @ rotation))
