"""The tables of the comparison: file, format, target and task of each, and how they are read and split.

The folder that the user names holds ``tables/<name>/<file>``, as the sources publish them. In every file the last
column is the target. mnist and a9a are left out: images, and a sparse encoding of adult. Repeated rows are kept, so a
row of the test part may also be a training row; this concerns most of keggdirected, and some rows of letter, protein
and spambase.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split

HELD_OUT = 0.3
LARGE = 10_000  # rows above which a table has fewer seeds
SEEDS, SEEDS_LARGE = 5, 2
MISSING = ["", "?", " ?"]


@dataclass(frozen=True)
class Fact:
    """Where a table is and what is predicted."""

    file: str
    rows: int
    task: str  # "classification" or "regression"
    target: str | None = None  # name of the last column; None: the file has no line with names
    form: str = "csv"  # "csv", "keel" (a header of lines that begin with @) or "svmlight"

    @property
    def seeds(self) -> int:
        """Number of random splits."""
        return SEEDS if self.rows <= LARGE else SEEDS_LARGE


@dataclass(frozen=True)
class Table:
    """Samples and target. Columns of text have the pandas dtype category; classes are numbers from 0."""

    name: str
    task: str
    X: pd.DataFrame
    y: np.ndarray

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1 if self.task == "classification" else 0

    @property
    def size(self) -> str:
        """Rows and columns, and classes if there are any, as text."""
        return f"{len(self.X)} × {self.X.shape[1]}" + (f", {self.classes} classes" if self.classes else "")


C, R = "classification", "regression"
FACTS = {  # ordered by the number of rows
    "heart": Fact("heart_scale.gz", 270, C, form="svmlight"),
    "housing": Fact("data.csv.gz", 506, R),
    "credit-g": Fact("credit-g.csv.gz", 1000, C, "class"),
    "concrete": Fact("data.csv.gz", 1030, R),
    "airfoil": Fact("data.csv.gz", 1503, R),
    "abalone": Fact("abalone.csv.gz", 4177, R, "Class_number_of_rings"),
    "spambase": Fact("spambase.csv.gz", 4601, C, "class"),
    "banana": Fact("banana.dat.gz", 5300, C, form="keel"),
    "phoneme": Fact("phoneme.csv.gz", 5404, C, "Class"),
    "satimage": Fact("satimage.csv.gz", 6430, C, "class"),
    "pendigits": Fact("pendigits.csv.gz", 10_992, C, "class"),
    "elevators": Fact("data.csv.gz", 16_599, R),
    "magic": Fact("magic.csv.gz", 19_020, C, "class:"),
    "letter": Fact("letter.csv.gz", 20_000, C, "class"),
    "california_housing": Fact("california_housing.csv.gz", 20_640, R, "target"),
    "adult": Fact("adult.csv.gz", 32_561, C, "ABOVE50K"),
    "kin40k": Fact("data.csv.gz", 40_000, R),
    "protein": Fact("data.csv.gz", 45_730, R),
    "keggdirected": Fact("data.csv.gz", 48_827, R),
}


def read(data: Path, name: str, fact: Fact | None = None) -> Table:
    """Read a table from the folder that holds ``tables/``; its number of rows and its target are checked."""
    fact = FACTS[name] if fact is None else fact
    path = data / "tables" / name / fact.file
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; the data folder has to hold tables/{name}/{fact.file}.")
    X, target = _svmlight(path) if fact.form == "svmlight" else _delimited(path, fact)
    if len(X) != fact.rows:
        raise ValueError(f"{path}: {len(X)} rows, expected {fact.rows}; is it another version of the table?")
    if fact.task == R:
        return Table(name, R, X, target.to_numpy(dtype=float))
    return Table(name, C, X, np.unique(target.to_numpy(), return_inverse=True)[1])


def _svmlight(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_svmlight_file(str(path))
    return pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(X.shape[1])]), pd.Series(y)


def _delimited(path: Path, fact: Fact) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.read_csv(
        path,
        header="infer" if fact.target is not None else None,
        comment="@" if fact.form == "keel" else None,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=MISSING,
    )
    if fact.target is not None and frame.columns[-1] != fact.target:
        raise ValueError(f"{path}: the last column is {frame.columns[-1]!r}, expected the target {fact.target!r}.")
    frame.columns = [_name(column) for column in frame.columns]
    for column in frame.columns[:-1]:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].str.strip(" '").astype("category")
    return frame.iloc[:, :-1], frame.iloc[:, -1]


def _name(column: str | int) -> str:
    """A name that every library accepts: LightGBM refuses colons, XGBoost brackets."""
    return f"x{column}" if isinstance(column, int) else re.sub(r"\W+", "_", column).strip("_")


def split(table: Table, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of training and test rows, 70 to 30, stratified by class."""
    stratify = table.y if table.task == C else None
    train, test = train_test_split(np.arange(len(table.y)), test_size=HELD_OUT, stratify=stratify, random_state=seed)
    return train, test
