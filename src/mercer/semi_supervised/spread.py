"""Label spreading on a neighbour graph, a start for searches among labellings."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

from mercer._typing import DoubleArray, IndexArray
from mercer.decomposition.neighborhood import neighbor_graph
from mercer.operators import GramOperator
from mercer.solvers.neighbors import nearest

__all__ = ["spread_labels"]

_SHARE = 0.99  # weight of the neighbours; the rest is the weight of the sample's own label
_NEIGHBORS = 8


def spread_labels(K: GramOperator, label: IndexArray, n_classes: int) -> DoubleArray:
    """Return class shares of every sample by label spreading, F = (I − 0.99 S)⁻¹ Y with rows scaled to sum 1.

    S = D^{−1/2} W D^{−1/2} for the graph W of the 8 nearest neighbours in feature space. Column k of Y is 1/n_k at the
    n_k samples of class k.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Gram matrix.
    label : ndarray of int of shape (n,)
        Class indices; -1 for unlabelled samples.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Class shares; equal shares for samples that no label reaches.

    Notes
    -----
    Cost: O(n²) for the neighbours, then conjugate gradients on a sparse matrix.

    References
    ----------
    * Zhou, Bousquet, Lal, Weston and Schölkopf, Learning with local and global consistency, NIPS 16, 2003.
    """
    n = K.shape[0]
    diagonal = np.asarray(K.diag(), dtype=np.float64)
    # Exactly eight neighbours: `mutual_graph` joins all equally near samples, so that duplicates would make it dense.
    _, indices = nearest(K, diagonal, diagonal, min(_NEIGHBORS, n - 1), skip_self=True)
    graph = neighbor_graph(np.ones(indices.shape), indices)
    graph = graph.maximum(graph.T)
    root = 1 / np.sqrt(np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1.0))
    system = sp.eye_array(n) - _SHARE * (sp.diags_array(root) @ graph @ sp.diags_array(root))
    shares = np.zeros((n, n_classes))
    for k in range(n_classes):
        own = (label == k) / max(1, np.count_nonzero(label == k))
        shares[:, k] = np.maximum(cg(system, own, rtol=1e-6, maxiter=1000)[0], 0.0)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / n_classes)
