"""
Eigenvalues of a Gram matrix that is never stored
=================================================

The Gram matrix of 20 000 points has 400 million entries: 1.6 GB in single precision. ``gram`` returns a matrix-free
operator that computes tiles of this matrix when they are needed and discards them after use. A product with sixteen
vectors costs little more than a product with one, so block power iteration finds the leading eigenvectors in a few
products.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.operators import gram
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
N, BLOCK, STEPS = 20_000, 16, 6

# %%
# Two spiral arms
# ---------------
# ``centered()`` subtracts the mean in feature space. The eigenvectors of the centred operator are the kernel
# principal components of the samples.

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.05, 1, N)) * 3.4 * np.pi
arm = rng.integers(0, 2, N) * np.pi
X = (turn / 10 * [np.cos(turn + arm), np.sin(turn + arm)]).T + rng.normal(scale=0.03, size=(N, 2))
K = gram(RBF(gamma=6.0), X.astype(np.float32)).centered()
print(K)

# %%
# Block power iteration
# ---------------------
# Each step multiplies the block by K and solves a small eigenproblem within the block (Rayleigh-Ritz). The residual
# ‖Kv − λv‖ bounds the error of the eigenvalue.

start = time.perf_counter()
V = np.linalg.qr(rng.standard_normal((N, BLOCK)))[0]
for _ in range(STEPS):
    KV = K @ V
    eigenvalues, rotation = np.linalg.eigh(V.T @ KV)
    residual = np.linalg.norm(KV @ rotation - V @ rotation * eigenvalues, axis=0)[::-1]
    V = np.linalg.qr(KV @ rotation[:, ::-1])[0]
eigenvalues = eigenvalues[::-1]
print(f"{STEPS} products with {BLOCK} vectors in {time.perf_counter() - start:.1f} s")
assert residual[:5].max() < 0.01 * eigenvalues[4]

shown = np.arange(1, 11)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.semilogy(shown, eigenvalues[:10], "o", ms=8, color=COLOURS[0], label="eigenvalue λ")
ax.semilogy(shown, residual[:10], "^", ms=8, color=COLOURS[1], label="residual ‖Kv − λv‖")
ax.set(title=f"After {STEPS} products with {BLOCK} vectors", xlabel="component", xticks=shown, ylim=(1e-2, 2e5))
ax.grid(alpha=0.3)
ax.legend(loc="upper right", ncols=2)

# %%
# The components on the samples
# -----------------------------
# The colour of a point is its value in the eigenvector. The first components vary slowly along the arms. 8000 of the
# points are drawn.

figure, axes = plt.subplots(2, 3, figsize=(8.5, 6.2), layout="constrained")
drawn = rng.permutation(N)[:8000]
for i, ax in enumerate(axes.flat):
    v = V[:, i] * np.sign(V[np.abs(V[:, i]).argmax(), i])
    limit = np.quantile(np.abs(v), 0.99)
    ax.scatter(*X[drawn].T, c=v[drawn], s=3, cmap="PuOr", vmin=-limit, vmax=limit, linewidths=0)
    ax.set(title=f"component {i + 1}, λ = {eigenvalues[i]:.0f}", aspect="equal", xticks=[], yticks=[], facecolor="0.3")

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
