"""Solvers, which compute solutions with a certificate from a Gram operator and a problem."""

from mercer._doors import publish
from mercer.solvers.crammer_singer import solve_crammer_singer
from mercer.solvers.dual import Dual, DualSolution, solve_dual
from mercer.solvers.eigen import choose_eigen_solver
from mercer.solvers.mistakes import BudgetMemory, MistakeList
from mercer.solvers.neighbors import nearest, within
from mercer.solvers.ridge import choose_method
from mercer.solvers.ridge_path import RidgePath
from mercer.solvers.solution import Solution, Status

__all__ = [
    "BudgetMemory",
    "Dual",
    "DualSolution",
    "MistakeList",
    "RidgePath",
    "Solution",
    "Status",
    "choose_eigen_solver",
    "choose_method",
    "nearest",
    "solve_crammer_singer",
    "solve_dual",
    "within",
]

publish(__name__, globals())
