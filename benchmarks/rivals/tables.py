"""The tables that benchmarks run on, read from a folder given by the user; and data made up for the rest.

The folder holds ``tables/<name>/...`` with the sets as their sources publish them. None of them is part of the project.
"""

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

HELD_OUT = 2000


@dataclass(frozen=True)
class Problem:
    """Rows to learn from, rows held out, and the parameters of the estimator, fixed so that results compare."""

    name: str
    X: Any  # ndarray or CSR
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    params: dict[str, float]

    @property
    def estimator(self) -> str:
        return "SVR" if "epsilon" in self.params else "SVC"

    def head(self, rows: int) -> "Problem":
        """The same with the first rows only, for a quick look."""
        cut = {name: getattr(self, name)[:rows] for name in ("X", "y", "X_test", "y_test")}
        return replace(self, **cut)


def _path(data: Path, name: str) -> Path:
    path = data / "tables" / name
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; the data folder has to hold tables/{name}.")
    return path


def _labelled_csv(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, then a label, under a header."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1].strip() for row in rows])


def _idx(path: Path) -> np.ndarray:
    """An array of bytes in the format of MNIST: the number of axes in the fourth byte, their lengths, the entries."""
    with gzip.open(path) as file:
        content = file.read()
    axes = content[3]
    shape = np.frombuffer(content, dtype=">i4", count=axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * axes).reshape(shape)


def _split(name: str, X: Any, y: np.ndarray, rows: int, **params: float) -> Problem:
    test = slice(rows, rows + HELD_OUT)
    return Problem(name, X[:rows], y[:rows], X[test], y[test], params)


def letter(data: Path) -> Problem:
    X, y = _labelled_csv(_path(data, "letter/letter.csv.gz"))
    return _split("letter", StandardScaler().fit_transform(X), y, 15_000, C=10.0, gamma=0.1)


def magic(data: Path) -> Problem:
    X, y = _labelled_csv(_path(data, "magic/magic.csv.gz"))
    order = np.random.default_rng(0).permutation(len(X))  # the file is sorted by class
    return _split("magic", StandardScaler().fit_transform(X)[order], y[order], 15_000, C=10.0, gamma=0.1)


def mnist(data: Path, rows: int = 10_000, held_out: int = HELD_OUT) -> Problem:
    def part(prefix: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
        images = _idx(_path(data, f"mnist/{prefix}-images-idx3-ubyte.gz"))[:rows]
        labels = _idx(_path(data, f"mnist/{prefix}-labels-idx1-ubyte.gz"))[:rows]
        return images.reshape(len(images), -1) / 255.0, labels

    return Problem("mnist", *part("train", rows), *part("t10k", held_out), {"C": 10.0, "gamma": 0.02})


def a9a_csr(data: Path, held_out: int | None = HELD_OUT) -> Problem:
    def part(name: str, rows: int | None) -> tuple[sp.csr_matrix, np.ndarray]:
        X, y = load_svmlight_file(str(_path(data, name)), n_features=123)
        # scikit-learn refuses the 64-bit indices that its own loader makes.
        X = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return X[:rows], y[:rows]

    train, test = part("a9a/a9a.gz", None), part("a9a/a9a.t.gz", held_out)
    return Problem("a9a csr", *train, *test, {"C": 1.0, "gamma": 1 / 123})


def a9a_dense(data: Path) -> Problem:
    csr = a9a_csr(data)
    return replace(csr, name="a9a dense", X=csr.X.toarray(), X_test=csr.X_test.toarray())


def kin40k(data: Path) -> Problem:
    with gzip.open(_path(data, "kin40k/data.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",", max_rows=10_000 + HELD_OUT)
    return _split("kin40k", table[:, :-1], table[:, -1], 10_000, C=10.0, epsilon=0.05, gamma=1 / 8)


def kin40k_fold(data: Path, fold: int = 0) -> Problem:
    """All 40 000 rows: a tenth, given by a column of the table of masks, is held out."""
    with gzip.open(_path(data, "kin40k/data.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    with gzip.open(_path(data, "kin40k/test_mask.csv.gz"), "rt") as file:
        test = np.loadtxt(file, delimiter=",", usecols=fold) == 1
    X, y = table[:, :-1], table[:, -1]
    return Problem("kin40k", X[~test], y[~test], X[test], y[test], {"gamma": 1 / 8, "alpha": 1e-3})


# Standardised sets are so over all their rows: what is compared is solvers.
TABLES: dict[str, Callable[[Path], Problem]] = {
    "letter": letter,
    "magic": magic,
    "mnist": mnist,
    "a9a dense": a9a_dense,
    "a9a csr": a9a_csr,
    "kin40k": kin40k,
}


def clusters(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of two Gaussian clusters each, at vertices of a cube; a label in a hundred is wrong."""
    rng = np.random.default_rng(0)
    centres = rng.choice([-1.0, 1.0], size=(4, d))
    cluster = rng.integers(4, size=n)
    X = centres[cluster] + rng.standard_normal((n, d))
    return X, (cluster % 2) ^ (rng.random(n) < 0.01)


def smooth_regression(n: int, d: int, seed: int = 0, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Normal samples and a smooth function of the first two features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + 0.5 * X[:, 1] + noise * rng.standard_normal(n)
