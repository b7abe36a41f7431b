"""Solvers: functions from an operator and a problem to a solution that says how good it is."""

from mercer.solvers.dual import Dual, DualSolution, solve_dual
from mercer.solvers.rows import RowSource, row_source
from mercer.solvers.solution import Solution, Status

__all__ = ["Dual", "DualSolution", "RowSource", "Solution", "Status", "row_source", "solve_dual"]
