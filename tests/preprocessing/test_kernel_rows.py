"""KernelRows: values against landmarks, on any data a kernel takes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mercer.data import Table
from mercer.kernels import RBF, Columns, Linear, Overlap, user
from mercer.preprocessing import KernelRows


def letters(A, B):
    return np.array([[len(set(a) & set(b)) for b in B] for a in A], dtype=float)


WORDS = ["ox", "cow", "calf", "hen", "cock", "chick"]


def test_all_training_samples(rng):
    X, Z = rng.normal(size=(10, 2)), rng.normal(size=(4, 2))
    rows = KernelRows(RBF())
    K = rows.fit_transform(X)
    assert np.array_equal(K, RBF()(X))
    assert np.array_equal(rows.landmarks_, X)
    assert np.array_equal(rows.landmark_indices_, np.arange(10))
    assert rows.kernel_ == RBF().resolve(X)
    assert rows.transform(Z) == pytest.approx(rows.kernel_(Z, X))
    assert list(rows.get_feature_names_out()[:2]) == ["kernelrows0", "kernelrows1"]


def test_random_landmarks(rng):
    X = rng.normal(size=(30, 2))
    rows = KernelRows(RBF(), landmarks=5, random_state=0).fit(X)
    assert len(np.unique(rows.landmark_indices_)) == 5
    assert np.array_equal(rows.landmarks_, X[rows.landmark_indices_])
    assert rows.transform(X).shape == (30, 5)
    again = KernelRows(RBF(), landmarks=5, random_state=0).fit(X)
    assert np.array_equal(again.landmark_indices_, rows.landmark_indices_)


def test_given_landmarks(rng):
    X = rng.normal(size=(30, 2))
    rows = KernelRows("rbf(gamma=0.5)", landmarks=[[0.0, 0.0], [1.0, 1.0]]).fit(X)
    assert rows.landmark_indices_ is None
    expected = RBF(gamma=0.5)(X, np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert rows.fit_transform(X) == pytest.approx(expected)
    with pytest.raises(ValueError, match="3 features"):
        KernelRows(RBF(), landmarks=np.ones((2, 3))).fit(X)


def test_words_by_a_function():
    rows = KernelRows(letters, landmarks=["owl", "lick"]).fit(WORDS)
    assert np.array_equal(rows.transform(WORDS), letters(WORDS, ["owl", "lick"]))
    some = KernelRows(user(block=letters), landmarks=2, random_state=0).fit(WORDS)
    assert some.landmarks_ == [WORDS[i] for i in some.landmark_indices_]


def test_words_under_cross_validation():
    y = [0, 0, 0, 1, 1, 1] * 3
    model = make_pipeline(KernelRows(letters), LogisticRegression())
    assert cross_val_score(model, WORDS * 3, y, cv=3).min() == 1


@pytest.mark.parametrize("landmarks", [None, 2])
def test_mixed_frames_and_tables(landmarks):
    frame = pd.DataFrame({"age": [1.0, 2.0, 4.0], "city": ["Rome", "Oslo", "Rome"]}, index=[5, 6, 7])
    kernel = Columns("age", RBF(gamma=1.0)) + Columns("city", Overlap())
    rows = KernelRows(kernel, landmarks=landmarks, random_state=0).fit(frame)
    expected = kernel(frame)[:, rows.landmark_indices_]
    assert rows.transform(frame) == pytest.approx(expected)
    assert list(rows.feature_names_in_) == ["age", "city"]
    table = Table.from_frame(frame)
    again = KernelRows(kernel, landmarks=landmarks, random_state=0).fit(table)
    assert again.transform(table) == pytest.approx(expected)


def test_grid_over_a_term_of_the_kernel(rng):
    X = rng.normal(size=(60, 1))
    y = np.sin(4 * X[:, 0])
    pipeline = make_pipeline(KernelRows(RBF() + Linear()), Ridge(alpha=1e-3))
    grid = GridSearchCV(pipeline, {"kernelrows__kernel__0__gamma": [1e-3, 5.0]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"kernelrows__kernel__0__gamma": 5.0}
    assert grid.best_estimator_[0].kernel == RBF(gamma=5.0) + Linear()
    assert pipeline[0].kernel == RBF() + Linear()


def test_rows_feed_a_machine_with_precomputed_kernel(rng):
    X = rng.normal(size=(40, 2))
    y = (np.hypot(*X.T) > 1).astype(int)
    model = make_pipeline(KernelRows(RBF(gamma=1.0)), SVC(kernel="precomputed")).fit(X, y)
    direct = SVC(kernel="rbf", gamma=1.0).fit(X, y)
    assert model.decision_function(X) == pytest.approx(direct.decision_function(X), abs=1e-2)
    assert np.array_equal(model.predict(X), direct.predict(X))


@pytest.mark.parametrize("landmarks", [0, 31, 2.5, True])
def test_wrong_number_of_landmarks(landmarks, rng):
    with pytest.raises((ValueError, TypeError), match=r"KernelRows: .*landmarks"):
        KernelRows(landmarks=landmarks).fit(rng.normal(size=(30, 2)))
