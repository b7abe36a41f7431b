"""Base classes of face recognition methods: principal and discriminant directions."""

from abc import ABC, abstractmethod
from typing import Any, final

from mercer._typing import DoubleArray, IndexArray
from mercer.faces.spaces import GramSpectrum, discriminant_space, principal_space
from mercer.kernels import Kernel

__all__ = ["Discriminant", "Method", "Principal"]


class Method(ABC):
    """Base class of face recognition methods: a reduced space and nearest-neighbour classification in it.

    A method is an immutable value that holds parameters, never images. `model` returns a scikit-learn pipeline;
    `mercer.faces.leave_one_out` evaluates the method without refitting it for each image.

    See Also
    --------
    Eigenface : Principal components.
    ICA : Independent components.
    Fisherface : Linear discriminant directions.
    KernelEigenface : Kernel principal components.
    KernelFisherface : Kernel discriminant directions.

    Examples
    --------
    >>> from mercer.faces import METHODS
    >>> [method.name for method in METHODS[:4]]
    ['ICA', 'Eigenface', 'Fisherface', 'Kernel Eigenface, degree 2']
    """

    reg: float | None = None  # penalty of discriminant methods

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """Kernel of the feature space in which the images are reduced."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the method in tables."""

    @abstractmethod
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:
        """Return the maximum number of components of a space fitted without one image.

        Parameters
        ----------
        spectrum : GramSpectrum
            Eigendecomposition of the centred Gram matrix of all images.
        n_persons : int
            Number of persons.

        Returns
        -------
        int
            Maximum number of components.
        """

    @abstractmethod
    def space(self, spectrum: GramSpectrum, label: IndexArray, i: int, k: int) -> DoubleArray:
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

    @abstractmethod
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

    @final
    def model(self, n_components: int) -> Any:
        """Return the method as a scikit-learn pipeline.

        Parameters
        ----------
        n_components : int
            Number of components.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Unfitted pipeline for images as rows: the reduction, then the nearest neighbour.
        """
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*self.reduction(n_components), KNeighborsClassifier(1))


class Principal(Method):
    """Base class of methods that use principal components and no labels."""

    @final
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:  # noqa: ARG002
        """Return the maximum number of components of a space fitted without one image.

        Parameters
        ----------
        spectrum : GramSpectrum
            Eigendecomposition of the centred Gram matrix of all images.
        n_persons : int
            Number of persons.

        Returns
        -------
        int
            Maximum number of components.
        """
        return min(len(spectrum.values), len(spectrum.scores) - 2)

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
        return principal_space(spectrum, i, k)

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
        from mercer.decomposition import KernelPCA

        return [KernelPCA(n_components, kernel=self.kernel)]


class Discriminant(Method):
    """Base class of methods that use discriminant directions between persons."""

    reg: float

    @final
    def limit(self, spectrum: GramSpectrum, n_persons: int) -> int:
        """Return the maximum number of components of a space fitted without one image.

        Parameters
        ----------
        spectrum : GramSpectrum
            Eigendecomposition of the centred Gram matrix of all images.
        n_persons : int
            Number of persons.

        Returns
        -------
        int
            Maximum number of components.
        """
        return min(len(spectrum.values), n_persons - 1)

    @final
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
        return discriminant_space(spectrum, label, i, self.reg)

    @final
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
        from mercer.discriminant import KernelDiscriminantAnalysis

        return [KernelDiscriminantAnalysis(n_components, kernel=self.kernel, reg=self.reg)]
