"""Automatic models: preparation of raw tables, kernel and model selection, nested cross-validation."""

from mercer._doors import publish
from mercer.auto.candidate import Candidate
from mercer.auto.candidates import Proposal, proposals
from mercer.auto.classifier import AutoClassifier
from mercer.auto.code import code
from mercer.auto.columns import rows_of
from mercer.auto.evaluate import evaluate
from mercer.auto.evaluation.baselines import Baseline
from mercer.auto.evaluation.choices import Choice
from mercer.auto.evaluation.duplicates import Duplicates
from mercer.auto.evaluation.record import Evaluation
from mercer.auto.prepare import TablePreparer
from mercer.auto.rare import rare_classes
from mercer.auto.regressor import AutoRegressor
from mercer.auto.sampling import sample_rows
from mercer.auto.task import infer_task, why_task
from mercer.auto.thresholds import Threshold, choose_threshold
from mercer.auto.view import named_columns

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "Baseline",
    "Candidate",
    "Choice",
    "Duplicates",
    "Evaluation",
    "Proposal",
    "TablePreparer",
    "Threshold",
    "choose_threshold",
    "code",
    "evaluate",
    "infer_task",
    "named_columns",
    "proposals",
    "rare_classes",
    "rows_of",
    "sample_rows",
    "why_task",
]

publish(__name__, globals())
