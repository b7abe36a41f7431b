"""Free parameters of kernels as a vector of logarithms."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import check_vector
from mercer.kernels import library as mk
from mercer.kernels.bandwidth import RULES
from mercer.kernels.base import Kernel
from mercer.kernels.registry import NODES

__all__ = [
    "Free",
    "bounds_of",
    "free_of",
    "names_of",
    "own_parameters",
    "require_resolved",
    "rounded",
    "theta_of",
    "with_theta",
]

Range = tuple[float, float]

POSITIVE: Range = (1e-6, 1e6)
EXPONENT: Range = (0.05, 2.0)  # of a distance: conditionally PSD kernels
SHARE: Range = (0.05, 1.0)  # of a conditionally negative definite sum

# Fields that are free where they are positive, in the order of theta. The ranges preserve the certificate of a kernel.
FIELDS: dict[type[Kernel], dict[str, Range]] = {
    mk.Linear: {"coef0": POSITIVE},
    mk.Polynomial: {"gamma": POSITIVE, "coef0": POSITIVE},
    mk.Sigmoid: {"gamma": POSITIVE, "coef0": POSITIVE},
    mk.RBF: {"gamma": POSITIVE},
    mk.Exponential: {"gamma": POSITIVE},
    mk.Laplacian: {"gamma": POSITIVE},
    mk.Matern: {"gamma": POSITIVE},
    mk.RationalQuadratic: {"alpha": POSITIVE, "gamma": POSITIVE},
    mk.Periodic: {"period": POSITIVE, "gamma": POSITIVE},
    mk.WeightedColumns: {"weights": POSITIVE, "g": SHARE},
    mk.Interactions: {"orders": POSITIVE, "weights": POSITIVE, "gamma": POSITIVE},
    mk.Power: {"degree": EXPONENT},
    mk.Log: {"degree": EXPONENT},
    mk.Chi2: {"gamma": POSITIVE},
    mk.ANOVA: {"gamma": POSITIVE},
    mk.Constant: {"value": POSITIVE},
    mk.Scaled: {"scale": POSITIVE},
    mk.PolynomialOf: {"coefficients": POSITIVE},
}


@dataclasses.dataclass(frozen=True)
class Free:
    """A free parameter of one kernel: a number, or an entry of a vector."""

    field: str
    index: int | None
    value: float
    range: Range

    @property
    def name(self) -> str:
        """Name of the parameter, with its index."""
        return self.field if self.index is None else f"{self.field}[{self.index}]"


def own_parameters(kernel: Kernel) -> list[Free]:
    """Free parameters of a kernel itself, without those of its parts."""
    if isinstance(kernel, mk.ANOVA) and kernel.base == "linear":  # does not read gamma
        return []
    without = kernel._without_effect() if isinstance(kernel, mk.Interactions) else ()
    found = []
    for field, span in FIELDS.get(type(kernel), {}).items():
        if field in without:
            continue
        value = getattr(kernel, field)
        entries = enumerate(value) if isinstance(value, tuple) else [(None, value)]
        found += [Free(field, i, v, span) for i, v in entries if v > 0]
    return found


def free_of(kernel: Kernel, prefix: str = "") -> Iterator[tuple[str, Free]]:
    """Free parameters of a kernel and its parts, with nested names."""
    for free in own_parameters(kernel):
        yield prefix + free.name, free
    for name, part in _parts(kernel).items():
        yield from free_of(part, f"{prefix}{name}__")


def _parts(kernel: Kernel) -> dict[str, Kernel]:
    """Parts of a node of the algebra. Other kernels with parts, such as those of graphs, are not differentiated."""
    return kernel.parts() if type(kernel) in NODES else {}


def require_resolved(kernel: Kernel, what: str) -> None:
    """Raise a ValueError if a parameter still depends on the data."""
    if not kernel.is_resolved:
        rules = " or ".join(f"gamma={rule!r}" for rule in RULES if f"'{rule}'" in repr(kernel))
        raise ValueError(
            f"{type(kernel).__name__}: {what} needs numbers as parameters, got {rules} in {kernel}; call "
            "kernel.resolve(X) first."
        )


def theta_of(kernel: Kernel) -> DoubleArray:
    """Logarithms of the free parameters."""
    require_resolved(kernel, "theta")
    return np.array([math.log(free.value) for _, free in free_of(kernel)])


def names_of(kernel: Kernel) -> tuple[str, ...]:
    """Names of the free parameters."""
    require_resolved(kernel, "theta_names")
    return tuple(name for name, _ in free_of(kernel))


def bounds_of(kernel: Kernel) -> DoubleArray:
    """Logarithms of the ranges, which always contain the present values."""
    require_resolved(kernel, "theta_bounds")
    ranges = [(min(f.range[0], f.value), max(f.range[1], f.value)) for _, f in free_of(kernel)]
    return np.log(np.array(ranges).reshape(-1, 2))  # type: ignore[no-any-return]


def with_theta(kernel: Kernel, theta: Any) -> Kernel:
    """Copy of the kernel with other values of its free parameters."""
    require_resolved(kernel, "with_theta")
    who = type(kernel).__name__
    names = names_of(kernel)
    given = check_vector(who, "theta", theta, len(names)) if names or np.size(theta) else np.empty(0)
    with np.errstate(over="ignore", under="ignore"):
        values = np.exp(given)
    if not (np.isfinite(values) & (values > 0)).all():
        i = int(np.flatnonzero(~np.isfinite(values) | (values <= 0))[0])
        raise ValueError(
            f"{who}: theta[{i}] = {given[i]:g} is the logarithm of {names[i]}, which would be {values[i]:g}, expected "
            "a positive number; keep theta within theta_bounds."
        )
    return _replaced(kernel, iter(values.tolist()))


def _replaced(kernel: Kernel, values: Iterator[float]) -> Kernel:
    """Copy of the kernel that takes its free parameters from an iterator, in the order of `free_of`."""
    changes: dict[str, Any] = {}
    for free in own_parameters(kernel):
        if free.index is None:
            changes[free.field] = next(values)
        else:
            entries = list(changes.get(free.field, getattr(kernel, free.field)))
            entries[free.index] = next(values)
            changes[free.field] = tuple(entries)
    parts = {name: _replaced(part, values) for name, part in _parts(kernel).items()}
    if parts != _parts(kernel):
        kernel = kernel.with_parts(parts)
    return dataclasses.replace(kernel, **changes) if changes else kernel  # type: ignore[type-var]


def rounded(kernel: Kernel, digits: int = 4) -> Kernel:
    """Copy of the kernel whose free parameters have few digits, so that it is readable.

    >>> print(rounded(mk.RBF(gamma=1 / 3)))
    rbf(gamma=0.3333)
    """
    return _replaced(kernel, iter([float(f"{free.value:.{digits}g}") for _, free in free_of(kernel)]))
