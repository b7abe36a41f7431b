"""Mixin that derives the definiteness of a kernel from proofs."""

from typing import TYPE_CHECKING

from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.sharing import once, sharing

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Certified"]


class Certified:
    """Mixin of kernels that combines the proofs of all parts into a certificate. Every part is proved once."""

    @property
    def definiteness(self: "Kernel") -> Definiteness:  # type: ignore[misc]
        """Verdict on the definiteness of the kernel, by proof.

        Returns
        -------
        Definiteness
            PSD, CPD, NOT_PSD or UNKNOWN.
        """
        return self.certificate().definiteness

    def certificate(self: "Kernel") -> Certificate:  # type: ignore[misc]
        """Proof of the definiteness of the kernel.

        Returns
        -------
        Certificate
            Tree with a verdict and a rule for the kernel and each of its parts. ``print`` draws it,
            `Certificate.to_dict` converts it to plain data.
        """
        with sharing(join=True):
            return once("proof", self, self._proved)

    def _proved(self: "Kernel") -> Certificate:  # type: ignore[misc]
        """Prove all parts, innermost first, then the kernel itself."""
        below, found = list(self.parts().values()), []
        while below:
            found.append(node := below.pop())
            below += node.parts().values()
        for node in reversed(found):
            once("proof", node, node.proof)
        return self.proof()

    def _certify(self: "Kernel", verdict: Definiteness, rule: str, reference: str = "") -> Certificate:  # type: ignore[misc]
        """Certificate of this kernel with the certificates of its parts."""
        parts = tuple(part.certificate() for part in self.parts().values())
        return Certificate(str(self), verdict, rule, reference, self.domain, parts)
