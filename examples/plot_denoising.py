"""Denoising of digits by kernel PCA.

The components of noise-free digits span what digits look like. Noisy ones are projected on them, and the pre-image of
the projection is the denoised digit. PCA has at most 64 components here, and keeps more noise with each; kernel PCA has
as many as there are samples, and the images of digits are a curved surface that no plane of input space follows.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import eigh
from sklearn.datasets import load_digits

from mercer.decomposition import preimages
from mercer.kernels import RBF
from mercer.operators import center_gram

N_COMPONENTS = {"PCA": 16, "kernel PCA": 128}  # each about the best for its method

rng = np.random.default_rng(0)
digits = load_digits()
order = rng.permutation(len(digits.data))
images, labels = digits.data[order] / 16, digits.target[order]
train, test = images[:1200], images[1200:]
noisy = test + rng.normal(scale=0.25, size=test.shape)

# PCA: the projection is its own pre-image.
mean = train.mean(axis=0)
V = np.linalg.svd(train - mean, full_matrices=False)[2][: N_COMPONENTS["PCA"]]
linear = mean + (noisy - mean) @ V.T @ V

# Kernel PCA: the projection of φ(x) is Σ_i coef_i φ(x_i), with the mean of the images folded in.
kernel = RBF(gamma=0.1)
K = kernel(train)
n = len(K)
values, vectors = eigh(center_gram(K), subset_by_index=[n - N_COMPONENTS["kernel PCA"], n - 1])
alpha = vectors / np.sqrt(values)
coef = center_gram(kernel(noisy, train), K) @ alpha @ alpha.T
coef += (1 - coef.sum(axis=1, keepdims=True)) / n
by_fixed_point = preimages("fixed_point", kernel, train, coef, start=noisy)
by_distance = preimages("distance", kernel, train, coef)
print("fixed points:", by_fixed_point.solution.status.value, "after", by_fixed_point.solution.n_iter, "iterations")

rows = {
    "original": test,
    "noisy": noisy,
    f"PCA, {N_COMPONENTS['PCA']} components": linear,
    f"kernel PCA, {N_COMPONENTS['kernel PCA']} components,\nfixed point": by_fixed_point.values,
    f"kernel PCA, {N_COMPONENTS['kernel PCA']} components,\ndistances": by_distance.values,
}
errors = {name: np.mean((Z - test) ** 2) for name, Z in rows.items()}
for name, error in errors.items():
    print(f"{' '.join(name.split()):45s} mean squared error {error:.4f}")
assert errors[list(rows)[3]] < errors[list(rows)[2]] < errors["noisy"]

shown = [int(np.flatnonzero(labels[1200:] == label)[0]) for label in range(10)]
plt.rcParams.update({"font.size": 10})
figure, axes = plt.subplots(len(rows), 10, figsize=(11, 5.4), layout="constrained")
for line, (name, Z) in zip(axes, rows.items(), strict=True):
    for panel, i in zip(line, shown, strict=True):
        panel.imshow(Z[i].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        panel.set(xticks=[], yticks=[])
    title = name if name == "original" else f"{name}\nerror {errors[name]:.3f}"
    line[0].set_ylabel(title, rotation=0, ha="right", va="center", labelpad=10)
figure.suptitle("Digits with Gaussian noise, and what projections make of them")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
