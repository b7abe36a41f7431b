"""Hypothesis strategies: data, kernels, random kernel expressions, and garbage."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mercer import kernels as mk

__all__ = ["expressions", "garbage", "leaves", "matrices"]

D = 3
FEW = st.integers(1, 3)
WIDTH = st.sampled_from([0.1, 0.5, 2.0])
WIDTHS = WIDTH | st.tuples(WIDTH, WIDTH, WIDTH)
OFFSET = st.sampled_from([0.0, 0.5, 2.0])


def matrices(rows: st.SearchStrategy[int] | None = None) -> st.SearchStrategy[Any]:
    """Dense (n, 3) arrays of eighths between 0 and 4, where every kernel is defined."""
    shape = (rows or st.integers(1, 5)).map(lambda n: (n, D))
    return shape.flatmap(lambda s: hnp.arrays(np.float64, s, elements=st.integers(0, 32).map(lambda v: v / 8)))


def total(X: Any) -> Any:
    return np.asarray(X.sum(axis=1)).ravel()


def squares(X: Any) -> Any:
    return X * X / 4


SMALL = st.one_of(  # bounded enough to stand in an exponent
    st.builds(mk.Linear, OFFSET),
    st.builds(mk.RBF, WIDTHS),
    st.builds(mk.Exponential, WIDTHS),
    st.builds(mk.Laplacian, WIDTHS),
    st.builds(mk.Matern, st.sampled_from([0.5, 1.5, 2.5]), WIDTHS),
    st.builds(mk.RationalQuadratic, WIDTH, WIDTHS),
    st.builds(mk.Periodic, WIDTHS, WIDTH),
    st.builds(
        mk.Interactions,
        st.sampled_from([(1, 1), (0, 0.5, 2), (0.1, 0, 0, 1)]),
        WIDTHS,
        WIDTH,
        st.sampled_from([(), (2,)]),
    ),
    st.builds(mk.WeightedColumns, WIDTHS, st.sampled_from([(), (2,)]), st.sampled_from([1, 1.5, 2]), WIDTH),
    st.builds(mk.Power, st.sampled_from([0.5, 1.0, 2.0])),
    st.builds(mk.Log, st.sampled_from([1.0, 2.0, 3.0])),
    st.builds(mk.Sigmoid, WIDTH, OFFSET),
    st.builds(mk.Chi2, WIDTH),
    st.builds(mk.Constant, st.sampled_from([-1.0, 0.0, 2.5])),
    st.sampled_from([mk.Cosine(), mk.AdditiveChi2(), mk.NegativeChi2(), mk.Intersection()]),
    st.sampled_from([mk.Brownian(), mk.Tanimoto(), mk.MinMax(), mk.Overlap(), mk.Delta()]),
)


def leaves() -> st.SearchStrategy[mk.Kernel]:
    """Every leaf kernel, with parameters in and out of the range where it is PSD."""
    return st.one_of(
        SMALL,
        st.builds(mk.Polynomial, FEW, WIDTH, st.sampled_from([-1.0, 0.0, 1.0])),
        st.builds(mk.Power, st.just(3.0)),
        st.builds(mk.ANOVA, st.integers(1, 1), st.sampled_from(["rbf", "linear"]), WIDTH),
        st.sampled_from([mk.user(pair=_pair), mk.user(block=_block)]),
    )


def _pair(a: Any, b: Any) -> float:
    return float(abs(a).sum() * abs(b).sum())


def _block(A: Any, B: Any) -> Any:
    return np.outer(total(A), total(B))


def expressions() -> st.SearchStrategy[mk.Kernel]:
    """Expressions of up to six leaves with every node of the algebra, for three columns of data."""
    scales = st.sampled_from([-1.5, 0.0, 0.25, 3.0])
    exponentials = st.builds(lambda c, k: mk.ExpOf(c * k), st.sampled_from([0.05, 0.5]), SMALL)
    scalar = st.builds(mk.RBF, WIDTH) | st.just(mk.Linear())  # no vector parameter: any width of data

    def extend(inner: st.SearchStrategy[mk.Kernel]) -> st.SearchStrategy[mk.Kernel]:
        psd = inner.filter(lambda k: k.definiteness is mk.Definiteness.PSD)
        return st.one_of(
            st.builds(lambda a, b: a + b, inner, inner),
            st.builds(lambda a, b: a * b, inner, inner),
            st.builds(mk.Scaled, scales, inner),
            st.builds(mk.PowerOf, inner, FEW),
            st.builds(mk.PolynomialOf, inner, st.lists(scales, min_size=1, max_size=3)),
            st.builds(mk.Normalized, psd),
            st.builds(mk.Weighted, st.just(total), inner),
            st.builds(mk.Map, st.just(squares), inner),
            st.builds(mk.LinearMap, inner, st.just(((1.0, 0.5, 0.0), (0.0, 2.0, 1.0), (0.25, 0.0, 1.0)))),
            st.builds(mk.Columns, st.sampled_from([0, (0, 2), (-1, 1)]), scalar),
        )

    return st.recursive(leaves() | exponentials, extend, max_leaves=6)


NUMBERS = st.one_of(
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**63, 2**64 - 1, 10**400, -(10**400)]),
    st.floats(),
    st.complex_numbers(),
    st.fractions(),
    st.decimals(),
)
ARRAYS = st.one_of(
    hnp.arrays(
        st.sampled_from(["f8", "f4", "f2", "i8", "u8", "?", "c16", "U3", "S2", "M8[D]", "O", ">f8", "g"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    hnp.arrays(np.float64, st.tuples(st.integers(0, 3), st.integers(0, 3)), elements=st.floats()),
    hnp.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 3)), elements=st.floats(-5, 5)),
)
SPARSE = hnp.arrays(np.float64, (2, 3), elements=st.floats()).flatmap(
    lambda a: st.sampled_from([sp.csr_matrix, sp.coo_array, sp.csc_matrix, sp.dia_matrix, sp.lil_matrix]).map(
        lambda f: f(a)
    )
)


class Thing:
    """An object that knows nothing."""


OTHERS = st.sampled_from(
    [
        None,
        ...,
        NotImplemented,
        Thing(),
        Thing,
        len,
        total,
        slice(1, 0),
        range(3),
        {1},
        iter([]),
        mk.RBF(),
        mk.RBF,
        np.ma.masked,
    ]
)
SCALARS = st.one_of(NUMBERS, OTHERS, st.text(max_size=5), st.binary(max_size=5))
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


def garbage() -> st.SearchStrategy[Any]:
    """Anything a program may hand over by mistake, and now and then something sensible."""
    return st.one_of(NESTED, ARRAYS, SPARSE)
