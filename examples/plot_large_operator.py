"""The largest eigenvalues of a Gram matrix that is never held.

20 000 points have a Gram matrix of 400 million entries, 1.6 GB in float32. The operator makes its tiles when they are
needed and uses them up in cache. A product with sixteen vectors costs hardly more than one with a single vector,
because the tiles are the expensive part; so the eigenvectors are found by block power iteration, with a residual for
each eigenvalue. Those of the centred operator are the kernel principal components, shown as colours of the points.
"""

import sys
import time

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.operators import gram

N, BLOCK, STEPS, SHOWN = 20_000, 16, 6, 5

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.05, 1, N)) * 3.4 * np.pi
arm = rng.integers(0, 2, N) * np.pi
X = (turn / 10 * [np.cos(turn + arm), np.sin(turn + arm)]).T + rng.normal(scale=0.03, size=(N, 2))

start = time.perf_counter()
K = gram(RBF(gamma=6.0), X.astype(np.float32)).centered()
V = np.linalg.qr(rng.standard_normal((N, BLOCK)))[0]
for _ in range(STEPS):
    KV = K @ V
    values, rotation = np.linalg.eigh(V.T @ KV)  # Rayleigh and Ritz: the best within the block
    residual = np.linalg.norm(KV @ rotation - V @ rotation * values, axis=0)[::-1]
    V = np.linalg.qr(KV @ rotation[:, ::-1])[0]
values = values[::-1]
seconds = time.perf_counter() - start
print(K)
print(f"{STEPS} products with {BLOCK} vectors in {seconds:.1f} s")
for i in range(SHOWN):
    print(f"λ_{i + 1} = {values[i]:8.2f} ± {residual[i]:.2g}")

plt.rcParams.update({"font.size": 10})
figure, axes = plt.subplots(2, 3, figsize=(11.5, 7.4), layout="constrained")
spectrum = axes[0, 0]
shown = np.arange(1, 2 * SHOWN + 1)
spectrum.semilogy(shown, values[: len(shown)], "o", color="#0072B2", label="eigenvalue λ")
spectrum.semilogy(shown, residual[: len(shown)], "^", color="#D55E00", label="its residual ‖Kv − λv‖")
spectrum.set(title=f"after {STEPS} products with {BLOCK} vectors", xlabel="number", xticks=shown, ylim=(1e-2, 1e4))
spectrum.legend(loc="center left", bbox_to_anchor=(0, 0.72), frameon=False)
spectrum.spines[["top", "right"]].set_visible(False)

order = rng.permutation(N)[:8000]  # enough for the eye
for i, panel in enumerate(axes.flat[1:]):
    v = V[:, i] * np.sign(V[np.abs(V[:, i]).argmax(), i])
    limit = np.quantile(np.abs(v), 0.99)
    panel.scatter(*X[order].T, c=v[order], s=3, cmap="PuOr", vmin=-limit, vmax=limit, linewidths=0, rasterized=True)
    panel.set(title=f"component {i + 1}, λ = {values[i]:.0f}", aspect="equal", xticks=[], yticks=[], facecolor="0.35")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
