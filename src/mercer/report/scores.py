"""Section on scores: means, intervals and folds, compared with the baseline."""

import numpy as np

from mercer.auto.evaluation.choices import choice_of
from mercer.report.blocks import Block, Cell, Heading, PageTable, Paragraph, Section, cell
from mercer.report.comparison import comparison_blocks
from mercer.report.learning import learning_blocks
from mercer.report.metrics import baseline_score, headline_metric, metric, shown
from mercer.report.subject import Subject
from mercer.report.text import cut, plain

__all__ = ["duplicate_words", "scores_section"]


def scores_section(subject: Subject) -> Section:
    """Create the section: one row for each metric, one row for each fold."""
    folds = len(subject.evaluation.metrics[headline_metric(subject)])
    lead = (
        f"Scores come from nested cross-validation with {folds} outer folds. For each fold, the whole procedure, "
        "including the selection of the kernel, was repeated on the other folds. All scores are therefore scores on "
        "unseen samples."
    )
    lead = f"{lead} {subject.scored_words}".rstrip()
    blocks: list[Block] = [_summary(subject)]
    found = duplicate_words(subject)
    if found:
        blocks.append(Paragraph(found))
    blocks += comparison_blocks(subject)
    blocks += [Heading("Folds and final model"), Paragraph(_choices(subject)), _folds(subject)]
    blocks += learning_blocks(subject)
    return Section("scores", "Scores", lead, blocks)


def _summary(subject: Subject) -> PageTable:
    rows = []
    for name in subject.evaluation.metrics:
        mean, low, high = subject.evaluation.interval(name)
        interval = Cell(f"{shown(name, low)} to {shown(name, high)}", number=True)
        base = _cell(name, baseline_score(subject, name))
        rows.append([cell(name), _cell(name, mean), interval, base, Cell(metric(name).about)])
    constant = "the most frequent class" if subject.classifies else "the mean"
    note = (
        f"The baseline always predicts {constant} of the training part. The interval is a 95\u202f% t interval over "
        "the folds, clipped to the range of the metric. It is somewhat too narrow, since the training parts of the "
        "folds overlap."
    )
    columns = ["metric", "model", "95\u202f% interval", "baseline", "description"]
    return PageTable("summary", "Out-of-fold scores", columns, rows, note=note)


def duplicate_words(subject: Subject) -> str:
    """Sentence on equal and related samples; empty if there are none."""
    found, name = subject.evaluation.duplicates, headline_metric(subject)
    if found is None:
        return ""
    return f"Duplicates: {plain(found.sentence(name, float(np.mean(subject.evaluation.metrics[name]))))}"


def _choices(subject: Subject) -> str:
    """Sentence that compares the choices of the folds with the final model."""
    evaluation = subject.evaluation
    if not evaluation.choices:
        return "The choices of the folds are not known."
    different = plain(evaluation.differences(subject.model))
    if different:
        return different
    text = cut(plain(str(choice_of(subject.model))))
    return f"All {len(evaluation.choices)} folds chose as the final model did: {text}."


def _folds(subject: Subject) -> PageTable:
    evaluation, first = subject.evaluation, headline_metric(subject)
    baseline = evaluation.baseline.get(first, ())
    choices = [plain(str(choice)) for choice in evaluation.choices] or [plain(name) for name in evaluation.kernels]
    rows = []
    for i, (choice, kernel) in enumerate(zip(choices, evaluation.kernels, strict=True)):
        scores = [_cell(name, float(values[i])) for name, values in evaluation.metrics.items()]
        base = [_cell(first, float(baseline[i]))] if len(baseline) else []
        size = int(np.sum(np.asarray(evaluation.folds) == i))
        rows.append([cell(i + 1), cell(size), *scores, *base, Cell(cut(choice), title=plain(kernel))])
    base_column = [f"baseline {first}"] if len(baseline) else []
    columns = ["fold", "samples", *evaluation.metrics, *base_column, "chosen"]
    note = "Samples: number of samples in the fold, which were predicted by a model fitted to the other folds."
    return PageTable("folds", "Scores of each fold", columns, rows, note=note)


def _cell(name: str, value: float) -> Cell:
    return Cell(shown(name, value), number=True)
