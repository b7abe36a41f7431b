"""Ridge regression and related estimators, with and without kernels, with a certificate for each fit."""

from mercer._doors import publish
from mercer.ridge.classifier import KernelRidgeClassifier
from mercer.ridge.kernel_ridge import KernelRidge
from mercer.ridge.kernel_ridge_cv import KernelRidgeCV
from mercer.ridge.linear import Ridge
from mercer.ridge.logistic import KernelLogisticRegression

__all__ = ["KernelLogisticRegression", "KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier", "Ridge"]

publish(__name__, globals())
