"""check_gram: every field against its definition, and verdicts at the edge of rounding."""

import numpy as np
import pytest

from mercer.kernels import RBF, Constant, Linear, Log, NegativeChi2, Power, Sigmoid
from mercer.kernels.validity import check_gram


def test_report_of_a_psd_matrix(rng):
    K = RBF(gamma=0.3)(rng.normal(size=(30, 3)))
    report = check_gram(K)
    values = np.linalg.eigvalsh(K)
    assert report.is_finite
    assert report.is_symmetric
    assert report.is_psd
    assert report.is_cpd
    assert report.asymmetry == 0
    assert report.min_diagonal == 1
    assert report.cauchy_schwarz < 0
    assert report.min_eigenvalue == pytest.approx(values[0], rel=1e-8)
    assert report.max_eigenvalue == pytest.approx(values[-1])
    assert report.negative_mass == 0
    assert report.rank == 30
    assert report.condition == pytest.approx(values[-1] / values[0], rel=1e-8)
    assert report.effective_dimension == pytest.approx(values.sum() ** 2 / (values**2).sum())
    assert report.verdict == "positive semidefinite"


def test_report_of_an_indefinite_matrix():
    K = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 4.0]])  # eigenvalues −1, 3, 4
    report = check_gram(K)
    assert not report.is_psd
    assert not report.is_cpd
    assert report.worst_pair == (0, 1)
    assert report.cauchy_schwarz == 3  # 2² − 1·1
    assert report.negative_mass == pytest.approx(1 / 8)
    assert (report.rank, report.verdict) == (3, "indefinite")
    assert report.condition == pytest.approx(4)
    assert report.effective_dimension == pytest.approx(36 / 26)


def test_rank_of_a_low_rank_matrix(rng):
    report = check_gram(Linear()(rng.normal(size=(40, 3))))
    assert report.is_psd
    assert report.rank == 3


@pytest.mark.parametrize("kernel", [Power(), Log(), NegativeChi2(), Linear(coef0=-5.0)])
def test_conditionally_psd(kernel, rng):
    report = check_gram(kernel(np.abs(rng.normal(size=(20, 2)))))
    assert not report.is_psd
    assert report.is_cpd
    assert report.verdict == "conditionally positive semidefinite"


def test_not_even_conditionally(rng):
    X = rng.normal(size=(20, 2))
    assert not check_gram(Power(degree=3.0)(X)).is_cpd
    assert not check_gram(Sigmoid()(X)).is_cpd


def test_conditional_verdict_survives_a_large_constant(rng):
    # HKH is tiny beside K here: its rounding is that of K
    X = rng.normal(size=(20, 2))
    assert check_gram(-1e8 + RBF(gamma=1.0)(X)).is_cpd
    assert check_gram(Constant(-1.0)(X)).is_cpd


def test_asymmetric_matrix_has_no_spectrum():
    report = check_gram([[1.0, 0.5], [0.25, 1.0]])
    assert report.asymmetry == 0.25
    assert not report.is_symmetric
    assert not report.is_psd
    assert not report.is_cpd
    assert report.min_eigenvalue is None
    assert report.rank is None
    assert report.verdict == "not symmetric"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrix_that_is_not_finite(bad):
    report = check_gram([[1.0, bad], [bad, 1.0]])
    assert not report.is_finite
    assert not report.is_psd
    assert report.asymmetry is None
    assert report.min_eigenvalue is None
    assert "not finite" in str(report)
    assert "not computed" in str(report)


def test_tolerance_follows_the_dtype(rng):
    K = Linear()(rng.normal(size=(50, 2)))
    K[np.diag_indices(50)] -= 1e-5  # far below float64 rounding of a rank-2 matrix, within float32's
    assert not check_gram(K).is_psd
    assert check_gram(K.astype(np.float32)).is_psd
    assert check_gram(K, tol=1e-5).is_psd
    assert check_gram(np.eye(3, dtype=int)).tol == pytest.approx(30 * np.finfo(float).eps)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_verdicts_do_not_depend_on_the_unit(scale, rng):
    X = rng.normal(size=(10, 2))
    assert check_gram(scale * RBF(gamma=1.0)(X)).is_psd
    assert check_gram(scale * Power()(X)).verdict == "conditionally positive semidefinite"


def test_small_cases():
    assert check_gram([[2.0]]).worst_pair is None
    assert check_gram([[2.0]]).is_psd
    report = check_gram([[-2.0]])
    assert not report.is_psd
    assert report.is_cpd  # Σt = 0 leaves only t = 0
    zero = check_gram(np.zeros((3, 3)))
    assert zero.is_psd
    assert (zero.rank, zero.negative_mass, zero.condition) == (0, 0, np.inf)


@pytest.mark.parametrize("kernel", [Linear(), Power(), Sigmoid(gamma=1e-3), RBF(gamma=1.0)])
def test_ends_of_the_spectrum_alone(kernel, rng, monkeypatch):
    monkeypatch.setattr("mercer.kernels.validity.FULL_SPECTRUM", 100)
    K = kernel(rng.normal(size=(200, 3)))
    report, values = check_gram(K), np.linalg.eigvalsh(K)
    size = np.abs(values).max()
    assert report.min_eigenvalue == pytest.approx(values[0], abs=1e-11 * size)
    assert report.max_eigenvalue == pytest.approx(values[-1], abs=1e-11 * size)
    assert report.is_psd == (values[0] >= -report.tol * values[-1])
    known = [f is not None for f in (report.negative_mass, report.rank, report.condition)]
    assert all(known) or not any(known)


def test_positive_ends_bound_the_inner_eigenvalues(monkeypatch):
    monkeypatch.setattr("mercer.kernels.validity.FULL_SPECTRUM", 100)
    report = check_gram(np.diag(np.r_[4.0, np.full(199, 2.0), 1.0]))
    assert report.is_psd
    assert report.rank is None
    assert report.negative_mass == 0
    assert report.condition == pytest.approx(4)


@pytest.mark.parametrize("K", [np.zeros((101, 101)), np.eye(101)])
def test_all_eigenvalues_where_lanczos_fails(K, monkeypatch):
    monkeypatch.setattr("mercer.kernels.validity.FULL_SPECTRUM", 100)
    report = check_gram(K)
    assert report.is_psd
    assert report.rank == K.trace()


@pytest.mark.parametrize(
    ("K", "error"),
    [
        (np.ones((2, 3)), ValueError),
        (np.ones(4), ValueError),
        (np.empty((0, 0)), ValueError),
        (np.eye(2, dtype=complex), ValueError),
        (np.array([["a"]]), TypeError),
    ],
)
def test_wrong_input(K, error):
    with pytest.raises(error, match=r"check_gram: (K must be a square matrix|Complex data|K has dtype)"):
        check_gram(K)


def test_sparse_is_refused_and_tol_checked():
    import scipy.sparse as sp

    with pytest.raises(TypeError, match="toarray"):
        check_gram(sp.eye(3))
    with pytest.raises(ValueError, match="tol"):
        check_gram(np.eye(3), tol=-1)


def test_report_reads_well():
    text = str(check_gram([[1.0, 2.0], [2.0, 1.0]]))
    assert text.startswith("Gram matrix of 2 samples: indefinite")
    assert "3 at (0, 1)" in text
    assert "-1 to 3" in text
    assert "0.25" in text  # negative mass
