"""Frames in and out of transformers."""

import pytest
from sklearn.base import clone

from mercer.kernels import Polynomial
from mercer.preprocessing import FeatureMap, KernelRows


@pytest.mark.parametrize("transformer", [FeatureMap(Polynomial(degree=2)), KernelRows()], ids=repr)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_and_out(transformer, library, rng):
    X = rng.normal(size=(6, 2))
    module = pytest.importorskip(library)
    frame = module.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fitted = clone(transformer).set_output(transform=library).fit(frame)
    out = fitted.transform(frame)
    assert isinstance(out, module.DataFrame)
    assert list(out.columns) == list(fitted.get_feature_names_out())
    assert list(fitted.feature_names_in_) == ["a", "b"]
    assert out.to_numpy() == pytest.approx(clone(transformer).fit_transform(X))
