"""A kernel that is none: the sigmoid's certificate, a counterexample, its spectrum and four repairs.

tanh(γ⟨x,z⟩ + c) has been used as a kernel for decades, but no γ makes it positive semidefinite. mercer proves that,
finds points that show it, and repairs the Gram matrix so that a learner can work with it. Every repair keeps the
eigenvectors and changes the eigenvalues; the bars stay in the order of the original ones and keep their colour.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import Sigmoid, check_gram, find_counterexample, repair

BLUE, ORANGE = "#0072B2", "#E69F00"
METHODS = {"clip": "max(λ, 0)", "flip": "|λ|", "square": "λ²", "shift": "λ − min λ"}

kernel = Sigmoid(gamma=1.0)
certificate = kernel.certificate()
found = find_counterexample(kernel)
assert found.verify()
print(certificate)
print(found)

X = np.random.default_rng(0).normal(size=(60, 2))
K = kernel(X)
report = check_gram(K)
spectrum, U = np.linalg.eigh(K)
spectrum, U = spectrum[::-1], U[:, ::-1]
negative = spectrum < 0
print(report)


def bars(axes, values, ticks):
    """Eigenvalues on a scale that shows many sizes and, on the left, both signs."""
    axes.bar(np.arange(len(values)), values, width=0.9, color=np.where(negative, ORANGE, BLUE))
    axes.set_yscale("symlog", linthresh=1e-3, linscale=0.6)
    axes.axhline(0, color="0.3", lw=0.8)
    axes.set_yticks(ticks, [f"{t:g}".replace("-", "−") for t in ticks])
    axes.minorticks_off()
    axes.set(xlim=(-1, len(values)), xticks=[])


plt.rcParams.update({f"axes.spines.{side}": False for side in ("top", "right", "bottom")})
figure = plt.figure(figsize=(12, 5.6), layout="constrained")
mosaic = figure.subplot_mosaic([["K", "clip", "flip"], ["K", "square", "shift"]], width_ratios=[1.7, 1, 1])

bars(mosaic["K"], spectrum, [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10])
mosaic["K"].set_ylabel("eigenvalues λ of K, in descending order")
verdict = certificate.definiteness.name.replace("_", " ")
mosaic["K"].set_title(f"k(x, z) = tanh ⟨x, z⟩: {verdict}")
mosaic["K"].annotate(
    f"{negative.sum()} of {len(K)} eigenvalues are negative,\n{report.negative_mass:.0%} of the spectrum's mass",
    (52, -0.05),
    xytext=(4, -5),
    arrowprops={"arrowstyle": "-", "color": "0.4"},
)
points = ", ".join(f"{x:.2f}" for x in found.points[:, 0]).replace("-", "−")
value = f"{found.value:.2f}".replace("-", "−")
mosaic["K"].text(21, 8, f"the points {points} alone\nrefute it: tᵀKt = {value} for a unit vector t")

for method, formula in METHODS.items():
    bars(mosaic[method], np.einsum("ij,ij->j", U, repair(K, method) @ U), [0, 0.01, 1, 100])
    mosaic[method].set_ylim(0, 2000)
    mosaic[method].set_title(f"repair by {method}: {formula}", fontsize=10)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
