"""Definiteness of kernels and its certificates.

A kernel is *positive semidefinite* (PSD) if tᵀKt ≥ 0 for every finite Gram matrix K and every t, and *conditionally*
PSD (CPD) if this holds for every t with Σt_i = 0. Verdicts are proved, never guessed: a leaf states a theorem with its
parameter range, a composite kernel applies a closure rule to its parts, and everything else is ``unknown``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter, Signature
from typing import Any

__all__ = ["NONNEGATIVE", "Certificate", "Definiteness"]

NONNEGATIVE = "x ≥ 0"  # this domain is checked when data are read


class Definiteness(Enum):
    """Verdict on the definiteness of a kernel.

    A kernel is positive semidefinite (PSD) if tᵀKt ≥ 0 for all its Gram matrices K and all t. It is conditionally
    positive semidefinite (CPD) if this holds for all t with Σt = 0. Every PSD kernel is CPD.

    Parameters
    ----------
    value : {"psd", "cpd", "not_psd", "unknown"}
        ``"psd"``: PSD on the whole domain. ``"cpd"``: conditionally PSD, with no statement about PSD. ``"not_psd"``:
        there are data on which the kernel is not PSD. ``"unknown"``: no theorem or closure rule applies.

    See Also
    --------
    Certificate : A verdict together with its proof.
    find_counterexample : Search for data on which a kernel is not PSD.

    Examples
    --------
    >>> from mercer.kernels import Power, RBF
    >>> RBF().definiteness
    <Definiteness.PSD: 'psd'>
    >>> Power().definiteness.conditional
    True
    >>> Definiteness("cpd").name
    'CPD'
    """

    PSD = "psd"
    CPD = "cpd"
    NOT_PSD = "not_psd"
    UNKNOWN = "unknown"

    @property
    def conditional(self) -> bool:
        """Whether the kernel is known to be conditionally PSD; PSD implies CPD.

        Returns
        -------
        bool
            True for PSD and CPD.
        """
        return self in (Definiteness.PSD, Definiteness.CPD)


# help() would show the signature for creating enumerations
Definiteness.__signature__ = Signature([Parameter("value", Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Certificate:
    """Proof of a verdict on the definiteness of a kernel, as a tree.

    Certificates are made by `Kernel.certificate`. ``str(certificate)`` draws the tree, `to_dict` converts it to plain
    data.

    Parameters
    ----------
    kernel : str
        Text form of the kernel.
    definiteness : Definiteness
        The verdict.
    rule : str
        The theorem or closure rule that gives the verdict.
    reference : str, default=""
        Literature for the rule.
    domain : str, default=""
        Set of samples on which the verdict holds; empty if there is no restriction.
    parts : tuple of Certificate, default=()
        Certificates of the sub-kernels.

    See Also
    --------
    Definiteness : The four verdicts.
    check_gram : Report on the definiteness of one Gram matrix.
    find_counterexample : Search for data that refute a kernel.

    Examples
    --------
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
        """Lines of the drawn tree.

        Parameters
        ----------
        prefix : str, default=""
            Text in front of the first line.
        child_prefix : str, default=""
            Text in front of the lines of the parts.

        Yields
        ------
        str
            One line for each node.
        """
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
        """Convert the proof to plain data.

        Returns
        -------
        dict
            Nested dictionaries of strings and lists, which can be written as JSON.
        """
        return {
            "kernel": self.kernel,
            "definiteness": self.definiteness.value,
            "rule": self.rule,
            "reference": self.reference,
            "domain": self.domain,
            "parts": [part.to_dict() for part in self.parts],
        }
