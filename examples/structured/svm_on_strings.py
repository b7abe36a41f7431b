"""
A user-defined string kernel in a grid search
=============================================

A kernel is a small class: ``pair`` computes one kernel value, and ``proof`` states why the kernel is positive
semidefinite. This example defines a kernel that counts common substrings of words, and uses it in a support vector
classifier that recognises the language of a word. Grid search sets the kernel's parameter by name, and
cross-validation splits the list of strings.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from mercer.kernels import Certificate, Definiteness, Kernel
from mercer.svm import SVC
from mercer.testing import check_kernel

plt.rcParams.update({"font.size": 11})

WORDS = {
    "Italian": "amore bambino bellezza cavallo città cucina domani fiume formaggio fratello giardino giorno "
    "libro luce mattina montagna notte ombrello pesce piazza ragazzo scuola sorella stella strada "
    "tavolo uccello vecchio vino zucchero",
    "German": "abend apfel baum berg blume brücke dorf fenster fisch freund frühling garten geschichte himmel "
    "hund kirche licht mädchen milch morgen nacht pferd regen schiff schlüssel schwester straße vogel "
    "wasser zwiebel",
    "Finnish": "aamu aurinko hevonen huone ikkuna ilta joki järvi kaupunki kesä kirja kissa koulu kukka kuningas "
    "kylä leipä lintu maito metsä omena pöytä saari sisko sydän talvi tyttö vesi veli yö",
}
words = [word for line in WORDS.values() for word in line.split()]
language = [name for name, line in WORDS.items() for _ in line.split()]

# %%
# The kernel
# ----------
# The kernel counts the different substrings of at most p letters that two words share. "^" and "$" mark the beginning
# and the end of a word. ``check_kernel`` tests the class on a few samples.


@dataclass(frozen=True)
class CommonSubstrings(Kernel):
    """Number of different substrings of at most p letters that two words share."""

    p: int = 2

    def pair(self, a: str, b: str) -> float:
        return float(len(self.substrings(f"^{a}$") & self.substrings(f"^{b}$")))

    def substrings(self, word: str) -> set[str]:
        return {word[i : i + q] for q in range(1, self.p + 1) for i in range(len(word) - q + 1)}

    def proof(self) -> Certificate:
        return self._certify(Definiteness.PSD, "an inner product of 0/1 vectors, one entry per substring")


check_kernel(CommonSubstrings(), words[:12])
print(CommonSubstrings().normalized().certificate())

# %%
# Grid search
# -----------
# The parameter p of the kernel inside ``normalized()`` has the name ``kernel__kernel__p``.

grid = {"kernel__kernel__p": [1, 2, 3], "C": [0.3, 1.0, 3.0, 10.0]}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = GridSearchCV(SVC(kernel=CommonSubstrings().normalized()), grid, cv=folds).fit(words, language)
scores = search.cv_results_["mean_test_score"].reshape(4, 3).T
assert search.best_score_ > 0.7

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
image = ax.imshow(scores, cmap="Blues", vmin=1 / 3, vmax=0.9, aspect="auto")
for (i, j), score in np.ndenumerate(scores):
    ax.text(j, i, f"{score:.0%}", ha="center", va="center", fontsize=14, color="white" if score > 0.7 else "black")
ax.set_xticks(range(4), [f"{C:g}" for C in grid["C"]])
ax.set_yticks(range(3), grid["kernel__kernel__p"])
ax.set(title="Mean accuracy over five folds (chance: 33 %)", xlabel="C", ylabel="longest substring p")

# %%
# Predictions for new words

best = search.best_estimator_
print(f"{len(best.support_)} of {len(words)} words are support vectors, duality gap {best.solution_.gap:.1e}")
for word in ("gondola", "sprache", "suomi"):
    print(f"{word}: {best.predict([word])[0]}")

plt.show()
