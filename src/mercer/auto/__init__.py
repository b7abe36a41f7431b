"""From a raw table to a chosen kernel and a fitted model."""

from mercer.auto.candidate import Candidate
from mercer.auto.code import code
from mercer.auto.estimators import AutoClassifier, AutoRegressor
from mercer.auto.evaluate import Evaluation, evaluate
from mercer.auto.prepare import TablePreparer
from mercer.auto.task import infer_task, why_task

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "Candidate",
    "Evaluation",
    "TablePreparer",
    "code",
    "evaluate",
    "infer_task",
    "why_task",
]
