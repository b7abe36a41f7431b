"""Methods that compute the weights of kernels: ℓp-norm multiple kernel learning, EasyMKL, alignment, uniform."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.model_selection.alignment import best_weights
from mercer.model_selection.target import target_factor
from mercer.operators import GramOperator, OperatorStack, PrecomputedOperator
from mercer.solvers import solve_dual
from mercer.solvers.kernel_weights import InnerSolution, KernelWeights, learn_weights
from mercer.solvers.solution import Solution
from mercer.solvers.svm import hard_margin

__all__ = ["METHODS", "aligned", "easy", "lp", "uniform"]

METHODS = ("lp", "easymkl", "alignf", "align", "uniform")


def lp(
    stack: OperatorStack,
    solve: Callable[[GramOperator, DoubleArray], InnerSolution],
    *,
    p: float,
    tol: float,
    max_iter: int,
) -> KernelWeights:
    """Return weights of ℓp-norm 1 that minimise the objective of the machine."""
    return learn_weights(stack, solve, p=p, tol=tol, max_iter=max_iter)


def aligned(
    who: str, stack: OperatorStack, y: Any, task: str, *, jointly: bool, weight: DoubleArray | None = None
) -> KernelWeights:
    """Return weights from centred alignment with the target, of the sum ("alignf") or of each kernel ("align").

    Integer sample weights are equivalent to repeating samples.
    """
    if weight is None:
        found = stack.agreement(target_factor(who, y, task))
    else:
        kept = np.flatnonzero(weight)
        weight = weight[kept] / weight.max()
        factor = _weighted(target_factor(who, np.asarray(y)[kept], task), np.asarray(y)[kept], task, weight)
        found = (stack if len(kept) == stack.n else stack.take(kept)).agreement(factor, weight)
    if jointly:
        d = best_weights(who, found)
    else:
        varying = found.norms > 0
        d = np.where(varying, np.maximum(found.alignments, 0.0) / np.where(varying, found.norms, 1.0), 0.0)
        if not d.any():
            raise ValueError(
                f"{who}: no kernel has a positive alignment with the target, so method='align' gives no weights; use "
                "other kernels or method='lp'."
            )
        d = d / d.sum()
    return _chosen(d)


def _weighted(factor: DoubleArray, y: Any, task: str, weight: DoubleArray) -> DoubleArray:
    """Return the factor of the target kernel with weighted class sizes and means."""
    if task == "classification":
        _, label, sizes = np.unique(y, return_inverse=True, return_counts=True)
        factor = factor * np.sqrt(sizes / np.bincount(label, weights=weight))
    return np.asarray(factor - weight @ factor / weight.sum())


def easy(
    stack: OperatorStack,
    machines: Sequence[tuple[IndexArray, int]],
    weight: DoubleArray,
    *,
    reg: float,
    tol: float,
    n_jobs: int | None,
) -> KernelWeights:
    """Return the weights of EasyMKL.

    The weights are d_m ∝ γᵀYK_mYγ for the γ that minimises (1 − λ) γᵀY(ΣK)Yγ + λ Σγ²/w, where the γ of each class sum
    to 1. For several machines, the weights of each are scaled to sum 1 and added. Copies of a sample share its γ, so
    that integer sample weights w are equivalent to repeating samples.

    Parameters
    ----------
    stack : OperatorStack
        Operators K_m.
    machines : sequence of (members, n_positive)
        Samples of both classes of each machine, positive ones first, and the number of positive ones.
    weight : ndarray of shape (n,)
        Sample weights, positive for all members.
    reg : float
        λ in [0, 1].
    tol : float
        Tolerance of the quadratic programme relative to the mean diagonal of the matrix.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    KernelWeights
        Weights with the certificate of the quadratic programme.
    """
    matrix = (1 - reg) * np.asarray(stack.weighted(np.ones(len(stack))).array())
    matrix.flat[:: len(matrix) + 1] += reg / np.where(weight > 0, weight, 1.0)
    total, parts = np.zeros(len(stack)), []
    size = float(np.mean(matrix.diagonal())) or 1.0
    problems = [hard_margin(members, n_positive) for members, n_positive in machines]
    K = PrecomputedOperator(matrix / size)
    for problem, answer in zip(problems, solve_dual(K, problems, tol=tol, n_jobs=n_jobs), strict=True):
        coef = np.zeros(stack.n)
        coef[problem.members] = answer.beta
        q = np.maximum(stack.forms(coef), 0.0)
        total += q / (q.sum() or 1.0)
        parts.append(answer.solution)
    return KernelWeights(total / total.sum(), Solution.together(parts), np.empty((0, 2)))


def uniform(m: int) -> KernelWeights:
    """Return the weights 1/m."""
    return _chosen(np.full(m, 1 / m))


def _chosen(d: DoubleArray) -> KernelWeights:
    return KernelWeights(d, None, np.empty((0, 2)))
