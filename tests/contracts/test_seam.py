"""Every operator handed to every solver: the answer of the dense matrix, or an error that names what is missing."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF, Linear, user
from mercer.operators import (
    CenteredOperator,
    DenseOperator,
    GramOperator,
    LowRankOperator,
    MappedOperator,
    OperatorStack,
    PrecomputedOperator,
    SumOperator,
    gram,
    row_source,
)
from mercer.semi_supervised.machines import BalancedMachines, FreeMachines
from mercer.solvers import Dual, solve_dual
from mercer.solvers import embedding as geometry
from mercer.solvers.crammer_singer import solve_crammer_singer
from mercer.solvers.deformed import deformed_kernel
from mercer.solvers.discriminant import class_scatter, ridge_directions
from mercer.solvers.discriminant_eigen import coefficient_directions
from mercer.solvers.eigen import top_eigenpairs
from mercer.solvers.kernel_weights import InnerSolution, learn_weights
from mercer.solvers.kmeans import kernel_kmeans, plus_plus
from mercer.solvers.logistic import solve_logistic
from mercer.solvers.mistakes import BudgetMemory
from mercer.solvers.neighbors import nearest, within
from mercer.solvers.perceptron import budget_passes, kernel_passes
from mercer.solvers.preimage import nearest as nearest_images
from mercer.solvers.principal import principal_components
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.ridge_path import RidgePath

N = 36
RNG = np.random.default_rng(0)
X = RNG.random((N, 3))
F = RNG.random((N, 5))
LABEL = np.arange(N) % 3
SIGN = np.where(X[:, 0] > 0.5, 1.0, -1.0)
Y = np.column_stack([np.sin(3 * X[:, 0]), X[:, 1] ** 2])
KERNEL = RBF(gamma=1.5)


def blocked():
    return gram(KERNEL, X, memory_budget=4000)


def stack():
    return OperatorStack([blocked(), LowRankOperator(F), DenseOperator(gram(Linear(), X))])


OPERATORS = {
    "blocked": blocked,
    "blocked in Python": lambda: gram(user(block=KERNEL), X, memory_budget=4000),
    "blocked linear": lambda: gram(Linear(), X),
    "dense": lambda: DenseOperator(blocked()),
    "precomputed": lambda: PrecomputedOperator(KERNEL(X)),
    "precomputed in float32": lambda: PrecomputedOperator(np.asfortranarray(KERNEL(X).astype(np.float32))),
    "sum": lambda: blocked() + LowRankOperator(F),
    "sum of low rank": lambda: LowRankOperator(F) + LowRankOperator(X),
    "product": lambda: blocked() * LowRankOperator(F),
    "scaled": lambda: 2.5 * blocked(),
    "centred": lambda: CenteredOperator(blocked(), weight=1 + LABEL.astype(float)),
    "low rank": lambda: LowRankOperator(F),
    "low rank and diagonal": lambda: LowRankOperator(F, diagonal=0.1 + X[:, 0]),
    "selected": lambda: PrecomputedOperator(KERNEL(np.vstack([X, F[:, :3]]))).take(np.arange(N)),
    "stack, weighted": lambda: stack().weighted([0.5, 0.0, 2.0]),
}


def classification(K):
    dual = Dual(np.arange(N), -SIGN, np.minimum(3 * SIGN, 0), np.maximum(3 * SIGN, 0), np.zeros(N))
    (answer,) = solve_dual(K, [dual], tol=1e-9)
    return np.append(answer.gradient, answer.solution.objective)


def kernel_weights(p):
    def solve_machine(K, d):
        dual = Dual(np.arange(N), -SIGN, np.minimum(3 * SIGN, 0), np.maximum(3 * SIGN, 0), np.zeros(N))
        (answer,) = solve_dual(K, [dual], tol=1e-10)
        size = np.abs(answer.beta)
        free = np.flatnonzero((size > 1e-9) & (size < 3 - 1e-9))
        return InnerSolution(answer.beta[:, None], -answer.solution.objective, answer.solution.gap, (free,))

    def solve(K):
        both = OperatorStack([K, PrecomputedOperator(RBF(gamma=0.1)(X))])
        found = learn_weights(both, solve_machine, p=p, tol=1e-8, max_iter=1000)
        assert found.solution.converged
        return found.history[-1]  # bounds; weights of similar kernels depend on the last digit

    return solve


def crammer_singer(K):
    coef, solution = solve_crammer_singer(K, LABEL, np.ones(N), 3, tol=1e-9)
    return np.append(as_array(K) @ coef, solution.objective)


def perceptron(K):
    (history,), f = kernel_passes(K, SIGN[None], [np.arange(N)] * 20, max_iter=20, bias=1.0)
    return np.concatenate([history.sample, history.counts, f[0] if history.clean else []])


def budget(K):
    machine = BudgetMemory("forgetron", 7)
    (history,), (memory,) = budget_passes(K, SIGN[None], [np.arange(N)] * 3, [machine], bias=1.0)
    return np.concatenate([history.sample, memory.coef(N)])


def ridge(method):
    def solve(K):
        answer = solve_ridge(K, Y, 0.3, weight=1.0 + LABEL, method=method, tol=1e-12)
        assert answer.solution.violation < 1e-9
        return answer.coef

    return solve


def ridge_path(K):
    path = RidgePath(K, Y, 1.0 + LABEL, intercept=True)
    return np.concatenate([path.coef(0.3)[0], path.loo([0.3])[:, :, 0]])


def logistic(K):
    answer = solve_logistic(K, (LABEL[:, None] == np.arange(3)).astype(float), 0.5)
    assert answer.solution.converged
    return np.vstack([answer.coef, answer.intercept])


def logistic_binary(K):
    answer = solve_logistic(K, (SIGN > 0)[:, None].astype(float), 0.5)
    return np.vstack([answer.coef, answer.intercept[None]])


def components(K):
    found = principal_components(K, 2)
    return np.concatenate([found.values, np.abs(as_array(K) @ found.coef + found.offset).ravel()])


def eigenpairs(method):
    def solve(K):
        found = top_eigenpairs(K, 2, method=method)
        return np.concatenate([found.values, np.abs(found.vectors).ravel()])

    return solve


def discriminant(K):
    found = ridge_directions(class_scatter(K, LABEL, np.ones(N)), 0.2)
    return np.concatenate([found.ratio, np.abs(as_array(K) @ found.coef + found.offset).ravel()])


def discriminant_of_coefficients(K):
    found = coefficient_directions(K, LABEL, np.ones(N), lambda unit: 0.3 * unit)
    return np.concatenate([found.ratio, np.abs(as_array(K) @ found.coef + found.offset).ravel()])


def coordinates(K):
    found = geometry.principal_coordinates(K, 2)
    return np.concatenate([found.values, np.abs(found.embedding).ravel()])


def negative_mass(K):
    return np.array([geometry.negative_mass(K)])


def laplacian(K):
    L, degrees = geometry.normalized_laplacian(K)
    return np.vstack([L, degrees])


def neighbours(K):
    D2, found = nearest(K, K.diag(), K.diag(), 4, skip_self=True)
    return np.concatenate([D2, found])


def within_a_radius(K):
    return np.concatenate(within(K, K.diag(), K.diag(), 0.3))


def k_means(K):
    diagonal = np.asarray(K.diag(), dtype=np.float64)
    starts = plus_plus(K, diagonal, np.ones(N), 3, np.random.RandomState(0))
    found = kernel_kmeans(K, diagonal, np.ones(N), starts[None], 3)
    return np.append(found.labels, found.solution.objective)


def barycentric(K):
    diagonal = np.asarray(K.diag(), dtype=np.float64)
    D2, found = nearest(K, diagonal, diagonal, 4, skip_self=True)
    return geometry.barycentric_weights(K, diagonal, D2, found, 1e-2)


def images(K):
    found = nearest_images(K, RNG_COEF, 3)
    return np.concatenate([found.indices.ravel(), found.distances.ravel()])


def deformed(K):
    chain = sp.csr_array((np.abs(np.subtract.outer(np.arange(N), np.arange(N))) == 1).astype(float))
    return deformed_kernel(K, np.arange(0, N, 2), np.arange(N), chain, 0.7).matrix


def solve_machines(source, problems, *, polish):
    return solve_dual(source, problems, tol=1e-9, polish=polish)


def free_machines(K):
    state = FreeMachines(K, 3, solve_machines, 200).solve(LABEL, np.full(N, 2.0))
    return np.append([part.norm2 for part in state.parts], state.objective)


def balanced_machines(K):
    options = {"unlabeled": np.arange(0, N, 2), "mean": np.array([-0.5, -0.2, 0.1])}
    state = BalancedMachines(K, 3, solve_machines, 200, **options).solve(LABEL, np.full(N, 2.0))
    return np.append(state.values.ravel(), state.objective)


RNG_COEF = np.random.default_rng(1).random((4, N)) / N

SOLVERS = {
    "dual": classification,
    "kernel weights, p = 1": kernel_weights(1.0),
    "kernel weights, p = 2": kernel_weights(2.0),
    "Crammer–Singer": crammer_singer,
    "perceptron": perceptron,
    "perceptron on a budget": budget,
    "ridge, Cholesky": ridge("cholesky"),
    "ridge, mixed precision": ridge("mixed"),
    "ridge, conjugate gradients": ridge("cg"),
    "ridge, auto": ridge("auto"),
    "ridge path": ridge_path,
    "logistic, three classes": logistic,
    "logistic, two classes": logistic_binary,
    "principal components": components,
    "eigenpairs, LAPACK": eigenpairs("dense"),
    "eigenpairs, Lanczos": eigenpairs("arpack"),
    "eigenpairs, auto": eigenpairs("auto"),
    "discriminant": discriminant,
    "discriminant of coefficients": discriminant_of_coefficients,
    "coordinates": coordinates,
    "negative mass": negative_mass,
    "Laplacian": laplacian,
    "k-means": k_means,
    "neighbours": neighbours,
    "neighbours within a radius": within_a_radius,
    "barycentric weights": barycentric,
    "pre-images": images,
    "kernel deformed by a graph": deformed,
    "machines with free intercepts": free_machines,
    "machines in balance": balanced_machines,
}
RECTANGULAR = {"neighbours", "neighbours within a radius", "barycentric weights"}  # rows and columns may differ


def as_array(K):
    return np.asarray(K.dense(), dtype=np.float64)


def _reason(error):
    """What an error says, without who says it and what to do."""
    return str(error).partition(": ")[2].partition(";")[0]


def outcome(solver, K):
    """The numbers of an answer, or the error in its place."""
    try:
        return np.asarray(solver(K), dtype=np.float64), None
    except ValueError as error:
        return None, error


@cache
def expected(operator, solver):
    """The answer for a matrix in memory, as the user would pass it."""
    return outcome(SOLVERS[solver], PrecomputedOperator(as_array(OPERATORS[operator]())))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_answer_is_that_of_the_matrix(operator, solver):
    answer, error = outcome(SOLVERS[solver], OPERATORS[operator]())
    truth, refusal = expected(operator, solver)
    assert (error is None) == (refusal is None), f"{error or refusal!r}"
    if refusal is not None:  # such as affinities below zero: the same, whatever the operator
        assert type(error) is type(refusal)
        assert _reason(error) == _reason(refusal)
        return
    single = OPERATORS[operator]().dtype == np.float32
    np.testing.assert_allclose(answer, truth, rtol=0, atol=(1e-4 if single else 1e-6) * (1 + np.abs(truth).max()))


@pytest.mark.parametrize("solver", sorted(SOLVERS.keys() - RECTANGULAR))
def test_an_operator_that_is_not_symmetric_is_refused(solver):
    K = gram(KERNEL, X, X + 0.1)
    _, error = outcome(SOLVERS[solver], K)
    assert "symmetric" in str(error)
    assert "BlockedOperator" in str(error)


def test_every_class_of_operators_is_handed_over():
    def classes(base):
        return {
            c for sub in base.__subclasses__() for c in classes(sub) | ({sub} if not sub.__subclasses__() else set())
        }

    handed = {type(make()) for make in OPERATORS.values()}
    known = {c for c in classes(GramOperator) if c.__module__.startswith("mercer.")}
    assert known - {MappedOperator} == handed  # features of new samples: never square, so no solver takes them


@pytest.mark.parametrize("operator", OPERATORS)
def test_capabilities(operator):
    K = OPERATORS[operator]()
    dense = as_array(K)
    tolerance = 1e-6 if K.dtype == np.float32 else 1e-12
    chosen = np.array([5, 0, 5, 17, 2])
    np.testing.assert_allclose(K.take(chosen).dense(), dense[np.ix_(chosen, chosen)], atol=tolerance)
    np.testing.assert_allclose(K.take(chosen).diag(), dense[chosen, chosen], atol=tolerance)
    np.testing.assert_allclose(
        K.take(chosen) @ np.arange(5.0), dense[np.ix_(chosen, chosen)] @ np.arange(5.0), atol=1e-5
    )
    np.testing.assert_allclose(K.take(chosen).take([1, 2]).dense(), dense[np.ix_([0, 5], [0, 5])], atol=tolerance)
    mask = np.arange(N) % 2 == 0
    np.testing.assert_allclose(K.take(mask).dense(), dense[np.ix_(mask, mask)], atol=tolerance)
    owned = K.array(buffers=1)
    assert owned.dtype == np.float64
    assert owned.flags.c_contiguous
    assert owned.flags.writeable
    assert K.matrix is None or not np.shares_memory(owned, K.matrix)
    np.testing.assert_allclose(owned, dense, atol=tolerance)
    held = K.hold()
    assert held.matrix is not None or isinstance(K, PrecomputedOperator)
    np.testing.assert_allclose(held.dense(), dense, atol=tolerance)
    assert K.hold(limit=100).matrix is K.matrix
    factor = K.factor()
    if factor is not None:
        assert factor.shape[1] < N
        np.testing.assert_allclose(factor @ factor.T, dense, atol=tolerance)
    arranged, place = K.arranged(np.arange(N)[::-2])
    rows = np.flatnonzero(place >= 0)
    assert set(np.arange(N)[::-2]) <= set(rows)
    np.testing.assert_allclose(arranged.block(place[rows], place[rows]), dense[np.ix_(rows, rows)], atol=tolerance)


@pytest.mark.parametrize("operator", ["low rank", "sum of low rank", "blocked linear", "scaled", "centred"])
def test_factors_are_known_where_they_exist(operator):
    narrow = {"scaled": lambda: 2.0 * LowRankOperator(F), "centred": lambda: LowRankOperator(F).centered()}
    K = narrow.get(operator, OPERATORS[operator])()
    factor = K.factor()
    np.testing.assert_allclose(factor @ factor.T, as_array(K), atol=1e-12)
    part = K.take(np.arange(10)).factor()
    assert part is None or part.shape[1] < 10
    assert K.take(np.arange(2)).factor() is None  # no fewer columns than rows
    assert (-1.0 * K).factor() is None


@pytest.mark.parametrize("cache_size", [0.0, 200.0])
@pytest.mark.parametrize("operator", OPERATORS)
def test_rows_within_the_cache_and_beyond(operator, cache_size):
    K = OPERATORS[operator]()
    source = K.row_source(cache_size)
    assert source.n == N
    answer = classification(row_source(source))
    np.testing.assert_allclose(answer, expected(operator, "dual")[0], atol=1e-4 if K.dtype == np.float32 else 1e-6)


def test_sub_operators_need_rows():
    with pytest.raises(ValueError, match="at least one row"):
        blocked().take([])
    with pytest.raises(ValueError, match="needs a square operator"):
        gram(KERNEL, X, X[:4]).take([0])
    with pytest.raises(IndexError, match="out of range"):
        blocked().take([N])


def test_the_stack_is_what_its_matrices_are():
    members = stack()
    matrices = [as_array(K) for K in members]
    C = RNG_COEF.T
    np.testing.assert_allclose(members.traces(), [np.trace(K) for K in matrices])
    np.testing.assert_allclose(members.forms(C), [np.einsum("ij,ij->j", C, K @ C) for K in matrices])
    np.testing.assert_allclose(members.forms(C[:, 0]), members.forms(C)[:, 0])
    d = np.array([0.5, 1.0, 2.0])
    weighted = members.weighted(d)
    assert isinstance(weighted, SumOperator)
    np.testing.assert_allclose(weighted.dense(), np.tensordot(d, matrices, axes=1), atol=1e-12)
    assert len(members) == 3
    rows = np.arange(0, N, 2)
    np.testing.assert_allclose(members.take(rows).traces(), [np.trace(K[np.ix_(rows, rows)]) for K in matrices])


def test_agreement_by_the_formula():
    H = np.eye(N) - 1 / N
    U = H @ Y
    found = stack().agreement(U)
    centred = [H @ as_array(K) @ H for K in stack()]
    norms = np.array([np.linalg.norm(K) for K in centred])
    np.testing.assert_allclose(found.norms, norms)
    products = np.array([[np.vdot(K, L) for L in centred] for K in centred])
    np.testing.assert_allclose(found.correlations, products / np.outer(norms, norms))
    targets = np.array([np.vdot(K, U @ U.T) for K in centred])
    np.testing.assert_allclose(found.alignments, targets / norms / np.linalg.norm(U @ U.T))
    narrow = OperatorStack(stack().members, memory_budget=8 * 3 * N * 5)  # five rows at a time
    np.testing.assert_allclose(narrow.agreement(U).correlations, found.correlations)


def test_stacks_that_cannot_be():
    with pytest.raises(ValueError, match="at least one"):
        OperatorStack([])
    with pytest.raises(TypeError, match="PrecomputedOperator"):
        OperatorStack([np.eye(3)])
    with pytest.raises(ValueError, match="over the same 36 samples"):
        OperatorStack([blocked(), gram(KERNEL, X[:5])])
    with pytest.raises(ValueError, match="symmetric"):
        OperatorStack([gram(KERNEL, X, X + 1)])
    with pytest.raises(ValueError, match="all weights d are zero"):
        stack().weighted([0, 0, 0])
    with pytest.raises(ValueError, match="d"):
        stack().weighted([1.0])
    with pytest.raises(ValueError, match="the target has 4 samples"):
        stack().agreement(np.zeros((4, 1)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_products_with_groups_of_columns(operator):
    K, V = OPERATORS[operator](), RNG_COEF.T
    starts = [0, 0, 7, 30, 30, N]
    expected = [as_array(K)[:, a:b] @ V[a:b] for a, b in pairwise(starts)]
    tolerance = 1e-6 if K.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(K.grouped_matmul(starts, V), expected, atol=tolerance)
    for wrong in ([0, N + 1], [1, N], [0, 9, 3, N], [0]):
        with pytest.raises(ValueError, match="starts must ascend from 0 to the number of columns"):
            K.grouped_matmul(wrong, V)
