"""Clusters in the feature space of any kernel."""

from mercer.cluster.kernel_kmeans import KernelKMeans
from mercer.cluster.spectral import KernelSpectralClustering

__all__ = ["KernelKMeans", "KernelSpectralClustering"]
