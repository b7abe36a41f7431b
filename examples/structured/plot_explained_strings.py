"""
Which substrings explain a prediction
=====================================

Half of the sequences contain the motif TGACGTCA with one letter changed at random. A support vector classifier with a
spectrum kernel learns to recognise them by 4-mers. ``top_features`` splits one decision value into the contributions
of the 4-mers, and drawing the contributions along the sequence shows where the motif is.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.explain import top_features
from mercer.kernels import Spectrum
from mercer.plots import COLOURS
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE = COLOURS[:2]
MOTIF, LENGTH, K = "TGACGTCA", 60, 4

# %%
# Sequences with a planted motif

rng = np.random.default_rng(7)
sequences, places = [], []
y = np.arange(600) % 2
for label in y:
    letters = rng.choice(list("ACGT"), LENGTH)
    place = int(rng.integers(0, LENGTH - len(MOTIF)))
    if label:
        letters[place : place + len(MOTIF)] = list(MOTIF)
        letters[place + rng.integers(len(MOTIF))] = rng.choice(list("ACGT"))
    sequences.append("".join(letters))
    places.append(place)

model = SVC(kernel=Spectrum(K).normalized(), C=10.0).fit(sequences[:400], y[:400])
print(f"accuracy on 200 new sequences: {model.score(sequences[400:], y[400:]):.3f}")

# %%
# The most important 4-mers of one sequence
# -----------------------------------------
# The contributions and the intercept add up to the decision value.

shown = next(i for i in range(401, 600, 2) if sequences[i][places[i] :].startswith(MOTIF))
x, place = sequences[shown], places[shown]
explanation = top_features(model, x, n=12)
print(f"{x}\n{' ' * place}{'^' * len(MOTIF)}\n{explanation}")

names, values = explanation.names[::-1], explanation.contributions[::-1]
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.barh(names, values, color=[BLUE if v > 0 else ORANGE for v in values])
ax.axvline(0, color="0.3", linewidth=0.8)
ax.set_yticks(range(len(names)), names, family="monospace")
ax.set(title="4-mers with the largest contributions", xlabel="contribution to the decision value")

# %%
# Contributions along the sequence
# --------------------------------
# The contribution of a 4-mer is distributed over its letters. The largest values are inside the motif.

every = dict(top_features(model, x, n=LENGTH))
along = np.zeros(LENGTH)
for start in range(LENGTH - K + 1):
    kmer = x[start : start + K]
    along[start : start + K] += every.get(kmer, 0.0) / (K * x.count(kmer))
assert place <= int(along.argmax()) < place + len(MOTIF)

figure, ax = plt.subplots(figsize=(9.5, 4), layout="constrained")
ax.axvspan(place - 0.5, place + len(MOTIF) - 0.5, color=COLOURS[4], alpha=0.3, linewidth=0, zorder=0)
ax.text(place + len(MOTIF) / 2 - 0.5, 1.05 * along.max(), "planted motif", ha="center")
ax.bar(range(LENGTH), along, color=[BLUE if v > 0 else ORANGE for v in along], width=0.9)
ax.axhline(0, color="0.3", linewidth=0.8)
ax.set_xticks(range(LENGTH), list(x), family="monospace", fontsize=10)
ax.set(title="Contributions along the sequence", ylabel="contribution of a letter", xlim=(-0.7, LENGTH - 0.3))
ax.set_ylim(None, 1.15 * along.max())

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
