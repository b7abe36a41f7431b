"""Reviews of things that were kept or sent back: numbers, categories and a text, none of which tells enough alone."""

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
    """Make 300 reviews: price and days of delivery, product and shop, a sentence; every other thing was "kept".

    What was kept was cheaper and came sooner, more often from the market than from the outlet, and four clauses in
    five praise it; one clause in ten does so by a negation. What was "returned" is the other way round. A tenth of
    the numbers is missing.
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
