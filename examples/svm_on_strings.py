"""A kernel of your own on strings, ten lines, in a grid search.

The samples are words, a plain list of strings: no features are made of them. The kernel counts the pieces of at most p
letters that two words share; that is an inner product, so it is positive semidefinite, and `normalized()` takes the
length out. Grid search reaches the kernel's parameter by its name, and cross-validation splits the list.
"""

from dataclasses import dataclass

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from mercer.kernels import Certificate, Definiteness, Kernel
from mercer.svm import SVC
from mercer.testing import check_kernel

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


@dataclass(frozen=True)
class Pieces(Kernel):
    """Number of different pieces of at most p letters that two words share; "^" and "$" mark begin and end."""

    p: int = 2

    def pair(self, a: str, b: str) -> float:
        return float(len(self.pieces(f"^{a}$") & self.pieces(f"^{b}$")))

    def pieces(self, word: str) -> set[str]:
        return {word[i : i + q] for q in range(1, self.p + 1) for i in range(len(word) - q + 1)}

    def proof(self) -> Certificate:
        return self._certify(Definiteness.PSD, "an inner product of 0/1 vectors, one entry per piece")


words = [word for line in WORDS.values() for word in line.split()]
language = [name for name, line in WORDS.items() for _ in line.split()]
check_kernel(Pieces(), words[:12])

model = SVC(kernel=Pieces().normalized())
grid = {"kernel__kernel__p": [1, 2, 3], "C": [0.3, 1.0, 3.0, 10.0]}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = GridSearchCV(model, grid, cv=folds).fit(words, language)

print("mean accuracy over five folds; guessing gives 33%\np    " + "".join(f"C = {C:<6g}" for C in grid["C"]).rstrip())
scores = dict(zip(map(str, search.cv_results_["params"]), search.cv_results_["mean_test_score"], strict=True))
for p in grid["kernel__kernel__p"]:
    row = (scores[str({"C": C, "kernel__kernel__p": p})] for C in grid["C"])
    print(f"{p:<5}" + "".join(f"{score:<10.0%}" for score in row).rstrip())

best = search.best_estimator_
print(f"\n{best.kernel.certificate()}")
print(f"{len(best.support_)} of {len(words)} words are support vectors, gap {best.solution_.gap:.1e}")
for word in ("gondola", "sprache", "suomi"):
    print(f"{word}: {best.predict([word])[0]}")
assert search.best_score_ > 0.7
