"""Ridge regression twice: a weight for each feature, or a coefficient for each sample.

Left: a line through noisy points, found from two equations (primal: slope and height) and from thirty (dual: one for
each sample). It is the same line. The coefficient of a sample in the dual form is what the line leaves of it, divided
by alpha: dual_coef = (y − f)/α, drawn as bars. Right: only the dual form can be lifted. The same equations with a
Gaussian kernel fit a curve, for which the primal form would need infinitely many weights; the bars keep their meaning.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.ridge import KernelRidge, Ridge

BLUE, ORANGE = "#0072B2", "#D55E00"


def draw(panel, X, y, model, curves, title):
    """Samples, fits, and bars of length α|c_i| from the fit to the sample."""
    fitted = model.predict(X)
    residual = model.alpha * model.dual_coef_
    assert np.allclose(y - fitted, residual)
    panel.vlines(X[:, 0], fitted, fitted + residual, color="0.55", linewidth=1.2, label="α · dual coefficient")
    panel.scatter(X[:, 0], y, s=26, color="0.2", edgecolor="white", linewidth=0.4, zorder=3, label="samples")
    grid = np.linspace(X.min() - 0.4, X.max() + 0.4, 400)[:, None]
    for curve, options in curves:
        panel.plot(grid, curve.predict(grid), **options)
    panel.set(title=title, xlabel="x", ylabel="y")
    panel.legend(frameon=False, loc="upper left")


rng = np.random.default_rng(4)
X = np.sort(rng.uniform(0, 6, size=(30, 1)), axis=0)
noise = rng.normal(scale=0.35, size=30)
straight = 0.8 * X[:, 0] - 1.0 + noise
primal, dual = Ridge(alpha=1.0, form="primal").fit(X, straight), Ridge(alpha=1.0, form="dual").fit(X, straight)
assert np.allclose(primal.coef_, dual.coef_, atol=1e-12)
assert np.allclose(X.T @ dual.dual_coef_, primal.coef_)
bent = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 0] + noise
lifted = KernelRidge(alpha=0.3, kernel=RBF(gamma=0.8), fit_intercept=True).fit(X, bent)
flat = Ridge(alpha=0.3).fit(X, bent)
for name, model in (("primal", primal), ("dual", dual), ("kernel", lifted)):
    print(f"{name}: {model.solution_.status.value}, relative residual {model.solution_.violation:.1e}")

plt.rcParams.update({"font.size": 10})
figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained")
wide = {"color": BLUE, "linewidth": 4.5, "alpha": 0.45, "label": "primal: 1 weight and b"}
thin = {"color": ORANGE, "linewidth": 1.4, "linestyle": "--", "label": "dual: 30 coefficients and b"}
draw(left, X, straight, dual, [(primal, wide), (dual, thin)], "Linear: two ways to one line")
curve = {"color": ORANGE, "linewidth": 1.6, "label": "dual with a Gaussian kernel"}
line = {"color": BLUE, "linewidth": 1.2, "linestyle": ":", "label": "linear, for comparison"}
draw(right, X, bent, lifted, [(lifted, curve), (flat, line)], "Gaussian kernel: the dual form alone remains")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
