"""The conformance kit finds what is wrong with a kernel, and names law, kernel and numbers."""

from dataclasses import dataclass

import numpy as np
import pytest

from mercer.kernels import RBF, Definiteness, Kernel, Linear
from mercer.testing import check_kernel, kernel_checks, parametrize_with_kernel_checks
from tests.reference.bounds import points

X = points(11, 3)


@dataclass(frozen=True)
class Fine(Kernel):
    def evaluate(self, A, B):
        return A @ B.T


@dataclass(frozen=True)
class Asymmetric(Kernel):
    def pair(self, a, b):
        return a[0] * b[1]


@dataclass(frozen=True)
class WrongDiagonal(Fine):
    def evaluate_pairs(self, A, B):
        return np.ones(len(A))


@dataclass(frozen=True)
class DataDependent(Kernel):
    def evaluate(self, A, B):
        centre = np.vstack([A, B]).mean(axis=0)
        return (A - centre) @ (B - centre).T


@dataclass(frozen=True)
class FalselyCertified(Kernel):
    verdict: str = "psd"
    power: int = 1

    def pair(self, a, b):
        return -(float(np.linalg.norm(a - b)) ** self.power)

    def proof(self):
        return self._certify(Definiteness(self.verdict), "hope")


@dataclass(frozen=True)
class Restless(Kernel):
    def evaluate(self, A, B):
        return A @ B.T + np.random.default_rng().normal(size=(len(A), len(B)))


@dataclass(frozen=True)
class Writer(Fine):
    def pack(self, X):
        X += 1
        return X


@dataclass(frozen=True)
class NotANumber(Kernel):
    def pair(self, a, b):
        return np.nan


@dataclass(frozen=True)
class Imprecise(Kernel):
    def evaluate(self, A, B):
        return np.round(A, 1) @ np.round(B, 1).T if A.dtype == np.float32 else A @ B.T


@dataclass(frozen=True)
class ByLayout(Kernel):
    def evaluate(self, A, B):
        return A @ B.T * (1 if A.flags.c_contiguous else 2)


@dataclass(unsafe_hash=True)
class Mutable(Kernel):
    weight: float = 1.0

    def evaluate(self, A, B):
        return A @ B.T


@dataclass(frozen=True)
class Misprinted(Fine):
    weight: float = 1.0

    def __repr__(self):
        return "Misprinted(weight=0.5)"


@dataclass(frozen=True)
class Forgetful(Fine):
    weight: float = 1.0

    def __reduce__(self):
        return Forgetful, (2.0,)


@dataclass(frozen=True)
class WrongFeatures(Fine):
    def features(self, X, options):
        return 2 * X


@dataclass(frozen=True)
class NoMetric(Fine):
    def proof(self):
        return self._certify(Definiteness.PSD, "an inner product")

    def distance(self, X, Y=None, *, n_jobs=None):
        return super().distance(X, Y) ** 4


def broken(kernel, sample=X):
    names = set()
    for name, check in kernel_checks(kernel, sample.copy()):
        try:
            check()
        except AssertionError as error:
            names.add(name)
            message = str(error)
        else:
            continue
        assert message.startswith(f"{name} of {kernel!r}: ")
    return names


@pytest.mark.parametrize(
    ("kernel", "law"),
    [
        (Asymmetric(), "symmetry"),
        (Asymmetric(), "transposed_arguments"),
        (WrongDiagonal(), "diagonal"),
        (DataDependent(), "row_subsets"),
        (DataDependent(), "prepared_rows"),
        (FalselyCertified(), "certificates"),
        (FalselyCertified() + Linear(), "certificates"),
        (FalselyCertified(verdict="cpd", power=4), "certificates"),
        (NoMetric(), "pseudo_metric"),
        (Restless(), "threads"),
        (Writer(), "input_unchanged"),
        (NotANumber(), "finite_values"),
        (Imprecise(), "float32"),
        (ByLayout(), "layouts"),
        (WrongFeatures(), "explicit_features"),
        (Misprinted(), "printed_as_code"),
        (Forgetful(), "pickling"),
        (Mutable(), "immutable"),
    ],
)
def test_each_fault_is_caught_by_name(kernel, law):
    assert law in broken(kernel)


@pytest.mark.parametrize("kernel", [Fine(), FalselyCertified(verdict="cpd"), FalselyCertified(verdict="unknown")])
def test_a_sound_kernel_passes(kernel):
    assert broken(kernel) == set()


def test_message_has_law_kernel_and_numbers():
    with pytest.raises(AssertionError, match=r"^diagonal of WrongDiagonal\(\): .* differ at \[\d+\]: 1 against \d"):
        check_kernel(WrongDiagonal(), X)
    with pytest.raises(AssertionError, match=r"certificates of .* certified PSD \(hope\).*eigenvalue -\d"):
        check_kernel(FalselyCertified(), X)


def test_a_kernel_that_raises_is_reported_by_law():
    check = dict(kernel_checks(RBF(gamma=(1.0, 2.0)), X))["finite_values"]
    with pytest.raises(AssertionError, match=r"finite_values of RBF.*ValueError was raised.*2 entries"):
        check()


def test_other_data_are_used():
    check_kernel(Fine(), X, other=X[:2])
    with pytest.raises(AssertionError, match=r"transposed_arguments.*ValueError.*features"):
        check_kernel(Linear(), X, other=X[:, :2])


def test_bad_arguments():
    with pytest.raises(TypeError, match="kernel must be a mercer kernel, got 'rbf'"):
        check_kernel("rbf", X)
    with pytest.raises(ValueError, match="2 samples, expected at least 3"):
        check_kernel(RBF(), X[:2])
    with pytest.raises(ValueError, match="a case is"):
        parametrize_with_kernel_checks([(RBF(), X, X, X)])


@parametrize_with_kernel_checks([(Fine(), X), (Fine(), X, X[:4])])
def test_decorator(check):
    check()
