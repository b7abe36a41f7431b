"""scikit-learn's pipelines, searches and wrappers around estimators of mercer."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler

from mercer.kernels import RBF, Linear
from mercer.kernels.strings import Spectrum
from mercer.persistence import UntrustedTypeError, about, load, save
from mercer.preprocessing import FeatureMap, KernelRows
from mercer.svm import SVC, SVR

DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, "a", "b")
SEVERAL = DRAW.choice(list("abc"), size=40)
NUMBERS = abs(X[:, 1])
TEXTS = ["".join(DRAW.choice(list("abc"), size=6)) for _ in range(40)]
FRAME = pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "c": DRAW.choice(["x", "y"], size=40)})
MODEL = SVC(kernel=RBF() + Linear())
FOLDS = StratifiedKFold(2, shuffle=True, random_state=0)
NUMERIC = make_column_selector(dtype_include=np.number)


class Shift(TransformerMixin, BaseEstimator):
    """A transformer of a user."""

    def __init__(self, by: Any = 1.0) -> None:
        self.by = by

    def fit(self, X: Any, y: Any = None) -> "Shift":
        self.shifted_ = True
        return self

    def transform(self, X: Any) -> Any:
        return X + self.by


def double(X: Any) -> Any:
    return 2 * X


CASES: dict[str, tuple[Any, Any, Any]] = {
    "pipeline": (make_pipeline(StandardScaler(), MODEL), X, Y),
    "grid": (GridSearchCV(MODEL, {"kernel__0__gamma": [0.1, 1.0], "C": np.logspace(-1, 1, 2)}, cv=2), X, Y),
    "kernels": (GridSearchCV(MODEL, {"kernel": [RBF(), Linear(), "rbf"]}, cv=FOLDS, scoring="accuracy"), X, Y),
    "scores": (GridSearchCV(MODEL, {"C": [1]}, cv=2, scoring=["accuracy", "f1_macro"], refit="accuracy"), X, Y),
    "random": (RandomizedSearchCV(MODEL, {"C": [0.1, 1.0]}, n_iter=2, random_state=0, cv=2), X, Y),
    "sigmoid": (CalibratedClassifierCV(MODEL, cv=2), X, Y),
    "isotonic": (CalibratedClassifierCV(MODEL, cv=2, method="isotonic", ensemble=False), X, Y),
    "one vs rest": (OneVsRestClassifier(MODEL), X, SEVERAL),
    "one vs one": (OneVsOneClassifier(MODEL), X, SEVERAL),
    "codes": (OutputCodeClassifier(MODEL, random_state=0), X, SEVERAL),
    "voting": (VotingClassifier([("a", MODEL), ("b", LogisticRegression())]), X, Y),
    "stacking": (StackingClassifier([("a", MODEL), ("b", make_pipeline(StandardScaler(), MODEL))], cv=2), X, Y),
    "bagging": (BaggingClassifier(MODEL, n_estimators=2, random_state=0), X, Y),
    "target": (TransformedTargetRegressor(SVR(), func=np.log1p, inverse_func=np.expm1), X, NUMBERS),
    "outputs": (MultiOutputRegressor(SVR()), X, np.column_stack([NUMBERS, NUMBERS])),
    "threshold": (TunedThresholdClassifierCV(MODEL, cv=2), X, Y),
    "fixed threshold": (FixedThresholdClassifier(MODEL, threshold=0.1), X, Y),
    "columns": (
        make_pipeline(ColumnTransformer([("n", StandardScaler(), NUMERIC), ("c", OneHotEncoder(), ["c"])]), MODEL),
        FRAME,
        Y,
    ),
    "slice": (make_pipeline(ColumnTransformer([("n", SimpleImputer(), slice(0, 2))]), MODEL), FRAME, Y),
    "function": (make_pipeline(FunctionTransformer(np.tanh), PolynomialFeatures(2), MODEL), X, Y),
    "union": (make_pipeline(FeatureUnion([("a", KernelRows(landmarks=5)), ("b", FeatureMap())]), MODEL), X, Y),
    "texts": (make_pipeline(TfidfVectorizer(analyzer="char"), MODEL), TEXTS, Y),
    "strings": (make_pipeline(FeatureMap(Spectrum(2)), LogisticRegression()), TEXTS, Y),
}


@pytest.mark.parametrize("name", CASES)
def test_answers_are_the_same_to_the_bit(name, tmp_path):
    model, data, y = CASES[name]
    model.fit(data, y)
    save(model, tmp_path / "model.mercer")
    assert about(tmp_path / "model.mercer")["untrusted"] == []
    loaded = load(tmp_path / "model.mercer")
    asked = [m for m in ("predict", "predict_proba", "decision_function", "transform") if hasattr(model, m)]
    assert asked
    for method in asked:
        assert np.array_equal(getattr(model, method)(data), getattr(loaded, method)(data))


def test_results_of_a_search_come_along(tmp_path):
    search = GridSearchCV(make_pipeline(MODEL), [{"svc__C": [1.0, 2.0]}, {"svc__kernel": ["rbf"]}], cv=2).fit(X, Y)
    save(search, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert loaded.best_params_ == search.best_params_
    assert loaded.cv_results_.keys() == search.cv_results_.keys()
    for name, column in search.cv_results_.items():
        assert np.array_equal(loaded.cv_results_[name], column)
        assert np.array_equal(np.ma.getmaskarray(loaded.cv_results_[name]), np.ma.getmaskarray(column))


def test_classes_of_users_need_their_word(tmp_path):
    model = make_pipeline(Shift(2.0), FunctionTransformer(double), MODEL).fit(X, Y)
    save(model, tmp_path / "model.mercer")
    names = sorted(f"{__name__}.{name}" for name in ("Shift", "double"))
    assert about(tmp_path / "model.mercer")["untrusted"] == names
    with pytest.raises(UntrustedTypeError, match="Nothing was loaded") as caught:
        load(tmp_path / "model.mercer")
    assert list(caught.value.types) == names
    with pytest.raises(UntrustedTypeError) as caught:
        load(tmp_path / "model.mercer", trusted=[Shift])
    assert caught.value.types == (f"{__name__}.double",)
    loaded = load(tmp_path / "model.mercer", trusted=[Shift, f"{__name__}.double"])
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


def test_compiled_trees_of_scikit_learn_need_the_users_word(tmp_path):
    model = VotingClassifier([("a", MODEL), ("b", RandomForestClassifier(2, random_state=0))]).fit(X, Y)
    save(model, tmp_path / "model.mercer")
    with pytest.raises(UntrustedTypeError, match=r"sklearn\.tree\._tree\.Tree"):
        load(tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer", trusted=["sklearn.tree._tree.Tree"])
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_data_of_users_classes_are_kept(tmp_path):
    model = Shift(by={"graphs": [1, 2], "kernel": RBF(gamma=0.1), "frame": np.arange(3)})
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer", trusted=[Shift])
    assert loaded.by["kernel"] == RBF(gamma=0.1)
    assert np.array_equal(loaded.by["frame"], np.arange(3))


def test_callbacks_are_left_out(tmp_path):
    callback = pytest.importorskip("sklearn.callback")
    model = SVC().set_callbacks(callback.ProgressBar()).fit(X, Y)
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert vars(loaded).keys() == vars(model).keys() - {"_skl_callbacks"}
