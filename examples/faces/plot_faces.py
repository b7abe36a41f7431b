"""
Eigenfaces, Fisherfaces and their kernel versions
=================================================

Twelve persons are drawn eight times each, with different light, position and smile. Eigenfaces are principal
components of the pixels: light and position come first, because they change most. Fisherfaces are the directions that
separate the persons regardless of the light. The methods are compared by the leave-one-out error of the nearest
image.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.datasets import Images
from mercer.faces import Eigenface, Fisherface, KernelEigenface, KernelFisherface, pictures, table

plt.rcParams.update({"font.size": 11})
PERSONS, TIMES = 12, 8
ROWS, COLUMNS = np.mgrid[-1.25:1.25:40j, -1:1:32j]
rng = np.random.default_rng(3)

# %%
# Drawing faces
# -------------
# A person is described by twelve numbers, such as the shape of the head and the distance of the eyes. A picture adds
# random position, smile and light.


def soft(distance):
    """1 inside, where the distance is negative, and 0 outside, with a soft edge."""
    return 1 / (1 + np.exp(25 * np.clip(distance, -1, 1)))


def draw(person, moment):
    """Draw one face; lengths are relative to half the width of the image."""
    head, jaw, skin, hair, fringe, eyes, apart, large, brows, nose, mouth, wide = person
    up, aside, smile, side, top = moment
    y, x = ROWS - up, COLUMNS - aside

    def spot(at_y, at_x, height, width):
        return soft(np.hypot((y - at_y) / height, (x - at_x) / width) - 1)

    image = 0.15 + (skin - 0.15) * spot(0.1, 0, head, jaw)
    image += (hair - image) * spot(0, 0, head + 0.12, jaw + 0.1) * soft(y - fringe - 0.3 * x**2)
    for eye in (-apart, apart):
        image *= 1 - 0.8 * spot(eyes, eye, large, 1.4 * large)
        image *= 1 - 0.5 * spot(eyes - brows - large, eye, 0.03, 0.16)
    image *= 1 - 0.25 * spot(nose, 0, 0.12, 0.07)
    image *= 1 - 0.6 * spot(mouth - smile * (x / wide) ** 2, 0, 0.05, wide)
    return image * (1 + side * x + top * y) + rng.normal(scale=0.02, size=x.shape)


low = [0.88, 0.62, 0.55, 0.05, -0.85, -0.3, 0.22, 0.05, 0.08, 0.1, 0.38, 0.18]
high = [1.05, 0.78, 0.85, 0.5, -0.5, -0.1, 0.36, 0.1, 0.2, 0.3, 0.55, 0.34]
persons = rng.uniform(low, high, size=(PERSONS, len(low)))
faces = [draw(person, rng.normal(scale=[0.04, 0.05, 0.12, 0.25, 0.1])) for person in persons for _ in range(TIMES)]
labels = np.array([f"p{i + 1}" for i in range(PERSONS) for _ in range(TIMES)])
images = Images(np.clip(faces, 0, 1), labels, tuple(f"{label}, {i % TIMES + 1}" for i, label in enumerate(labels)))

figure, axes = plt.subplots(4, 8, figsize=(8.5, 5.4), layout="constrained")
for ax, face in zip(axes.flat, images.pixels, strict=False):
    ax.imshow(face, cmap="gray", vmin=0, vmax=1)
    ax.axis("off")
figure.suptitle("Four of the persons, eight pictures each")

# %%
# Recognition
# -----------
# Each picture is compared with all others in the reduced space and gets the name of the nearest one. Fisherfaces need
# only five components.

methods = [Eigenface(), Fisherface(), KernelEigenface(), KernelFisherface()]
found = table(images, methods=methods, components=[5, 10, 20])
print(found)
assert found["Fisherface"].best_errors < found["Eigenface"].best_errors

# %%
# The components as images
# ------------------------
# ``pictures`` returns the mean faces, eigenfaces, Fisherfaces and reconstructions from few components.

shown = pictures(images, n_components=8, components=[3, 10, 30], rows=[0, 44])
figure = plt.figure(figsize=(8.5, 8.4), layout="constrained")
parts = figure.subfigures(len(shown), height_ratios=[0.3 + -(-len(picture.images) // 8) for picture in shown.values()])
for part, (name, picture) in zip(parts, shown.items(), strict=True):
    part.suptitle(name, x=0.01, ha="left", fontweight="bold")
    picture.plot(part.subplots(), columns=8)

plt.show()
