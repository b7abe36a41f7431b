"""Stacks of kernel machines with learned column weights: the models of tables of numbers and categories."""

from mercer._doors import publish
from mercer.auto.stack.classifier import StackedClassifier
from mercer.auto.stack.layout import Layout
from mercer.auto.stack.leaves import LeafRidge
from mercer.auto.stack.member import StackMember
from mercer.auto.stack.regressor import StackedRegressor

__all__ = ["Layout", "LeafRidge", "StackMember", "StackedClassifier", "StackedRegressor"]

publish(__name__, globals())
