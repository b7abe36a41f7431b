"""The same words, another structure: what a bag of words cannot see and a tree kernel can.

"the man saw the dog with the telescope" has two readings: the telescope belongs to the seeing, or to the dog. Both have
the same words, so a bag of words gives them the same place. A kernel that counts common fragments of their parses puts
them apart, and kernel PCA draws both views.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.data import Trees
from mercer.decomposition import KernelPCA
from mercer.kernels import BagOfWords, SubsetTree
from mercer.svm import SVC

BLUE, ORANGE = "#0072B2", "#D55E00"
NOUNS = ["man", "dog", "girl", "cat", "boy", "bird", "woman", "fox"]
VERBS = ["saw", "found", "followed", "watched"]
TOOLS = ["telescope", "camera", "lamp", "map"]

rng = np.random.default_rng(0)
brackets, texts, reading = [], [], []
for _ in range(60):
    one, two = rng.choice(NOUNS, 2, replace=False)
    verb, tool = rng.choice(VERBS), rng.choice(TOOLS)
    subject, thing = f"(NP (DT the) (NN {one}))", f"(NP (DT the) (NN {two}))"
    tail = f"(PP (IN with) (NP (DT the) (NN {tool})))"
    for meaning in ("the seeing", "the thing seen"):
        if meaning == "the seeing":
            predicate = f"(VP (VP (VB {verb}) {thing}) {tail})"
        else:
            predicate = f"(VP (VB {verb}) (NP {thing} {tail}))"
        brackets.append(f"(S {subject} {predicate})")
        texts.append(f"the {one} {verb} the {two} with the {tool}")
        reading.append(meaning)

trees, reading = Trees(brackets), np.array(reading)
print(trees, "\n", trees[0].to_text(), "\n", trees[1].to_text())
VIEWS = {
    "bag of words": (BagOfWords().normalized(), texts),
    "subset tree": (SubsetTree(decay=0.4).normalized(), trees),
}

plt.rcParams.update({"font.size": 10})
figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
scores = {}
for panel, (name, (kernel, X)) in zip(panels, VIEWS.items(), strict=True):
    half = np.arange(len(reading)) < 80
    train, test = ([X[i] for i in np.flatnonzero(part)] for part in (half, ~half))
    scores[name] = SVC(kernel=kernel).fit(train, reading[half]).score(test, reading[~half])
    places = KernelPCA(2, kernel=kernel).fit_transform(X)
    for meaning, colour, marker, size in (("the seeing", BLUE, "o", 34), ("the thing seen", ORANGE, "x", 22)):
        chosen = reading == meaning
        panel.scatter(*places[chosen].T, color=colour, marker=marker, s=size, label=f"with … belongs to {meaning}")
    panel.set(title=f"{name} — {scores[name]:.0%} right", xlabel="first component", ylabel="second component")
    print(f"{name}: {scores[name]:.2f} of new sentences right")
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)

assert scores["subset tree"] == 1.0 > scores["bag of words"]

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
