"""Absurd requests: numbers of features, permutations, starts, tries and degrees of 10¹² and more."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import approximation as ap
from mercer import kernels as mk
from mercer import model_selection as ms
from mercer.cluster import KernelKMeans, KernelSpectralClustering
from mercer.data import ArrayBlocks, Graphs
from mercer.kernel_approximation import PolynomialSketch, RandomFourierFeatures
from mercer.operators import gram
from mercer.preprocessing import FeatureMap
from mercer.ridge import KernelRidge
from mercer.semi_supervised import LaplacianRidge, LaplacianSVC
from tests.border.case import Case
from tests.border.odd import ROWS, pick

__all__ = ["ASKED", "requests"]

X = ROWS[0]
Y, LABEL = X[:, 0], np.arange(len(X)) % 2
WORDS = ["gattaca", "tacat", "cat"]
RBF, SQUARE = mk.RBF(gamma=1.0), mk.Polynomial(degree=2)


def _graphs() -> Graphs:
    return Graphs.from_edges([[(0, 1), (1, 2)], [(0, 1)]])


ASKED: dict[str, Callable[[int], Any]] = {
    "RandomFourierFeatures(n_components)": lambda n: RandomFourierFeatures(n_components=n).fit_transform(X),
    "RandomFourierFeatures on blocks": lambda n: KernelRidge(
        kernel="rbf", approximation=RandomFourierFeatures(n_components=n)
    ).fit(ArrayBlocks(X, Y, rows=5)),
    "random_fourier(n_components)": lambda n: ap.random_fourier(RBF, 4, n),
    "random_fourier(n_features)": lambda n: ap.random_fourier(RBF, n, 100),
    "PolynomialSketch(n_components)": lambda n: PolynomialSketch(n_components=n).fit_transform(X),
    "PolynomialSketch(degree)": lambda n: PolynomialSketch(degree=n).fit_transform(X),
    "tensor_sketch(n_features)": lambda n: ap.tensor_sketch(SQUARE, n, 100),
    "select_landmarks": lambda n: ap.select_landmarks(gram(RBF, X), n),
    "KernelRidge(approximation)": lambda n: KernelRidge(kernel="rbf", approximation=n).fit(X, Y),
    "approximation on blocks": lambda n: KernelRidge(kernel="rbf", approximation=n).fit(ArrayBlocks(X, Y, rows=5)),
    "two_sample_test(n_permutations)": lambda n: ms.two_sample_test(X, X + 1, n_permutations=n),
    "independence_test(n_permutations)": lambda n: ms.independence_test(X, X, n_permutations=n),
    "KernelKMeans(n_clusters)": lambda n: KernelKMeans(n).fit(X),
    "KernelKMeans(n_init)": lambda n: KernelKMeans(2, n_init=n).fit(X),
    "KernelKMeans(n_init, random)": lambda n: KernelKMeans(2, n_init=n, init="random").fit(X),
    "KernelSpectralClustering(n_init)": lambda n: KernelSpectralClustering(2, n_init=n).fit(X),
    "LaplacianRidge(power)": lambda n: LaplacianRidge(power=n).fit(X, Y),
    "LaplacianSVC(power)": lambda n: LaplacianSVC(power=n).fit(X, LABEL),
    "FeatureMap(degree)": lambda n: FeatureMap(mk.Polynomial(degree=n)).fit(X),
    "find_counterexample(max_points)": lambda n: mk.find_counterexample(mk.Linear(), X, max_points=n, tries=3),
    "find_counterexample(tries)": lambda n: mk.find_counterexample(mk.Linear(), X, tries=n),
    "ANOVA(degree)": lambda n: mk.ANOVA(degree=n)(X),
    "Spectrum(p)": lambda n: mk.Spectrum(n)(WORDS),
    "WeightedDegree(degree)": lambda n: mk.WeightedDegree(n)(WORDS),
    "Gapped(g)": lambda n: mk.Gapped(g=n, m=5)(WORDS),
    "WeisfeilerLehman(n_iter)": lambda n: mk.WeisfeilerLehman(n)(_graphs()),
    "Propagation(n_iter)": lambda n: mk.Propagation(n)(_graphs()),
    "Graphlet(size)": lambda n: mk.Graphlet(n)(_graphs()),
}


def requests(rng: np.random.Generator, i: int) -> Case:
    """A request that no machine can meet."""
    name = list(ASKED)[i % len(ASKED)]
    n = int(pick(rng, [10**12, 2**40 + 1, 10**15]))
    return Case(f"{n}", name, lambda: ASKED[name](n), "refuse")
