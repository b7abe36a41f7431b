"""The registry of public estimators: found by introspection, with what the contract tests need to know of each."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

import mercer
from mercer.auto import AutoClassifier, AutoRegressor
from mercer.cluster import KernelKMeans, KernelSpectralClustering
from mercer.decomposition import ClassicalMDS, Isomap, KernelPCA, LaplacianEigenmaps, LocallyLinearEmbedding
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.feature_learning import LeaveOneOutWeights, RecursiveFeatureMachine
from mercer.kernel_approximation import Nystroem, PolynomialSketch, RandomFourierFeatures
from mercer.kernels import RBF, Chi2, Kernel, Linear, Periodic, Polynomial
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
from mercer.perceptron import KernelPerceptron, Perceptron
from mercer.preprocessing import FeatureMap, KernelRepair, KernelRows
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelRidgeCV, Ridge
from mercer.semi_supervised import LaplacianRidge, LaplacianSVC, TransductiveSVC
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["ENTRIES", "ESTIMATORS", "Entry", "entry"]


def _public() -> Iterator[tuple[str, type[Any]]]:
    """Every class with `fit` in the `__all__` of a public package."""
    packages = [getattr(mercer, name) for name in mercer.__all__ if inspect.ismodule(getattr(mercer, name))]
    for package in packages:
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value) and hasattr(value, "fit"):
                yield name, value


ESTIMATORS: dict[str, type[Any]] = dict(_public())


WIDTH = RBF(gamma=0.3)


@dataclass(frozen=True)
class Entry:
    """What the contract tests need to know of an estimator; a class without an entry takes part with its defaults.

    Attributes
    ----------
    options : dict
        Parameters for a few dozen samples.
    checked : tuple of estimators
        Configurations that pass scikit-learn's checks by default; empty: the class with its defaults.
    also_checked : tuple of estimators
        Further configurations, checked in exhaustive runs.
    expected : dict of str to str
        Checks that cannot pass, by name, with the proof.
    warnings : str
        Warning that the data of some checks cause on purpose, as a filter.
    kernel : Kernel
        A kernel that the estimator takes as an object and as text.
    refused : dict of str to str
        Forms of a kernel, "function" or "precomputed", that the estimator cannot take, with words of its error.
    needs_norms : tuple of str
        Methods that need k(x, x) of new samples: there are none if the kernel is precomputed.
    """

    options: dict[str, Any] = field(default_factory=dict)
    checked: tuple[BaseEstimator, ...] = ()
    also_checked: tuple[BaseEstimator, ...] = ()
    expected: dict[str, str] = field(default_factory=dict)
    warnings: str = ""
    kernel: Kernel = WIDTH
    refused: dict[str, str] = field(default_factory=dict)
    needs_norms: tuple[str, ...] = ()


EQUIVALENCE = [f"check_sample_weight_equivalence_on_{form}_data" for form in ("dense", "sparse")]
DRAWN_FOLDS = "folds are drawn by position and columns are standardised without weights, so that repeated rows differ"
RANDOM_STARTS = "repeated rows change the positions of rows, and with them what a random start draws"
NO_KERNEL = "kernel='precomputed' is not supported here; pass a kernel and the data"
CLUSTERS = "the graph .* connected:UserWarning"

ENTRIES: dict[str, Entry] = {
    "AutoClassifier": Entry(
        {"cv": 2},
        checked=(AutoClassifier("rbf", "ridge", cv=2),),
        also_checked=(AutoClassifier(),),
        expected=dict.fromkeys(EQUIVALENCE, DRAWN_FOLDS),
        refused={"precomputed": NO_KERNEL},
    ),
    "AutoRegressor": Entry(
        {"cv": 2},
        checked=(AutoRegressor("rbf", "ridge", cv=2),),
        also_checked=(AutoRegressor(),),
        expected=dict.fromkeys(EQUIVALENCE, DRAWN_FOLDS),
        refused={"precomputed": NO_KERNEL},
    ),
    "ClassicalMDS": Entry(
        {"n_components": 2, "random_state": 0},
        also_checked=(ClassicalMDS(kernel="precomputed"), ClassicalMDS(metric="precomputed")),
    ),
    "FeatureMap": Entry(
        also_checked=(FeatureMap(RBF(), degree=2),),
        kernel=Polynomial(degree=2, gamma=0.5),
        refused={"function": "has no explicit feature map", "precomputed": NO_KERNEL},
    ),
    "Isomap": Entry(
        {"n_neighbors": 12, "random_state": 0},
        also_checked=(Isomap(metric="precomputed"),),
        warnings=f"Isomap. {CLUSTERS}",
    ),
    "KernelDiscriminantAnalysis": Entry(also_checked=(KernelDiscriminantAnalysis(kernel="precomputed"),)),
    "KernelKMeans": Entry(
        {"n_clusters": 3, "random_state": 0},
        also_checked=(KernelKMeans(kernel="precomputed"),),
        expected=dict.fromkeys(EQUIVALENCE, RANDOM_STARTS),
        warnings="KernelKMeans. number of distinct clusters",
        needs_norms=("transform",),
    ),
    "KernelKNeighborsClassifier": Entry(
        needs_norms=("kneighbors",),
        also_checked=(
            KernelKNeighborsClassifier(kernel="precomputed"),
            KernelKNeighborsClassifier(weights="distance"),
        ),
    ),
    "KernelKNeighborsRegressor": Entry(
        needs_norms=("kneighbors",),
        also_checked=(
            KernelKNeighborsRegressor(kernel="precomputed"),
            KernelKNeighborsRegressor(kernel="linear", weights="distance"),
        ),
    ),
    "KernelLogisticRegression": Entry(
        checked=(KernelLogisticRegression(kernel="rbf"),),
        also_checked=(KernelLogisticRegression(), KernelLogisticRegression(kernel="precomputed")),
    ),
    "KernelPCA": Entry(
        {"n_components": 3, "random_state": 0},
        checked=(KernelPCA(2, kernel="rbf", fit_inverse_transform=True),),
        also_checked=(
            KernelPCA(kernel="rbf"),
            KernelPCA(2, kernel="precomputed"),  # one check rounds the Gram matrix to integers: all of it is not PSD
            KernelPCA(0.9, kernel="poly", center=False, fit_inverse_transform=True, inverse_map="nearest"),
        ),
    ),
    "KernelPerceptron": Entry(
        {"max_iter": 1000},
        also_checked=(
            KernelPerceptron("precomputed"),
            KernelPerceptron(variant="voted"),
            KernelPerceptron(budget=50, removal="projectron"),
        ),
        warnings=".*mistakes in the last:sklearn.exceptions.ConvergenceWarning",
    ),
    "KernelRepair": Entry(also_checked=(KernelRepair(method="flip"), KernelRepair(method="shift"))),
    "KernelRidge": Entry(
        {"alpha": 0.1},
        checked=(KernelRidge(kernel="rbf"),),
        also_checked=(
            KernelRidge(kernel="rbf", fit_intercept=True),
            KernelRidge(kernel="precomputed"),
            KernelRidge(kernel="precomputed", fit_intercept=True),
            KernelRidge(kernel="rbf", solver="cg"),
            KernelRidge(kernel="rbf", solver="mixed"),
        ),
    ),
    "KernelRidgeCV": Entry(
        {"fit_intercept": True},
        checked=(KernelRidgeCV(kernel="rbf"),),
        also_checked=(KernelRidgeCV(kernel="precomputed"),),
    ),
    "KernelRidgeClassifier": Entry(also_checked=(KernelRidgeClassifier(kernel="precomputed"),)),
    "KernelRows": Entry(
        {"landmarks": 7, "random_state": 0},
        also_checked=(
            KernelRows(Chi2() + Linear(), landmarks=1, random_state=0),
            KernelRows(Periodic()),
            KernelRows("brownian"),
        ),
        refused={"precomputed": NO_KERNEL},
    ),
    "KernelSpectralClustering": Entry(
        {"n_clusters": 3, "random_state": 0},
        also_checked=(KernelSpectralClustering(kernel="precomputed"),),
    ),
    "LaplacianEigenmaps": Entry(
        {"n_neighbors": 12, "random_state": 0},
        also_checked=(
            LaplacianEigenmaps(metric="precomputed"),
            LaplacianEigenmaps(affinity="kernel", kernel="rbf", gamma=0.1),
        ),
        warnings=f"LaplacianEigenmaps. {CLUSTERS}",
    ),
    "LaplacianRidge": Entry(
        {"alpha": 0.1},
        also_checked=(
            # One check rounds the Gram matrix to integers, so that it is not PSD: a strong graph would say so. Another
            # one has eigenvalues up to 2·10⁶: with the default alpha, rounding decides whether the fit converges.
            LaplacianRidge(alpha=0.1, kernel="precomputed", manifold=1e-3),
            LaplacianRidge(weights="heat", fit_intercept=False),
            LaplacianRidge(normalize=True, power=2),
        ),
    ),
    "LaplacianSVC": Entry(
        also_checked=(
            LaplacianSVC(kernel="precomputed", manifold=1e-3),
            LaplacianSVC(weights="heat"),
            LaplacianSVC(normalize=True, power=3),
        ),
    ),
    "LeaveOneOutWeights": Entry(
        also_checked=(LeaveOneOutWeights(tied=True), LeaveOneOutWeights(RBF()), LeaveOneOutWeights(p=2.0)),
        refused={"function": "has no free parameters to learn", "precomputed": NO_KERNEL},
    ),
    "LocallyLinearEmbedding": Entry(
        {"n_neighbors": 12, "random_state": 0},
        also_checked=(LocallyLinearEmbedding(metric="precomputed"),),
        warnings=f"LocallyLinearEmbedding. {CLUSTERS}",
    ),
    "MKLClassifier": Entry(
        {"tol": 1e-6}, also_checked=(MKLClassifier(method="easymkl", tol=1e-9), MKLClassifier(p=2.0))
    ),
    "MKLRegressor": Entry(
        {"tol": 1e-9}, checked=(MKLRegressor(tol=1e-9),), also_checked=(MKLRegressor(method="alignf"),)
    ),
    "NuSVC": Entry(
        {"nu": 0.3},
        checked=(NuSVC(nu=0.3),),  # 0.5 is infeasible where a class has less than a quarter of the samples
        also_checked=(NuSVC(nu=0.3, kernel="precomputed"),),
        expected={"check_class_weight_classifiers": "class weights of 1000 and 0.0001 leave no nu above 1e-6 feasible"},
        warnings="NuSVC.* there is no margin:sklearn.exceptions.ConvergenceWarning",
    ),
    "NuSVR": Entry(also_checked=(NuSVR(kernel="precomputed"),)),
    "Nystroem": Entry(
        {"n_components": 7, "random_state": 0},
        checked=(Nystroem(n_components=5, random_state=0),),
        # Not "precomputed": some checks round or negate the Gram matrix, and indefinite ones are refused.
        also_checked=(
            Nystroem(n_components=3, landmarks="uniform", random_state=0),
            Nystroem("laplacian", n_components=3, landmarks="kmeans++", random_state=0),
        ),
    ),
    "OneClassSVM": Entry(also_checked=(OneClassSVM(kernel="precomputed"),)),
    "Perceptron": Entry(
        also_checked=(Perceptron(form="dual"),),
        warnings=".*mistakes in the last:sklearn.exceptions.ConvergenceWarning",
    ),
    "PolynomialSketch": Entry(
        {"n_components": 20, "random_state": 0},
        checked=(PolynomialSketch(n_components=10, random_state=0),),
        also_checked=(PolynomialSketch(degree=3, coef0=1.0, random_state=0),),
    ),
    "RandomFourierFeatures": Entry(
        {"n_components": 20, "random_state": 0},
        checked=(RandomFourierFeatures(n_components=10, random_state=0),),
        also_checked=(RandomFourierFeatures("0.5*matern*laplacian", n_components=10, random_state=0),),
        refused={"function": "has no random Fourier features", "precomputed": NO_KERNEL},
    ),
    "RecursiveFeatureMachine": Entry(
        also_checked=(RecursiveFeatureMachine(metric="full"), RecursiveFeatureMachine(RBF("median"))),
        refused={"function": "gradient", "precomputed": NO_KERNEL},
    ),
    "Ridge": Entry(also_checked=(Ridge(form="primal"), Ridge(form="dual"))),
    "SVC": Entry(
        checked=(SVC(), SVC(multi_class="crammer_singer")),
        also_checked=(
            SVC(multi_class="ovr"),
            *(SVC(multi_class=shape, kernel="precomputed") for shape in ("ovo", "ovr", "crammer_singer")),
        ),
    ),
    "SVDD": Entry(refused={"precomputed": "the distance to the centre needs k(x, x) of new samples"}),
    # With an approximation, tol is a relative gap, and predictions are accurate to its square root.
    "SVR": Entry({"tol": 1e-4}, also_checked=(SVR(kernel="precomputed"),)),
    "TransductiveSVC": Entry(
        also_checked=(TransductiveSVC(kernel="precomputed"), TransductiveSVC(method="cccp")),
        warnings="TransductiveSVC. (no sample is unlabelled|the label -1 counts as a class):UserWarning",
    ),
}


def entry(name: str) -> Entry:
    """The entry of an estimator, or one of defaults."""
    return ENTRIES.get(name, Entry())
