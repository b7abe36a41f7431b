"""Explanations: contributions that add up to what the model says."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.explain import top_features
from mercer.kernels import RBF, Columns, Linear, Polynomial
from mercer.kernels.strings import BagOfWords, Spectrum
from mercer.perceptron import KernelPerceptron
from mercer.preprocessing import FeatureMap
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVR, NuSVC

STRINGS = ["GATTACA", "TTATTA", "CCGC", "GGCC", "ATTAGC", "CGCGAT", "TTACC", "GCGT", "GGTTA"]
TWO, THREE = np.array([1, 1, 0, 0, 1, 0, 1, 0, 1]), np.array(list("aabbacccc"))
KERNELS = [
    Spectrum(2),
    Spectrum(2, blended=True).normalized(),
    0.5 * Spectrum(2, "min") + Spectrum(3) * Spectrum(1) + 1,
]


def added_up(explanation):
    return explanation.contributions.sum() + explanation.rest + explanation.intercept


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("machine", [SVC, NuSVC, KernelRidgeClassifier, KernelPerceptron])
def test_two_classes(kernel, machine):
    model = machine(kernel=kernel).fit(STRINGS, TWO)
    for x in [*STRINGS[:3], "TTTCCC"]:
        value = model.decision_function([x])[0]
        found = top_features(model, x, n=3)
        sign = 1 if found.output == 1 else -1
        assert found.output == model.predict([x])[0]
        assert sign * found.decision == pytest.approx(value, abs=1e-8)
        assert added_up(found) == pytest.approx(found.decision, abs=1e-12)
        assert top_features(model, x, output=0).decision == pytest.approx(-value, abs=1e-8)


def test_what_counts_is_what_was_planted(rng):
    strings = ["".join(rng.choice(list("ACGT"), 40)) for _ in range(60)]
    y = np.arange(60) % 2
    strings = [s[:20] + "GGGGGG" + s[20:] if label else s for s, label in zip(strings, y, strict=True)]
    found = top_features(SVC(kernel=Spectrum(4).normalized(), C=10.0).fit(strings, y), strings[1])
    assert found.names[0] == "GGGG"
    assert len(found) == 10
    assert found.contributions[0] == max(abs(found.contributions))


@pytest.mark.parametrize("shape", ["ovo", "ovr", "crammer_singer"])
def test_several_classes(shape):
    model = SVC(kernel=Spectrum(2), multi_class=shape, decision_function_shape="ovo").fit(STRINGS, THREE)
    values = model.decision_function(["GATTA"])[0]
    if shape == "ovo":  # machines of pairs ab, ac, bc
        values = np.array([values[0] + values[1], -values[0] + values[2], -values[1] - values[2]])
    for value, label in zip(values, "abc", strict=True):
        found = top_features(model, "GATTA", output=label)
        assert (found.output, found.decision) == (label, pytest.approx(value, abs=1e-8))
    assert top_features(model, "GATTA").output == model.predict(["GATTA"])[0]


def test_regression():
    y = np.linspace(-1, 1, 9)
    for model in (SVR(kernel=Spectrum(2)), KernelRidge(kernel=Spectrum(2))):
        model.fit(STRINGS, y)
        assert top_features(model, "GATTA").decision == pytest.approx(model.predict(["GATTA"])[0], abs=1e-8)
    many = KernelRidge(kernel=Spectrum(2)).fit(STRINGS, np.c_[y, -y])
    assert top_features(many, "GATTA", output=1).decision == pytest.approx(many.predict(["GATTA"])[0, 1], abs=1e-8)


@pytest.mark.parametrize("last", [LinearSVC(), LogisticRegression(), Ridge()])
def test_pipelines_with_a_linear_model(last):
    model = make_pipeline(FeatureMap(Spectrum(2).normalized()), last).fit(STRINGS, TWO)
    found = top_features(model, "GATTA", output=None if isinstance(last, Ridge) else 1)
    value = getattr(model, "predict" if isinstance(last, Ridge) else "decision_function")(["GATTA"])[0]
    assert found.decision == pytest.approx(value, abs=1e-8)
    assert set(found.names) <= {"GA", "AT", "TT", "TA"}


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_discriminant_analysis(y):
    model = KernelDiscriminantAnalysis(kernel=Spectrum(2)).fit(STRINGS, y)
    values = np.atleast_1d(model.decision_function(["GATTA"])[0])
    values = np.r_[-values, values] if len(values) == 1 else values
    for value, label in zip(values, model.classes_, strict=True):
        assert top_features(model, "GATTA", output=label).decision == pytest.approx(value, abs=1e-8)


def test_pipelines_of_several_classes():
    model = make_pipeline(FeatureMap(BagOfWords()), LinearSVC()).fit(["a b", "b c", "c a", "a a"], list("xyzx"))
    values = model.decision_function(["a c"])[0]
    for value, label in zip(values, "xyz", strict=True):
        assert top_features(model, "a c", output=label).decision == pytest.approx(value, abs=1e-8)


def test_vectors_and_frames(rng):
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    model = SVC(kernel=Polynomial(degree=2, gamma=1.0, coef0=0.0)).fit(X, y)
    assert abs(top_features(model, X[0]).decision) == pytest.approx(abs(model.decision_function(X[:1])[0]))
    import pandas as pd

    frame = pd.DataFrame({"age": np.arange(9.0), "seq": STRINGS})
    mixed = SVC(kernel=Columns("seq", Spectrum(1)) + Columns("age", Linear())).fit(frame, TWO)
    found = top_features(mixed, frame[2:3], n=20)
    assert {"seq: C", "seq: G", "age"} >= set(found.names)
    assert abs(found.decision) == pytest.approx(abs(mixed.decision_function(frame[2:3])[0]))


def test_the_table_that_is_printed():
    text = str(top_features(KernelRidge(kernel=Spectrum(1), alpha=1.0).fit(["ab", "b"], [1.0, 0.0]), "ab", n=1))
    assert text.splitlines()[0].startswith("a ")
    assert [line.split()[0] for line in text.splitlines()[1:3]] == ["1", "intercept"]
    assert "decision for 0" in text


def test_refusals():
    with pytest.raises(ValueError, match="got 2 samples, expected one"):
        top_features(SVC(kernel=Spectrum(2)).fit(STRINGS, TWO), STRINGS[:2])
    with pytest.raises(TypeError, match="expected a fitted kernel machine"):
        top_features(LinearSVC(), "a")
    with pytest.raises(ValueError, match="was fitted to a precomputed Gram matrix"):
        top_features(SVC(kernel="precomputed").fit(np.eye(4), [0, 1, 0, 1]), np.eye(4)[:1])
    with pytest.raises(ValueError, match=r"one of the classes \[0, 1\], got 7"):
        top_features(SVC(kernel=Spectrum(2)).fit(STRINGS, TWO), "GATTA", output=7)
    from mercer.exceptions import NoFeatureMapError

    with pytest.raises(NoFeatureMapError):
        top_features(SVC(kernel=RBF()).fit(np.eye(4), [0, 1, 0, 1]), np.eye(4)[0])
