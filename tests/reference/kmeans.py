"""Kernel k-means as the formulas say it, sample by sample."""

import numpy as np


def squared_distance(K, weight, labels, i, c):
    """K_ii − 2 mean_j K_ij + mean_jl K_jl over the (weighted) members of cluster c."""
    members = np.flatnonzero(labels == c)
    w = weight[members] / weight[members].sum()
    return K[i, i] - 2 * sum(w[a] * K[i, j] for a, j in enumerate(members)) + w @ K[np.ix_(members, members)] @ w


def inertia(K, weight, labels):
    return sum(weight[i] * squared_distance(K, weight, labels, i, labels[i]) for i in range(len(K)))


def lloyd(K, weight, labels, n_clusters, max_iter=300):
    """Steps until nothing moves; the labels after each. No cluster may become empty."""
    steps = [labels]
    for _ in range(max_iter):
        D2 = [[squared_distance(K, weight, labels, i, c) for c in range(n_clusters)] for i in range(len(K))]
        new = np.argmin(D2, axis=1)
        if (new == labels).all():
            break
        labels = new
        steps.append(labels)
    return steps
