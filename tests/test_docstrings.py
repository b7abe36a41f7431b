"""Docstrings of public objects are complete numpydoc, and state the defaults and attributes that the code has."""

import numpy as np
import pytest
from numpydoc.docscrape import get_doc_object

from tests.contracts.behaviour import named, target
from tests.contracts.estimators import ESTIMATORS, entry
from tests.docstrings import DOCUMENTED, faults


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstring_is_complete(name):
    assert faults(DOCUMENTED[name]) == []


@pytest.mark.parametrize("name", named(ESTIMATORS))
def test_fitted_attributes_are_documented(name):
    cls = ESTIMATORS[name]
    X = np.abs(np.random.default_rng(1).normal(size=(36, 3)))
    model = cls(**entry(name).options).fit(X if name != "KernelRepair" else X @ X.T, target(cls, len(X)))
    fitted = {attribute for attribute in vars(model) if attribute.endswith("_") and not attribute.startswith("_")}
    documented = {part.strip() for entry in get_doc_object(cls)["Attributes"] for part in entry.name.split(",")}
    assert fitted - documented == set()
    everything = {attribute for attribute in documented if attribute.endswith("_")}
    assert {attribute for attribute in everything if not hasattr(model, attribute)} <= SOMETIMES


SOMETIMES = {  # attributes that depend on parameters or data
    "feature_names_in_",  # frames only
    "coef_",  # linear kernels only
    *("dual_coef_", "X_transformed_fit_"),  # KernelPCA(fit_inverse_transform=True)
    "cv_results_",  # KernelRidgeCV(store_cv_results=True)
    *("loo_error_", "loo_decision_function_"),  # KernelDiscriminantAnalysis(store_loo=True)
}
