"""Plumbing that estimators and transformers share."""

from mercer._estimator.kernel import as_kernel
from mercer._estimator.params import KernelParams
from mercer._estimator.samples import check_samples, check_training, kernel_tags

__all__ = ["KernelParams", "as_kernel", "check_samples", "check_training", "kernel_tags"]
