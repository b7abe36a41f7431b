"""Names of features come from the columns of frames: in feature maps, transformers and explanations."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge as LinearRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.auto import AutoRegressor, TablePreparer
from mercer.cluster import KernelKMeans
from mercer.decomposition import KernelPCA
from mercer.explain import top_features
from mercer.kernels import (
    ANOVA,
    RBF,
    AdditiveChi2,
    Bilinear,
    Brownian,
    Cosine,
    Delta,
    ExpOf,
    Intersection,
    Linear,
    Map,
    Overlap,
    Polynomial,
    PolynomialOf,
    Spectrum,
    kernel,
)
from mercer.perceptron import KernelPerceptron
from mercer.persistence import load, save
from mercer.preprocessing import FeatureMap, KernelRows
from mercer.ridge import KernelRidge
from mercer.svm import SVC

DATA = {"age": [3.0, 1.0, 0.0, 2.0, 1.0, 3.0], "income": [0.0, 1.0, 3.0, 2.0, 1.0, 1.0]}
CITIES = ["Rome", "Oslo", "Rome", "Bern", "Oslo", "Rome"]
MIXED = {**DATA, "city": CITIES, "dna": ["AC", "CA", "AA", "CC", "ACA", "CAC"]}
MACHINES = [KernelRidge(alpha=0.1), SVC(), KernelPerceptron(max_iter=2, variant="averaged")]
TARGET = [0.0, 1.0, 2.0, 0.5, 1.5, 0.0]
FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
SECOND = ["age^2", "age*income", "income^2"]


def dense(F):
    return F.toarray() if sp.issparse(F) else F


def names(kernel, X, **options):
    fitted = FeatureMap(kernel, **options).fit(X)
    found = fitted.get_feature_names_out()
    assert found.dtype == object
    assert len(found) == fitted.transform(X).shape[1] == len(set(found))
    return found.tolist()


@FRAMES
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Linear(), ["age", "income"]),
        (Linear(coef0=2.0), ["age", "income", "1"]),
        (Polynomial(degree=2), [*SECOND, "age", "income", "1"]),
        (Polynomial(degree=2, gamma="scale", coef0=0.0), SECOND),
        (Polynomial(degree=3, coef0=0.0), ["age^3", "age^2*income", "age*income^2", "income^3"]),
        (0.5 * Linear(), ["age", "income"]),
        (Cosine(), ["age", "income"]),
        (Linear().normalized(), ["age", "income"]),
        (Linear() + 1, ["age", "income", "1"]),
        (Linear() + Linear(), ["age", "income", "age (2)", "income (2)"]),
        (Linear() * Linear(), ["age^2", "age*income", "income*age", "income^2"]),
        (Linear() ** 2, SECOND),
        ((Linear() + 1) ** 2, ["age^2", "age*income", "age", "income^2", "income", "1"]),
        (PolynomialOf(Linear(), [1, 0, 2]), [*SECOND, "1"]),
        (ANOVA(degree=2, base="linear"), ["age*income"]),
        (Bilinear(np.eye(2)), ["bilinear(A=[[1, 0], [0, 1]])[0]", "bilinear(A=[[1, 0], [0, 1]])[1]"]),
        ("linear[age]", ["age"]),
        ("linear[income, age]", ["income", "age"]),
        ("linear[0] + poly(degree=2, coef0=0)[1]", ["age", "income^2"]),
        ("linear[age]*linear[income]", ["age*income"]),
        ("(linear[age]*linear[income])**2", ["(age*income)^2"]),
        ("linear[0][income]", ["income"]),
        (Map(np.square, Linear()), ["x0", "x1"]),
    ],
    ids=str,
)  # fmt: skip
def test_vectors(frame, kernel, expected):
    assert names(kernel, frame(DATA)) == expected


@FRAMES
def test_series_that_are_cut(frame):
    everything = [*SECOND, "age", "income", "1"]
    assert names(RBF(gamma=1.0), frame(DATA), degree=2) == everything
    assert names(ExpOf(Linear()), frame(DATA), degree=2) == everything


@FRAMES
def test_counts(frame):
    X = frame(DATA)
    assert names(Intersection(), X, maximum=3)[:4] == ["age>=1", "age>=2", "age>=3", "income>=1"]
    assert names(Brownian(), X, maximum=3)[:2] == ["age>=1*income>=1", "age>=1*income>=2"]
    assert names(AdditiveChi2(), X, maximum=3)[0] == "age[0]"
    assert names(Overlap(), X, maximum=3)[:5] == ["age=0", "age=1", "age=2", "age=3", "income=0"]
    assert names(Delta(), X, maximum=3)[:2] == ["age=0*income=0", "age=0*income=1"]


@FRAMES
def test_categories_and_strings_in_columns(frame):
    X = frame(MIXED)
    cities = {"city=Rome", "city=Oslo", "city=Bern"}
    assert set(names("overlap[city]", X)) == set(names("delta[city]", X)) == cities
    assert set(names("linear[age] + overlap[city]", X)) == {"age"} | cities
    assert set(names("linear[age]*delta[city]", X)) == {f"age*{city}" for city in cities}
    assert set(names("overlap[city, age]", X)) == cities | {f"age={i}" for i in range(4)}
    assert len(names("delta[city, age]", X)) == 3 * 4
    words = {"dna: AC", "dna: CA", "dna: AA", "dna: CC"}
    assert set(names("linear[income] + spectrum(p=2)[dna]", X)) == {"income"} | words


@FRAMES
@pytest.mark.parametrize("text", ["overlap[city]", "delta[city, age]", "linear[age]*overlap[city] + overlap[dna]"])
def test_features_of_categories_reproduce_the_kernel(frame, text):
    X, k = frame(MIXED), kernel(text)
    F = dense(FeatureMap(k).fit(X).transform(X))
    np.testing.assert_allclose(F @ F.T, k(X), atol=1e-12)


def test_categories_that_come_later_have_no_feature():
    features = FeatureMap(Overlap()).fit([["red"], ["blue"]])
    assert features.transform([["green"], ["red"]]).toarray().sum(axis=1).tolist() == [0.0, 1.0]
    zero = FeatureMap(Overlap()).fit(np.array([[0.0], [1.0]]))
    np.testing.assert_array_equal(zero.transform(np.array([[-0.0]])).toarray(), [[1.0, 0.0]])


# ---- where names come from


def test_arrays_have_numbers_and_take_names():
    X = np.column_stack(list(DATA.values()))
    features = FeatureMap(Polynomial(degree=2, coef0=0.0)).fit(X)
    assert features.get_feature_names_out().tolist() == ["x0^2", "x0*x1", "x1^2"]
    assert features.get_feature_names_out(["a", "b"]).tolist() == ["a^2", "a*b", "b^2"]
    with pytest.raises(ValueError, match="input_features should have length equal to number of features"):
        features.get_feature_names_out(["a"])
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        FeatureMap(Linear()).fit(pd.DataFrame(DATA)).get_feature_names_out(["a", "b"])


@FRAMES
def test_other_transformers_keep_their_own(frame):
    X = frame(DATA)
    assert KernelPCA(2).fit(X).get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1"]
    assert KernelRows(Linear()).fit(X).get_feature_names_out()[0] == "kernelrows0"
    assert KernelKMeans(2, random_state=0).fit(X).get_feature_names_out().tolist() == ["kernelkmeans0", "kernelkmeans1"]


@FRAMES
def test_prepared_tables(frame):
    X = frame({**MIXED, "age": [1.0, None, 2.0, 4.0, 3.0, 0.5]})
    preparer = TablePreparer().fit(X)
    assert tuple(preparer.get_feature_names_out()) == preparer.transform(X).names
    assert preparer.get_feature_names_out()[:2].tolist() == ["age", "age missing"]


def test_prepared_matrices():
    X = np.column_stack(list(DATA.values()))
    X[0, 1] = np.nan
    preparer = TablePreparer().fit(X)
    assert preparer.get_feature_names_out().tolist() == ["x0", "x1", "x1 missing"]
    assert preparer.transform(X).shape[1] == 3


def test_through_pipelines():
    X = pd.DataFrame(DATA)
    steps = make_pipeline(StandardScaler(), FeatureMap(Polynomial(degree=2, coef0=0.0)))
    assert steps.fit(X).get_feature_names_out().tolist() == SECOND
    model = make_pipeline(*[step for _, step in steps.steps], LinearRidge()).fit(X, TARGET)
    assert set(top_features(model, X[:1]).names) <= set(SECOND)


def test_as_a_frame():
    features = FeatureMap(Polynomial(degree=2, coef0=0.0)).set_output(transform="pandas").fit(pd.DataFrame(DATA))
    assert list(features.transform(pd.DataFrame(DATA)).columns) == SECOND


# ---- explanations


@FRAMES
@pytest.mark.parametrize("model", MACHINES, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_explanations_name_the_columns(frame, model):
    X, y = frame(DATA), np.array(TARGET) > 0.7
    k = Polynomial(degree=2, gamma=1.0)
    model = model.set_params(kernel=k).fit(X, y.astype(float) if isinstance(model, KernelRidge) else y)
    told = top_features(model, X[:1])
    assert set(told.names) <= {*SECOND, "age", "income", "1"}
    assert "age^2" in told.names


@FRAMES
def test_explanations_of_mixed_columns(frame, tmp_path):
    X = frame(MIXED)
    model = KernelRidge(alpha=0.1, kernel="linear[age, income] + overlap[city] + spectrum(p=1)[dna]").fit(X, TARGET)
    told = top_features(model, X[1:2], n=20)
    assert set(told.names) == {"age", "income", "city=Oslo", "dna: A", "dna: C"}
    assert told.decision == pytest.approx(model.predict(X[1:2])[0])
    save(model, tmp_path / "model.mercer")
    assert top_features(load(tmp_path / "model.mercer"), X[1:2], n=20).names == told.names


def test_feature_maps_keep_their_names_in_files(tmp_path):
    features = FeatureMap("linear[age] + overlap[city]").fit(pd.DataFrame(MIXED))
    save(features, tmp_path / "features.mercer")
    again = load(tmp_path / "features.mercer")
    assert again.get_feature_names_out().tolist() == features.get_feature_names_out().tolist()
    X = pd.DataFrame(MIXED)
    np.testing.assert_array_equal(dense(again.transform(X)), dense(features.transform(X)))


def test_kernels_with_names_of_their_own_are_not_renamed():
    assert names(Spectrum(2), ["GATTA", "TAT"]) == ["AT", "GA", "TA", "TT"]


def test_chosen_models_are_explained_by_the_columns_of_the_table():
    X = pd.DataFrame({"age": np.arange(30.0) % 7, "income": np.arange(30.0) % 5})
    auto = AutoRegressor(kernel="linear", model="ridge", cv=2, random_state=0).fit(X, X["age"] * 2.0)
    assert {"age", "income"} >= set(top_features(auto.model_, auto.prepare(X[:1])).names)
