"""
A function that is not a kernel: counterexample and repairs
===========================================================

The sigmoid tanh(γ⟨x, z⟩ + c) is often used as a kernel, but it is not positive semidefinite (PSD). mercer reports
this in the kernel's certificate, finds points that prove it, and can repair the Gram matrix. Each repair keeps the
eigenvectors of the Gram matrix and changes its negative eigenvalues.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import Sigmoid, check_gram, find_counterexample, repair
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({f"axes.spines.{side}": False for side in ("top", "right", "bottom")})
BLUE, ORANGE = COLOURS[:2]

# %%
# Certificate and counterexample
# ------------------------------
# The certificate states the verdict and its reason. ``find_counterexample`` searches for points and a unit vector t
# with tᵀKt < 0. Here two points on a line are enough.

kernel = Sigmoid(gamma=1.0)
print(kernel.certificate())
found = find_counterexample(kernel)
assert found.verify()
print(found)

# %%
# The spectrum of a Gram matrix
# -----------------------------
# ``check_gram`` examines the Gram matrix of 60 points. Almost half of its eigenvalues are negative, and they hold 20
# % of the spectrum's mass. The scale of the figure is symmetric and logarithmic.

X = np.random.default_rng(0).normal(size=(60, 2))
K = kernel(X)
report = check_gram(K)
print(report)
eigenvalues, U = np.linalg.eigh(K)
eigenvalues, U = eigenvalues[::-1], U[:, ::-1]
negative = eigenvalues < 0


def bars(ax, heights, ticks):
    """Draw eigenvalues in the order and the colours of the original spectrum."""
    ax.bar(np.arange(len(heights)), heights, width=0.9, color=np.where(negative, ORANGE, BLUE))
    ax.set_yscale("symlog", linthresh=1e-3, linscale=0.6)
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set_yticks(ticks, [f"{tick:g}".replace("-", "−") for tick in ticks])
    ax.minorticks_off()
    ax.set(xlim=(-1, len(heights)), xticks=[])


figure, ax = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
bars(ax, eigenvalues, [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10])
ax.text(59, 3, f"{negative.sum()} of {len(K)} eigenvalues\nare negative", color=ORANGE, ha="right", fontsize=14)
ax.set(title="Eigenvalues of tanh⟨x, z⟩ on 60 points", ylabel="eigenvalue of K")

# %%
# Four repairs
# ------------
# ``clip`` sets negative eigenvalues to zero, ``flip`` takes absolute values, ``square`` takes squares, and ``shift``
# adds the same number to all eigenvalues. The repaired matrices are positive semidefinite.

methods = {"clip": "max(λ, 0)", "flip": "|λ|", "square": "λ²", "shift": "λ − min λ"}
figure, axes = plt.subplots(2, 2, figsize=(8.5, 5.4), layout="constrained", sharey=True)
for ax, (method, formula) in zip(axes.flat, methods.items(), strict=True):
    repaired = repair(K, method)
    assert np.linalg.eigvalsh(repaired).min() > -1e-12 * np.abs(eigenvalues).max() ** 2
    bars(ax, np.einsum("ij,ij->j", U, repaired @ U), [0, 0.01, 1, 100])
    ax.set(title=f"{method}: {formula}", ylim=(0, 2000))
figure.supylabel("eigenvalue after the repair")

plt.show()
