"""Label spreading on a neighbour graph, a start for searches among labellings."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

from mercer._typing import DoubleArray, IndexArray
from mercer.decomposition.neighborhood import neighbor_graph
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.neighbors import nearest

__all__ = ["spread_from_some", "spread_labels"]

_SHARE = 0.99  # weight of the neighbours; the rest is the weight of the sample's own label
_NEIGHBORS = 8
_MOST = 20_000  # number of samples of the graph, if not all of them are in it


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


def spread_from_some(K: GramOperator, label: IndexArray, n_classes: int, most: int = _MOST) -> DoubleArray:
    """Return class shares by label spreading on a random subset of the samples.

    The subset contains all labelled samples, or half of it if there are more. Samples that are not in it have the
    shares of the nearest sample that is.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Gram matrix.
    label : ndarray of int of shape (n,)
        Class indices; -1 for unlabelled samples.
    n_classes : int
        Number of classes.
    most : int, default=20000
        Size of the subset. All samples are used if there are no more.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Class shares.

    Notes
    -----
    Cost: O(n · most) kernel values.
    """
    n = len(label)
    if n <= most:
        return spread_labels(K, label, n_classes)
    rng = np.random.default_rng(0)
    labeled, unlabeled = np.flatnonzero(label >= 0), np.flatnonzero(label < 0)
    least = max(most // 2, most - len(unlabeled))
    labeled = labeled if len(labeled) <= least else rng.choice(labeled, least, replace=False)
    some = np.sort(np.append(labeled, rng.choice(unlabeled, most - len(labeled), replace=False)))
    shares = spread_labels(K.take(some), label[some], n_classes)
    diagonal, near = np.asarray(K.diag(), dtype=np.float64)[some], np.empty(n, dtype=np.int64)
    for rows in panels(n, max(1, K.memory_budget // (16 * most))):
        near[rows] = np.argmin(diagonal - 2 * K.block(rows, some), axis=1)
    return shares[near]
