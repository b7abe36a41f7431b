"""
Closure rules: which combinations of kernels are kernels
========================================================

Sums, products, nonnegative multiples, polynomials with nonnegative coefficients, exponentials and normalisation turn
positive semidefinite (PSD) kernels into PSD kernels. Differences, maxima and most other functions of kernel values do
not. The certificate of a composed kernel names the rule that applies. Where no rule applies, the verdict is unknown,
and ``find_counterexample`` searches for points that refute the kernel.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF, ExpOf, Linear, Sigmoid, find_counterexample, user
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({f"axes.spines.{side}": False for side in ("top", "right", "bottom")})
BLUE, ORANGE = COLOURS[:2]

# %%
# Combinations that stay kernels
# ------------------------------
# Two PSD kernels are combined by four of the rules. Each certificate states PSD and the reason.

gauss, line = RBF(gamma=1.0), Linear()
valid = {
    "sum\nk₁ + k₂": gauss + line,
    "product\nk₁ · k₂": gauss * line,
    "exponential\nexp(k₂)": ExpOf(line),
    "normalised\nk/√(k(x,x) k(z,z))": (line + 1).normalized(),
}
for kernel in valid.values():
    certificate = kernel.certificate()
    print(f"{kernel!s:30} {certificate.definiteness.value:8} {certificate.rule}")
    assert certificate.definiteness.value == "psd"

# %%
# Combinations that do not
# ------------------------
# The difference and the maximum of two kernels, the exponential of a negative kernel, and the hyperbolic tangent are
# not covered by a rule, or are known not to be PSD. A few points refute each of them: tᵀKt is negative for some
# vector t.

invalid = {
    "difference\nk₁ − k₂": gauss - line,
    "maximum\nmax(k₁, k₂)": user(lambda x, z: max(np.exp(-((x - z) @ (x - z))), x @ z), name="maximum"),
    "negative exponent\nexp(−k₂)": ExpOf(-1 * line),
    "hyperbolic tangent\ntanh(k₂)": Sigmoid(gamma=1.0),
}
X = np.random.default_rng(0).normal(size=(40, 2))
for kernel in invalid.values():
    found = find_counterexample(kernel, X)
    verdict = kernel.definiteness.value
    print(f"{kernel!s:30} {verdict:8} refuted by {len(found.points)} point(s): tᵀKt = {found.value:.2g}")
    assert found.verify()

# %%
# Spectra of the Gram matrices
# ----------------------------
# A kernel is PSD if no Gram matrix has a negative eigenvalue. The bars are the eigenvalues on 40 points, divided by
# the largest. Those of the upper row are nonnegative up to rounding errors; negative ones of the lower row are
# orange.

figure, axes = plt.subplots(2, 4, figsize=(10, 5.4), layout="constrained", sharex=True, sharey=True)
for ax, (name, kernel) in zip(axes.flat, (valid | invalid).items(), strict=True):
    eigenvalues = np.linalg.eigvalsh(kernel(X))[::-1]
    eigenvalues /= eigenvalues[0]
    negative = eigenvalues < -1e-12
    assert negative.any() == (name in invalid)
    ax.bar(np.arange(40), eigenvalues, width=0.9, color=np.where(negative, ORANGE, BLUE))
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set_title(name)
    ax.set_yscale("symlog", linthresh=1e-2, linscale=0.5)
    ax.set(ylim=(-4, 2), xticks=[], yticks=[-1, -0.1, 0, 0.1, 1], yticklabels=["−1", "−0.1", "0", "0.1", "1"])
    if negative.any():
        ax.text(39, 0.6, f"{negative.sum()} negative", color=ORANGE, ha="right", va="center", fontsize=12)
axes[0, 0].set_ylabel("PSD: eigenvalues of K")
axes[1, 0].set_ylabel("not PSD: eigenvalues of K")

plt.show()
