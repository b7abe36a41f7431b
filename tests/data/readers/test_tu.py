"""Data sets in the format of TU Dortmund: small folders, errors that say where, and the real ones."""

import gzip
import re

import numpy as np
import pytest

from mercer.data import Graphs

FILES = {
    "A": "1, 2\n2, 1\n2,3\n3,2\n5, 6\n6, 5\n",
    "graph_indicator": "1\n1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n0\n2\n1\n1\n",
    "edge_labels": "1\n1\n0\n0\n1\n1\n",
    "node_attributes": "0.5, 1\n1e-3,2\n0,0\n0,0\n1,1\n2,2\n",
    "edge_attributes": "1\n1\n2\n2\n3\n3\n",
}


@pytest.fixture(params=["plain", "gzip"])
def write(request, tmp_path):
    """Writes a data set named D, with changes to its files; None leaves one out."""

    def to(**changes):
        for part, text in (FILES | changes).items():
            if text is not None:
                data = text.encode()
                packed = request.param == "gzip"
                path = tmp_path / f"D_{part}.txt{'.gz' if packed else ''}"
                path.write_bytes(gzip.compress(data) if packed else data)
        return tmp_path

    return to


def test_folders(write):
    folder = write()
    graphs, y = Graphs.read_tu(folder)
    assert repr(graphs) == (
        "Graphs(2 of 2 to 4 nodes, 3 node labels, 2 node attributes, 2 edge labels, 1 edge attribute)"
    )
    assert y.tolist() == [1, -1]
    assert y.dtype == np.int64
    assert graphs[0].edges() == [(0, 1), (1, 2)]
    assert graphs[0].node_labels == [0, 1, 0, 2]  # the last has no edges
    assert graphs[0].edge_labels == [1, 0]
    assert graphs[1].edges() == [(0, 1)]
    assert graphs[0].node_attributes.tolist() == [[0.5, 1.0], [0.001, 2.0], [0.0, 0.0], [0.0, 0.0]]
    assert graphs.edge_attributes.ravel().tolist() == [1, 1, 2, 2, 3, 3]
    assert Graphs.read_tu(str(folder), "D")[0] == graphs


def test_the_name_may_be_a_folder(write, tmp_path):
    folder = write()
    (folder / "D").mkdir()
    for file in folder.glob("D_*"):
        file.rename(folder / "D" / file.name)
    assert len(Graphs.read_tu(tmp_path, "D")[0]) == 2


def test_folders_with_less(write):
    bare = dict.fromkeys(FILES, None) | {part: FILES[part] for part in ("A", "graph_indicator")}
    graphs, y = Graphs.read_tu(write(**bare))
    assert repr(graphs) == "Graphs(2 of 2 to 4 nodes)"
    assert y is None


def test_targets_may_be_numbers_or_rows(write):
    _, y = Graphs.read_tu(write(graph_labels=None, graph_attributes="0.5\n1\n"))
    assert y.tolist() == [0.5, 1.0]
    _, y = Graphs.read_tu(write(graph_labels=None, graph_attributes="1,2\n3,4\n"))
    assert y.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_labels_in_columns_are_tuples(write):
    graphs, _ = Graphs.read_tu(write(node_labels="0,1\n1,1\n0,1\n2,0\n1,1\n1,1\n"))
    assert graphs[0].node_labels == [(0, 1), (1, 1), (0, 1), (2, 0)]


def test_graphs_without_nodes_and_edges_are_kept(write):
    folder = write(graph_indicator="1\n1\n1\n1\n3\n3\n", graph_labels="0\n1\n0\n1\n")
    assert Graphs.read_tu(folder)[0].n_nodes.tolist() == [4, 0, 2, 0]
    folder = write(A="", edge_labels="", edge_attributes="")
    assert Graphs.read_tu(folder)[0].n_edges.tolist() == [0, 0]


def test_nodes_may_come_in_any_order_of_graphs(write):
    arcs = {"A": "1,3\n3,1\n2,4\n4,2\n", "graph_indicator": "2\n1\n2\n1\n", "node_labels": "1\n2\n3\n4\n"}
    graphs, _ = Graphs.read_tu(write(**arcs, node_attributes=None, edge_labels=None, edge_attributes=None))
    assert [graph.node_labels for graph in graphs] == [[2, 4], [1, 3]]
    assert [graph.edges() for graph in graphs] == [[(0, 1)], [(0, 1)]]


