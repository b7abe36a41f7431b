"""Gram matrices as operators: the one seam between kernels and solvers.

`gram(kernel, X)` builds one; a solver asks it for `diag`, `rows`, `block` and `matmul`, and never
sees the kernel or the data.
"""

from mercer._doors import publish
from mercer.operators.algebra import ProductOperator, ScaledOperator, SumOperator
from mercer.operators.base import GramOperator
from mercer.operators.blocked import BlockedOperator
from mercer.operators.build import gram
from mercer.operators.centered import CenteredOperator
from mercer.operators.centering import Centering, center_gram
from mercer.operators.dense import DenseOperator
from mercer.operators.lowrank import LowRankOperator
from mercer.operators.precomputed import PrecomputedOperator

__all__ = [
    "BlockedOperator",
    "CenteredOperator",
    "Centering",
    "DenseOperator",
    "GramOperator",
    "LowRankOperator",
    "PrecomputedOperator",
    "ProductOperator",
    "ScaledOperator",
    "SumOperator",
    "center_gram",
    "gram",
]

publish(__name__, globals())
