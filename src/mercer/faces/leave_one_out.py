"""Leave-one-out of face recognition: who is nearest to every image, in a space in which it had no part."""

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
from mercer._validation import check_integer, check_vectors, describe
from mercer._words import one_word
from mercer.faces.methods import Method
from mercer.faces.spaces import GramSpectrum, gram_spectrum

__all__ = ["NearestFaces", "Progress", "check_components", "check_labels", "leave_one_out"]

Progress: TypeAlias = Callable[[int, int], Any]


@dataclass(frozen=True, eq=False)
class NearestFaces:
    """The nearest other image of every image, and whether it shows the same person; returned by `leave_one_out`.

    Attributes
    ----------
    components : tuple of int, length m
        Dimensions of the reduced spaces.
    nearest : ndarray of int, shape (n, m)
        Index of the nearest other image, for each image and dimension; the first of equally near ones.
    wrong : ndarray of bool, shape (n, m)
        Whether the nearest image shows another person.
    kernel : str
        Text form of the kernel with all parameters resolved.
    """

    components: tuple[int, ...]
    nearest: IndexArray
    wrong: npt.NDArray[np.bool_]
    kernel: str

    @property
    def errors(self) -> tuple[int, ...]:
        """How many images are taken for someone else, for each dimension."""
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
    """Leave out every image in turn, fit the reduced space to the others, and find the nearest of them.

    Parameters
    ----------
    method : Method
    X : array of shape (n, d)
        Images as rows, see `mercer.faces.face_vectors`.
    labels : array-like of n labels
        Who is shown. Someone shown once cannot be recognised.
    components : sequence of int
        Dimensions to try, all from one fit; what exceeds the most that there are becomes that.
    n_jobs : int, optional
        Threads; None: all.
    progress : callable, optional
        Called with the number of images done and of all.

    Returns
    -------
    NearestFaces

    Notes
    -----
    Exactly what n fits of ``method.model(k)`` to the other n − 1 images would say, up to rounding, with the width of
    the kernel found from all images. One decomposition of the kernel matrix, then O(n²k) for each image.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, KernelFisherface
    >>> X, y = load_digits(return_X_y=True)
    >>> leave_one_out(Eigenface(), X[:200], y[:200], [2, 10, 30]).errors
    (71, 5, 2)
    >>> leave_one_out(KernelFisherface(), X[:200], y[:200], [2, 9]).errors
    (27, 4)
    """
    who = "leave_one_out"
    if not isinstance(method, Method):
        raise TypeError(f"{who}: method must be one of mercer.faces, such as Eigenface(), got {describe(method)}.")
    X = check_vectors(who, X)
    label, n_persons = check_labels(who, labels, len(X))
    wanted = check_components(who, components)
    kernel = method.kernel.resolve(X)
    spectrum = gram_spectrum(np.asarray(kernel(X, n_jobs=n_jobs), dtype=np.float64))
    most = method.limit(spectrum, n_persons)
    if most < 1:
        raise ValueError(f"{who}: all images are equal, expected some that differ.")
    used = sorted({min(k, most) for k in wanted})
    find = partial(_nearest, method, spectrum, label, np.array(used))
    nearest = np.array(_each(find, len(X), thread_count(n_jobs), progress))
    return NearestFaces(tuple(used), nearest, label[nearest] != label[:, None], str(kernel))


def _nearest(method: Method, spectrum: GramSpectrum, label: IndexArray, used: IndexArray, i: int) -> IndexArray:
    """The image nearest to image i in each of the spaces."""
    Z: DoubleArray = method.space(spectrum, label, i, int(used[-1]))
    squares = np.cumsum((Z - Z[i]) ** 2, axis=1)  # means of persons may coincide: fewer directions than hoped for
    squares = squares[:, np.minimum(used, Z.shape[1]) - 1] if Z.shape[1] else np.zeros((len(Z), len(used)))
    squares[i] = np.inf
    return np.asarray(squares.argmin(axis=0))


def _each(find: Callable[[int], IndexArray], n: int, threads: int, progress: Progress | None) -> list[IndexArray]:
    """Answers for all images, several at a time; products of this size gain nothing from threads of their own."""
    answers = []
    with limit_pools(1, "blas"), ThreadPoolExecutor(threads) as pool:
        try:
            for answer in pool.map(find, range(n)):
                answers.append(answer)
                if progress is not None:
                    progress(len(answers), n)
        except BaseException:  # of the user too, who does not want to wait for the rest
            pool.shutdown(cancel_futures=True)
            raise
    return answers


def check_labels(who: str, labels: Any, n: int) -> tuple[IndexArray, int]:
    """Numbers of the persons on n images, and how many persons there are."""
    if labels is None:
        raise ValueError(f"{who}: labels are missing; pass who each image shows, or read a folder for each person.")
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"{who}: {n} images need {n} labels, got {describe(labels)}.")
    persons, label = np.unique(array, return_inverse=True)
    if len(persons) < 2 or n < 3:
        raise ValueError(f"{who}: expected images of at least two persons, got {n} of {len(persons)}.")
    return label, len(persons)


def check_components(who: str, components: Any) -> list[int]:
    """Dimensions, each once, in order."""
    if isinstance(components, str) or not hasattr(components, "__iter__"):
        raise TypeError(f"{who}: components must be a sequence of integers, got {describe(components)}.")
    checked = sorted({check_integer(who, "components", k, low=1) for k in components})
    if not checked:
        raise ValueError(f"{who}: components are empty, expected at least one number.")
    return checked
