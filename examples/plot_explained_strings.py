"""Which substrings pushed a prediction: a planted motif, found again.

Half of the sequences carry TGACGTCA, with one letter changed at random; a support vector machine learns to tell them
from the others by words of four letters. `top_features` takes one decision apart, and because every word has its places
in the sequence, the contributions can be drawn along it: they pile up where the motif is.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.explain import top_features
from mercer.kernels import Spectrum
from mercer.svm import SVC

BLUE, ORANGE = "#0072B2", "#D55E00"
MOTIF, LENGTH, P = "TGACGTCA", 60, 4

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

model = SVC(kernel=Spectrum(P).normalized(), C=10.0).fit(sequences[:400], y[:400])
print(f"accuracy on 200 new sequences: {model.score(sequences[400:], y[400:]):.3f}")
shown = next(i for i in range(401, 600, 2) if sequences[i][places[i] :].startswith(MOTIF))
x, place = sequences[shown], places[shown]
explanation = top_features(model, x, n=12)
print(f"{x}\n{' ' * place}{'^' * len(MOTIF)}\n{explanation}")

every = dict(top_features(model, x, n=LENGTH))
along = np.zeros(LENGTH)
for start in range(LENGTH - P + 1):
    word = x[start : start + P]
    along[start : start + P] += every.get(word, 0.0) / (P * x.count(word))

plt.rcParams.update({"font.size": 10})
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained", width_ratios=[1, 2.4])
names, values = explanation.names[::-1], explanation.contributions[::-1]
left.barh(names, values, color=[BLUE if v > 0 else ORANGE for v in values])
left.set(title="words that count most", xlabel="contribution to f(x)")
left.set_yticks(range(len(names)), names, family="monospace")
right.axvspan(place - 0.5, place + len(MOTIF) - 0.5, color="0.9", label="the planted motif")
right.bar(range(LENGTH), along, color=[BLUE if v > 0 else ORANGE for v in along], width=0.9)
right.axhline(0, color="0.3", linewidth=0.8)
right.set_xticks(range(LENGTH), list(x), family="monospace", fontsize=9)
right.set(title="the same along the sequence", ylabel="contribution of a letter", xlim=(-0.7, LENGTH - 0.3))
right.legend(frameon=False)

assert place <= int(along.argmax()) < place + len(MOTIF)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
