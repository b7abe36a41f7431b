"""The entry points of the kit: run all laws, list them, or hand them to pytest."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mercer._typing import Data
from mercer._validation import describe
from mercer.data import n_samples
from mercer.kernels import Kernel
from mercer.testing.case import Case
from mercer.testing.gram import GRAM_LAWS
from mercer.testing.values import VALUE_LAWS

__all__ = ["check_kernel", "kernel_checks", "parametrize_with_kernel_checks"]

Check = Callable[[], None]


def check_kernel(kernel: Kernel, sample: Data, *, other: Data = None) -> None:
    """Check every law of a kernel on a sample; raise AssertionError at the first that is broken.

    Parameters
    ----------
    kernel : Kernel
        The kernel to try, from the library or your own.
    sample : array, CSR matrix, list or frame
        At least three samples the kernel takes; 10 to 50 varied ones, with a duplicate, find most
        errors.
    other : data like `sample`, optional
        A second data set for k(X, Y); by default two halves of the sample.

    Raises
    ------
    AssertionError
        Naming the law, the kernel and the numbers that break it.

    Notes
    -----
    Some thirty Gram matrices of the sample are computed.

    Examples
    --------
    A kernel that claims too much is found out:

    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from mercer.kernels import Definiteness, Kernel
    >>> @dataclass(frozen=True)
    ... class Distance(Kernel):
    ...     def pair(self, a, b):
    ...         return float(abs(a - b).sum())
    ...     def proof(self):
    ...         return self._certify(Definiteness.PSD, "wishful thinking")
    >>> check_kernel(Distance(), np.eye(3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    AssertionError: certificates of Distance(): Distance is certified PSD (wishful thinking), ...
    """
    for _, check in kernel_checks(kernel, sample, other=other):
        check()


def kernel_checks(kernel: Kernel, sample: Data, *, other: Data = None) -> Iterator[tuple[str, Check]]:
    """The laws that apply to a kernel and a sample: pairs of a name and a function to call.

    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> [name for name, check in kernel_checks(Linear(), np.eye(3))][:3]
    ['finite_values', 'symmetry', 'two_arguments']
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"check_kernel: kernel must be a mercer kernel, got {describe(kernel)}.")
    if n_samples(sample) < 3:
        raise ValueError(
            f"check_kernel: sample has {n_samples(sample)} samples, expected at least 3; "
            "10 to 50 varied ones find most errors."
        )
    case = Case(kernel, sample, other)
    for law, applies in GRAM_LAWS + VALUE_LAWS:
        if applies is None or applies(kernel, sample):
            yield law.__name__, _named(law, case)


def _named(law: Callable[[Case], None], case: Case) -> Check:
    """The law as a function whose errors name it and the kernel."""

    def check() -> None:
        who = f"{law.__name__} of {case.given!r}"
        try:
            law(case)
        except AssertionError as error:
            raise AssertionError(f"{who}: {error}.") from None
        except Exception as error:
            raise AssertionError(f"{who}: {type(error).__name__} was raised: {error}") from error

    return check


def parametrize_with_kernel_checks(cases: Iterable[tuple[Any, ...]]) -> Any:
    """Run a pytest function ``test(check)`` once for every law of every ``(kernel, sample)``.

    A decorator. A case may carry `other` as a third item; the test calls ``check()``. Needs pytest.

    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> @parametrize_with_kernel_checks([(RBF(), np.eye(3))])
    ... def test_kernel(check):
    ...     check()
    """
    import pytest

    params = []
    for kernel, sample, *rest in cases:
        if len(rest) > 1:
            raise ValueError("parametrize_with_kernel_checks: a case is (kernel, sample[, other]).")
        for name, check in kernel_checks(kernel, sample, other=rest[0] if rest else None):
            params.append(pytest.param(check, id=f"{kernel}-{name}"))
    return pytest.mark.parametrize("check", params)
