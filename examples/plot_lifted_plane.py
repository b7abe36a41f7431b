"""The plane lifted by φ: what no line separates, a plane does.

The kernel k(x, z) = ⟨x, z⟩² is the inner product of φ(x) = (x₁², √2 x₁x₂, x₂²), and φ takes the plane to a cone. An
ellipse is where a linear function of φ is constant, so points inside and outside of one are separated by a flat cut
through that cone. A linear classifier on the explicit features finds it.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mercer.kernels import Polynomial
from mercer.preprocessing import FeatureMap

BLUE, ORANGE = "#0072B2", "#D55E00"
# An orthonormal basis of the space of φ in which the cone stands upright; inner products stay as they are.
UPRIGHT = np.array([[1.0, 0.0, 1.0], [0.0, np.sqrt(2), 0.0], [-1.0, 0.0, 1.0]]) / np.sqrt(2)

rng = np.random.default_rng(3)
y = np.arange(240) % 2  # 0 inside, 1 outside
angle = rng.uniform(0, 2 * np.pi, 240)
radius = np.sqrt(np.where(y, rng.uniform(1.3, 2.2, 240), rng.uniform(0, 0.75, 240)))
X = (radius * [np.cos(angle), np.sin(angle)]).T @ [[1.0, 0.2], [0.2, 0.85]]

kernel = Polynomial(degree=2, coef0=0.0)
model = make_pipeline(FeatureMap(kernel), LinearSVC(C=100.0, max_iter=100_000)).fit(X, y)
F = kernel.feature_map(X) @ UPRIGHT
assert np.allclose(F @ F.T, kernel(X))  # φ is a feature map of k
assert model.score(X, y) == 1.0  # and a plane separates the classes

figure = plt.figure(figsize=(11.5, 5.4), layout="constrained")
plane = figure.add_subplot(1, 2, 1)
lifted = figure.add_subplot(1, 2, 2, projection="3d", computed_zorder=False)

side = np.linspace(-1.9, 1.9, 300)
u, v = np.meshgrid(side, side)
score = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
plane.contourf(u, v, score, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
plane.contour(u, v, score, levels=[0], colors="0.25", linewidths=1.5)
plane.set(title="In the plane no line separates the classes", xlabel="x₁", ylabel="x₂", aspect="equal")

# The lifted plane: circles and rays become circles and rays of a cone.
r, t = np.meshgrid(np.sqrt(np.linspace(0, 2.8, 8)), np.linspace(0, np.pi, 49))
disc = np.column_stack([(r * np.cos(t)).ravel(), (r * np.sin(t)).ravel()])
cone = (kernel.feature_map(disc) @ UPRIGHT).T.reshape(3, *r.shape)
lifted.plot_wireframe(*cone, color="0.72", linewidth=0.6, rstride=4, zorder=1)

# The cut {f : ⟨w, f⟩ + b = 0}, as wide as the points, above those inside and below those outside.
w, b = model[-1].coef_[0] @ UPRIGHT, model[-1].intercept_[0]
a, t = np.meshgrid([0, 1.5], np.linspace(0, 2 * np.pi, 100))
cut = -(w[0] * a * np.cos(t) + w[1] * a * np.sin(t) + b) / w[2]
lifted.plot_surface(a * np.cos(t), a * np.sin(t), cut, color="0.3", alpha=0.22, linewidth=0, zorder=3)
lifted.set_title("On the cone φ(x) a flat cut does")
lifted.set(xlabel="(x₁² − x₂²)/√2", ylabel="√2 x₁x₂", zlabel="(x₁² + x₂²)/√2")
lifted.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[0, 1, 2])
lifted.view_init(elev=13, azim=-14)
lifted.set_box_aspect((1, 1, 0.9), zoom=1.08)

for label, colour, marker, order, name in ((0, BLUE, "o", 2, "inside"), (1, ORANGE, "^", 4, "outside")):
    points = {"color": colour, "marker": marker, "s": 24, "edgecolor": "white", "linewidth": 0.4, "label": name}
    plane.scatter(*X[y == label].T, **points)
    lifted.scatter(*F[y == label].T, **points, depthshade=False, zorder=order)
plane.legend(loc="upper left", frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
