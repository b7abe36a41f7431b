"""Six displays of `mercer.plots`: what a kernel sees, where samples go, what models rest on.

Above, a Gaussian kernel on wines of three growers: its matrix ordered by class, its eigenvalues, the first two
principal components. Below, a support vector machine with its margins, the mistakes of a perceptron, and the words that
pushed the prediction for a text.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.decomposition import KernelPCA
from mercer.explain import top_features
from mercer.kernels import RBF, BagOfWords
from mercer.perceptron import KernelPerceptron
from mercer.plots import (
    ContributionsDisplay,
    DecisionBoundaryDisplay,
    EmbeddingDisplay,
    KernelMatrixDisplay,
    KernelSpectrumDisplay,
    MistakesDisplay,
)
from mercer.svm import SVC

TEXTS = {
    "win a free prize now": "spam",
    "free entry, win cash": "spam",
    "call now to win a prize": "spam",
    "see you at lunch": "ham",
    "lunch at noon, you and me?": "ham",
    "are you at home now?": "ham",
}

figure, ((a, b, c), (d, e, f)) = plt.subplots(2, 3, figsize=(16, 9), layout="constrained")

wine = load_wine()
grower = np.array(["first", "second", "third"])[wine.target]
pca = make_pipeline(StandardScaler(), KernelPCA(2, kernel=RBF(gamma=0.05))).fit(wine.data)
KernelMatrixDisplay.from_estimator(pca, wine.data, grower, ax=a)
spectrum = KernelSpectrumDisplay.from_estimator(pca, wine.data, cumulative=True, ax=b)
EmbeddingDisplay.from_estimator(pca, wine.data, grower, ax=c)

X, y = make_moons(160, noise=0.22, random_state=1)
model = SVC(kernel=RBF(gamma=1.5), C=3.0).fit(X, y)
DecisionBoundaryDisplay.from_estimator(model, X, y, ax=d).ax_.set_title(f"{len(model.support_)} support vectors")
X, y = make_moons(160, noise=0.06, random_state=4)
mistakes = MistakesDisplay.from_estimator(KernelPerceptron(RBF(gamma=0.5)).fit(X, y), ax=e)
mistakes.ax_.set_title("a perceptron learns from mistakes")
reader = SVC(kernel=BagOfWords().normalized()).fit(list(TEXTS), list(TEXTS.values()))
found = top_features(reader, "win a free lunch at noon", n=6)
bars = ContributionsDisplay.from_explanation(found, ax=f)

assert spectrum.negative_mass == 0.0
assert np.isclose(sum(bar.get_width() for bar in bars.bars_), found.decision)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=120)
elif plt.get_backend().lower() != "agg":
    plt.show()
