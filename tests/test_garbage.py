"""Garbage in, a clear error out: at every public entry point, whatever is handed over.

Only ValueError, TypeError, IndexError, MemoryError and their subclasses may come out, with a
message; no crash, no other exception, no warning of NumPy's.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import mercer
from mercer import kernels as mk
from mercer.data import Table
from mercer.kernels.registry import LIBRARY, families, parameters
from mercer.operators import gram
from mercer.preprocessing import FeatureMap, KernelRepair, KernelRows
from mercer.testing import kernel_checks
from tests.strategies import garbage

ALLOWED = (ValueError, TypeError, IndexError, MemoryError)
X = np.random.default_rng(0).random((4, 3))
GRAM = X @ X.T
RBF = mk.RBF(gamma=1.0)
STRUCTURED = [cls for name in ("strings", "trees", "graphs") for cls in families()[name]]
KINDS = [cls for cls in LIBRARY if cls not in STRUCTURED]
KERNELS = [
    RBF, mk.RBF(), mk.RBF(gamma="median"), mk.Laplacian(gamma=(1.0, 2.0)),
    mk.Polynomial(gamma="scale"), mk.Cosine(), mk.Bilinear(np.eye(3)), mk.Periodic(), mk.Chi2(),
    mk.Brownian(), mk.Overlap(), mk.Delta(), mk.Constant(), mk.ANOVA(), mk.Linear() + RBF,
    mk.Linear().normalized(), mk.Columns([0, 2], RBF), mk.Columns("age", mk.Delta()),
    mk.user(lambda a, b: 1.0), mk.user(block=lambda A, B: np.ones((len(A), len(B)))),
]  # fmt: skip


def places(kind):
    """How many parameters a kernel takes by place."""
    return sum(not field.kw_only for field in parameters(kind).values())


# Every entry takes two pieces of garbage and may use either or both.
ENTRIES = {
    **{f"{kind.__name__}(…)": lambda a, b, kind=kind: kind(*[a, b][: places(kind)]) for kind in KINDS + STRUCTURED},
    **{
        f"{kind.__name__}({name}=…)": lambda a, b, kind=kind, name=name: kind(**{name: a})
        for kind in STRUCTURED
        for name, field in parameters(kind).items()
        if field.kw_only
    },
    **{f"{kind.__name__}()(X)": lambda a, b, kind=kind: kind()(a) for kind in STRUCTURED},
    **{f"{kind.__name__}()(X, Y)": lambda a, b, kind=kind: kind()(a, b) for kind in STRUCTURED},
    **{
        f"{kind.__name__}(second=…)": lambda a, b, kind=kind: kind(mk.RBF(), a)
        for kind in (mk.PowerOf, mk.PolynomialOf)
    },
    **{f"{k}(X)": lambda a, b, k=k: k(a) for k in KERNELS},
    **{f"{k}(X, Y)": lambda a, b, k=k: k(a, b) for k in KERNELS[:3]},
    **{f"{k}.diag": lambda a, b, k=k: k.diag(a) for k in KERNELS[::4]},
    **{f"{k}.distance": lambda a, b, k=k: k.distance(a, b) for k in KERNELS[::4]},
    **{f"{k}.feature_map": lambda a, b, k=k: k.feature_map(a) for k in KERNELS[::3]},
    **{f"{k}.resolve": lambda a, b, k=k: k.resolve(a) for k in KERNELS[1:5]},
    "out": lambda a, b: RBF(X, out=a),
    "n_jobs": lambda a, b: RBF(X, n_jobs=a),
    "degree": lambda a, b: RBF.feature_map(X, degree=a),
    "maximum": lambda a, b: mk.Intersection().feature_map(np.round(X), maximum=a),
    "sample_weight": lambda a, b: mk.RBF().resolve(X, sample_weight=a),
    "prepare": lambda a, b: RBF.prepare(a),
    "block": RBF.block,
    "block, one side": lambda a, b: RBF.block(RBF.prepare(X), a),
    "take": lambda a, b: RBF.block(RBF.prepare(X).take(a), RBF.prepare(X)),
    "with_params": lambda a, b: (RBF + 1).with_params(**{"0__gamma": a, "1": b}),
    "from_sigma": lambda a, b: mk.RBF.from_sigma(a),
    "k + …": lambda a, b: RBF + a,
    "k - …": lambda a, b: a - RBF,
    "k * …": lambda a, b: RBF * a,
    "k / …": lambda a, b: RBF / a,
    "k ** …": lambda a, b: RBF**a,
    "kernel": lambda a, b: mercer.kernel(a),
    "kernel(text)": lambda a, b: mercer.kernel(str(a)[:50]),
    "user": lambda a, b: mk.user(a, name=b),
    "user(definiteness)": lambda a, b: mk.user(len, definiteness=a),
    "register": lambda a, b: mk.register(a),
    "check_gram": lambda a, b: mercer.check_gram(a),
    "check_gram(tol)": lambda a, b: mercer.check_gram(GRAM, tol=a),
    "repair": lambda a, b: mercer.repair(a),
    "repair(method)": lambda a, b: mercer.repair(GRAM, a),
    "find_counterexample": lambda a, b: mercer.find_counterexample(a, tries=10),
    "find_counterexample(sampler)": lambda a, b: mercer.find_counterexample(RBF, a, tries=10),
    "gram(kernel)": lambda a, b: gram(a, X),
    "gram(X)": lambda a, b: gram(RBF, a, b),
    "gram(options)": lambda a, b: gram(RBF, X, materialize=a, memory_budget=b),
    "gram(precomputed)": lambda a, b: gram("precomputed", a),
    "matmul": lambda a, b: gram(RBF, X).matmul(a),
    "rows": lambda a, b: gram(RBF, X).rows(a),
    "operator.block": lambda a, b: gram(RBF, X).block(a, b),
    "Table": lambda a, b: Table.from_frame(a),
    "kernel_checks": lambda a, b: list(kernel_checks(a, b)),
    "kernel_checks(sample)": lambda a, b: list(kernel_checks(RBF, a)),
    "KernelRows": lambda a, b: KernelRows(a).fit(X),
    "KernelRows.fit": lambda a, b: KernelRows(RBF).fit(a),
    "FeatureMap": lambda a, b: FeatureMap(a).fit(X),
    "FeatureMap.transform": lambda a, b: FeatureMap(mk.Linear()).fit(X).transform(a),
    "KernelRepair": lambda a, b: KernelRepair(a).fit(GRAM),
    "KernelRepair.fit": lambda a, b: KernelRepair().fit(a),
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@settings(max_examples=15, phases=(Phase.generate, Phase.shrink))
@given(st.data())
def test_only_clear_errors_come_out(entry, data):
    first, second = data.draw(garbage(), "first"), data.draw(garbage(), "second")
    message = "none needed"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            entry(first, second)
        except ALLOWED as error:
            message = str(error)
    assert message


NAN, INF = np.array([[1.0], [np.nan]]), np.array([[np.inf], [1.0]])
TABLE = [
    (
        lambda: mk.RBF(gamma=-1),
        ValueError,
        r"RBF: parameter gamma must be a finite number > 0, got -1",
    ),
    (
        lambda: mk.RBF(gamma="wide"),
        ValueError,
        r"RBF: parameter gamma must be .*'scale', 'auto' or 'median', got 'wide'",
    ),
    (lambda: mk.RBF(gamma=[1, -1]), ValueError, r"RBF: parameter gamma\[1\].*> 0, got -1"),
    (lambda: mk.RBF(gamma=None), TypeError, r"RBF: parameter gamma.*got None"),
    (lambda: mk.RBF(gamma=[[1.0], [1.0, 2.0]]), (TypeError, ValueError), r"RBF: parameter gamma"),
    (lambda: mk.Matern(nu=2), ValueError, r"Matern: parameter nu must be 0.5, 1.5 or 2.5.*got 2"),
    (
        lambda: mk.RationalQuadratic(alpha=0),
        ValueError,
        r"RationalQuadratic: parameter alpha.*> 0, got 0",
    ),
    (
        lambda: mk.Polynomial(degree=2.5),
        ValueError,
        r"Polynomial: parameter degree must be an integer >= 1.*got 2.5",
    ),
    (lambda: mk.Polynomial(degree=0), ValueError, r"Polynomial: parameter degree.*got 0"),
    (
        lambda: mk.Polynomial(gamma="median"),
        ValueError,
        r"Polynomial: parameter gamma must be a number, 'scale' or 'auto', got 'median'",
    ),
    (lambda: mk.Power(degree=0), ValueError, r"Power: parameter degree.*> 0, got 0"),
    (lambda: mk.Linear(coef0=np.nan), ValueError, r"Linear: parameter coef0.*got nan"),
    (lambda: mk.Periodic(period=[1.0, 0.0]), ValueError, r"Periodic: parameter period\[1\]"),
    (
        lambda: mk.ANOVA(degree=17),
        ValueError,
        r"ANOVA: parameter degree must be an integer >= 1 and <= 16, got 17",
    ),
    (
        lambda: mk.ANOVA(base="poly"),
        ValueError,
        r"ANOVA: parameter base must be 'rbf' or 'linear', got 'poly'",
    ),
    (
        lambda: mk.Bilinear(np.ones((2, 3))),
        ValueError,
        r"Bilinear: parameter A must be a square matrix, got shape \(2, 3\)",
    ),
    (
        lambda: mk.Bilinear([[1.0, 1.0], [0.0, 1.0]]),
        ValueError,
        r"Bilinear: parameter A must be symmetric",
    ),
    (lambda: mk.Sum((RBF,)), ValueError, r"Sum: needs at least two kernels, got 1"),
    (lambda: mk.Sum((RBF, "rbf")), TypeError, r"Sum: terms\[1\] must be a kernel, got 'rbf'"),
    (lambda: mk.Sum(3), TypeError, r"Sum: "),
    (
        lambda: mk.Scaled(np.inf, RBF),
        ValueError,
        r"Scaled: parameter scale must be a finite number, got inf",
    ),
    (lambda: mk.ExpOf(2), TypeError, r"ExpOf: kernel must be a kernel, got 2"),
    (lambda: RBF**1.5, ValueError, r"PowerOf: parameter exponent must be an integer"),
    (lambda: RBF / 0, ValueError, r"divi"),
    (lambda: RBF * 10**400, ValueError, r"."),
    (lambda: mk.RBF.from_sigma(0), ValueError, r"RBF.from_sigma: parameter sigma.*> 0, got 0"),
    (lambda: mk.RBF.from_sigma(1e-200), ValueError, r"."),
    (
        lambda: mk.PolynomialOf(RBF, []),
        TypeError,
        r"PolynomialOf: coefficients must be a non-empty sequence",
    ),
    (lambda: mk.Columns([], RBF), ValueError, r"Columns: needs at least one column"),
    (
        lambda: mk.Columns(7, RBF)(X),
        (ValueError, IndexError),
        r"Columns: column 7 .*3|Columns.*7.*0 to 2",
    ),
    (lambda: mk.Columns("age", RBF)(X), ValueError, r"Columns: column 'age'.*names.*0 to 2"),
    (
        lambda: mk.Weighted(3, RBF),
        TypeError,
        r"Weighted: parameter f must be a function of the data, got 3",
    ),
    (
        lambda: mk.Weighted(lambda X: [1.0], RBF)(X),
        ValueError,
        r"Weighted: f\(X\) must have shape \(4,\), got \(1,\)",
    ),
    (lambda: mk.Map(lambda X: X[:2], RBF)(X), ValueError, r"Map: phi returned 2 samples for 4"),
    (lambda: RBF(X[0]), ValueError, r"RBF: X must be a 2-D array, got 1 dimension.*reshape"),
    (lambda: RBF(np.empty((0, 3))), ValueError, r"0 samples"),
    (lambda: RBF(np.empty((3, 0))), ValueError, r"RBF: X has 0 features"),
    (lambda: mk.Constant()([]), ValueError, r"0 samples"),
    (lambda: mk.user(lambda a, b: 1.0)([]), ValueError, r"0 samples"),
    (lambda: RBF(NAN), ValueError, r"RBF: X contains NaN \(first at index \(1, 0\)\)"),
    (lambda: RBF(INF), ValueError, r"RBF: X contains infinity"),
    (lambda: RBF(X * 1j), ValueError, r"RBF: Complex data not supported"),
    (lambda: RBF(X.astype(str)), TypeError, r"RBF: X has dtype <U"),
    (lambda: RBF([["a", "b"]]), TypeError, r"RBF: X has dtype <U1"),
    (lambda: RBF(None), TypeError, r"got None|dtype object"),
    (lambda: RBF(X, X[:, :2]), ValueError, r"RBF: X has 3 features but Y has 2"),
    (lambda: RBF(np.ma.masked_array(X, mask=X > 0.5)), (ValueError, TypeError), r"mask"),
    (lambda: RBF(X, n_jobs=0), ValueError, r"n_jobs: expected None or a nonzero integer, got 0"),
    (
        lambda: RBF(X, out=np.empty((4, 4), dtype=np.float32)),
        ValueError,
        r"out.*float64 array of shape \(4, 4\).*float32",
    ),
    (lambda: RBF(X, out=np.empty((4, 4)).T[::2]), ValueError, r"out.*float64 array of shape"),
    (lambda: mk.RBF(gamma=(1.0, 2.0))(X), ValueError, r"RBF: .*2 entries but X has 3 features"),
    (
        lambda: mk.Periodic(period=(1.0, 2.0))(X),
        ValueError,
        r"Periodic: period has 2 entries but X has 3 features",
    ),
    (lambda: mk.Bilinear(np.eye(2))(X), ValueError, r"Bilinear: A is 2 x 2 but X has 3 features"),
    (
        lambda: mk.ANOVA(degree=4)(X),
        ValueError,
        r"ANOVA: degree 4 needs at least that many features, got 3",
    ),
    (
        lambda: mk.Chi2()(-X),
        ValueError,
        r"Chi2: is defined for values >= 0 only, got a minimum of -",
    ),
    (
        lambda: mk.Brownian()(sp.csr_matrix(X)),
        TypeError,
        r"Brownian: takes dense arrays, got a sparse matrix.*toarray",
    ),
    (
        lambda: mk.RBF(gamma="median")(np.ones((3, 2))),
        ValueError,
        r"RBF: gamma='median' needs at least two different samples",
    ),
    (
        lambda: mk.RBF().resolve(X, sample_weight=[1, 1]),
        ValueError,
        r"RBF: sample_weight must have shape \(4,\), got \(2,\)",
    ),
    (
        lambda: mk.RBF().resolve(X, sample_weight=[-1, 1, 1, 1]),
        ValueError,
        r"RBF: sample_weight must be nonnegative",
    ),
    (
        lambda: (-1 * mk.Linear()).normalized()(X),
        ValueError,
        r"k\(x,x\) = -.* is negative for sample",
    ),
    (
        lambda: mk.Power(degree=4.0).distance(np.arange(3.0)[:, None]) + (-1 * RBF).distance(X),
        ValueError,
        r"negative squared distance",
    ),
    (
        lambda: RBF.block(RBF.prepare(X), mk.Linear().prepare(X)),
        ValueError,
        r"prepared for different kernels",
    ),
    (
        lambda: RBF.block(mk.Linear().prepare(X), mk.Linear().prepare(X)),
        ValueError,
        r"prepared for",
    ),
    (lambda: RBF.block(X, X), TypeError, r"block.*prepare"),
    (
        lambda: RBF.prepare(X).take([9]),
        IndexError,
        r"take: rows 9 is out of range for 4 samples; use 0 to 3",
    ),
    (lambda: RBF.with_params(gama=1.0), ValueError, r"RBF has no parameter 'gama'; it has gamma"),
    (lambda: mk.Kernel()(X), TypeError, r"Kernel"),
    (
        lambda: mercer.kernel("rbf(gama=1)"),
        ValueError,
        r"rbf has no parameter 'gama', it has gamma",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), TABLE, ids=[words[:40] for _, _, words in TABLE])
def test_the_message_says_who_what_and_why(call, error, words):
    with pytest.raises(error, match=words):
        call()
