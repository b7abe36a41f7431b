"""Kernel principal component analysis, pre-images and manifold learning."""

from mercer._doors import publish
from mercer.decomposition.isomap import Isomap
from mercer.decomposition.kernel_pca import KernelPCA
from mercer.decomposition.laplacian import LaplacianEigenmaps
from mercer.decomposition.locally_linear import LocallyLinearEmbedding
from mercer.decomposition.mds import ClassicalMDS
from mercer.decomposition.preimages import Preimages, preimages

__all__ = [
    "ClassicalMDS",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "Preimages",
    "preimages",
]

publish(__name__, globals())
