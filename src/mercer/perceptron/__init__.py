"""Perceptrons: linear in primal and dual form, and with any kernel."""

from mercer._doors import publish
from mercer.perceptron.kernel import KernelPerceptron
from mercer.perceptron.linear import Perceptron

__all__ = ["KernelPerceptron", "Perceptron"]

publish(__name__, globals())
