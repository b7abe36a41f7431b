"""Bundled data sets: five of scikit-learn as frames, and four that are generated."""

from collections.abc import Callable
from functools import partial

from mercer._validation import describe
from mercer._validation.near import near_misses
from mercer.datasets.dataset import Dataset
from mercer.datasets.expressions import expressions
from mercer.datasets.input_files import polars
from mercer.datasets.motifs import motifs
from mercer.datasets.reviews import reviews
from mercer.datasets.rings import rings

__all__ = ["load", "names"]


def names() -> dict[str, str]:
    """List the bundled data sets.

    Returns
    -------
    dict of str to str
        Description of each data set, by name.

    See Also
    --------
    load : Load one of them.

    Examples
    --------
    >>> list(names())
    ['wine', 'iris', 'digits', 'breast_cancer', 'diabetes', 'motifs', 'expressions', 'rings', 'reviews']
    >>> names()["iris"]
    '150 irises of three species, 4 lengths'
    """
    return {name: line for name, (line, _) in _BUNDLED.items()}


def load(name: str) -> Dataset:
    """Load a bundled data set; the content is always the same.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Dataset
        The data set. `target` names the target column, or `y`.

    Raises
    ------
    ValueError
        If there is no such data set.

    See Also
    --------
    names : Bundled data sets.
    read : Read files and folders.

    Examples
    --------
    >>> load("motifs")
    Dataset(motifs: 300 samples, frame of 2 columns, target 'class')
    >>> load("motifs").X.columns
    ['sequence', 'class']
    """
    if name not in _BUNDLED:
        near = near_misses(str(name), _BUNDLED)
        hint = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(_BUNDLED)}."
        raise ValueError(f"mercer.datasets.load: there is no bundled data set {describe(name)}; {hint}")
    return _BUNDLED[name][1]()


def _of_sklearn(name: str, target: str) -> Dataset:
    import sklearn.datasets

    given = {"scaled": False} if name == "diabetes" else {}  # original units instead of standardised columns
    bunch = getattr(sklearn.datasets, f"load_{name}")(**given)
    labels = getattr(bunch, "target_names", None)
    y = bunch.target if labels is None or name == "digits" else labels[bunch.target]
    pl = polars("mercer.datasets.load")
    columns = [pl.Series(str(column), values) for column, values in zip(bunch.feature_names, bunch.data.T, strict=True)]
    return Dataset(name, pl.DataFrame([*columns, pl.Series(target, y.tolist())]), target=target)


_BUNDLED: dict[str, tuple[str, Callable[[], Dataset]]] = {
    "wine": ("178 wines of three growers, 13 chemical measurements", partial(_of_sklearn, "wine", "class")),
    "iris": ("150 irises of three species, 4 lengths", partial(_of_sklearn, "iris", "species")),
    "digits": ("1797 handwritten digits of 8 x 8 pixels", partial(_of_sklearn, "digits", "digit")),
    "breast_cancer": (
        "569 tumours, benign or malignant, 30 measurements of cells",
        partial(_of_sklearn, "breast_cancer", "diagnosis"),
    ),
    "diabetes": (
        "442 patients, 10 measurements, progression of the disease after a year (regression)",
        partial(_of_sklearn, "diabetes", "progression"),
    ),
    "motifs": ("300 DNA sequences with or without a motif of two half sites in the right order", motifs),
    "expressions": ("300 arithmetic expressions as trees, with or without a sum as a factor", expressions),
    "rings": ("240 molecule-like graphs, with N in the ring or attached to it", rings),
    "reviews": ("300 reviews with numbers (some missing), categories and a short text; kept or returned", reviews),
}
