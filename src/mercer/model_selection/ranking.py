"""Ranking of kernels by how well they fit a target."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_choice
from mercer._words import one_word
from mercer.model_selection.alignment import Task
from mercer.model_selection.grams import check_kernels, is_kernel, stack_of
from mercer.model_selection.target import target_factor
from mercer.operators import GramOperator
from mercer.solvers.ridge_path import RidgePath

__all__ = ["KernelRanking", "RankedKernel", "rank_kernels"]

Criterion: TypeAlias = Literal["alignment", "loo"]
_PENALTIES = np.logspace(-6, 2, 17)  # in units of the mean diagonal of the centred matrix


@final
@dataclass(frozen=True, eq=False)
class RankedKernel:
    """Row of a kernel ranking.

    Parameters
    ----------
    name : str
        Key of the kernel in the mapping, or its text form, or "matrix" and its index.
    kernel : Kernel, str, GramOperator or ndarray
        Kernel as it was given.
    alignment : float
        Centred alignment with the target.
    loo_r2 : float, default=None
        R² of the leave-one-out predictions of kernel ridge regression for the best of 17 regularisation strengths; None
        if the ranking is by alignment.

    See Also
    --------
    KernelRanking : Sequence of such rows.
    rank_kernels : Computes a ranking.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.model_selection import rank_kernels
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> first = rank_kernels(["linear", "rbf(gamma=1)"], X, X[:, 0])[0]
    >>> first.name, round(first.alignment, 4)
    ('linear', 1.0)
    """

    name: str
    kernel: Any
    alignment: float
    loo_r2: float | None = None


@final
@dataclass(frozen=True, eq=False)
class KernelRanking(Sequence[RankedKernel]):
    """Kernels from the best to the worst, as returned by `rank_kernels`.

    It is a sequence of rows and is printed as a table.

    Parameters
    ----------
    rows : tuple of RankedKernel
        Rows, best first. Equally good kernels stay in the order in which they were given.
    by : {"alignment", "loo"}
        Criterion of the order.

    See Also
    --------
    rank_kernels : Computes a ranking.
    RankedKernel : Row of a ranking.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.model_selection import rank_kernels
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> ranking = rank_kernels({"line": "linear", "wide": "rbf(gamma=1)"}, X, X[:, 0])
    >>> ranking
    kernel  alignment
    line       1.0000
    wide       0.9151
    >>> ranking.best
    'linear'
    """

    rows: tuple[RankedKernel, ...]
    by: str

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[RankedKernel]:
        return iter(self.rows)

    @property
    def best(self) -> Any:
        """Best kernel.

        Returns
        -------
        Kernel, str, GramOperator or ndarray
            First kernel of the ranking as it was given.
        """
        return self.rows[0].kernel

    def __str__(self) -> str:
        width = max(len("kernel"), *(len(row.name) for row in self.rows))
        head = f"{'kernel':<{width}}  alignment" + ("   LOO R²" if self.by == "loo" else "")
        lines = [f"{row.name:<{width}}" + _shown(row.alignment, 9) + _shown(row.loo_r2, 7) for row in self.rows]
        return "\n".join([head, *lines])

    __repr__ = __str__


@one_word
def rank_kernels(
    kernels: Mapping[str, Any] | Sequence[Any],
    X: Data,
    y: Any,
    *,
    task: Task = "auto",
    by: Criterion = "alignment",
    n_jobs: int | None = None,
) -> KernelRanking:
    r"""Rank kernels by how well they fit a target.

    The ranking does not depend on the model that the kernel is chosen for.

    Parameters
    ----------
    kernels : sequence or dict of Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Kernels, their text forms (see :ref:`kernel-names`) or Gram matrices. The keys of a dict are the names in the
        table.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
        Samples; None if all kernels are Gram matrices.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target, which must not be constant.
    task : {"auto", "classification", "regression"}, default="auto"
        Type of the target. "auto": regression for floats, classification otherwise.
    by : {"alignment", "loo"}, default="alignment"
        Criterion. "alignment": centred alignment with the target, in O(n²) per kernel. "loo": R² of the exact
        leave-one-out predictions of kernel ridge regression with intercept for the best of 17 regularisation strengths
        between 10⁻⁶ and 10² times the mean of the centred diagonal, in O(n³) per kernel. Classes are encoded as
        indicators divided by the square root of the class size.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    KernelRanking
        Rows with `name`, `kernel`, `alignment` and `loo_r2`, best first.

    See Also
    --------
    centered_alignment : Alignment of one kernel.
    alignment_weights : Weights of a sum of kernels.

    Notes
    -----
    Alignment is large for kernels that have large values on many pairs. It therefore prefers wide kernels and is not
    suited to compare widths of one kernel. "loo" costs more and measures prediction. The regularisation strength is
    chosen by the same errors that are reported, so the value of the best kernel is optimistic. Estimate the error of
    the final model by cross-validation.

    References
    ----------
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.model_selection import rank_kernels
    >>> X = np.random.default_rng(0).normal(size=(150, 2))
    >>> y = np.sin(3 * X[:, 0])
    >>> rank_kernels(["linear", "rbf(gamma=0.1)", "rbf(gamma=1)"], X, y, by="loo")
    kernel          alignment   LOO R²
    rbf(gamma=1)       0.1590   0.9824
    rbf(gamma=0.1)     0.0147  -0.0121
    linear             0.0111  -0.0126
    """
    who = "rank_kernels"
    by = check_choice(who, "by", by, Criterion)  # type: ignore[assignment]
    given = list(kernels.values()) if isinstance(kernels, Mapping) else list(check_kernels(who, kernels))
    check_kernels(who, given)
    names = list(map(str, kernels)) if isinstance(kernels, Mapping) else list(map(_name, given, range(len(given))))
    factor = target_factor(who, y, check_choice(who, "task", task, Task))
    stack = stack_of(who, given, X, n_jobs, factor)
    alignments = stack.agreement(factor).alignments.tolist()
    loo = [_leave_one_out(K, factor) if by == "loo" else None for K in stack]
    rows = list(map(RankedKernel, names, given, alignments, loo))
    rows.sort(key=lambda row: -(row.alignment if row.loo_r2 is None else row.loo_r2))
    return KernelRanking(tuple(rows), by)


def _shown(value: float | None, width: int) -> str:
    return "" if value is None else f"  {round(value, 4) + 0.0:>{width}.4f}"  # adding 0.0 turns -0.0 into 0.0


def _name(kernel: Any, number: int) -> str:
    if isinstance(kernel, GramOperator):
        return kernel._label()
    return str(kernel) if is_kernel(kernel) else f"matrix {number}"


def _leave_one_out(K: GramOperator, target: DoubleArray) -> float:
    """Return R² of leave-one-out predictions for the best penalty; the columns of the target have mean zero."""
    size = float(np.mean(np.abs(K.centered().diag()))) or 1.0
    predicted = RidgePath(K, target, intercept=True).loo(size * _PENALTIES)
    errors = np.square(target[:, :, None] - predicted).sum(axis=(0, 1))
    return float(1 - errors.min() / np.square(target).sum())
