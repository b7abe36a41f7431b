"""Clustering in the feature space of any kernel."""

from mercer._doors import publish
from mercer.cluster.kernel_kmeans import KernelKMeans
from mercer.cluster.spectral import KernelSpectralClustering

__all__ = ["KernelKMeans", "KernelSpectralClustering"]

publish(__name__, globals())
