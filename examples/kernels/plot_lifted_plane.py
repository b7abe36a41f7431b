"""
The plane lifted by a feature map
=================================

The kernel k(x, z) = ⟨x, z⟩² is the inner product of the features φ(x) = (x₁², √2 x₁x₂, x₂²). This map takes the plane
to a cone in three dimensions. An ellipse in the plane becomes a flat cut through that cone, so two classes that no
line separates become linearly separable.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mercer.kernels import Polynomial
from mercer.plots import COLOURS
from mercer.preprocessing import FeatureMap

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
BLUE, ORANGE = COLOURS[:2]

# %%
# Two classes inside and outside an ellipse
# -----------------------------------------
# 240 points are drawn around the origin. Class 0 lies inside an ellipse, class 1 outside.

rng = np.random.default_rng(3)
y = np.arange(240) % 2
angle = rng.uniform(0, 2 * np.pi, 240)
radius = np.sqrt(np.where(y, rng.uniform(1.3, 2.2, 240), rng.uniform(0, 0.75, 240)))
X = (radius * [np.cos(angle), np.sin(angle)]).T @ [[1.0, 0.2], [0.2, 0.85]]

# %%
# A linear classifier on the explicit features
# --------------------------------------------
# ``FeatureMap`` computes φ(x). Its inner products are the kernel values. A linear support vector classifier on φ(x)
# separates the classes without error.

kernel = Polynomial(degree=2, coef0=0.0)
model = make_pipeline(FeatureMap(kernel), LinearSVC(C=100.0, max_iter=100_000)).fit(X, y)
F = kernel.feature_map(X)
assert np.allclose(F @ F.T, kernel(X))
assert model.score(X, y) == 1.0
print("φ(x) has", F.shape[1], "features; training accuracy", model.score(X, y))

# %%
# The features are rotated so that the cone stands upright. A rotation does not change inner products. The plane found
# by the classifier is then drawn as a grey disc: class 0 lies below it, class 1 above.

upright = np.array([[1.0, 0.0, 1.0], [0.0, np.sqrt(2), 0.0], [-1.0, 0.0, 1.0]]) / np.sqrt(2)
figure = plt.figure(figsize=(7.2, 5.6), layout="constrained")
lifted = figure.add_subplot(projection="3d", computed_zorder=False)
r, t = np.meshgrid(np.sqrt(np.linspace(0, 2.6, 9)), np.linspace(0, np.pi, 49))
disc = np.column_stack([(r * np.cos(t)).ravel(), (r * np.sin(t)).ravel()])
cone = (kernel.feature_map(disc) @ upright).T.reshape(3, *r.shape)
lifted.plot_wireframe(*cone, color="0.75", linewidth=0.6, rstride=3, zorder=1)

w, b = model[-1].coef_[0] @ upright, model[-1].intercept_[0]
a, t = np.meshgrid([0, 1.5], np.linspace(0, 2 * np.pi, 100))
cut = -(w[0] * a * np.cos(t) + w[1] * a * np.sin(t) + b) / w[2]
lifted.plot_surface(a * np.cos(t), a * np.sin(t), cut, color="0.35", alpha=0.25, linewidth=0, zorder=3)
for label, colour, marker, order in ((0, BLUE, "o", 2), (1, ORANGE, "^", 4)):
    points = {"color": colour, "marker": marker, "s": 30, "edgecolor": "white", "linewidth": 0.4}
    lifted.scatter(*(F @ upright)[y == label].T, **points, depthshade=False, zorder=order, label=f"class {label}")
lifted.set(xlabel="(x₁² − x₂²)/√2", ylabel="√2 x₁x₂", zlabel="(x₁² + x₂²)/√2")
lifted.set_title("A plane separates the lifted points")
lifted.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[0, 1, 2])
lifted.view_init(elev=9, azim=-18)
lifted.set_box_aspect((1, 1, 0.9), zoom=1.1)
lifted.legend(loc="upper left")

# %%
# The decision boundary in the plane
# ----------------------------------
# The same function, drawn over x instead of φ(x), is zero on an ellipse.

figure, plane = plt.subplots(figsize=(5.6, 5.2), layout="constrained")
u, v = np.meshgrid(*2 * [np.linspace(-1.9, 1.9, 300)])
score = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
plane.contourf(u, v, score, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
plane.contour(u, v, score, levels=[0], colors="0.25", linewidths=1.5)
for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
    points = {"color": colour, "marker": marker, "s": 30, "edgecolor": "white", "linewidth": 0.4}
    plane.scatter(*X[y == label].T, **points, label=f"class {label}")
plane.set(title="In the plane the boundary is an ellipse", xlabel="x₁", ylabel="x₂", aspect="equal")
plane.legend(loc="upper left")

plt.show()
