"""Exponentials and normalisations of separated kernels, which are products over players again."""

from collections.abc import Sequence

import numpy as np

from mercer._typing import DoubleArray
from mercer.explain.terms import Block, Factor, Samples, Terms
from mercer.operators.tiles import panels

__all__ = ["exponential", "normalised"]

CHUNK = 64  # rows whose values with themselves are computed as one block
Part = tuple[tuple[Factor, ...], float]  # a product of factors of one player, and its coefficient


def exponential(inner: Terms) -> Terms | None:
    """exp(c + Σ_p s_p) = exp(c) Π_p exp(s_p) for functions s_p of single players; None if a term joins players."""
    own = _by_player(inner)
    if own is None:
        return None
    constant = inner.terms.get((), 0.0)
    return Terms([(tuple(Factor(player, _exp(parts)) for player, parts in own.items()), float(np.exp(constant)))])


def normalised(inner: Terms) -> Terms | None:
    """k(x, z)/√(k(x, x) k(z, z)) of a product over players, or of a function of one of them; None for other sums."""
    own = _by_player(inner)
    if own is not None and len(own) == 1:
        player, parts = next(iter(own.items()))
        return Terms([((Factor(player, _unit(_sum([*parts, ((), inner.terms.get((), 0.0))]))),), 1.0)])
    if len(inner) != 1 or next(iter(inner.terms.values())) <= 0:
        return None
    factors = next(iter(inner.terms))
    players = sorted({factor.player for factor in factors})
    groups = [tuple(factor for factor in factors if factor.player == player) for player in players]
    pairs = zip(players, groups, strict=True)
    return Terms([(tuple(Factor(player, _unit(_sum([(group, 1.0)]))) for player, group in pairs), 1.0)])


def _by_player(inner: Terms) -> dict[int, list[Part]] | None:
    """Terms of each player, without the constant; None if a term has factors of several players."""
    own: dict[int, list[Part]] = {}
    for factors, coefficient in inner.terms.items():
        players = {factor.player for factor in factors}
        if len(players) > 1:
            return None
        for player in players:
            own.setdefault(player, []).append((factors, coefficient))
    return own


def _values(factor: Factor, x: Samples, z: Samples) -> DoubleArray:
    if factor.distance is not None:
        return np.exp(-factor.rate * _values(factor.distance, x, z))
    assert factor.block is not None
    return factor.block(x, z)


def _sum(parts: Sequence[Part]) -> Block:
    """Sum of products of factors, times their coefficients."""

    def block(x: Samples, z: Samples) -> DoubleArray:
        total = np.zeros((len(x), len(z)))
        for factors, coefficient in parts:
            product = np.full_like(total, coefficient)
            for factor in factors:
                product *= _values(factor, x, z)
            total += product
        return total

    return block


def _exp(parts: Sequence[Part]) -> Block:
    inner = _sum(parts)
    return lambda x, z: np.exp(inner(x, z))


def _unit(inner: Block) -> Block:
    """A function of pairs divided by the roots of its values on the diagonal; 0 where one of them is 0."""

    def diagonal(samples: Samples) -> DoubleArray:
        parts = (samples.rows(some.start, some.stop) for some in panels(len(samples), CHUNK))
        return np.concatenate([inner(part, part).diagonal() for part in parts])

    def block(x: Samples, z: Samples) -> DoubleArray:
        scale = np.sqrt(np.outer(diagonal(x), diagonal(z)))
        return np.divide(inner(x, z), scale, out=np.zeros_like(scale), where=scale > 0)

    return block