def test_direction(write):
    one_way = "1,2\n2,1\n2,3\n3,2\n5,6\n5,5\n"
    folder = write(A=one_way, edge_labels=None, edge_attributes=None)
    graphs, _ = Graphs.read_tu(folder)
    assert graphs.directed
    assert graphs[1].edges() == [(0, 0), (0, 1)]
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of graph 1 has no reverse"):
        Graphs.read_tu(folder, directed=False)
    assert Graphs.read_tu(write(), directed=True)[0].n_edges.tolist() == [4, 2]
    labelled = write(A=FILES["A"], edge_labels="1\n2\n0\n0\n1\n1\n", edge_attributes=FILES["edge_attributes"])
    assert Graphs.read_tu(labelled)[0].directed
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of graph 0 and its reverse have different labels"):
        Graphs.read_tu(labelled, directed=False)


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("A", "1,2\n\n2,x\n", "line 3: expected 2 integers between commas, got '2,x'"),
        ("A", "1,2\n2\n", "line 2: expected 2 integers between commas, got '2'"),
        ("A", "1,2\n2,1,3\n", "line 2: expected 2 integers between commas, got '2,1,3'"),
        ("A", "1,2,3\n", "line 1: expected 2 integers between commas, got '1,2,3'"),
        ("A", "1_0,2\n", "line 1: expected integers between commas"),
        ("A", "1,1.5\n", "line 1: expected 2 integers between commas"),
        ("A", "1,2\n\n2,1\n1,7\n", "line 4: joins nodes 0 and 6, expected numbers from 0 to 5 (from 0)"),
        ("A", "0,1\n1,0\n", "line 1: joins nodes -1 and 0"),
        ("A", "1,2\n2,1\n4,5\n", "line 3: joins node 3 of graph 0 and node 4 of graph 1"),
        ("graph_indicator", "1\n0\n", "line 2: expected the number of a graph, from 1"),
        ("graph_indicator", "1\na\n", "line 2: expected 1 integer, got 'a'"),
        ("graph_indicator", "\n0\n1\U0009f642\n2", "line 3: expected 1 integer, got '1"),
        ("graph_labels", "1\n", "line 2: expected 2 lines, one for each graph, got 1"),
        ("node_labels", "1\n2\n", "line 3: expected 6 lines, one for each node, got 2"),
        ("node_labels", "1\n" * 7, "line 7: expected 6 lines, one for each node, got 7"),
        ("edge_labels", "1\n1\n", "line 3: expected 6 lines, one for each arc, got 2"),
        ("node_attributes", "1,2\n1\n", "line 2: expected 2 numbers between commas, got '1'"),
        ("node_attributes", "1\nx\n", "line 2: expected 1 number, got 'x'"),
    ],
)
def test_bad_lines_are_located(write, part, text, message):
    folder = write(**{part: text})
    if part == "A":
        for carried in ("edge_labels", "edge_attributes"):
            next(folder.glob(f"D_{carried}*")).unlink()
    path = next(folder.glob(f"D_{part}.txt*"))
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        Graphs.read_tu(folder)


def test_attributes_that_are_no_numbers_are_named(write):
    folder = write(node_attributes="0\n0\n0\n0\n0\nnan\n")
    with pytest.raises(ValueError, match="node 1 of graph 1 has attributes nan"):
        Graphs.read_tu(folder)
    with pytest.raises(ValueError, match=r"node 1 of graph 1 has no usable label"):
        Graphs.read_tu(write(node_labels="0\n0\n0\n0\n0\nnan\n", node_attributes="0\n" * 6))


def test_broken_files_are_told(tmp_path):
    (tmp_path / "D_graph_indicator.txt").write_text("1\n1\n")
    (tmp_path / "D_A.txt.gz").write_bytes(gzip.compress(b"1,2\n" * 1000)[:-9])
    with pytest.raises(ValueError, match=r"D_A.txt.gz, line \d+: the compressed data are corrupt"):
        Graphs.read_tu(tmp_path)
    (tmp_path / "D_A.txt").write_bytes(b"1,2\r\n2,\xff\r\n")
    with pytest.raises(ValueError, match=r"D_A.txt, line 2: is not UTF-8"):
        Graphs.read_tu(tmp_path)
    (tmp_path / "D_A.txt").write_bytes(b"1,2\r\n\r\n2,1")
    assert Graphs.read_tu(tmp_path)[0][0].edges() == [(0, 1)]


def test_missing_files_are_named(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no file NAME_A\.txt"):
        Graphs.read_tu(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        Graphs.read_tu(tmp_path / "no")
    with pytest.raises(FileNotFoundError, match=re.escape("has no E_A.txt or E_A.txt.gz")):
        Graphs.read_tu(tmp_path, "E")
    folder = write(graph_indicator=None)
    with pytest.raises(FileNotFoundError, match=re.escape("has no D_graph_indicator.txt or D_graph_indicator.txt.gz")):
        Graphs.read_tu(folder)
    (folder / "E_A.txt").write_text("")
    with pytest.raises(ValueError, match=r"holds several data sets \('D', 'E'\); choose one with the parameter name"):
        Graphs.read_tu(folder)


# ---- the data sets of the documentation


@pytest.mark.parametrize(
    ("name", "shape", "n_nodes", "n_arcs", "isolated", "classes"),
    [
        ("MUTAG", "188 of 10 to 28 nodes, 7 node labels, 4 edge labels", 3371, 7442, 0, {-1: 63, 1: 125}),
        ("PTC_MR", "344 of 2 to 64 nodes, 18 node labels, 4 edge labels", 4915, 10108, 0, {-1: 192, 1: 152}),
        (
            "ENZYMES",
            "600 of 2 to 126 nodes, 3 node labels, 18 node attributes",
            19580,
            74564,
            106,
            dict.fromkeys(range(1, 7), 100),
        ),
        ("PROTEINS", "1113 of 4 to 620 nodes, 3 node labels, 1 node attribute", 43471, 162088, 5, {1: 663, 2: 450}),
        ("NCI1", "4110 of 3 to 111 nodes, 37 node labels", 122747, 265506, 428, {0: 2053, 1: 2057}),
    ],
)
def test_real_graphs(folder, name, shape, n_nodes, n_arcs, isolated, classes):
    graphs, y = Graphs.read_tu(folder / "graphs" / name)
    assert repr(graphs) == f"Graphs({shape})"
    assert not graphs.directed
    assert (graphs.offsets[-1], len(graphs.neighbors)) == (n_nodes, n_arcs)
    assert int((graphs.degrees == 0).sum()) == isolated
    assert graphs.n_edges.sum() == n_arcs // 2
    assert dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True)) == classes
    rows = np.random.default_rng(0).permutation(len(graphs))
    assert graphs[rows][np.argsort(rows)] == graphs
    assert Graphs(list(graphs[:50])) == graphs[:50]
