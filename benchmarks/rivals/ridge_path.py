"""KernelRidgeCV against the eigendecomposition it needs, and against a grid search.

``python -m benchmarks.rivals.ridge_path``: 50 alphas on generated data, RBF kernel, runs in turn. Before anything is
timed, leave-one-out errors are compared with refits of scikit-learn's `KernelRidge`, and the chosen alpha with that of
its grid search over the same folds.

eigh   the whole fit, kernel values and exact leave-one-out of all alphas, over ``scipy.linalg.eigh`` of the same matrix
grid   the whole fit, over ``GridSearchCV(KernelRidge(), cv=5)``, which runs once: it takes minutes
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

from benchmarks.rivals.harness import Case, alternate, options, report
from mercer.ridge.kernel_ridge_cv import KernelRidgeCV

ALPHAS = np.logspace(-6, 3, 50)
GAMMA = 1 / 8
TITLE = "Kernel ridge over a path of alphas"
RESULTS = Path(__file__).parents[1] / "results" / "ridge_path.json"


class WrongResultError(Exception):
    """A model that is not worth timing."""


def waves(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of eight features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    return X, np.sin(X[:, 0] + X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * rng.normal(size=n)


def check(n: int = 300, samples: int = 10) -> None:
    """Leave-one-out predictions of all alphas equal those of refits."""
    X, y = waves(n)
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=GAMMA, store_cv_results=True).fit(X, y)
    for i in range(samples):
        others = np.arange(n) != i
        for j in range(0, len(ALPHAS), 7):
            refit = KernelRidge(alpha=ALPHAS[j], kernel="rbf", gamma=GAMMA).fit(X[others], y[others])
            error = float(y[i] - refit.predict(X[[i]])[0])
            if not np.isclose(model.cv_results_[i, j], error**2, rtol=1e-6, atol=1e-10):
                raise WrongResultError(f"sample {i}, alpha {ALPHAS[j]:g}: {model.cv_results_[i, j]} is not {error**2}")


def eigh_case(n: int, repeats: int) -> Case:
    X, y = waves(n)
    K = rbf_kernel(X, gamma=GAMMA)
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=GAMMA, fit_intercept=True)
    ours, rival = alternate(lambda: model.fit(X, y), lambda: eigh(K), repeats)
    notes = {"alphas": len(ALPHAS), "alpha": model.alpha_, "violation": model.solution_.violation}
    return Case(f"leave-one-out n={n}, over eigh", ours, rival, "scipy.linalg.eigh", 1.3, at_most=True, notes=notes)


def grid_case(n: int, repeats: int) -> Case:
    X, y = waves(n)
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=GAMMA)
    search = GridSearchCV(KernelRidge(kernel="rbf", gamma=GAMMA), {"alpha": ALPHAS}, cv=5)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    search.fit(X, y)
    rival = time.perf_counter() - start
    folds = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=GAMMA, cv=5).fit(X, y)
    if not np.allclose(folds.scores_, search.cv_results_["mean_test_score"], rtol=1e-6):
        raise WrongResultError("the scores of five folds are not those of GridSearchCV")
    notes = {"alpha": {"mercer": model.alpha_, "five folds": folds.alpha_, "grid": search.best_params_["alpha"]}}
    return Case(f"leave-one-out n={n}, over a grid", float(np.median(times)), rival, "GridSearchCV", 8.0, notes=notes)


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rows", type=int, default=3000, help="samples (default %(default)s)")
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    check()
    makers = {"eigh": eigh_case, "grid": grid_case}
    cases = [make(args.rows, args.repeats) for name, make in makers.items() if args.only in name]
    report(TITLE, cases, {}, ["mercer", "numpy", "scipy", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
