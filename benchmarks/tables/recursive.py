"""xRFM (Beaglehole et al. 2025) with fit and predict on a frame. Needs torch, and the package xrfm."""

from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from xrfm import xRFM

from benchmarks.tables.methods import categories, standardised

VALIDATION = 0.2  # of the training rows, as in the manual of the package


class Recursive:
    """Standardised numbers, one-hot categories, a random part of the training rows for validation; else defaults."""

    def __init__(self, task: str, seed: int, threads: int) -> None:
        self.task, self.seed, self.threads = task, seed, threads

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "Recursive":
        regression = self.task == "regression"
        self.centre, self.scale = (y.mean(), y.std()) if regression else (0.0, 1.0)
        stratify = None if regression else y
        train, check = train_test_split(
            np.arange(len(y)), test_size=VALIDATION, stratify=stratify, random_state=self.seed
        )
        self.encoder = standardised().fit(X.iloc[train])
        target = ((y - self.centre) / self.scale).astype(np.float32) if regression else y.astype(np.int64)
        self.model = xRFM(
            device=torch.device("cpu"),
            categorical_info=self._blocks(X),
            n_threads=self.threads,
            random_state=self.seed,
            verbose=False,
        )
        parts = [(self._tensor(X.iloc[rows]), torch.as_tensor(target[rows])) for rows in (train, check)]
        self.model.fit(*parts[0], *parts[1])
        return self

    def _tensor(self, X: pd.DataFrame) -> Any:
        return torch.as_tensor(self.encoder.transform(X).astype(np.float32))

    def _blocks(self, X: pd.DataFrame) -> dict[str, Any] | None:
        """Which encoded columns belong to one category, and which are numbers; None without categories."""
        if not categories(X):
            return None
        levels = self.encoder.transformers_[0][1].categories_
        ends = np.cumsum([len(level) for level in levels])
        width = self.encoder.transform(X.iloc[:1]).shape[1]
        return {
            "numerical_indices": torch.arange(int(ends[-1]), width),
            "categorical_indices": [
                torch.arange(end - len(level), end) for end, level in zip(ends.tolist(), levels, strict=True)
            ],
            "categorical_vectors": [torch.eye(len(level)) for level in levels],
        }

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        found = np.asarray(self.model.predict(self._tensor(X))).ravel()
        return found * self.scale + self.centre if self.task == "regression" else found

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.model.predict_proba(self._tensor(X)))
