"""Kernel methods: one algebra of kernels, and a certificate with every answer.

=====================  ========================================================================
`kernel`               a kernel from its text, ``mercer.kernel("0.5*rbf(gamma=0.1) + linear")``
`Kernel`, `RBF`, …     kernels as classes; all of them are in `mercer.kernels`
`user`, `register`     kernels of your own
`gram`                 the lazy Gram matrix of a kernel on data
`check_gram`, `repair` what is wrong with a Gram matrix, and the nearest valid one
`find_counterexample`  data on which a kernel fails to be positive semidefinite
`check_kernel`         every law a kernel must obey, tested on a sample
`SVC`, `SVR`, …        support vector machines, in `mercer.svm`
`KernelRidge`, …       regression with a quadratic penalty, leave-one-out, logistic: `mercer.ridge`
`KernelPCA`, …         components, pre-images, manifolds: `mercer.decomposition`
`KernelDiscriminant…`  discriminant analysis: `mercer.discriminant`
`KernelPerceptron`, …  learning from mistakes: `mercer.perceptron`
`KernelKMeans`, …      clusters and neighbours: `mercer.cluster`, `mercer.neighbors`
`FeatureMap`, …        transformers for pipelines, in `mercer.preprocessing`
`top_features`         what pushed a prediction: substrings, words, coordinates; in `mercer.explain`
`AutoClassifier`, …    from a raw table to a fitted model, kernel and all: `mercer.auto`
`alignment`, …         how well a kernel fits a target: `mercer.model_selection`
`save`, `load`         models in files that run no code: `mercer.persistence`
`datasets`, `plots`,   files and bundled data, pictures, a page about a fit, faces
`report`, `faces`
`Table`                columns of mixed kinds
`Strings`, `Trees`,    sequences, trees and graphs, packed once; kernels are in `mercer.kernels.strings`, `.trees`
`Graphs`
=====================  ========================================================================

Names are loaded on first use, so that ``import mercer`` costs next to nothing.

>>> import mercer
>>> mercer.kernel("rbf(gamma=0.5)") == mercer.RBF(gamma=0.5)
True
"""

# ruff: noqa: F403, F405
# The star import is for type checkers only; tests/test_namespace.py loads every name of __all__.
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer import (
        auto,
        cluster,
        data,
        datasets,
        decomposition,
        discriminant,
        exceptions,
        explain,
        faces,
        kernels,
        model_selection,
        neighbors,
        operators,
        perceptron,
        persistence,
        plots,
        preprocessing,
        report,
        ridge,
        solvers,
        svm,
        testing,
    )
    from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer
    from mercer.cluster import KernelKMeans, KernelSpectralClustering
    from mercer.data import Graphs, Strings, Table, Trees
    from mercer.decomposition import ClassicalMDS, Isomap, KernelPCA, LaplacianEigenmaps, LocallyLinearEmbedding
    from mercer.discriminant import KernelDiscriminantAnalysis
    from mercer.explain import top_features
    from mercer.kernels import *
    from mercer.model_selection import alignment, alignment_weights, centered_alignment
    from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
    from mercer.operators import gram
    from mercer.perceptron import KernelPerceptron, Perceptron
    from mercer.persistence import load, save
    from mercer.preprocessing import FeatureMap, KernelRepair, KernelRows
    from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelRidgeCV, Ridge
    from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, c_path
    from mercer.testing import check_kernel

    __version__: str

__all__ = [
    "ANOVA",
    "RBF",
    "SVC",
    "SVDD",
    "SVR",
    "AdditiveChi2",
    "AutoClassifier",
    "AutoRegressor",
    "Bilinear",
    "Brownian",
    "Certificate",
    "Chi2",
    "ClassicalMDS",
    "Columns",
    "Constant",
    "Cosine",
    "Counterexample",
    "Definiteness",
    "Delta",
    "ExpOf",
    "Exponential",
    "FeatureMap",
    "GramReport",
    "Graphs",
    "Intersection",
    "Isomap",
    "Kernel",
    "KernelDiscriminantAnalysis",
    "KernelKMeans",
    "KernelKNeighborsClassifier",
    "KernelKNeighborsRegressor",
    "KernelLogisticRegression",
    "KernelPCA",
    "KernelPerceptron",
    "KernelRepair",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "KernelRows",
    "KernelSpectralClustering",
    "Laplacian",
    "LaplacianEigenmaps",
    "Linear",
    "LocallyLinearEmbedding",
    "Log",
    "Map",
    "Matern",
    "MinMax",
    "NegativeChi2",
    "Normalized",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Overlap",
    "Perceptron",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "PowerOf",
    "Product",
    "RationalQuadratic",
    "Ridge",
    "Scaled",
    "Sigmoid",
    "Strings",
    "Sum",
    "Table",
    "TablePreparer",
    "Tanimoto",
    "TanimotoOf",
    "Trees",
    "User",
    "Weighted",
    "__version__",
    "alignment",
    "alignment_weights",
    "auto",
    "c_path",
    "centered_alignment",
    "check_gram",
    "check_kernel",
    "cluster",
    "data",
    "datasets",
    "decomposition",
    "discriminant",
    "exceptions",
    "explain",
    "faces",
    "find_counterexample",
    "gram",
    "kernel",
    "kernels",
    "load",
    "model_selection",
    "neighbors",
    "operators",
    "perceptron",
    "persistence",
    "plots",
    "preprocessing",
    "register",
    "registered",
    "repair",
    "report",
    "ridge",
    "save",
    "solvers",
    "svm",
    "testing",
    "top_features",
    "user",
]

_FAMILIES = {
    "auto": ("AutoClassifier", "AutoRegressor", "TablePreparer"),
    "cluster": ("KernelKMeans", "KernelSpectralClustering"),
    "decomposition": ("ClassicalMDS", "Isomap", "KernelPCA", "LaplacianEigenmaps", "LocallyLinearEmbedding"),
    "discriminant": ("KernelDiscriminantAnalysis",),
    "explain": ("top_features",),
    "model_selection": ("alignment", "alignment_weights", "centered_alignment"),
    "neighbors": ("KernelKNeighborsClassifier", "KernelKNeighborsRegressor"),
    "perceptron": ("KernelPerceptron", "Perceptron"),
    "persistence": ("load", "save"),
    "preprocessing": ("FeatureMap", "KernelRepair", "KernelRows"),
    "ridge": ("KernelLogisticRegression", "KernelRidge", "KernelRidgeClassifier", "KernelRidgeCV", "Ridge"),
    "svm": ("SVC", "SVDD", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "c_path"),
}
_LAYERS = (
    "cli",
    "data",
    "datasets",
    "exceptions",
    "faces",
    "kernels",
    "operators",
    "plots",
    "report",
    "solvers",
    "testing",
)
_SUBMODULES = (*_FAMILIES, *_LAYERS)
_HOMES = {  # of the names that do not live in mercer.kernels
    **dict.fromkeys(("Graphs", "Strings", "Table", "Trees"), "mercer.data"),
    "check_kernel": "mercer.testing",
    "gram": "mercer.operators",
    **{name: f"mercer.{family}" for family, names in _FAMILIES.items() for name in names},
}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"mercer.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("mercer")
    else:
        value = getattr(importlib.import_module(_HOMES.get(name, "mercer.kernels")), name)
    globals()[name] = value  # next time without this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
