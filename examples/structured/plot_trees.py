"""
Tree kernels distinguish parses of the same words
=================================================

"The man saw the dog with the telescope" has two parses: the telescope belongs to the verb or to the dog. Both have
the same words, so a bag of words cannot distinguish them. The subset-tree kernel counts common fragments of the parse
trees and separates the two readings.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.data import Trees
from mercer.decomposition import KernelPCA
from mercer.kernels import BagOfWords, SubsetTree
from mercer.plots import COLOURS
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
BLUE, ORANGE = COLOURS[:2]

# %%
# Sixty sentences with two parses each

nouns = ["man", "dog", "girl", "cat", "boy", "bird", "woman", "fox"]
verbs = ["saw", "found", "followed", "watched"]
tools = ["telescope", "camera", "lamp", "map"]
rng = np.random.default_rng(0)
brackets, texts = [], []
for _ in range(60):
    one, two = rng.choice(nouns, 2, replace=False)
    verb, tool = rng.choice(verbs), rng.choice(tools)
    subject, thing = f"(NP (DT the) (NN {one}))", f"(NP (DT the) (NN {two}))"
    tail = f"(PP (IN with) (NP (DT the) (NN {tool})))"
    brackets.append(f"(S {subject} (VP (VP (VB {verb}) {thing}) {tail}))")  # with the verb
    brackets.append(f"(S {subject} (VP (VB {verb}) (NP {thing} {tail})))")  # with the noun
    texts += 2 * [f"the {one} {verb} the {two} with the {tool}"]
trees, reading = Trees(brackets), np.array(["verb", "noun"] * 60)
print(trees)

# %%
# The two parses of the first sentence
# ------------------------------------
# The phrase "with the …" is attached to the verb phrase (left) or to the noun phrase (right).


def draw(ax, text, colour):
    """Draw a tree in bracket notation; leaves are placed from left to right."""
    stack, leaves = [], 0
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([None, []])
        elif token != ")":
            if stack[-1][0] is None:
                stack[-1][0] = token
            else:
                stack[-1][1].append((leaves, -len(stack)))
                ax.text(leaves, -len(stack), token, ha="center", va="top", rotation=90, style="italic")
                leaves += 1
        else:
            label, children = stack.pop()
            x, y = np.mean([child[0] for child in children]), -len(stack)
            for child in children:
                ax.plot([x, child[0]], [y, child[1]], color="0.6", lw=1.2, zorder=1)
            pad = {"boxstyle": "round,pad=0.2", "facecolor": colour if label == "PP" else "white", "edgecolor": "0.7"}
            ax.text(x, y, label, ha="center", va="center", bbox=pad, color="white" if label == "PP" else "black")
            if stack:
                stack[-1][1].append((x, y))
    ax.set(xlim=(-0.6, leaves - 0.4), ylim=(-7.4, 0.4))
    ax.axis("off")


figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained")
for ax, bracket, colour, name in zip(axes, brackets, (BLUE, ORANGE), ("verb", "noun"), strict=False):
    draw(ax, bracket, colour)
    ax.set_title(f'"with …" belongs to the {name}')

# %%
# Kernel PCA and classification
# -----------------------------
# The first two components in both feature spaces. In the bag of words each pair of parses is one point, and a support
# vector classifier is right for half of the test sentences. With the tree kernel it makes no error.

views = {
    "bag of words": (BagOfWords().normalized(), texts),
    "subset-tree kernel": (SubsetTree(decay=0.4).normalized(), trees),
}
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
scores = {}
for ax, (name, (kernel, X)) in zip(axes, views.items(), strict=True):
    train, test = [X[i] for i in range(80)], [X[i] for i in range(80, 120)]
    scores[name] = SVC(kernel=kernel).fit(train, reading[:80]).score(test, reading[80:])
    places = KernelPCA(2, kernel=kernel).fit_transform(X)
    for which, colour, marker, size in (("verb", BLUE, "o", 50), ("noun", ORANGE, "x", 26)):
        ax.scatter(*places[reading == which].T, color=colour, marker=marker, s=size, label=f"belongs to the {which}")
    ax.set(title=f"{name}: accuracy {scores[name]:.0%}", xlabel="component 1", ylabel="component 2")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
assert scores["subset-tree kernel"] == 1.0 > scores["bag of words"]

plt.show()
