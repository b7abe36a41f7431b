"""Kernel methods: an algebra of kernels, and estimators with certified solutions.

=======================  ======================================================================
`kernel`                 kernel from its text form, ``mercer.kernel("0.5*rbf(gamma=0.1) + linear")``
`Kernel`, `RBF`, …       kernel classes; all of them, including `Sum`, `Map` and `Log`, are in
                         `mercer.kernels`
`user`, `register`       user-defined kernels
`gram`                   matrix-free Gram matrix of a kernel on data, in `mercer.operators`
`check_gram`, `repair`   report on a Gram matrix, and the nearest valid one
`find_counterexample`    search for data on which a kernel is not positive semidefinite
`check_kernel`           conformance test of a kernel on a sample, in `mercer.testing`
`SVC`, `SVR`, …          support vector machines, in `mercer.svm`
`KernelRidge`, …         kernel ridge and kernel logistic regression, in `mercer.ridge`
`KernelPCA`, …           components, pre-images and manifold embeddings, in `mercer.decomposition`
`KernelDiscriminant…`    discriminant analysis, in `mercer.discriminant`
`KernelPerceptron`, …    perceptrons, in `mercer.perceptron`
`KernelKMeans`, …        clustering and nearest neighbours, in `mercer.cluster` and
                         `mercer.neighbors`
`MKLClassifier`, …       multiple kernel learning, in `mercer.multiple_kernel`
`TransductiveSVC`, …     learning from labelled and unlabelled samples, in `mercer.semi_supervised`
`LeaveOneOutWeights`, …  learned weights of columns and metrics, in `mercer.feature_learning`
`FeatureMap`, …          transformers for pipelines, in `mercer.preprocessing`
`Nystroem`, …            approximate features for large data sets, in `mercer.kernel_approximation`;
                         `select_landmarks` and functions on operators, in `mercer.approximation`
`shapley_values`         shares of the columns of a table in a prediction, in `mercer.explain`
`top_features`           features that contribute most to a prediction, in `mercer.explain`
`AutoClassifier`, …      from a raw table to a fitted model, and `evaluate`, in `mercer.auto`
`rank_kernels`, …        kernel alignment, two-sample and independence tests, `GramCache`, in
                         `mercer.model_selection`
`save`, `load`           model files that execute no code, in `mercer.persistence`
`datasets`, `plots`,     data files and bundled data, figures, an HTML report on a fitted model,
`report`, `faces`        face images
`Table`                  columns of mixed types
`Strings`, `Trees`,      containers of sequences, trees and graphs; `Spectrum`, `SubsetTree`,
`Graphs`                 `WeisfeilerLehman`, … are kernels on them
=======================  ======================================================================

Names are loaded on first use, so that ``import mercer`` is fast. Every class and function names the package to which it
belongs: ``mercer.SVC.__module__`` is ``"mercer.svm"``.

>>> import mercer
>>> mercer.kernel("rbf(gamma=0.5)") == mercer.RBF(gamma=0.5)
True
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # "as" marks exports for type checkers; tests/test_public_names.py compares
    from mercer import approximation as approximation
    from mercer import auto as auto
    from mercer import cluster as cluster
    from mercer import data as data
    from mercer import datasets as datasets
    from mercer import decomposition as decomposition
    from mercer import discriminant as discriminant
    from mercer import exceptions as exceptions
    from mercer import explain as explain
    from mercer import faces as faces
    from mercer import feature_learning as feature_learning
    from mercer import kernel_approximation as kernel_approximation
    from mercer import kernels as kernels
    from mercer import model_selection as model_selection
    from mercer import multiple_kernel as multiple_kernel
    from mercer import neighbors as neighbors
    from mercer import operators as operators
    from mercer import perceptron as perceptron
    from mercer import persistence as persistence
    from mercer import plots as plots
    from mercer import preprocessing as preprocessing
    from mercer import report as report
    from mercer import ridge as ridge
    from mercer import semi_supervised as semi_supervised
    from mercer import solvers as solvers
    from mercer import svm as svm
    from mercer import testing as testing
    from mercer.approximation import select_landmarks as select_landmarks
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
    from mercer.explain import shapley_values as shapley_values
    from mercer.explain import top_features as top_features
    from mercer.feature_learning import LeaveOneOutWeights as LeaveOneOutWeights
    from mercer.feature_learning import RecursiveFeatureMachine as RecursiveFeatureMachine
    from mercer.kernel_approximation import Nystroem as Nystroem
    from mercer.kernel_approximation import PolynomialSketch as PolynomialSketch
    from mercer.kernel_approximation import RandomFourierFeatures as RandomFourierFeatures
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
    from mercer.kernels import Interactions as Interactions
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
    from mercer.kernels import WeightedColumns as WeightedColumns
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
    from mercer.model_selection import GramCache as GramCache
    from mercer.model_selection import alignment_weights as alignment_weights
    from mercer.model_selection import centered_alignment as centered_alignment
    from mercer.model_selection import hsic as hsic
    from mercer.model_selection import independence_test as independence_test
    from mercer.model_selection import mmd as mmd
    from mercer.model_selection import rank_kernels as rank_kernels
    from mercer.model_selection import two_sample_test as two_sample_test
    from mercer.model_selection.alignment import alignment as alignment
    from mercer.multiple_kernel import MKLClassifier as MKLClassifier
    from mercer.multiple_kernel import MKLRegressor as MKLRegressor
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
    from mercer.semi_supervised import LaplacianRidge as LaplacianRidge
    from mercer.semi_supervised import LaplacianSVC as LaplacianSVC
    from mercer.semi_supervised import TransductiveSVC as TransductiveSVC
    from mercer.svm import SVC as SVC
    from mercer.svm import SVDD as SVDD
    from mercer.svm import SVR as SVR
    from mercer.svm import NuSVC as NuSVC
    from mercer.svm import NuSVR as NuSVR
    from mercer.svm import OneClassSVM as OneClassSVM
    from mercer.svm import c_path as c_path
    from mercer.testing import check_kernel as check_kernel

    __version__: str

_PUBLIC = {  # exported names by package
    "approximation": ("select_landmarks",),
    "auto": ("AutoClassifier", "AutoRegressor", "TablePreparer", "evaluate"),
    "cluster": ("KernelKMeans", "KernelSpectralClustering"),
    "data": ("Graphs", "Strings", "Table", "Trees"),
    "decomposition": ("ClassicalMDS", "Isomap", "KernelPCA", "LaplacianEigenmaps", "LocallyLinearEmbedding"),
    "discriminant": ("KernelDiscriminantAnalysis",),
    "explain": ("shapley_values", "top_features"),
    "feature_learning": ("LeaveOneOutWeights", "RecursiveFeatureMachine"),
    "kernel_approximation": ("Nystroem", "PolynomialSketch", "RandomFourierFeatures"),
    # Kernels whose name is unambiguous without the package. The classes of the algebra (Sum, Map, ...) and kernels
    # named by a common word (Log, Power, Delta, ...) are exported by mercer.kernels only.
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
        "Interactions",
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
        "WeightedColumns",
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
    "model_selection": (
        "GramCache",
        "alignment",
        "alignment_weights",
        "centered_alignment",
        "hsic",
        "independence_test",
        "mmd",
        "rank_kernels",
        "two_sample_test",
    ),
    "multiple_kernel": ("MKLClassifier", "MKLRegressor"),
    "neighbors": ("KernelKNeighborsClassifier", "KernelKNeighborsRegressor"),
    "operators": ("gram",),
    "perceptron": ("KernelPerceptron", "Perceptron"),
    "persistence": ("load", "save"),
    "preprocessing": ("FeatureMap", "KernelRepair", "KernelRows"),
    "ridge": ("KernelLogisticRegression", "KernelRidge", "KernelRidgeClassifier", "KernelRidgeCV", "Ridge"),
    "semi_supervised": ("LaplacianRidge", "LaplacianSVC", "TransductiveSVC"),
    "svm": ("SVC", "SVDD", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "c_path"),
    "testing": ("check_kernel",),
}
_PACKAGES = (*_PUBLIC, "cli", "datasets", "exceptions", "faces", "plots", "report", "solvers")
_HOMES = {name: package for package, names in _PUBLIC.items() for name in names}


def _load(name: str) -> Any:
    """Import the object of a public name at its first use."""
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
    globals()[name] = value  # later accesses do not call this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_load("__all__"), *_PACKAGES})


if not TYPE_CHECKING:  # type checkers would accept every attribute
    __getattr__ = _load
