"""Face recognition methods: a reduced space with nearest-neighbour classification."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_real, describe
from mercer.faces.projections import Discriminant, Method, Principal
from mercer.faces.spaces import GramSpectrum, principal_space
from mercer.kernels import RBF, Kernel, Linear, Polynomial

__all__ = ["ICA", "METHODS", "Eigenface", "Fisherface", "KernelEigenface", "KernelFisherface"]


_SQUARE = Polynomial(degree=2)
_GAUSSIAN = RBF(gamma="median")


def _named(kernel: Kernel) -> str:
    """Return the degree of a polynomial kernel, "Gaussian" for the default RBF kernel, else the text form."""
    if kernel == _GAUSSIAN:
        return "Gaussian"
    return f"degree {kernel.degree}" if kernel == Polynomial(degree=getattr(kernel, "degree", 1)) else str(kernel)


def _check_kernel(who: str, kernel: Any) -> None:
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{who}: parameter kernel must be a kernel of mercer.kernels, got {describe(kernel)}.")


@final
@dataclass(frozen=True)
class Eigenface(Principal):
    """Face recognition by eigenfaces: principal components of the pixels.

    See Also
    --------
    KernelEigenface : Principal components in feature space.
    Fisherface : Discriminant directions.
    eigenfaces : The components as images.

    References
    ----------
    * Turk and Pentland, *Eigenfaces for recognition*, Journal of Cognitive Neuroscience 3, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface
    >>> X, y = load_digits(return_X_y=True)
    >>> round(Eigenface().model(20).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]), 3)
    0.957
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "Eigenface"


@final
@dataclass(frozen=True)
class ICA(Principal):
    """Face recognition by independent components, architecture II (independent coefficients).

    FastICA whitens the first k principal components and rotates them. A rotation does not change Euclidean distances,
    so the nearest neighbours are those of whitened principal components, which are computed instead. In architecture I,
    with the mean subtracted from each image, the coefficients are a rotation of those of `Eigenface`.

    See Also
    --------
    Eigenface : The same components without whitening.

    References
    ----------
    * Bartlett, Movellan and Sejnowski, *Face recognition by independent component analysis*, IEEE Transactions on
      Neural Networks 13, 2002.

    Examples
    --------
    Distances equal those of scikit-learn's FastICA:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import FastICA
    >>> import numpy as np
    >>> from mercer.faces import ICA
    >>> X = load_digits().data[:300]
    >>> a, b = FastICA(5, random_state=0).fit_transform(X), ICA().model(5)[:-1].fit_transform(X)
    >>> [np.linalg.norm(Z[1:4] - Z[0], axis=1).round(4).tolist() for Z in (a, b)]
    [[4.5114, 3.9802, 3.8176], [4.5114, 3.9802, 3.8176]]
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "ICA"

    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:  # noqa: ARG002
        """Return the coordinates of all images in the space fitted to all but image i, up to a shift.

        Parameters
        ----------
        spectrum : GramSpectrum
            Eigendecomposition of the centred Gram matrix of all images.
        label : ndarray of shape (n_images,)
            Person number of each image.
        i : int
            Image that is left out.
        k : int
            Number of components.

        Returns
        -------
        ndarray of shape (n_images, n_coordinates)
            Coordinates, at least the first k that exist.
        """
        return principal_space(spectrum, i, k, whiten=True)

    def reduction(self, n_components: int) -> list[Any]:
        """Return the transformers that map images to the reduced space.

        Parameters
        ----------
        n_components : int
            Number of components.

        Returns
        -------
        list of estimators
            Unfitted transformers, in the order of the pipeline.
        """
        from sklearn.preprocessing import StandardScaler

        return [*super().reduction(n_components), StandardScaler(with_mean=False)]


@final
@dataclass(frozen=True)
class Fisherface(Discriminant):
    """Face recognition by Fisherfaces: linear discriminant directions of the pixels.

    There are fewer images than pixels, so the scatter within persons S_w is singular. Belhumeur et al. project onto n −
    c principal components, which keeps directions of almost no variance. This class uses S_w + μI instead.

    Parameters
    ----------
    reg : float, default=0.1
        Penalty μ relative to the mean scatter within persons, as in `mercer.discriminant.KernelDiscriminantAnalysis`.

    See Also
    --------
    KernelFisherface : Discriminant directions in feature space.
    Eigenface : Principal components.
    fisherfaces : The directions as images.

    References
    ----------
    * Belhumeur, Hespanha and Kriegman, *Eigenfaces vs. Fisherfaces: recognition using class specific linear
      projection*, IEEE Transactions on Pattern Analysis and Machine Intelligence 19, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Fisherface
    >>> X, y = load_digits(return_X_y=True)
    >>> round(Fisherface().model(9).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]), 3)
    0.926
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "Fisherface"
    reg: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "reg", check_real("Fisherface", "reg", self.reg, low=0.0, strict=True))


@final
@dataclass(frozen=True)
class KernelEigenface(Principal):
    """Face recognition by kernel eigenfaces: principal components in feature space.

    Parameters
    ----------
    kernel : Kernel, default=Polynomial(degree=2, gamma=1.0, coef0=1.0)
        Kernel for images scaled to a mean squared norm of 1, see `face_vectors`.

    See Also
    --------
    Eigenface : The linear method.
    KernelFisherface : Discriminant directions in feature space.
    mercer.decomposition.KernelPCA : The decomposition.

    References
    ----------
    * Yang, *Face recognition using kernel methods*, Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import KernelEigenface, face_vectors
    >>> digits = load_digits()
    >>> X, y = face_vectors(digits.images), digits.target
    >>> round(KernelEigenface().model(20).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]), 3)
    0.96
    """

    kernel: Kernel = _SQUARE

    def __post_init__(self) -> None:
        _check_kernel("KernelEigenface", self.kernel)

    @property
    def name(self) -> str:
        """Name of the method in tables, with the kernel."""
        return f"Kernel Eigenface, {_named(self.kernel)}"


@final
@dataclass(frozen=True)
class KernelFisherface(Discriminant):
    """Face recognition by kernel Fisherfaces: discriminant directions in feature space.

    Parameters
    ----------
    kernel : Kernel, default=RBF(gamma='median')
        Kernel for images scaled to a mean squared norm of 1, see `face_vectors`.
    reg : float, default=0.1
        Penalty relative to the mean scatter within persons, see `Fisherface`.

    See Also
    --------
    Fisherface : The linear method.
    KernelEigenface : Principal components in feature space.
    mercer.discriminant.KernelDiscriminantAnalysis : The decomposition.

    References
    ----------
    * Yang, *Face recognition using kernel methods*, Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import KernelFisherface, face_vectors
    >>> digits = load_digits()
    >>> X, y = face_vectors(digits.images), digits.target
    >>> round(KernelFisherface().model(9).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]), 3)
    0.972
    """

    kernel: Kernel = _GAUSSIAN
    reg: float = 0.1

    def __post_init__(self) -> None:
        _check_kernel("KernelFisherface", self.kernel)
        object.__setattr__(self, "reg", check_real("KernelFisherface", "reg", self.reg, low=0.0, strict=True))

    @property
    def name(self) -> str:
        """Name of the method in tables, with the kernel."""
        return f"Kernel Fisherface, {_named(self.kernel)}"


METHODS: tuple[Method, ...] = (
    ICA(),
    Eigenface(),
    Fisherface(),
    KernelEigenface(_SQUARE),
    KernelEigenface(Polynomial(degree=3)),
    KernelFisherface(_SQUARE),
    KernelFisherface(_GAUSSIAN),
)
