"""Kernel methods: one algebra of kernels, and a certificate with every answer.

=====================  ========================================================================
`kernel`               a kernel from its text, ``mercer.kernel("0.5*rbf(gamma=0.1) + linear")``
`Kernel`, `RBF`, …     kernels as classes; all of them, also `Sum`, `Map` or `Log`, are in `mercer.kernels`
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
`AutoClassifier`, …    from a raw table to a fitted model, kernel and all, and `evaluate`: `mercer.auto`
`alignment`, …         how well a kernel fits a target: `mercer.model_selection`
`save`, `load`         models in files that run no code: `mercer.persistence`
`datasets`, `plots`,   files and bundled data, pictures, a page about a fit, faces
`report`, `faces`
`Table`                columns of mixed kinds
`Strings`, `Trees`,    sequences, trees and graphs, packed once; `Spectrum`, `SubsetTree`, `WeisfeilerLehman`, …
`Graphs`               are their kernels
=====================  ========================================================================

Names are loaded on first use, so that ``import mercer`` costs next to nothing. Every class and function names the
package it belongs to: ``mercer.SVC.__module__`` is ``"mercer.svm"``.

>>> import mercer
>>> mercer.kernel("rbf(gamma=0.5)") == mercer.RBF(gamma=0.5)
True
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # stars and "as" mark what is exported; tests/test_public_names.py compares
    from mercer import auto as auto
    from mercer import cluster as cluster
    from mercer import data as data
    from mercer import datasets as datasets
    from mercer import decomposition as decomposition
    from mercer import discriminant as discriminant
    from mercer import exceptions as exceptions
    from mercer import explain as explain
    from mercer import faces as faces
    from mercer import kernels as kernels
    from mercer import model_selection as model_selection
    from mercer import neighbors as neighbors
    from mercer import operators as operators
    from mercer import perceptron as perceptron
    from mercer import persistence as persistence
    from mercer import plots as plots
    from mercer import preprocessing as preprocessing
    from mercer import report as report
    from mercer import ridge as ridge
    from mercer import solvers as solvers
    from mercer import svm as svm
    from mercer import testing as testing
    from mercer.auto import AutoClassifier as AutoClassifier
    from mercer.auto import AutoRegressor as AutoRegressor
    from mercer.auto import TablePreparer as TablePreparer
    from mercer.auto.evaluate import evaluate as evaluate
    from mercer.cluster import KernelKMeans as KernelKMeans
    from mercer.cluster import KernelSpectralClustering as KernelSpectralClustering
    from mercer.data import Graphs as Graphs
    from mercer.data import Strings as Strings
    from mercer.data import Table as Table
    from mercer.data import Trees as Trees
    from mercer.decomposition import ClassicalMDS as ClassicalMDS
    from mercer.decomposition import Isomap as Isomap
    from mercer.decomposition import KernelPCA as KernelPCA
    from mercer.decomposition import LaplacianEigenmaps as LaplacianEigenmaps
    from mercer.decomposition import LocallyLinearEmbedding as LocallyLinearEmbedding
    from mercer.discriminant import KernelDiscriminantAnalysis as KernelDiscriminantAnalysis
    from mercer.explain import top_features as top_features
    from mercer.kernels import ANOVA as ANOVA
    from mercer.kernels import RBF as RBF
    from mercer.kernels import AdditiveChi2 as AdditiveChi2
    from mercer.kernels import AttributedShortestPath as AttributedShortestPath
    from mercer.kernels import BagOfWords as BagOfWords
    from mercer.kernels import Bilinear as Bilinear
    from mercer.kernels import Brownian as Brownian
    from mercer.kernels import Certificate as Certificate
    from mercer.kernels import Chi2 as Chi2
    from mercer.kernels import Cosine as Cosine
    from mercer.kernels import Counterexample as Counterexample
    from mercer.kernels import Definiteness as Definiteness
    from mercer.kernels import EdgeHistogram as EdgeHistogram
    from mercer.kernels import GramReport as GramReport
    from mercer.kernels import GraphHopper as GraphHopper
    from mercer.kernels import Graphlet as Graphlet
    from mercer.kernels import Kernel as Kernel
    from mercer.kernels import Laplacian as Laplacian
    from mercer.kernels import Linear as Linear
    from mercer.kernels import LocalAlignment as LocalAlignment
    from mercer.kernels import Matern as Matern
    from mercer.kernels import MinMax as MinMax
    from mercer.kernels import NegativeChi2 as NegativeChi2
    from mercer.kernels import NeighborhoodHash as NeighborhoodHash
    from mercer.kernels import PartialTree as PartialTree
    from mercer.kernels import Periodic as Periodic
    from mercer.kernels import Polynomial as Polynomial
    from mercer.kernels import RandomWalk as RandomWalk
    from mercer.kernels import RationalQuadratic as RationalQuadratic
    from mercer.kernels import ShortestPath as ShortestPath
    from mercer.kernels import Sigmoid as Sigmoid
    from mercer.kernels import Spectrum as Spectrum
    from mercer.kernels import SubsetTree as SubsetTree
    from mercer.kernels import Subtree as Subtree
    from mercer.kernels import Tanimoto as Tanimoto
    from mercer.kernels import VertexHistogram as VertexHistogram
    from mercer.kernels import WeightedDegree as WeightedDegree
    from mercer.kernels import WeisfeilerLehman as WeisfeilerLehman
    from mercer.kernels import WLOptimalAssignment as WLOptimalAssignment
    from mercer.kernels import check_gram as check_gram
    from mercer.kernels import find_counterexample as find_counterexample
    from mercer.kernels import kernel as kernel
    from mercer.kernels import register as register
    from mercer.kernels import registered as registered
    from mercer.kernels.repair import repair as repair
    from mercer.kernels.user import user as user
    from mercer.model_selection import alignment_weights as alignment_weights
    from mercer.model_selection import centered_alignment as centered_alignment
    from mercer.model_selection.alignment import alignment as alignment
    from mercer.neighbors import KernelKNeighborsClassifier as KernelKNeighborsClassifier
    from mercer.neighbors import KernelKNeighborsRegressor as KernelKNeighborsRegressor
    from mercer.operators import gram as gram
    from mercer.perceptron import KernelPerceptron as KernelPerceptron
    from mercer.perceptron import Perceptron as Perceptron
    from mercer.persistence import load as load
    from mercer.persistence import save as save
    from mercer.preprocessing import FeatureMap as FeatureMap
    from mercer.preprocessing import KernelRepair as KernelRepair
    from mercer.preprocessing import KernelRows as KernelRows
    from mercer.ridge import KernelLogisticRegression as KernelLogisticRegression
    from mercer.ridge import KernelRidge as KernelRidge
    from mercer.ridge import KernelRidgeClassifier as KernelRidgeClassifier
    from mercer.ridge import KernelRidgeCV as KernelRidgeCV
    from mercer.ridge import Ridge as Ridge
    from mercer.svm import SVC as SVC
    from mercer.svm import SVDD as SVDD
    from mercer.svm import SVR as SVR
    from mercer.svm import NuSVC as NuSVC
    from mercer.svm import NuSVR as NuSVR
    from mercer.svm import OneClassSVM as OneClassSVM
    from mercer.svm import c_path as c_path
    from mercer.testing import check_kernel as check_kernel

    __version__: str

_PUBLIC = {  # what is exported here, by the package that it belongs to
    "auto": ("AutoClassifier", "AutoRegressor", "TablePreparer", "evaluate"),
    "cluster": ("KernelKMeans", "KernelSpectralClustering"),
    "data": ("Graphs", "Strings", "Table", "Trees"),
    "decomposition": ("ClassicalMDS", "Isomap", "KernelPCA", "LaplacianEigenmaps", "LocallyLinearEmbedding"),
    "discriminant": ("KernelDiscriminantAnalysis",),
    "explain": ("top_features",),
    # Kernels whose name means one kernel to readers who do not see its module. The nodes of the algebra (Sum, Map, ...)
    # and kernels named by an everyday word (Log, Power, Delta, ...) are in mercer.kernels only.
    "kernels": (
        "ANOVA",
        "AdditiveChi2",
        "AttributedShortestPath",
        "BagOfWords",
        "Bilinear",
        "Brownian",
        "Chi2",
        "Cosine",
        "EdgeHistogram",
        "GraphHopper",
        "Graphlet",
        "Laplacian",
        "Linear",
        "LocalAlignment",
        "Matern",
        "MinMax",
        "NegativeChi2",
        "NeighborhoodHash",
        "PartialTree",
        "Periodic",
        "Polynomial",
        "RBF",
        "RandomWalk",
        "RationalQuadratic",
        "ShortestPath",
        "Sigmoid",
        "Spectrum",
        "SubsetTree",
        "Subtree",
        "Tanimoto",
        "VertexHistogram",
        "WLOptimalAssignment",
        "WeightedDegree",
        "WeisfeilerLehman",
        "Certificate",
        "Counterexample",
        "Definiteness",
        "GramReport",
        "Kernel",
        "check_gram",
        "find_counterexample",
        "kernel",
        "register",
        "registered",
        "repair",
        "user",
    ),
    "model_selection": ("alignment", "alignment_weights", "centered_alignment"),
    "neighbors": ("KernelKNeighborsClassifier", "KernelKNeighborsRegressor"),
    "operators": ("gram",),
    "perceptron": ("KernelPerceptron", "Perceptron"),
    "persistence": ("load", "save"),
    "preprocessing": ("FeatureMap", "KernelRepair", "KernelRows"),
    "ridge": ("KernelLogisticRegression", "KernelRidge", "KernelRidgeClassifier", "KernelRidgeCV", "Ridge"),
    "svm": ("SVC", "SVDD", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "c_path"),
    "testing": ("check_kernel",),
}
_PACKAGES = (*_PUBLIC, "cli", "datasets", "exceptions", "faces", "plots", "report", "solvers")
_HOMES = {name: package for package, names in _PUBLIC.items() for name in names}


def _load(name: str) -> Any:
    """The value of a name that was not used before."""
    if name in _PACKAGES:
        return importlib.import_module(f"mercer.{name}")
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("mercer")
    elif name in _HOMES:
        value = getattr(importlib.import_module(f"mercer.{_HOMES[name]}"), name)
    elif name == "__all__":
        value = sorted({*_HOMES, *_PACKAGES, "__version__"} - {"cli"})
    else:
        message = f"module 'mercer' has no attribute {name!r}"
        if not name.startswith("_") and name in importlib.import_module("mercer.kernels").__all__:
            message += f"; it is mercer.kernels.{name}"
        raise AttributeError(message, name=name)
    globals()[name] = value  # next time without this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_load("__all__"), *_PACKAGES})


if not TYPE_CHECKING:  # type checkers would take every name for one that exists
    __getattr__ = _load
