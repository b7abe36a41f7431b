"""Kernels that ``kernel="auto"`` tries on prepared data, a few for each kind of column."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer.auto.kinds import sequence_alphabet
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, ExpOf, Kernel, Linear, Overlap, Scaled, TanimotoOf
from mercer.kernels.graphs import GraphHopper, Propagation, ShortestPath, WeisfeilerLehman
from mercer.kernels.strings import BagOfWords, Gapped, Spectrum, Subsequence, WeightedDegree
from mercer.kernels.trees import PartialTree, SubsetTree

__all__ = ["WIDTHS", "Proposal", "proposals"]

WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)  # multiples of gamma="scale", compared by alignment
FINER = (8.0, 32.0)  # alignment prefers wide kernels, so cross-validation also tries gamma times these factors
PAIRS = 2e11  # largest number of steps of the subsequence kernel, a few seconds
NODES = 200  # largest mean number of nodes for which shortest paths are tried
HOPS = 5e9  # largest number of node pairs, times path lengths, for which GraphHopper is tried, half a minute


@dataclass(frozen=True)
class Proposal:
    """A kernel to be tried by the search, in one or several forms.

    Parameters
    ----------
    name : str
        Short description, such as "rbf of numbers".
    forms : tuple of Kernel
        Variants of the kernel. The variant with the largest alignment with the target is tried.
    finer : tuple of tuple of Kernel, default=()
        For each form, narrower kernels that are tried after it as candidates of their own. The search stops at the
        first one that does not improve the score.
    group : str or None, default=None
        Group of columns that the kernel reads. The best kernel of each group is part of the uniform sum; kernels
        without a group are not.

    See Also
    --------
    proposals : Proposes kernels for prepared data.
    Candidate : Result of a kernel after the comparison.

    Examples
    --------
    >>> from mercer.auto import Proposal
    >>> from mercer.kernels import RBF
    >>> widths = Proposal("rbf", (RBF(gamma=0.1), RBF(gamma=1.0)))
    >>> [str(kernel) for kernel in widths.forms]
    ['rbf(gamma=0.1)', 'rbf(gamma=1)']
    """

    name: str
    forms: tuple[Kernel, ...]
    finer: tuple[tuple[Kernel, ...], ...] = ()
    group: str | None = None


def proposals(data: Data, kinds: dict[str, str]) -> tuple[list[Proposal], list[str]]:
    """Propose kernels for prepared data.

    Parameters
    ----------
    data : Table, matrix, sparse matrix, Graphs, Strings or Trees
        Samples, as returned by `TablePreparer.transform`.
    kinds : dict of str to str
        Kind of each column of the raw table: ``kinds_`` of the fitted preparer.

    Returns
    -------
    proposals : list of Proposal
        Kernels to try, in order.
    notes : list of str
        One sentence for each kernel that was left out because it would take too long.

    See Also
    --------
    TablePreparer : Prepares raw tables.
    AutoClassifier : Compares the proposals by cross-validation.

    Examples
    --------
    >>> from mercer.auto import TablePreparer, proposals
    >>> people = {"age": [31, 45, 27], "city": ["Rome", "Oslo", "Rome"]}
    >>> preparer = TablePreparer().fit(people)
    >>> found, notes = proposals(preparer.transform(people), preparer.kinds_)
    >>> [proposal.name for proposal in found]
    ['rbf of numbers', 'linear of numbers', 'overlap of categories', 'numbers and categories jointly']
    """
    notes: list[str] = []
    return list(_proposals(data, kinds, notes)), notes


def _proposals(data: Data, kinds: dict[str, str], notes: list[str]) -> Iterator[Proposal]:
    if isinstance(data, Graphs):
        yield from _of_graphs("graphs", data, notes)
    elif isinstance(data, Trees):
        yield from _of_trees("trees")
    elif isinstance(data, Strings):
        yield from (
            _of_sequences("strings", data.to_list(), notes) if _is_sequence(data) else _of_texts("strings", data, notes)
        )
    elif not isinstance(data, Table):
        yield from _of_numbers("", data)
    else:
        yield from _of_columns(data, kinds, notes)


def _of_columns(table: Table, kinds: dict[str, str], notes: list[str]) -> Iterator[Proposal]:
    numbers = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "number"]
    categories = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "category"]
    if numbers:
        found = _of_numbers("" if len(numbers) == len(table.names) else " of numbers", table.select(numbers).matrix())
        yield from found if len(numbers) == len(table.names) else _restricted(numbers, found)
    if categories:
        everywhere = len(categories) == len(table.names)
        overlap = Overlap() if everywhere else Columns(categories, Overlap())
        yield Proposal("overlap of categories", (overlap,), group=categories[0])
    if numbers and categories:
        yield _jointly(numbers, categories, table.select(numbers).matrix())
    for name in table.names:
        match kinds.get(name):
            case "text":
                yield from _restricted([name], _of_texts(name, Strings(table.column(name)), notes))
            case "sequence":
                yield from _restricted([name], _of_sequences(name, table.column(name), notes))
            case "molecule":
                yield from _restricted([name], _of_graphs(name, Graphs(table.column(name)), notes))
            case "tree":
                yield from _restricted([name], _of_trees(name))


def _jointly(numbers: list[str], categories: list[str], X: Any) -> Proposal:
    """Product of Gaussian kernels of numbers and of categories, which captures their interactions."""
    gamma = float(RBF().resolve(X).gamma)  # type: ignore[arg-type]
    same = ExpOf(2 * Columns(categories, Overlap())).normalized()
    forms = (Columns(numbers, RBF(gamma=_short(width * gamma))) * same for width in WIDTHS[:3])
    return Proposal("numbers and categories jointly", tuple(forms))


def _restricted(columns: list[str], found: Iterator[Proposal]) -> Iterator[Proposal]:
    for proposal in found:
        forms = tuple(_on(columns, form) for form in proposal.forms)
        finer = tuple(tuple(_on(columns, form) for form in ladder) for ladder in proposal.finer)
        yield Proposal(proposal.name, forms, finer, group=columns[0])


def _on(columns: list[str], kernel: Kernel) -> Kernel:
    """Restrict a kernel to some columns, keeping a scale factor outside so that it stays readable."""
    if isinstance(kernel, Scaled):
        return kernel.scale * Columns(columns, kernel.kernel)
    return Columns(columns, kernel)


def _of_numbers(what: str, X: Any) -> Iterator[Proposal]:
    gamma = float(RBF().resolve(X).gamma)  # type: ignore[arg-type]
    forms = tuple(RBF(gamma=_short(width * gamma)) for width in WIDTHS)
    finer = tuple(tuple(RBF(gamma=_short(factor * width * gamma)) for factor in FINER) for width in WIDTHS)
    yield Proposal(f"rbf{what}", forms, finer)
    squares = float(X.multiply(X).sum() / X.shape[0]) if sp.issparse(X) else float(np.square(X).sum() / len(X))
    yield Proposal(f"linear{what}", (Linear() * _short(1 / squares) if squares > 0 else Linear(),))


def _of_texts(name: str, texts: Strings, notes: list[str]) -> Iterator[Proposal]:
    yield Proposal(f"words of {name}", (BagOfWords("presence").normalized(), BagOfWords().normalized()))
    yield Proposal(f"character k-mers of {name}", (Spectrum(4, case="lower").normalized(),))
    yield from _subsequences(name, texts, notes, case="lower")


def _of_sequences(name: str, sequences: list[str], notes: list[str]) -> Iterator[Proposal]:
    alphabet = sequence_alphabet(sequences)
    options: dict[str, Any] = {"case": "upper", "alphabet": alphabet} if alphabet in ("dna", "rna", "protein") else {}
    short_kmers = alphabet == "protein" or not options  # large alphabets have few long k-mers in common
    lengths = np.array([len(sequence) for sequence in sequences])
    lengths_p = (2, 3) if short_kmers else (4, 6)
    yield Proposal(f"k-mers of {name}", tuple(Spectrum(p, **options).normalized() for p in lengths_p))
    g, m = (5, 2) if short_kmers else (8, 3)
    if np.median(lengths) >= 2 * g:
        yield Proposal(f"gapped k-mers of {name}", (Gapped(g, m, **options).normalized(),))
    if (lengths == lengths[0]).all():
        degree = int(min(8, lengths[0]))
        forms = tuple(WeightedDegree(degree, s, **options).normalized() for s in (0, 2))
        yield Proposal(f"positional k-mers of {name}", forms)
    yield from _subsequences(name, Strings(sequences), notes, **options)


def _subsequences(name: str, texts: Strings, notes: list[str], **options: Any) -> Iterator[Proposal]:
    steps = 3.0 * float(texts.lengths.sum()) ** 2 / 2
    if steps <= PAIRS:
        yield Proposal(f"subsequences of {name}", (Subsequence(3, 0.5, **options).normalized(),))
    else:
        notes.append(f"{name}: the subsequence kernel was left out, since it is too slow for texts of this length.")


def _of_graphs(name: str, graphs: Graphs, notes: list[str]) -> Iterator[Proposal]:
    bonds = graphs.edge_labels is not None and len(graphs.edge_values) > 1
    refined = WeisfeilerLehman(3, edge_labels=bonds)
    yield Proposal(
        f"Weisfeiler-Lehman of {name}", (refined.normalized(), WeisfeilerLehman(1, edge_labels=bonds).normalized())
    )
    yield Proposal(f"Tanimoto of {name}", (TanimotoOf(refined),))
    nodes = float(graphs.lengths.mean())
    if nodes <= NODES:
        yield Proposal(
            f"shortest paths of {name}", (ShortestPath(labeled=graphs.node_labels is not None).normalized(),)
        )
    else:
        notes.append(f"{name}: shortest paths were left out, since graphs have {nodes:.0f} nodes on average.")
    if graphs.node_attributes is not None:
        if float(graphs.lengths.sum()) ** 2 * 10 <= HOPS:
            found: Any = GraphHopper(RBF()).resolve(graphs).node_kernel
            # Rounded to powers of 2, the width is the same in most folds, which then share one Gram matrix.
            width = RBF(gamma=float(2.0 ** np.round(np.log2(found.gamma))))
            yield Proposal(f"attributes of {name}", (GraphHopper(width).normalized(),))
        else:
            notes.append(f"{name}: GraphHopper was left out, since it is too slow for graphs of this number and size.")
            yield Proposal(f"attributes of {name}", (Propagation(3, 1.0, spread="both", metric="l2").normalized(),))


def _of_trees(name: str) -> Iterator[Proposal]:
    yield Proposal(f"subset trees of {name}", (SubsetTree().normalized(),))
    yield Proposal(f"partial trees of {name}", (PartialTree().normalized(),))


def _is_sequence(data: Strings) -> bool:
    return data.granularity == "character" and sequence_alphabet(data.to_list()) is not None


def _short(value: float) -> float:
    """Round to three digits, which is precise enough for widths and factors and stays readable."""
    return float(f"{value:.3g}")
