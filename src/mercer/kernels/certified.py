"""What is known about a kernel: its verdict and the proof of it."""

from typing import TYPE_CHECKING

from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.sharing import once, sharing

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Certified"]


class Certified:
    """Mixin of kernels: the verdict from `proof` of the node and of all nodes below, each proved once."""

    @property
    def definiteness(self: "Kernel") -> Definiteness:  # type: ignore[misc]
        """PSD, CPD, NOT_PSD or UNKNOWN, by proof."""
        return self.certificate().definiteness

    def certificate(self: "Kernel") -> Certificate:  # type: ignore[misc]
        """The proof of `definiteness`, as a tree that prints and converts to data."""
        with sharing(join=True):
            return once("proof", self, self._proved)

    def _proved(self: "Kernel") -> Certificate:  # type: ignore[misc]
        """The proof, after those of all nodes below: a node asks for verdicts and for proofs of its parts."""
        below, found = list(self.parts().values()), []
        while below:
            found.append(node := below.pop())
            below += node.parts().values()
        for node in reversed(found):
            once("proof", node, node.proof)
        return self.proof()

    def _certify(self: "Kernel", verdict: Definiteness, rule: str, reference: str = "") -> Certificate:  # type: ignore[misc]
        parts = tuple(part.certificate() for part in self.parts().values())
        return Certificate(str(self), verdict, rule, reference, self.domain, parts)
