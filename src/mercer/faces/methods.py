"""Methods of face recognition: a reduced space, in which the nearest image decides."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, final

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_real, describe
from mercer.faces.spaces import GramSpectrum, discriminant_space, principal_space
from mercer.kernels import RBF, Kernel, Linear, Polynomial

__all__ = ["ICA", "METHODS", "Eigenface", "Fisherface", "KernelEigenface", "KernelFisherface", "Method"]


_SQUARE = Polynomial(degree=2)
_GAUSSIAN = RBF(gamma="median")


def _named(kernel: Kernel) -> str:
    """Polynomials by their degree, the Gaussian of the median width by its name, others as they print."""
    if kernel == _GAUSSIAN:
        return "Gaussian"
    return f"degree {kernel.degree}" if kernel == Polynomial(degree=getattr(kernel, "degree", 1)) else str(kernel)


def _check_kernel(who: str, kernel: Any) -> None:
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{who}: parameter kernel must be a kernel of mercer.kernels, got {describe(kernel)}.")


class Method(ABC):
    """A reduced space of images, and the rule of the nearest neighbour in it.

    A value: it holds parameters, never images. `model` gives an ordinary estimator for images as rows;
    `mercer.faces.leave_one_out` tries the method on every image without the others' being decomposed again.
    """

    reg: float | None = None  # of discriminant methods

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """In whose feature space the images are reduced."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As tables print it."""

    @abstractmethod
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:
        """Most components of a space in which one image had no part."""

    @abstractmethod
    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:
        """Coordinates of all images, the first k or more, in the space made from all but image i; up to a shift."""

    @abstractmethod
    def reduction(self, n_components: int) -> list[Any]:
        """The transformers that take images to the reduced space."""

    @final
    def model(self, n_components: int) -> Any:
        """A pipeline with `fit`, `predict` and `score` for images as rows."""
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*self.reduction(n_components), KNeighborsClassifier(1))


class _Principal(Method):
    """Components of the images, whoever they show."""

    @final
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:  # noqa: ARG002
        return min(len(spectrum.values), len(spectrum.scores) - 2)

    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:  # noqa: ARG002
        return principal_space(spectrum, i, k)

    def reduction(self, n_components: int) -> list[Any]:
        from mercer.decomposition import KernelPCA

        return [KernelPCA(n_components, kernel=self.kernel)]


class _Discriminant(Method):
    """Directions that part the persons."""

    reg: float

    @final
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:
        return min(len(spectrum.values), n_persons - 1)

    @final
    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:  # noqa: ARG002
        return discriminant_space(spectrum, label, i, self.reg)

    @final
    def reduction(self, n_components: int) -> list[Any]:
        from mercer.discriminant import KernelDiscriminantAnalysis

        return [KernelDiscriminantAnalysis(n_components, kernel=self.kernel, reg=self.reg)]


@final
@dataclass(frozen=True)
class Eigenface(_Principal):
    """Principal components of images (Turk and Pentland 1991).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> Eigenface().model(20).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.95
    True
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "Eigenface"


@final
@dataclass(frozen=True)
class ICA(_Principal):
    """Independent components of images, architecture II: coefficients are independent, not pixels (Bartlett 2002).

    FastICA whitens the k first principal components and rotates them. A rotation changes no Euclidean distance, so the
    nearest neighbours are those of whitened principal components, and that is what is computed. (In architecture I,
    with each image minus its mean, the coefficients are a rotation of those of Eigenface itself.)

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import FastICA
    >>> import numpy as np
    >>> X = load_digits().data[:300]
    >>> a, b = FastICA(5, random_state=0).fit_transform(X), ICA().model(5)[:-1].fit_transform(X)
    >>> distances = [np.linalg.norm(Z[:, None] - Z, axis=2) for Z in (a, b)]
    >>> bool(np.allclose(*distances, rtol=1e-6))
    True
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "ICA"

    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:  # noqa: ARG002
        return principal_space(spectrum, i, k, whiten=True)

    def reduction(self, n_components: int) -> list[Any]:
        from sklearn.preprocessing import StandardScaler

        return [*super().reduction(n_components), StandardScaler(with_mean=False)]


@final
@dataclass(frozen=True)
class Fisherface(_Discriminant):
    """Linear discriminant directions of images (Belhumeur, Hespanha and Kriegman 1997).

    There are fewer images than pixels, so S_w is singular. Instead of a projection on n − c principal components, which
    keeps directions of almost no spread, S_w + μI takes its place.

    Parameters
    ----------
    reg : float
        μ relative to the mean scatter within persons, as in `mercer.discriminant.KernelDiscriminantAnalysis`.
    """

    kernel: ClassVar[Kernel] = Linear()
    name: ClassVar[str] = "Fisherface"
    reg: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "reg", check_real("Fisherface", "reg", self.reg, low=0.0, strict=True))


@final
@dataclass(frozen=True)
class KernelEigenface(_Principal):
    """Principal components in the feature space of a kernel (Yang 2001).

    Parameters
    ----------
    kernel : Kernel
        For images whose mean squared norm is 1, which is the unit of `gamma` in ``Polynomial``.
    """

    kernel: Kernel = _SQUARE

    def __post_init__(self) -> None:
        _check_kernel("KernelEigenface", self.kernel)

    @property
    def name(self) -> str:
        """With the kernel."""
        return f"Kernel Eigenface, {_named(self.kernel)}"


@final
@dataclass(frozen=True)
class KernelFisherface(_Discriminant):
    """Discriminant directions in the feature space of a kernel (Yang 2001).

    Parameters
    ----------
    kernel : Kernel
        For images whose mean squared norm is 1.
    reg : float
        As of `Fisherface`.
    """

    kernel: Kernel = _GAUSSIAN
    reg: float = 0.1

    def __post_init__(self) -> None:
        _check_kernel("KernelFisherface", self.kernel)
        object.__setattr__(self, "reg", check_real("KernelFisherface", "reg", self.reg, low=0.0, strict=True))

    @property
    def name(self) -> str:
        """With the kernel."""
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
