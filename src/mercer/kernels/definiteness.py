"""What is known about a kernel's definiteness, and the proof of it.

A kernel is *positive semidefinite* (PSD) if tᵀKt ≥ 0 for every finite Gram matrix K and every t, and *conditionally*
so (CPD) if this holds for every t with Σt_i = 0. Nothing is guessed: a leaf states a theorem with its parameter range,
a node applies a closure rule to its parts, and what no rule covers is ``unknown``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

__all__ = ["NONNEGATIVE", "Certificate", "Definiteness"]

NONNEGATIVE = "x ≥ 0"  # a domain that is checked, not only stated


class Definiteness(Enum):
    """The four verdicts. ``CPD`` means conditionally PSD, with nothing said about PSD."""

    PSD = "psd"
    CPD = "cpd"
    NOT_PSD = "not_psd"
    UNKNOWN = "unknown"

    @property
    def conditional(self) -> bool:
        """Whether the kernel is at least conditionally PSD (PSD implies CPD)."""
        return self in (Definiteness.PSD, Definiteness.CPD)


@dataclass(frozen=True)
class Certificate:
    """One node of a proof: a kernel, the verdict on it, the rule that gives it, and the proofs of the parts.

    ``str(certificate)`` draws the tree; `to_dict` gives the same as plain data.

    >>> from mercer.kernels import Linear, RBF
    >>> print((RBF(gamma=0.5) + 2 * Linear()).certificate())
    rbf(gamma=0.5) + 2*linear — PSD: a sum of PSD kernels is PSD
    ├─ rbf(gamma=0.5) — PSD: exp(−γ‖x−z‖²) for γ > 0 (Schoenberg 1938)
    └─ 2*linear — PSD: c·k is PSD for c ≥ 0 and PSD k
       └─ linear — PSD: ⟨x,z⟩ + c is an inner product of (x, √c) for c ≥ 0
    """

    kernel: str
    definiteness: Definiteness
    rule: str
    reference: str = ""
    domain: str = ""
    parts: tuple["Certificate", ...] = field(default=())

    def lines(self, prefix: str = "", child_prefix: str = "") -> Iterator[str]:
        """The tree, line by line."""
        verdict = self.definiteness.name.replace("_", " ")
        tail = f" ({self.reference})" if self.reference else ""
        tail += f" [on {self.domain}]" if self.domain else ""
        yield f"{prefix}{self.kernel} — {verdict}: {self.rule}{tail}"
        for i, part in enumerate(self.parts):
            last = i == len(self.parts) - 1
            yield from part.lines(child_prefix + ("└─ " if last else "├─ "), child_prefix + ("   " if last else "│  "))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_dict(self) -> dict[str, Any]:
        """The proof as nested dictionaries of strings and lists, ready for JSON."""
        return {
            "kernel": self.kernel,
            "definiteness": self.definiteness.value,
            "rule": self.rule,
            "reference": self.reference,
            "domain": self.domain,
            "parts": [part.to_dict() for part in self.parts],
        }
