"""Kernels as functions of the distance.

Six kernels of the distance r = ‖x − z‖, each scaled so that it falls to one half at r = 1: what is left is its shape.
Near zero it says how rough the functions are that the kernel makes, far out how soon two samples become strangers. The
last panel has kernels that are only conditionally positive semidefinite; exp of each of them is a kernel again.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

from mercer.kernels import RBF, Exponential, Log, Matern, Power, RationalQuadratic

ORIGIN = np.zeros((1, 1))
COLOURS = ["#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7"]  # Okabe and Ito


def curve(kernel, r):
    return kernel(ORIGIN, r[:, None])[0]


def half_at_one(kernel):
    """The kernel of this shape with k = 1/2 at distance 1."""
    one = np.ones(1)
    gamma = brentq(lambda g: curve(kernel.with_params(gamma=g), one)[0] - 0.5, 1e-3, 10)
    return kernel.with_params(gamma=gamma)


SHAPES = {
    "rational quadratic, α = 1": RationalQuadratic(alpha=1.0),
    "exponential (Matérn 1/2)": Exponential(),
    "Matérn 3/2": Matern(nu=1.5),
    "Matérn 5/2": Matern(nu=2.5),
    "rational quadratic, α = 8": RationalQuadratic(alpha=8.0),
    "Gaussian": RBF(),
}
CONDITIONAL = {
    "−log(1 + r²)": Log(degree=2.0),
    "−√r": Power(degree=0.5),
    "−r": Power(degree=1.0),
    "−r²": Power(degree=2.0),
}

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 10})
figure, (near, far, conditional) = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
r = np.linspace(0, 6, 600)
for (name, kernel), colour in zip(SHAPES.items(), COLOURS, strict=True):
    values = curve(half_at_one(kernel), r)
    near.plot(r, values, color=colour, lw=2)
    far.plot(r, values, color=colour, lw=2, label=name)

near.plot([0, 1, 1], [0.5, 0.5, 0], color="0.6", lw=1, ls=":")
near.set(title="Near: how rough", xlim=(0, 2.5), ylim=(0, 1.02), xlabel="distance r", ylabel="k(r)")
far.set(title="Far: how soon forgotten", xlim=(0, 6), ylim=(1e-6, 1.3), yscale="log", xlabel="distance r")
far.legend(frameon=False, fontsize=9, loc="lower left")

lines = zip(CONDITIONAL.items(), COLOURS, ("-", "--", "-.", ":"), strict=False)
for (name, kernel), colour, style in lines:
    values = curve(kernel, r)
    conditional.plot(r, values, color=colour, lw=2, ls=style)
    end = min(int(np.searchsorted(-values, 3.7)), len(r) - 1)
    conditional.annotate(name, (r[end], values[end]), xytext=(6, -3), textcoords="offset points", color=colour)
conditional.set(title="Only conditionally PSD", xlim=(0, 6), ylim=(-4, 0.1), xlabel="distance r")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
