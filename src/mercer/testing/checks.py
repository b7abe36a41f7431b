"""Entry points of the conformance tests: run all laws, list them, or parametrise pytest with them."""

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
    """Check that a kernel obeys every law of the kernel contract on a sample.

    The laws are about kernel values (symmetry, subsets of rows, the certificate, the induced metric, precision, memory
    layout, threads, explicit features) and about the kernel as a value (equality, pickling, text form, parameters).

    Parameters
    ----------
    kernel : Kernel
        Kernel to check, from the library or user-defined.
    sample : array, sparse matrix, list, DataFrame or container
        At least three samples. 10 to 50 varied samples with a duplicate find most errors.
    other : array, sparse matrix, list, DataFrame or container, default=None
        Second data set for k(X, Y). None means two halves of the sample.

    Raises
    ------
    AssertionError
        If a law is violated. The message names the law, the kernel and the numbers.

    See Also
    --------
    kernel_checks : The laws one by one.
    parametrize_with_kernel_checks : One pytest case for each law.
    mercer.kernels.find_counterexample : Search for data that refute a kernel.

    Notes
    -----
    About thirty Gram matrices of the sample are computed.

    Examples
    --------
    A kernel whose declared definiteness is wrong:

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
    """Generate the laws that apply to a kernel and a sample.

    Parameters
    ----------
    kernel : Kernel
        Kernel to check.
    sample : array, sparse matrix, list, DataFrame or container
        At least three samples.
    other : array, sparse matrix, list, DataFrame or container, default=None
        Second data set for k(X, Y). None means two halves of the sample.

    Yields
    ------
    name : str
        Name of the law.
    check : callable
        Function without arguments that raises an AssertionError if the law is violated.

    See Also
    --------
    check_kernel : Check all laws.
    parametrize_with_kernel_checks : One pytest case for each law.

    Examples
    --------
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
            "10 to 50 varied samples find most errors."
        )
    case = Case(kernel, sample, other)
    for law, applies in GRAM_LAWS + VALUE_LAWS:
        if applies is None or applies(kernel, sample):
            yield law.__name__, _named(law, case)


def _named(law: Callable[[Case], None], case: Case) -> Check:
    """The law as a function without arguments whose errors name the law and the kernel."""

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
    """Decorator that runs a pytest function ``test(check)`` for every law of every kernel.

    Parameters
    ----------
    cases : iterable of tuple
        Tuples ``(kernel, sample)`` or ``(kernel, sample, other)``, as for `check_kernel`.

    Returns
    -------
    pytest.MarkDecorator
        Decorator for a test function with the argument ``check``, which it calls without arguments.

    See Also
    --------
    check_kernel : Check all laws at once, without pytest.
    kernel_checks : The laws one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> @parametrize_with_kernel_checks([(RBF(), np.eye(3))])
    ... def test_kernel(check):
    ...     check()
    >>> len(test_kernel.pytestmark[0].args[1])
    25
    """
    import pytest

    params = []
    for kernel, sample, *rest in cases:
        if len(rest) > 1:
            raise ValueError(
                f"parametrize_with_kernel_checks: a case is (kernel, sample) or (kernel, sample, other), got "
                f"{len(rest) + 2} items."
            )
        for name, check in kernel_checks(kernel, sample, other=rest[0] if rest else None):
            params.append(pytest.param(check, id=f"{kernel}-{name}"))
    return pytest.mark.parametrize("check", params)
