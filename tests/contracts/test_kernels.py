"""Every kernel of the library obeys every law, and no public kernel is left out."""

from mercer import kernels as mk
from mercer.testing import parametrize_with_kernel_checks
from mercer.testing.case import nodes
from tests.contracts.cases import CASES
from tests.reference.vectors import REFERENCE


@parametrize_with_kernel_checks(CASES)
def test_laws(check):
    check()


def _public():
    values = vars(mk).values()
    return {v for v in values if isinstance(v, type) and issubclass(v, mk.Kernel)} - {mk.Kernel}


def test_every_public_kernel_is_listed():
    listed = {type(node) for kernel, _ in CASES for node, _ in nodes(kernel)}
    assert _public() <= listed, f"add to tests/contracts/cases.py: {_public() - listed}"


def test_every_public_kernel_has_a_slow_twin():
    assert _public() <= set(REFERENCE), f"add to tests/reference: {_public() - set(REFERENCE)}"
