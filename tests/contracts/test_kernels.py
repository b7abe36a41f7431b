"""Every kernel of the library obeys every law, and no public kernel is left out."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import kernels as mk
from mercer.kernels.registry import LIBRARY, NODES, families
from mercer.testing import parametrize_with_kernel_checks
from mercer.testing.case import nodes
from tests.contracts.cases import CASES, WORDS, doubled, first_column, shared
from tests.reference.bounds import LEAVES
from tests.reference.vectors import REFERENCE

CATEGORIES = np.array([[word] for word in WORDS])
leaves = pytest.mark.parametrize(("kernel", "X"), LEAVES, ids=str)


def takes(kernel, X):
    try:
        kernel(X)
    except TypeError:
        return False
    return True


@parametrize_with_kernel_checks(CASES)
def test_laws(check):
    check()


def _unstructured():
    """Kernels but those of strings, trees and graphs, whose twins are in files of their own."""
    return set(LIBRARY) - {cls for name in ("strings", "trees", "graphs") for cls in families()[name]}


def test_every_public_kernel_is_listed():
    listed = {type(node) for kernel, _ in CASES for node, _ in nodes(kernel)}
    assert set(LIBRARY) <= listed, f"add to tests/contracts/cases.py: {set(LIBRARY) - listed}"


def test_every_public_kernel_has_a_slow_twin():
    assert _unstructured() <= set(REFERENCE), f"add to tests/reference: {_unstructured() - set(REFERENCE)}"


def test_every_leaf_of_the_library_declares_what_it_reads():
    leaves = _unstructured() - {*NODES, mk.User}
    declared = {type(kernel) for kernel, _ in LEAVES}
    assert leaves <= declared, f"add to LEAVES in tests/reference/bounds.py: {leaves - declared}"


@leaves
def test_reads(kernel, X):
    assert takes(kernel, X)
    evaluates_itself = bool(kernel.prepare(X).foreign)
    assert (kernel.reads == "items") == evaluates_itself, "declare reads, or derive from VectorKernel"
    if not isinstance(kernel, mk.Constant):  # which reads nothing
        assert (kernel.reads == "vectors") == (not takes(kernel, CATEGORIES))


@leaves
def test_takes_sparse(kernel, X):
    S = sp.csr_matrix(X)
    assert kernel.takes_sparse == takes(kernel, S), "declare takes_sparse"
    if kernel.takes_sparse:
        assert kernel(S) == pytest.approx(kernel(X), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("kernel", "reads", "takes_sparse"),
    [
        (mk.RBF() + 2 * mk.Columns([0], mk.Chi2()) ** 2, "vectors", True),
        (mk.Weighted(first_column, mk.Linear()).normalized(), "vectors", True),
        (mk.RBF() * mk.Overlap(), "codes", True),
        (mk.Delta() + 1, "codes", True),
        (mk.ExpOf(mk.RBF() + mk.ANOVA()), "vectors", False),
        (mk.RBF() + mk.Overlap() + mk.user(shared), "items", True),
        (mk.user(shared) + mk.Periodic(), "items", False),
        (mk.Map(doubled, mk.Periodic()), "items", True),
    ],
    ids=str,
)
def test_nodes_read_what_their_parts_read(kernel, reads, takes_sparse):
    assert (kernel.reads, kernel.takes_sparse) == (reads, takes_sparse)
