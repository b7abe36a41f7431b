"""Base classes, mixins and validation shared by estimators and transformers."""

from mercer._estimator.approximate import Approximable
from mercer._estimator.constraints import constraints
from mercer._estimator.estimator import KernelEstimator
from mercer._estimator.features import Approximation
from mercer._estimator.finite import finite_fit, finite_values, warn_unconverged
from mercer._estimator.incremental import Incremental, Sums
from mercer._estimator.kernel import as_kernel
from mercer._estimator.params import KernelParams, Params
from mercer._estimator.samples import check_samples, check_training, kernel_tags
from mercer._estimator.training import Training, operator_training
from mercer._estimator.transaction import TransactionalFit
from mercer._estimator.warn import warn

__all__ = [
    "Approximable",
    "Approximation",
    "Incremental",
    "KernelEstimator",
    "KernelParams",
    "Params",
    "Sums",
    "Training",
    "TransactionalFit",
    "as_kernel",
    "check_samples",
    "check_training",
    "constraints",
    "finite_fit",
    "finite_values",
    "kernel_tags",
    "operator_training",
    "warn",
    "warn_unconverged",
]
