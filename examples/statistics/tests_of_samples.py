"""
Kernel tests: two samples and independence
==========================================

Two sets of DNA sequences have the same letters in the same numbers, but one set contains copies of a motif. The
maximum mean discrepancy (MMD) with a kernel that counts letters cannot distinguish the sets. With a kernel that
counts 3-mers it does. The Hilbert-Schmidt independence criterion (HSIC) then tests whether the sequences and a
measured activity are independent.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV

from mercer.model_selection import GramCache, independence_test, rank_kernels, two_sample_test
from mercer.plots import COLOURS
from mercer.ridge import KernelRidge

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
MOTIF = "TGAC"
rng = np.random.default_rng(0)

# %%
# Sequences with and without a motif
# ----------------------------------
# Every sequence has ten copies of each letter. In the second set up to four motifs stay together.


def sequence(motifs):
    rest = list("ACGT" * (10 - motifs))
    rng.shuffle(rest)
    pieces = [*rest, *[MOTIF] * motifs]
    rng.shuffle(pieces)
    return "".join(pieces)


plain = [sequence(0) for _ in range(60)]
carriers = [sequence(int(rng.integers(0, 5))) for _ in range(60)]
print(plain[0], carriers[0], sep="\n")

# %%
# Two-sample tests
# ----------------
# The null hypothesis is that both sets have the same distribution. With single letters all values are zero, because
# the letter counts are equal.

letters = two_sample_test(plain, carriers, kernel="spectrum(p=1)", random_state=0)
trimers = two_sample_test(plain, carriers, kernel="spectrum(p=3)", random_state=0)
for name, test in (("letters", letters), ("3-mers", trimers)):
    print(f"{name:8} MMD² = {test.statistic:.4f}, p = {test.pvalue:.3f}")
assert trimers.pvalue < 0.01 < letters.pvalue

# %%
# Independence test
# -----------------
# The activity depends on the number of motifs. The null hypothesis is that sequence and activity are independent.

activity = np.array([carrier.count(MOTIF) for carrier in carriers]) + 0.5 * rng.normal(size=60)
dependence = independence_test(carriers, activity[:, None], kernel_x="spectrum(p=3)", random_state=0)
print(f"HSIC = {dependence.statistic:.3f}, p = {dependence.pvalue:.3f}")

# %%
# Permutation distributions
# -------------------------
# Both tests compute their statistic again for 1000 random permutations. The observed values are far outside these
# distributions.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
for ax, test, title in (
    (axes[0], trimers, "Two-sample test (MMD²)"),
    (axes[1], dependence, "Independence test (HSIC)"),
):
    ax.hist(test.null_distribution, bins=40, color=COLOURS[5])
    ax.axvline(test.statistic, color=COLOURS[1], lw=3)
    label = f"observed\np = {test.pvalue:.3f} "
    ax.text(test.statistic, 0.9 * ax.get_ylim()[1], label, color=COLOURS[1], ha="right", va="top", fontsize=13)
    ax.set(title=title, xlabel="statistic", ylabel="permutations")

# %%
# Ranking kernels
# ---------------
# ``rank_kernels`` compares kernels by the leave-one-out error of kernel ridge regression. A grid search over the
# penalty of the best kernel computes each Gram matrix once, because ``GramCache`` keeps it.

kernels = ["spectrum(p=1)", "spectrum(p=2)", "spectrum(p=4)", "subsequence(p=4, decay=0.5)"]
ranking = rank_kernels(kernels, carriers, activity, by="loo")
print(ranking)
search = GridSearchCV(KernelRidge(kernel=ranking.best, fit_intercept=True), {"alpha": np.logspace(-2, 3, 8)}, cv=5)
with GramCache("100MB") as cache:
    search.fit(carriers, activity)
print(f"\nbest alpha {search.best_params_['alpha']:.3g}, R² {search.best_score_:.2f} over five folds")
print(cache)

plt.show()
