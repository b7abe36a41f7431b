"""Solvers: functions from a Gram operator and a problem to a solution with its certificate."""

from mercer._core import RowSource
from mercer.operators import row_source
from mercer.solvers.dual import Dual, DualSolution, solve_dual
from mercer.solvers.solution import Solution, Status

__all__ = ["Dual", "DualSolution", "RowSource", "Solution", "Status", "row_source", "solve_dual"]
