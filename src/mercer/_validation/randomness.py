"""Random number generators from the parameter ``random_state``."""

from typing import Any

import numpy as np

from mercer._validation.describe import describe

__all__ = ["generator"]


def generator(who: str, random_state: Any) -> np.random.Generator:
    """Return a random generator from an integer, a Generator, a RandomState or None.

    >>> generator("two_sample_test", 0).permutation(4)
    array([2, 0, 1, 3])
    """
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, size=4, dtype=np.uint32)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{who}: random_state must be a non-negative integer, a numpy.random.Generator, a RandomState or None, got "
            f"{describe(random_state)}."
        ) from None
