"""
Six displays of ``mercer.plots``
================================

``mercer.plots`` draws kernels and fitted models in the style of scikit-learn's displays: a class method such as
``from_estimator`` computes and draws, and ``plot`` draws again on other axes. This example shows six of the displays:
the Gram matrix, its spectrum, an embedding, a decision boundary, the mistakes of a perceptron and the features behind
a prediction.
"""

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

plt.rcParams.update({"font.size": 11})

# %%
# Gram matrix and spectrum
# ------------------------
# A Gaussian kernel on 178 wines of three growers. Samples are ordered by class, so similar wines form blocks. The
# spectrum shows how many directions of feature space the samples use.

wine = load_wine()
grower = np.array(["first", "second", "third"])[wine.target]
pca = make_pipeline(StandardScaler(), KernelPCA(2, kernel=RBF(gamma=0.05))).fit(wine.data)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
KernelMatrixDisplay.from_estimator(pca, wine.data, grower, ax=left)
spectrum = KernelSpectrumDisplay.from_estimator(pca, wine.data, cumulative=True, ax=right)
assert spectrum.negative_mass == 0.0

# %%
# Embedding and decision boundary
# -------------------------------
# The first two kernel principal components of the wines, and a support vector classifier on two moons with its
# margins and support vectors.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
EmbeddingDisplay.from_estimator(pca, wine.data, grower, ax=left)
left.set_title("Kernel PCA of the wines")
X, y = make_moons(160, noise=0.22, random_state=1)
model = SVC(kernel=RBF(gamma=1.5), C=3.0).fit(X, y)
DecisionBoundaryDisplay.from_estimator(model, X, y, ax=right)
right.set_title(f"SVC with {len(model.support_)} support vectors")

# %%
# Mistakes and contributions
# --------------------------
# The cumulative number of mistakes of a kernel perceptron, and the words that contributed to the classification of a
# short text.

texts = {
    "win a free prize now": "spam",
    "free entry, win cash": "spam",
    "call now to win a prize": "spam",
    "see you at lunch": "ham",
    "lunch at noon, you and me?": "ham",
    "are you at home now?": "ham",
}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
X, y = make_moons(160, noise=0.06, random_state=4)
MistakesDisplay.from_estimator(KernelPerceptron(RBF(gamma=0.5)).fit(X, y), ax=left)
left.set_title("Mistakes of a kernel perceptron")
reader = SVC(kernel=BagOfWords().normalized()).fit(list(texts), list(texts.values()))
found = top_features(reader, "win a free lunch at noon", n=6)
bars = ContributionsDisplay.from_explanation(found, ax=right)
assert np.isclose(sum(bar.get_width() for bar in bars.bars_), found.decision)

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
