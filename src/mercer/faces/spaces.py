r"""Spaces of faces in which one image had no part, for one image after the other.

All images are written once in coordinates of their principal components, rows z of an array Z with ZᵀZ = diag(λ). About
the mean of the others, the scatter matrix without image i is

    S_i = diag(λ) − w z_i z_iᵀ,  w = n/(n − 1),

a change of rank one. So no fold decomposes a matrix of size n again, and n folds take O(n³k) in all for k components.
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
_ZERO = 1e-12  # times the largest: an eigenvalue that is zero, as in `mercer.solvers.principal`


@dataclass(frozen=True, eq=False)
class GramSpectrum:
    """Eigendecomposition V diag(λ) Vᵀ of a centred Gram matrix, without the eigenvalues that are zero.

    Attributes
    ----------
    values : ndarray of float64, shape (r,)
        Eigenvalues λ, descending.
    scores : ndarray of float64, shape (n, r)
        Z = V√λ, the coordinates of the images along their principal components.
    """

    values: DoubleArray
    scores: DoubleArray

    @property
    def weight(self) -> float:
        """w = n/(n − 1)."""
        return len(self.scores) / (len(self.scores) - 1)


def gram_spectrum(K: DoubleArray) -> GramSpectrum:
    """All components of a Gram matrix, which is destroyed."""
    found = principal_components(K, len(K), positive=True)
    return GramSpectrum(found.values, found.vectors * np.sqrt(found.values))


def principal_space(spectrum: GramSpectrum, i: int, k: int, *, whiten: bool = False) -> DoubleArray:
    """Coordinates (n, k) of all images along the k first components of all but image i, up to a shift and signs.

    With `whiten` all coordinates have the same variance; those of no variance are zero.
    """
    values, axes = downdated(spectrum.values, spectrum.scores[i], spectrum.weight, k)
    if whiten:
        positive = values > _ZERO * spectrum.values[0]
        axes = axes * np.divide(1.0, np.sqrt(values), where=positive, out=np.zeros(k))
    return np.asarray(spectrum.scores @ axes)


def discriminant_space(spectrum: GramSpectrum, label: IndexArray, i: int, reg: float) -> DoubleArray:
    r"""Projections (n, at most c − 1) of all images on the discriminant directions of all but image i, up to a shift.

    With S_b = QᵀQ, rows of Q being √l_j times centred class means, and μ = reg·tr(S_w)/(n − 1), directions solve
    S_b v = θ (S_i + μI) v. They come from an eigenproblem of size c: Q(S_i + μI)⁻¹Qᵀe = θe, v = (S_i + μI)⁻¹Qᵀe, with
    vᵀ(S_w + μI)v = θ(1 − θ). The inverse is that of a diagonal matrix and a change of rank one.
    """
    Z, z = spectrum.scores, spectrum.scores[i]
    others = np.arange(len(Z)) != i
    _, number = np.unique(label[others], return_inverse=True)  # the class of i may have no other image
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
