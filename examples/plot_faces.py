"""Drawn faces, told apart in reduced spaces.

Twelve people are drawn eight times each, in other light, with another smile, not always straight. Eigenfaces are the
principal components of the pixels: place and light come first, since they change most. Fisherfaces are the directions
that part the people, whatever the light. The table that is printed has the errors of leave-one-out with the nearest
image.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.datasets import Images
from mercer.faces import Eigenface, Fisherface, KernelEigenface, KernelFisherface, pictures, table

PEOPLE, TIMES = 12, 8
ROWS, COLUMNS = np.mgrid[-1.25:1.25:40j, -1:1:32j]

rng = np.random.default_rng(3)


def soft(distance: np.ndarray) -> np.ndarray:
    """1 inside, where the distance is negative, 0 outside, with a soft edge."""
    return 1 / (1 + np.exp(25 * np.clip(distance, -1, 1)))


def draw(person: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """One face; all measures are relative to half the width of the image."""
    head, jaw, skin, hair, fringe, eyes, apart, large, brows, nose, mouth, wide = person
    up, aside, smile, side, top = moment
    y, x = ROWS - up, COLUMNS - aside

    def spot(at_y: float, at_x: float, height: float, width: float) -> np.ndarray:
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
people = rng.uniform(low, high, size=(PEOPLE, len(low)))
faces = [draw(person, rng.normal(scale=[0.04, 0.05, 0.12, 0.25, 0.1])) for person in people for _ in range(TIMES)]
labels = [f"p{i + 1}" for i in range(PEOPLE) for _ in range(TIMES)]
pixels = np.clip(faces, 0, 1)
names = tuple(f"{label}, {i % TIMES + 1}" for i, label in enumerate(labels))
images = Images(pixels, np.array(labels), names)

found = table(
    images, methods=[Eigenface(), Fisherface(), KernelEigenface(), KernelFisherface()], components=[5, 10, 20]
)
print(found)
assert found["Fisherface"].best_errors < found["Eigenface"].best_errors

shown = pictures(images, n_components=8, components=[3, 10, 30], rows=[0, 44])
lines = {name: -(-len(picture.images) // 8) for name, picture in shown.items()}
figure = plt.figure(figsize=(10, 9.5), layout="constrained")
parts = figure.subfigures(len(shown), height_ratios=[0.3 + count for count in lines.values()])
for part, (name, picture) in zip(parts, shown.items(), strict=True):
    part.suptitle(name, x=0.01, ha="left", fontweight="bold")
    picture.plot(part.subplots(), columns=8)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
