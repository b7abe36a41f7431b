"""Containers for data that is not one matrix of numbers, and the conversions kernels ask for."""

from mercer._doors import publish
from mercer.data.alphabet import Alphabet
from mercer.data.convert import as_codes, as_items, as_matrix, n_samples, select_columns, take
from mercer.data.graph import Graph
from mercer.data.graphs import Graphs
from mercer.data.join import joined
from mercer.data.kelp import read_kelp
from mercer.data.strings import Strings
from mercer.data.table import Table
from mercer.data.tree import Tree
from mercer.data.trees import Trees

__all__ = [
    "Alphabet",
    "Graph",
    "Graphs",
    "Strings",
    "Table",
    "Tree",
    "Trees",
    "as_codes",
    "as_items",
    "as_matrix",
    "joined",
    "n_samples",
    "read_kelp",
    "select_columns",
    "take",
]

publish(__name__, globals())
