"""
String-kernel SVM on DNA sequences
==================================

The bundled data set "motifs" has 300 generated DNA sequences of 30 to 50 nucleotides. Half of them contain a binding
site at a random position: the half sites TGACG and CGTCA, zero to two nucleotides apart, some of their letters
redrawn. Support vector classifiers use the sequences directly, with kernels that count common k-mers. The
contributions of k-mers show what decides.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import RocCurveDisplay, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import mercer
from mercer.explain import top_features
from mercer.kernels import Gapped, Mismatch, Spectrum
from mercer.plots import COLOURS
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

frame = mercer.datasets.read("motifs").X
sequences, y = frame["sequence"].to_list(), (frame["class"] == "bound").to_numpy()
print(sequences[0], "bound" if y[0] else "free")

# %%
# Four string kernels
# -------------------
# ``Spectrum(k)`` counts k-mers that two sequences have in common. ``Mismatch(k, m)`` also counts k-mers that differ
# in up to m letters, and ``Gapped(g, m)`` compares g letters at g − m of their positions. The gapped kernel sees both
# half sites at once, whatever lies between them, and has the largest area under the curve.

kernels = {
    "single letters": Spectrum(1),
    "6-mers": Spectrum(6),
    "6-mers, one mismatch": Mismatch(6, 1),
    "10-mers, four gaps": Gapped(10, 4),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
figure, ax = plt.subplots(figsize=(6.4, 5.6), layout="constrained")
area = {}
for (name, kernel), colour in zip(kernels.items(), COLOURS, strict=False):
    model = SVC(kernel=kernel.normalized())
    values = cross_val_predict(model, sequences, y, cv=folds, method="decision_function")
    area[name] = roc_auc_score(y, values)
    print(f"{name:22} AUC {area[name]:.3f}")
    RocCurveDisplay.from_predictions(y, values, name=name, ax=ax, curve_kwargs={"color": colour, "lw": 2})
ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":")
ax.set(title="Out-of-fold ROC curves", xlabel="false positive rate", ylabel="true positive rate")
assert area["10-mers, four gaps"] > area["6-mers"] > area["single letters"]

# %%
# Which k-mers decide
# -------------------
# ``top_features`` splits a decision value into the contributions of the k-mers of a sequence. On average over the
# bound sequences, the two half sites contribute most, followed by 5-mers that overlap them.

model = SVC(kernel=Spectrum(5)).fit(sequences, y)
total = {}
for sequence in np.array(sequences)[y]:
    for kmer, contribution in top_features(model, sequence, n=1000):
        total[kmer] = total.get(kmer, 0.0) + contribution / y.sum()
best = sorted(total, key=total.get)[-12:]
sites = [kmer in ("TGACG", "CGTCA") for kmer in best]
figure, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
bars = ax.barh(best, [total[kmer] for kmer in best], color=[COLOURS[0] if found else "0.7" for found in sites])
ax.set_yticks(range(len(best)), best, family="monospace")
ax.set(title="Largest mean contributions; blue: the half sites", xlabel="contribution to the decision value")
assert sites[-2:] == [True, True]

plt.show()
