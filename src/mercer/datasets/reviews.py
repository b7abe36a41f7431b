"""Generated reviews of products that were kept or returned: numbers, categories and a text, none sufficient alone."""

from collections.abc import Sequence

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars

__all__ = ["reviews"]

_PRAISE = ("sturdy", "quiet", "bright", "handy", "reliable")
_BLAME = ("flimsy", "noisy", "dim", "clumsy", "brittle")
_PARTS = ("handle", "switch", "cable", "lid", "case")
_OPENINGS = ("", "well, ", "after all ", "honestly, ")
_PRODUCTS = ("lamp", "kettle", "drill", "radio")
_SHOPS = ("market", "online", "outlet")
_MISSING = 0.1


def reviews() -> Dataset:
    """Generate 300 reviews with price, days of delivery, product, shop and a sentence; half were "kept".

    Kept products were cheaper, arrived sooner, and came more often from the market than from the outlet. 80 % of the
    clauses of their reviews are praise; 10 % of the clauses are negated. For "returned" products the opposite holds. 10
    % of the numbers are missing.
    """
    rng = np.random.default_rng(0)
    rows = []
    for i in range(300):
        kept = i % 2 == 0
        sign = 1 if kept else -1
        price = round(float(np.exp(3.4 - 0.25 * sign + 0.6 * rng.normal())), 2)
        days = 1 + int(rng.poisson(np.exp(1.4 - 0.3 * sign)))
        rows.append(
            {
                "price": None if rng.random() < _MISSING else price,
                "days": None if rng.random() < _MISSING else days,
                "product": _pick(rng, _PRODUCTS),
                "shop": _pick(rng, _SHOPS, (0.45, 0.35, 0.2)[::sign]),
                "review": _sentence(rng, kept),
                "class": "kept" if kept else "returned",
            }
        )
    return Dataset("reviews", polars("mercer.datasets.load").DataFrame(rows), target="class")


def _sentence(rng: np.random.Generator, kept: bool) -> str:
    clauses = []
    for _ in range(int(rng.integers(1, 4))):
        praise, negated = (rng.random() < 0.8) == kept, rng.random() < 0.1
        word = _pick(rng, _PRAISE if praise != negated else _BLAME)
        clauses.append(f"the {_pick(rng, _PARTS)} is {'not ' if negated else ''}{word}")
    *most, last = clauses
    return _pick(rng, _OPENINGS) + " and ".join([*filter(None, [", ".join(most)]), last])


def _pick(rng: np.random.Generator, words: Sequence[str], chances: Sequence[float] | None = None) -> str:
    return words[int(rng.choice(len(words), p=chances))]
