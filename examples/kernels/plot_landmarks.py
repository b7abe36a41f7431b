"""
Landmarks that cover clusters and outliers
==========================================

A Nyström approximation represents all samples by a few landmarks. Uniform landmarks fall where the samples are dense,
so that small clusters and outliers are missed. Randomly pivoted Cholesky draws the next landmark in proportion to the
residual k(x, x) − k̂(x, x) of those before it. The trace of the residual bounds the error of the approximation, and
its curve is known for every number of landmarks.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.approximation import nystroem, select_landmarks
from mercer.kernels import Matern
from mercer.operators import gram

SHOWN, MOST = 80, 150

rng = np.random.default_rng(0)
centres, sizes = np.array([[0.0, 0.0], [3.0, 1.0], [-2.5, 2.5], [2.0, -3.0]]), [1400, 450, 80, 30]
X = np.repeat(centres, sizes, axis=0) + 0.5 * rng.normal(size=(sum(sizes), 2))
X = np.vstack([X, rng.uniform(-6, 6, size=(40, 2))])
K = gram(Matern(nu=2.5, gamma=1.5), X)

figure, axes = plt.subplots(1, 3, figsize=(13, 4.3), layout="constrained")
COLOURS = {"rpcholesky": "#D55E00", "uniform": "#0072B2"}
for panel, (method, colour) in zip(axes, COLOURS.items(), strict=False):
    landmarks = select_landmarks(K, MOST, method=method, random_state=0)
    factor = nystroem(K, landmarks)
    F = factor.features(K, columns=landmarks.indices)
    curve = factor.residual_curve(K.diag(), F) / landmarks.trace
    axes[2].semilogy(curve, color=colour, label=method)
    residual = factor.residual_diag(K.diag(), F[:, :SHOWN])
    shown = panel.scatter(*X.T, c=residual, s=5, cmap="Greys", vmin=-0.5, vmax=1)
    panel.scatter(*X[landmarks.indices[:SHOWN]].T, s=28, facecolors="none", edgecolors=colour, linewidths=1.4)
    panel.set(title=f"{method}: {curve[SHOWN]:.1%} left by {SHOWN} landmarks", aspect="equal", xticks=[], yticks=[])
    print(f"{method:<12}" + "  ".join(f"{j}: {curve[j]:.4f}" for j in (20, 40, SHOWN, MOST)))
figure.colorbar(
    shown,
    ax=axes[:2],
    label="residual k(x, x) − k̂(x, x)",
    shrink=0.8,
    boundaries=np.linspace(0, 1, 101),
    ticks=[0, 0.5, 1],
)
axes[2].set(title="error of the approximation", xlabel="landmarks", ylabel="tr(K − K̂) / tr K")
axes[2].legend(frameon=False)
axes[2].spines[["top", "right"]].set_visible(False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
