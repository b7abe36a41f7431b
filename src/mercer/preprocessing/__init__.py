"""Kernel transformers for scikit-learn's pipelines.

`FeatureMap` computes the explicit features φ(x) of a kernel, `KernelRows` the values k(x, landmark), and `KernelRepair`
makes a precomputed Gram matrix positive semidefinite.
"""

from mercer._doors import publish
from mercer.preprocessing.feature_map import FeatureMap
from mercer.preprocessing.kernel_repair import KernelRepair
from mercer.preprocessing.kernel_rows import KernelRows

__all__ = ["FeatureMap", "KernelRepair", "KernelRows"]

publish(__name__, globals())
