"""The methods of the comparison, each with its defaults and with categories in the form that its manual recommends.

A maker takes the task, the training samples (for the names of the columns of categories), a seed and a number of
threads, and returns an estimator with fit and predict that takes a frame. What is set besides are seeds, threads and
silence, and what `Method.params` lists.
"""

import hashlib
import importlib.metadata
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
Maker = Callable[..., Any]  # (task, X, seed, threads, **params)


@dataclass(frozen=True)
class Method:
    """A way to fit a table."""

    package: str  # distribution whose version is recorded
    module: str
    make: Maker
    params: dict[str, Any] = field(default_factory=dict)  # other than default
    found: str | None = None  # version, if it is not that of the package

    @property
    def version(self) -> str | None:
        """Version of the installed package; None if it is not installed."""
        if self.found is not None or find_spec(self.module) is None:
            return self.found
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:  # mercer as sources on the path
            return str(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"])


def categories(X: pd.DataFrame) -> list[str]:
    """Names of the columns of categories."""
    return list(X.select_dtypes("category").columns)


def encoder(number: Any) -> Any:
    """Columns of categories one-hot encoded, the other columns by another transformer."""
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_include="category")),
        (number, make_column_selector(dtype_exclude="category")),
    )


def standardised() -> Any:
    """Numbers with mean 0 and variance 1, medians in the place of missing ones; categories one-hot encoded."""
    return encoder(make_pipeline(SimpleImputer(strategy="median"), StandardScaler()))


def _mercer(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
    from mercer.auto import AutoClassifier, AutoRegressor

    model = AutoClassifier if task == "classification" else AutoRegressor
    return model(random_state=seed, n_jobs=threads)


def _lightgbm(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
    import lightgbm

    model = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    return model(random_state=seed, n_jobs=threads, verbose=-1)


def _xgboost(task: str, X: pd.DataFrame, seed: int, threads: int, **params: Any) -> Any:  # noqa: ARG001
    import xgboost

    model = xgboost.XGBClassifier if task == "classification" else xgboost.XGBRegressor
    return model(random_state=seed, n_jobs=threads, **params)


def _as_text(X: pd.DataFrame) -> pd.DataFrame:
    """Categories as text, a missing one as its own: CatBoost accepts no missing values among categories."""
    return X.assign(**{name: X[name].astype(object).fillna("missing").astype(str) for name in categories(X)})


def _catboost(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:
    import catboost

    model = catboost.CatBoostClassifier if task == "classification" else catboost.CatBoostRegressor
    quiet = {"verbose": False, "allow_writing_files": False}
    booster = model(random_seed=seed, thread_count=threads, cat_features=categories(X), **quiet)
    return make_pipeline(FunctionTransformer(_as_text), booster)


def _hist(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
    model = HistGradientBoostingClassifier if task == "classification" else HistGradientBoostingRegressor
    return model(random_state=seed)  # categories by dtype is the default; threads are limited from outside


def _forest(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
    model = RandomForestClassifier if task == "classification" else RandomForestRegressor
    return make_pipeline(encoder("passthrough"), model(random_state=seed, n_jobs=threads))


def _logistic(task: str, X: pd.DataFrame, seed: int, threads: int, **params: Any) -> Any:  # noqa: ARG001
    if task != "classification":
        raise ValueError(f"logistic regression: expected classification, got {task}.")
    return make_pipeline(standardised(), LogisticRegression(**params))


def _xrfm(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
    from benchmarks.tables.recursive import Recursive

    return Recursive(task, seed, threads)


METHODS = {
    "mercer": Method("mercer", "mercer", _mercer),
    "lightgbm": Method("lightgbm", "lightgbm", _lightgbm),
    "xgboost": Method("xgboost", "xgboost", _xgboost, {"enable_categorical": True}),
    "catboost": Method("catboost", "catboost", _catboost),
    "hist": Method("scikit-learn", "sklearn", _hist),
    "forest": Method("scikit-learn", "sklearn", _forest),
    "xrfm": Method("xrfm", "xrfm", _xrfm),
    "logistic": Method("scikit-learn", "sklearn", _logistic, {"max_iter": 1000}),
}


def prototype(path: Path) -> Method:
    """A method from a file that defines ``AutoKernel(reg)`` with fit and predict; its version is a hash of the file."""
    spec = spec_from_file_location("prototype", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"{path}: no such Python file; --prototype expects one that defines AutoKernel.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)

    def make(task: str, X: pd.DataFrame, seed: int, threads: int) -> Any:  # noqa: ARG001
        return module.AutoKernel(task == "regression")

    return Method("prototype", "prototype", make, found=hashlib.sha256(path.read_bytes()).hexdigest()[:12])
