"""One graph of a container."""

from mercer.data import Graph, Graphs


def test_a_graph_tells_what_it_has():
    graph = Graphs.from_edges(
        [[2, 1], [0, 1], [2, 2]],
        node_labels="abc",
        edge_labels=["s", "d", "t"],
        weights=[5.0, 1.0, 2.0],
        node_attributes=[1.0, 2.0, 3.0],
        edge_attributes=[[0.5], [0.25], [4.0]],
    )[0]
    assert isinstance(graph, Graph)
    assert (graph.n_nodes, graph.n_edges, graph.directed) == (3, 3, False)
    assert graph.edges() == [(0, 1), (1, 2), (2, 2)]
    assert graph.node_labels == ["a", "b", "c"]
    assert graph.edge_labels == ["d", "s", "t"]
    assert graph.weights.tolist() == [1.0, 5.0, 2.0]
    assert graph.node_attributes.tolist() == [[1.0], [2.0], [3.0]]
    assert graph.edge_attributes.tolist() == [[0.25], [0.5], [4.0]]
    assert graph.adjacency().toarray().tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 5.0], [0.0, 5.0, 2.0]]


def test_graphs_are_keys():
    graphs = Graphs([[(0, 1)], [(0, 1)], [(0, 1), (1, 2)]])
    assert len(set(graphs)) == 2
    assert graphs[0] != [(0, 1)]
