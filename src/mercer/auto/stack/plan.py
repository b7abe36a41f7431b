"""Cost of the steps of a stack, and what a time limit allows."""

import time
from dataclasses import dataclass, field

from mercer.auto.clock import Clock

__all__ = ["Plan"]

DIRECT = 4500  # rows up to which ridge regression is exact
LEAF = 1500  # rows of a leaf above
LEAVES = (LEAF, 700, 300)  # sizes of leaves, of which a time limit allows some
WIDER = 1.8  # rows that a leaf learns from, relative to its own
FACTORS = (0.25, 1.0, 4.0, 16.0)  # multiples of the learned penalty
FEWER = (1.0, 4.0)
TEACHING = 0.4  # share of the time limit for weights of columns
RESERVE = 0.6  # share of the time left that a ridge regression may take by its estimate, which is rough
EVALUATIONS = 50  # of the leave-one-out error, for each configuration
CONFIGS = 4
TURNS = 33  # evaluations with rotated columns
CUBE, PAIR = 3.0, 12.0  # operations of one evaluation: 3n³, and 12 for every pair of rows and column
DERIVATIVES = 3.0  # operations of an evaluation with derivatives, relative to a fit, which has none


@dataclass(eq=False)
class Plan:
    """Estimated work of each step, in operations.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of columns.
    taught : int
        Rows on which weights are learned.
    clock : Clock
        Time limit and progress.
    threads : int, default=1
        Workers, which teach kernels and fit ridge regressions side by side.
    """

    n: int
    d: int
    taught: int
    clock: Clock
    threads: int = 1
    start: float = field(default_factory=time.monotonic)
    evaluations: int = 0
    speed: float = 0.0

    def __post_init__(self) -> None:
        self.leaf = self.n if self.n <= DIRECT else LEAF
        self.factors = FACTORS if self.n <= 2500 else FEWER
        self.teaching = CONFIGS * EVALUATIONS * self._evaluation(self.taught)
        self.rotating = TURNS * self._evaluation(self.taught)
        self.regressing = 3 * self._ridge(self.leaf)
        self.other = min(self.n, 25_000) ** 2 * (self.d + 50.0) if self.n <= 25_000 else 0.0
        self.relearning = 60 * self._evaluation(self.n) if self.n <= 1000 else 0.0
        self.clock.plan(self.teaching + self.rotating + self.regressing + self.other + self.relearning)

    def _evaluation(self, rows: int) -> float:
        return CUBE * rows**3 + PAIR * rows**2 * self.d

    def _ridge(self, leaf: int) -> float:
        """Operations of one ridge regression in leaves."""
        leaves = max(1.0, self.n / leaf)
        rows = leaf if leaves == 1 else WIDER * leaf
        fits = leaves * (len(self.factors) if leaves == 1 else 1.3)
        return fits * self._evaluation(int(rows)) / DERIVATIVES

    def taught_enough(self) -> bool:
        """Whether learning of weights has used its share of the time limit; called before every evaluation."""
        self.evaluations += 1  # read as an estimate: two workers may count one evaluation
        limit = self.clock.limit
        return limit is not None and self.clock.left() < (1 - TEACHING) * limit

    def leaf_in_time(self) -> int:
        """Largest size of leaves for which the time limit allows a ridge regression, else the smallest.

        The speed of a worker is estimated from the time that learning has taken.
        """
        work = self.evaluations * self._evaluation(self.taught)
        self.speed = work / (max(time.monotonic() - self.start, 1e-3) * self.threads)
        sizes = [self.leaf, *(size for size in LEAVES if size < self.leaf)]
        return next((leaf for leaf in sizes if self.allows(leaf)), sizes[-1])

    def allows(self, leaf: int) -> bool:
        """Whether a ridge regression by one worker is expected to end within the time limit."""
        return self.clock.limit is None or self._ridge(leaf) <= RESERVE * self.clock.left() * self.speed
