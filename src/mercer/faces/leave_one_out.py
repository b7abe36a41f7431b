"""Leave-one-out face recognition: the nearest neighbour of each image in a space fitted to the others."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mercer._runtime.engine import thread_count
from mercer._runtime.pools import limit_pools
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_labels, check_integer, check_vectors, describe
from mercer._words import one_word
from mercer.faces.projections import Method
from mercer.faces.spaces import GramSpectrum, gram_spectrum

__all__ = ["NearestFaces", "Progress", "check_components", "check_labels", "leave_one_out"]

Progress: TypeAlias = Callable[[int, int], Any]


@dataclass(frozen=True, eq=False)
class NearestFaces:
    """Result of `leave_one_out`: the nearest other image of every image.

    Parameters
    ----------
    components : tuple of int
        Numbers of components of the reduced spaces.
    nearest : ndarray of shape (n_images, len(components))
        Index of the nearest other image, for each image and number of components; ties go to the lower index.
    wrong : ndarray of shape (n_images, len(components))
        Whether the nearest image shows another person.
    kernel : str
        Text form of the kernel with all parameters resolved.

    See Also
    --------
    leave_one_out : The function that returns this object.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, leave_one_out
    >>> X, y = load_digits(return_X_y=True)
    >>> found = leave_one_out(Eigenface(), X[:100], y[:100], [3, 10])
    >>> found.nearest[:4]
    array([[30, 30],
           [93, 93],
           [57, 57],
           [31, 45]])
    >>> found.errors
    (23, 3)
    """

    components: tuple[int, ...]
    nearest: IndexArray
    wrong: npt.NDArray[np.bool_]
    kernel: str

    @property
    def errors(self) -> tuple[int, ...]:
        """Number of misclassified images for each number of components."""
        return tuple(self.wrong.sum(axis=0).tolist())


@one_word
def leave_one_out(
    method: Method,
    X: Any,
    labels: Any,
    components: Sequence[int] = range(20, 121, 20),
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NearestFaces:
    """Compute the leave-one-out errors of one method.

    Each image is left out in turn, the reduced space is fitted to the others, and the nearest of them is found.

    Parameters
    ----------
    method : Method
        Face recognition method, such as ``Eigenface()``.
    X : array-like of shape (n_images, n_pixels)
        Images as rows, see `mercer.faces.face_vectors`.
    labels : array-like of shape (n_images,)
        Person shown on each image. A person with a single image cannot be recognised.
    components : sequence of int, default=range(20, 121, 20)
        Numbers of components, all evaluated in one pass. Values above the maximum of the method are replaced by it.
    n_jobs : int, default=None
        Number of threads; None uses all available ones.
    progress : callable, default=None
        Called as ``progress(done, total)`` after each image.

    Returns
    -------
    NearestFaces
        Nearest images and errors for each number of components.

    See Also
    --------
    table : Errors of several methods.
    Method.model : The method as a scikit-learn pipeline.

    Notes
    -----
    The result equals that of n fits of ``method.model(k)`` to the other n − 1 images up to rounding, except that
    data-dependent kernel widths are computed from all images. The Gram matrix is decomposed once; each image then costs
    O(n²k).

    References
    ----------
    * Yang, *Face recognition using kernel methods*, Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, KernelFisherface, leave_one_out
    >>> X, y = load_digits(return_X_y=True)
    >>> leave_one_out(Eigenface(), X[:200], y[:200], [2, 10, 30]).errors
    (71, 5, 2)
    >>> leave_one_out(KernelFisherface(), X[:200], y[:200], [2, 9]).errors
    (27, 4)
    """
    who = "leave_one_out"
    if not isinstance(method, Method):
        raise TypeError(f"{who}: method must be a method of mercer.faces, such as Eigenface(), got {describe(method)}.")
    X = check_vectors(who, X)
    label, n_persons = check_labels(who, labels, len(X))
    wanted = check_components(who, components)
    kernel = method.kernel.resolve(X)
    spectrum = gram_spectrum(np.asarray(kernel(X, n_jobs=n_jobs), dtype=np.float64))
    most = method.limit(spectrum, n_persons)
    if most < 1:
        raise ValueError(f"{who}: all images are equal; pass images that differ.")
    used = sorted({min(k, most) for k in wanted})
    find = partial(_nearest, method, spectrum, label, np.array(used))
    nearest = np.array(_each(find, len(X), thread_count(n_jobs), progress))
    return NearestFaces(tuple(used), nearest, label[nearest] != label[:, None], str(kernel))


def _nearest(method: Method, spectrum: GramSpectrum, label: IndexArray, used: IndexArray, i: int) -> IndexArray:
    """Return the index of the image nearest to image i in each of the spaces."""
    Z: DoubleArray = method.space(spectrum, label, i, int(used[-1]))
    squares = np.cumsum((Z - Z[i]) ** 2, axis=1)  # there are fewer directions if means of persons coincide
    squares = squares[:, np.minimum(used, Z.shape[1]) - 1] if Z.shape[1] else np.zeros((len(Z), len(used)))
    squares[i] = np.inf
    return np.asarray(squares.argmin(axis=0))


def _each(find: Callable[[int], IndexArray], n: int, threads: int, progress: Progress | None) -> list[IndexArray]:
    """Return the results for all images, computed by several threads; BLAS itself runs on one thread."""
    answers = []
    with limit_pools(1, "blas"), ThreadPoolExecutor(threads) as pool:
        try:
            for answer in pool.map(find, range(n)):
                answers.append(answer)
                if progress is not None:
                    progress(len(answers), n)
        except BaseException:  # includes KeyboardInterrupt: do not wait for the rest
            pool.shutdown(cancel_futures=True)
            raise
    return answers


def check_labels(who: str, labels: Any, n: int) -> tuple[IndexArray, int]:
    """Return the person numbers of n images and the number of persons."""
    if labels is None:
        raise ValueError(
            f"{who}: labels are missing; pass one label per image, or read images from one folder per person."
        )
    array = as_labels(who, labels, name="labels")
    if array.shape != (n,):
        raise ValueError(f"{who}: {n} images need {n} labels, got {describe(labels)}; pass one label per image.")
    persons, label = np.unique(array, return_inverse=True)
    if len(persons) < 2 or n < 3:
        raise ValueError(f"{who}: expected at least 3 images of at least two persons, got {n} of {len(persons)}.")
    return label, len(persons)


def check_components(who: str, components: Any) -> list[int]:
    """Return the numbers of components, sorted and without duplicates."""
    if isinstance(components, str) or not hasattr(components, "__iter__"):
        raise TypeError(f"{who}: components must be a sequence of integers, got {describe(components)}.")
    checked = sorted({check_integer(who, "components", k, low=1) for k in components})
    if not checked:
        raise ValueError(f"{who}: components are empty; pass at least one integer.")
    return checked
