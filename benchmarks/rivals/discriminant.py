"""Kernel discriminant analysis against one kernel ridge fit, its own reference solver, and a grid search.

``python -m benchmarks.rivals.discriminant --data PATH``: the first samples of MNIST, an RBF kernel with gamma=0.02,
runs in turn. Nothing is timed before its directions are checked: the residual, and on fewer samples the agreement with
the eigen solver.

fit    all directions of ten classes at a fixed reg, against `KernelRidge` with one target and the same penalty
eigen  the same against solver="eigen"
auto   reg="auto", exact leave-one-out of 37 values, against five folds of each by `GridSearchCV`
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.rivals.harness import Case, alternate, options, report
from benchmarks.rivals.tables import Problem, mnist
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import RBF
from mercer.ridge import KernelRidge
from mercer.solvers.discriminant import class_scatter

REG = 1e-3
KERNEL = RBF(gamma=0.02)
RESULTS = Path(__file__).parents[1] / "results" / "discriminant.json"


def model(**params: object) -> KernelDiscriminantAnalysis:
    return KernelDiscriminantAnalysis(kernel=KERNEL, **{"reg": REG, **params})


def check(X: np.ndarray, y: np.ndarray) -> None:
    """Stop if the directions are not what they should be."""
    ridge, eigen = (model(solver=solver).fit(X, y) for solver in ("ridge", "eigen"))
    scale = np.abs(eigen.decision_function(X)).max()
    apart = np.abs(ridge.decision_function(X) - eigen.decision_function(X)).max() / scale
    if not (apart <= 1e-8 and ridge.solution_.violation <= 1e-10):
        raise SystemExit(f"ridge and eigen solvers differ by {apart:.2g}, residual {ridge.solution_.violation:.2g}")


def fit(problem: Problem, n: int, repeats: int) -> Case:
    X, y = problem.X[:n], problem.y[:n]
    alpha = REG * class_scatter(KERNEL(X), y.astype(np.int64), np.ones(n)).spread
    ridge = KernelRidge(alpha=alpha, kernel=KERNEL)
    ours, rival = alternate(lambda: model().fit(X, y), lambda: ridge.fit(X, y.astype(float)), repeats)
    fitted = model().fit(X, y)
    notes = {
        "residual": fitted.solution_.violation,
        "residual of KernelRidge": ridge.solution_.violation,
        "test error": round(1 - fitted.score(problem.X_test, problem.y_test), 4),
    }
    return Case(f"fit mnist n={n}", ours, rival, "mercer.ridge.KernelRidge", 1.5, at_most=True, notes=notes)


def eigen(problem: Problem, n: int, repeats: int) -> Case:
    X, y = problem.X[:n], problem.y[:n]
    ours, rival = alternate(lambda: model().fit(X, y), lambda: model(solver="eigen").fit(X, y), repeats)
    return Case(f"eigen mnist n={n}", ours, rival, "solver='eigen'")


def auto(problem: Problem, n: int, repeats: int) -> Case:
    X, y = problem.X[:n], problem.y[:n]
    chosen = model(reg="auto").fit(X, y)
    search = GridSearchCV(model(), {"reg": chosen.cv_results_["reg"]}, cv=5)
    ours, rival = alternate(lambda: model(reg="auto").fit(X, y), lambda: search.fit(X, y), repeats)
    errors = {
        name: round(1 - one.score(problem.X_test, problem.y_test), 4)
        for name, one in (("test error", chosen), ("test error of the search", search))
    }
    return Case(f"auto mnist n={n}", ours, rival, "GridSearchCV", notes={"reg": chosen.reg_, **errors})


def arguments() -> argparse.Namespace:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds tables/mnist")
    parser.set_defaults(json=RESULTS)
    return parser.parse_args()


def cases(args: argparse.Namespace) -> Iterator[Case]:
    problem = mnist(args.data)
    check(problem.X[:500], problem.y[:500])
    for run, n in ((fit, 5000), (eigen, 2000), (auto, 500)):
        if args.only in f"{run.__name__} mnist n={n}":
            yield run(problem, n, args.repeats)


def main() -> None:
    args = arguments()
    packages = ["mercer", "numpy", "scipy", "scikit-learn"]
    report("Kernel discriminant analysis", list(cases(args)), {}, packages, None if args.only else args.json)


if __name__ == "__main__":
    main()
