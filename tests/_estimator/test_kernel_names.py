"""The table of kernel names in the documentation, compared with every estimator and with scikit-learn."""

import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.metrics.pairwise import pairwise_kernels

import mercer
from mercer import kernels
from mercer._estimator import as_kernel
from mercer._estimator.estimator import KernelEstimator
from mercer._estimator.kernel import default_width
from mercer.exceptions import UnusedParameterWarning
from mercer.kernels import RBF, kernel, user
from mercer.kernels.registry import LIBRARY
from mercer.operators import gram
from tests.test_public_names import NAMED

PAGE = (Path(__file__).parents[2] / "docs" / "kernels" / "names.md").read_text(encoding="utf-8")
X = np.random.default_rng(0).random((30, 4))
Y = (X[:, 0] > 0.5).astype(int)


def products(A, B):
    return A @ B.T


def scaled(a, b, c):
    return c * (a @ b)


def table():
    """Rows of the first table: names, and the three cells as kernels on X."""
    rows = {}
    for line in PAGE.splitlines():
        cells = [re.findall("`([^`]+)`", cell) for cell in line.strip("|").split("|")]
        if len(cells) == 4 and all(cells) and cells[1][0].endswith(")"):
            made = [eval(cell[0], {**vars(kernels), "n_features": X.shape[1]}).resolve(X) for cell in cells[1:]]
            rows |= dict.fromkeys(cells[0], made)
    return rows


def members(like):
    """Estimators of a group, as the page lists them."""
    start = PAGE.index(f"- like `{like}` (")
    return re.findall(r"`(\w+)`", PAGE[PAGE.index("):", start) : PAGE.index("\n- ", start + 1)])


TABLE = table()
GROUPS = {"SVC": members("SVC"), "KernelRidge": members("KernelRidge")}
ESTIMATORS = {
    thing.__name__: thing
    for thing in NAMED.values()
    if isinstance(thing, type) and issubclass(thing, KernelEstimator) and not inspect.isabstract(thing)
}


def test_the_page_lists_every_name_and_every_estimator():
    assert TABLE.keys() == {
        *("linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2")
    }
    listed = [name for group in GROUPS.values() for name in group]
    assert sorted(listed) == sorted(ESTIMATORS)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("cls", ESTIMATORS.values(), ids=ESTIMATORS)
def test_names_in_estimators(name, cls):
    column = 0 if cls.__name__ in GROUPS["SVC"] else 1
    estimator = cls(kernel=name)
    meant = default_width(estimator, estimator._kernel(), X)
    assert meant.resolve(X) == TABLE[name][column]


@pytest.mark.parametrize("name", TABLE)
def test_names_as_texts_and_classes(name):
    expected = TABLE[name][2]
    for meant in (kernel(name), type(expected)(), as_kernel(name, who="A"), gram(name, X)._left.kernel):
        assert meant.resolve(X) == expected
    for cls in ESTIMATORS.values():  # parentheses turn a name into a text
        assert cls(kernel=f"{name}()")._kernel().resolve(X) == expected


@pytest.mark.parametrize("cls", [cls for cls in LIBRARY if cls.name.isidentifier() and cls.name != "polynomial"])
def test_every_text_has_the_defaults_of_its_class(cls):
    required = [p for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    if not required:
        assert kernel(cls.name) == kernel(f"{cls.name}()") == cls()


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid"])
def test_the_first_column_is_that_of_scikit_learns_machines(name):
    theirs = sklearn.svm.SVC(kernel=name, tol=1e-8).fit(X, Y).decision_function(X)
    K = TABLE[name][0](X)
    assert sklearn.svm.SVC(kernel="precomputed", tol=1e-8).fit(K, Y).decision_function(K) == pytest.approx(
        theirs, abs=1e-5
    )


@pytest.mark.parametrize("name", TABLE)
def test_the_second_column_is_that_of_scikit_learns_pairwise_functions(name):
    options = {"filter_params": True, "gamma": 1.0 if name == "chi2" else None, "degree": 3, "coef0": 1}
    assert TABLE[name][1](X) == pytest.approx(pairwise_kernels(X, metric=name, **options), abs=1e-12)


# ---- docstrings


@pytest.mark.parametrize("place", NAMED)
def test_docstrings_name_the_page_and_the_way_functions_are_called(place):
    thing = NAMED[place]
    if isinstance(thing, type) and issubclass(thing, KernelEstimator) and not inspect.isabstract(thing):
        way = "two samples" if thing._functions == "pair" else "two sets of samples"
        text = " ".join(inspect.getdoc(thing).split())
        assert f"Names: :ref:`kernel-names`. A function is called with {way}." in text
    elif place in TEXT_ONLY or takes_text(thing):
        assert ":ref:`kernel-names`" in inspect.getdoc(thing)


TEXT_ONLY = [  # as the description of a parameter does not show
    *("mercer.preprocessing.FeatureMap", "mercer.preprocessing.KernelRows", "mercer.operators.gram"),
    *("mercer.auto.AutoClassifier", "mercer.auto.AutoRegressor", "mercer.kernels.kernel"),
]


def takes_text(thing):
    """Whether the docstring describes a parameter that is a kernel or its text form."""
    parameters = (inspect.getdoc(thing) or "").partition("\nParameters\n")[2].partition("\n\n")[0]
    described = r"^kernels?(_[xy])? : .*(Kernel.*str|str.*Kernel).*\n +\b(?!Kernel as it was given)"
    return re.search(described, parameters, re.MULTILINE) is not None


def test_the_page_lists_how_functions_are_called():
    listed = re.search(r"^\| two samples, [^|]*\|([^|]*)\|$", PAGE, re.MULTILINE)[1]
    assert sorted(re.findall(r"`(\w+)`", listed)) == sorted(n for n, c in ESTIMATORS.items() if c._functions == "pair")


# ---- parameters that are not read


def unused(estimator):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, Y)
    return [str(w.message) for w in caught if issubclass(w.category, UnusedParameterWarning)]


