"""Containers for graphs, strings, trees and tables, data sets in blocks, and the conversions that kernels need."""

from mercer._doors import publish
from mercer.data.blocks.block import Block
from mercer.data.blocks.checkpoint import Checkpointed
from mercer.data.blocks.local import ArrayBlocks, IterableBlocks
from mercer.data.blocks.source import BlockSource
from mercer.data.convert import as_codes, as_items, as_matrix, n_samples, select_columns, take
from mercer.data.graphs.graph import Graph
from mercer.data.graphs.graphs import Graphs
from mercer.data.join import joined
from mercer.data.readers.kelp import read_kelp
from mercer.data.strings.alphabet import Alphabet
from mercer.data.strings.strings import Strings
from mercer.data.tables.table import Table
from mercer.data.trees.tree import Tree
from mercer.data.trees.trees import Trees

__all__ = [
    "Alphabet",
    "ArrayBlocks",
    "Block",
    "BlockSource",
    "Checkpointed",
    "Graph",
    "Graphs",
    "IterableBlocks",
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
