"""Gram matrices as operators, the only interface between kernels and solvers.

`gram(kernel, X)` builds an operator. A solver calls its values (`diag`, `rows`, `block`, `matmul`) and its capabilities
(`take`, `row_source`, `factor`, `array`) and does not depend on the kernel or the data. `OperatorStack` combines
several operators over the same samples.
"""

from mercer._doors import publish
from mercer.operators.algebra import ProductOperator, ScaledOperator, SumOperator
from mercer.operators.base import GramOperator
from mercer.operators.blocked import BlockedOperator
from mercer.operators.build import as_operator, gram, row_source
from mercer.operators.centered import CenteredOperator
from mercer.operators.centering import Centering, center_gram
from mercer.operators.dense import DenseOperator
from mercer.operators.lowrank import LowRankOperator
from mercer.operators.mapped import MappedOperator
from mercer.operators.precomputed import PrecomputedOperator
from mercer.operators.row_sources import RowSource
from mercer.operators.selected import SelectedOperator
from mercer.operators.stack import Agreement, OperatorStack

__all__ = [
    "Agreement",
    "BlockedOperator",
    "CenteredOperator",
    "Centering",
    "DenseOperator",
    "GramOperator",
    "LowRankOperator",
    "MappedOperator",
    "OperatorStack",
    "PrecomputedOperator",
    "ProductOperator",
    "RowSource",
    "ScaledOperator",
    "SelectedOperator",
    "SumOperator",
    "as_operator",
    "center_gram",
    "gram",
    "row_source",
]

publish(__name__, globals())
