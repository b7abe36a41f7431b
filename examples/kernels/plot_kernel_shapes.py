"""
Kernels as functions of the distance
====================================

A stationary kernel depends only on the distance r = ‖x − z‖. Its behaviour near r = 0 determines how smooth the
functions of its feature space are, and its tail determines how far apart two samples may be and still be similar. The
figures compare six kernels, each scaled to the value 1/2 at r = 1, and four conditionally positive semidefinite
kernels.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

from mercer.kernels import RBF, ExpOf, Exponential, Log, Matern, Power, RationalQuadratic
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})

# %%
# Scaling the kernels
# -------------------
# ``with_params`` returns a copy of a kernel with another bandwidth. A root finder chooses the bandwidth for which k =
# 1/2 at distance 1.

r = np.linspace(0, 6, 600)


def values(kernel, distances):
    """k(0, r) for each distance r."""
    return kernel(np.zeros((1, 1)), np.reshape(distances, (-1, 1)))[0]


def half_at_one(kernel):
    """Scale the kernel so that k = 1/2 at distance 1."""
    return kernel.with_params(gamma=brentq(lambda g: values(kernel.with_params(gamma=g), 1.0)[0] - 0.5, 1e-3, 10))


kernels = {
    "exponential (Matérn 1/2)": Exponential(),
    "Matérn 3/2": Matern(nu=1.5),
    "Matérn 5/2": Matern(nu=2.5),
    "Gaussian": RBF(),
    "rational quadratic, α = 8": RationalQuadratic(alpha=8.0),
    "rational quadratic, α = 1": RationalQuadratic(alpha=1.0),
}
scaled = {name: half_at_one(kernel) for name, kernel in kernels.items()}

# %%
# Near zero and in the tail
# -------------------------
# The exponential kernel has a kink at r = 0: its functions are continuous but rough. The Gaussian is smooth there. On
# a logarithmic scale the Gaussian falls fastest, and the rational quadratic kernels have heavy tails.

figure, (near, far) = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
for (name, kernel), colour in zip(scaled.items(), COLOURS, strict=False):
    near.plot(r, values(kernel, r), color=colour, lw=2.2)
    far.semilogy(r, values(kernel, r), color=colour, lw=2.2, label=name)
near.plot([0, 1, 1], [0.5, 0.5, 0], color="0.5", lw=1, ls=":")
near.set(title="Near zero: smoothness", xlim=(0, 2.5), ylim=(0, 1.02), xlabel="distance r", ylabel="k(r)")
far.set(title="In the tail: logarithmic scale", xlim=(0, 6), ylim=(1e-6, 1.3), xlabel="distance r")
figure.legend(*far.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

# %%
# Conditionally positive semidefinite kernels
# -------------------------------------------
# −r, −r² and their relatives are not positive semidefinite, but tᵀKt ≥ 0 holds for all t with Σt = 0. The exponential
# of each of them is positive semidefinite (Schoenberg, 1938): exp(−r²) is the Gaussian.

conditional = {
    "−log(1 + r²)": Log(degree=2.0),
    "−√r": Power(degree=0.5),
    "−r": Power(degree=1.0),
    "−r²": Power(degree=2.0),
}
for name, kernel in conditional.items():
    print(f"{name:13} {kernel.definiteness.value:4}  exp of it: {ExpOf(kernel).definiteness.value}")
assert np.allclose(values(ExpOf(Power(degree=2.0)), r), values(RBF(gamma=1.0), r))

figure, (plain, exponential) = plt.subplots(1, 2, figsize=(9.5, 4.0), layout="constrained")
for (name, kernel), colour in zip(conditional.items(), COLOURS, strict=False):
    plain.plot(r, values(kernel, r), color=colour, lw=2.2, label=name)
    exponential.plot(r, values(ExpOf(kernel), r), color=colour, lw=2.2)
plain.set(title="Conditionally PSD", xlim=(0, 6), ylim=(-4, 0.1), xlabel="distance r", ylabel="k(r)")
exponential.set(title="exp(k) is PSD", xlim=(0, 6), ylim=(0, 1.02), xlabel="distance r")
figure.legend(*plain.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)

plt.show()
