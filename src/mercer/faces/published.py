"""Errors published by Yang (2001)."""

from typing import NamedTuple

__all__ = ["PUBLISHED", "Published"]


class Published(NamedTuple):
    """Leave-one-out error of a method as published by Yang (2001).

    Parameters
    ----------
    errors : int
        Number of misclassified images.
    components : int
        Number of components with which this error was reached.

    See Also
    --------
    PUBLISHED : All published errors, by collection and method.
    table : Errors computed on the same collections.

    References
    ----------
    * Yang, *Face recognition using kernel methods*, Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> from mercer.faces import PUBLISHED
    >>> PUBLISHED["ORL"]["Eigenface"]
    Published(errors=11, components=30)
    """

    errors: int
    components: int


# M.-H. Yang, Face recognition using kernel methods, Advances in Neural Information Processing Systems 14, 2001: 400
# images of 40 persons (ORL, also AT&T) and 165 images of 15 persons (Yale). The paper prints rates, from which the
# counts follow. It reports 14 directions for the discriminant methods on ORL too, where 39 are possible.
PUBLISHED: dict[str, dict[str, Published]] = {
    "ORL": {
        "ICA": Published(25, 40),
        "Eigenface": Published(11, 30),
        "Fisherface": Published(6, 14),
        "Kernel Eigenface, degree 2": Published(10, 50),
        "Kernel Eigenface, degree 3": Published(8, 50),
        "Kernel Fisherface, degree 2": Published(5, 14),
        "Kernel Fisherface, Gaussian": Published(5, 14),
    },
    "Yale": {
        "ICA": Published(48, 30),
        "Eigenface": Published(47, 30),
        "Fisherface": Published(14, 14),
        "Kernel Eigenface, degree 2": Published(45, 80),
        "Kernel Eigenface, degree 3": Published(40, 60),
        "Kernel Fisherface, degree 2": Published(11, 14),
        "Kernel Fisherface, Gaussian": Published(10, 14),
    },
}