@pytest.mark.parametrize(
    ("estimator", "named"),
    [
        (mercer.SVC(kernel=RBF(), gamma=50), "SVC: gamma=50 is not used with the kernel rbf"),
        (mercer.SVC(kernel="rbf(gamma=1)", gamma="auto"), "gamma='auto' is not used with the text form 'rbf(gamma=1)'"),
        (mercer.SVC(kernel="matern", degree=5, coef0=1.0), "degree=5 and coef0=1.0 are not used with the text form"),
        (mercer.KernelRidge(kernel=RBF(), gamma=0.5), "KernelRidge: gamma=0.5 is not used"),
        (mercer.KernelRidge(kernel=RBF(), kernel_params={"a": 1}), "kernel_params={'a': 1} is not used"),
        (mercer.SVC(kernel=products, gamma=3.0), "gamma=3.0 is not used with a function"),
        (mercer.KernelKMeans(2, kernel=RBF(), degree=2), "KernelKMeans: degree=2 is not used"),
    ],
)
def test_parameters_that_are_not_read_are_reported_once(estimator, named):
    (message,) = unused(estimator)
    assert named in message


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.SVC(kernel=RBF()),
        mercer.SVC(kernel=RBF(), gamma="scale", degree=3, coef0=0),
        mercer.KernelRidge(kernel=RBF(), gamma=None, kernel_params=None),
        mercer.KernelRidgeClassifier(kernel=RBF(), gamma=None),  # a search switches it off
        mercer.KernelRidge(kernel=scaled, kernel_params={"c": 2.0}),
        *(mercer.SVC(kernel=name, gamma=2.0, degree=2, coef0=1.0) for name in ("linear", "rbf", "poly", "cosine")),
    ],
)
def test_defaults_none_and_names_are_not_reported(estimator):
    assert unused(estimator) == []


def test_a_precomputed_matrix_reads_none_of_them_as_in_scikit_learn():
    K = RBF(gamma=1.0)(X)
    assert mercer.SVC(kernel="precomputed", gamma=2.0, degree=2).fit(K, Y).kernel_ is None  # warnings are errors


# ---- functions


def test_errors_say_how_the_estimator_calls_a_function():
    by_pair, by_block = (lambda a, b: float(a[0] * b[0])), (lambda A, B: np.asarray(A) @ np.asarray(B).T)
    blocks = r"SVC calls the function with two sets of samples, f\(A, B\); .* use mercer\.kernels\.user\(pair=f\)"
    with pytest.raises(ValueError, match=blocks):
        mercer.SVC(kernel=by_pair).fit(X, Y)
    with pytest.raises(ValueError, match=blocks):
        mercer.SVC(kernel=lambda A, B: np.ones(3)).fit(X, Y)
    pairs = r"KernelRidge calls the function with two samples, f\(a, b\); .* use mercer\.kernels\.user\(block=f\)"
    with pytest.raises(TypeError, match=pairs):
        mercer.KernelRidge(kernel=lambda a, b: np.ones((2, 2))).fit(X, Y)
    with pytest.raises(ValueError, match=pairs):
        mercer.KernelRidge(kernel=lambda a, b: a.shape[1]).fit(X, Y)
    with pytest.raises(ValueError, match="This kernel calls the function with two sets of samples"):
        user(block=lambda A, B: 1.0)(X)
    for estimator in (mercer.SVC, mercer.KernelRidge):
        expected = estimator(kernel=user(pair=by_pair)).fit(X, Y).predict(X)
        got = estimator(kernel=user(block=lambda A, B: by_block(A[:, :1], B[:, :1]))).fit(X, Y).predict(X)
        assert got == pytest.approx(expected)


def test_who_calls_is_not_part_of_the_kernel():
    def f(a, b):
        return 1.0

    k = as_kernel(f, who="SVC", by="pair")
    assert k == user(pair=f)
    assert hash(k) == hash(user(pair=f))
    assert repr(k) == repr(user(pair=f))
    assert k.get_params() == user(pair=f).get_params()
