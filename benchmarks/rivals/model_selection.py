"""Permutation tests against hyppo, and grid searches with and without a cache of Gram matrices, and by scikit-learn.

``python -m benchmarks.rivals.model_selection``, random data, runs in turn. Nothing is timed before both sides are seen
to agree.

independence  HSIC of 500 pairs of vectors, 1000 permutations: against hyppo's Hsic with its permutation test
two samples   MMD of 250 and 250 vectors, 1000 permutations: against hyppo's MMD with its permutation test
grid strings  GridSearchCV over 8 values of C and 5 folds, SVC with the subsequence kernel on 400 strings: with
              GramCache() against the same search without it
grid ridge    the same over 8 values of alpha, KernelRidge with the chi-squared kernel on 600 histograms of 500 bins
grid rbf      the same over 8 values of C, SVC with the Gaussian kernel on 2500 vectors of 100 numbers: with
              GramCache(exact=False) against the search without it, and against scikit-learn's SVC

Without hyppo, which is in the extra `bench`, its two cases are left out.
"""

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV

from benchmarks.rivals.harness import Case, against_slow, alternate, options, report
from mercer.kernels import Chi2
from mercer.kernels.strings import Subsequence
from mercer.model_selection import GramCache, hsic, independence_test, two_sample_test
from mercer.ridge import KernelRidge
from mercer.svm import SVC

RESULTS = Path(__file__).parents[1] / "results" / "model_selection.json"
C = np.logspace(-2, 3, 8)


def statistics(only: str, repeats: int) -> Iterator[Case]:
    """Both tests; hyppo's statistic is HSIC divided by the root of the HSIC of each sample with itself."""
    from hyppo.independence import Hsic
    from hyppo.ksample import MMD

    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 3))
    y = x + 3 * rng.normal(size=(500, 3))
    if only in "independence n=500 B=1000":
        ours = hsic("rbf(gamma=0.5)", "rbf(gamma=0.5)", x, y)
        ours /= np.sqrt(hsic("rbf(gamma=0.5)", "rbf(gamma=0.5)", x, x) * hsic("rbf(gamma=0.5)", "rbf(gamma=0.5)", y, y))
        if not np.isclose(ours, Hsic(gamma=0.5).statistic(x, y), rtol=1e-9):
            raise SystemExit(f"not timed, because different: {ours} and {Hsic(gamma=0.5).statistic(x, y)}")
        seconds = against_slow(
            lambda: independence_test(x, y, random_state=0), lambda: Hsic().test(x, y, reps=1000, auto=False), repeats
        )
        yield Case("independence n=500 B=1000", *seconds[:2], "hyppo Hsic", 1.0, notes=seconds[2])
    if only in "two samples n=250+250 B=1000":
        seconds = against_slow(
            lambda: two_sample_test(x[:250], y[:250], random_state=0),
            lambda: MMD().test(x[:250], y[:250], reps=1000, auto=False),
            repeats,
        )
        yield Case("two samples n=250+250 B=1000", *seconds[:2], "hyppo MMD", 1.0, notes=seconds[2])


def searched(model: Any, grid: dict[str, Any], X: Any, y: Any, cache: GramCache | None = None) -> Any:
    search = GridSearchCV(model, grid, cv=5)
    if cache is None:
        return search.fit(X, y)
    with cache:
        return search.fit(X, y)


def searches(only: str, repeats: int) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    words = ["".join(word) for word in rng.choice(list("ACGT"), size=(400, 80))]
    label = np.arange(400) % 2
    words = [word[:40] + "TGACGTCA" + word[48:] if one else word for word, one in zip(words, label, strict=True)]
    histograms = rng.dirichlet(np.full(500, 0.5), size=600)
    target = histograms[:, :20].sum(axis=1)
    X, y = make_classification(2500, 100, n_informative=20, random_state=0)
    cases: list[tuple[str, Any, dict[str, Any], Any, Any, bool, float | None]] = [
        ("grid strings n=400 SVC", SVC(kernel=Subsequence(p=4)), {"C": C}, words, label, True, 4.0),
        ("grid ridge n=600 chi2", KernelRidge(kernel=Chi2()), {"alpha": C}, histograms, target, True, 1.0),
        ("grid rbf n=2500 SVC", SVC(kernel="rbf"), {"C": C}, X, y, False, None),
    ]
    for name, model, grid, data, goal, exact, wanted in cases:
        if only not in name:
            continue
        cache = GramCache("2GB", exact=exact)
        cached, plain = searched(model, grid, data, goal, cache), searched(model, grid, data, goal)
        scores = [found.cv_results_["mean_test_score"] for found in (cached, plain)]
        if not (np.array_equal(*scores) if exact else np.allclose(*scores, atol=2e-3)):
            raise SystemExit(f"not timed, because different: {scores}")
        seconds = alternate(
            lambda: searched(model, grid, data, goal, GramCache("2GB", exact=exact)),  # noqa: B023 - called here
            lambda: searched(model, grid, data, goal),  # noqa: B023
            repeats,
        )
        yield Case(f"{name}, cache", *seconds, "without the cache", wanted, notes={"cache": repr(cache)})
        if "rbf" in name:
            rival = sklearn.svm.SVC(kernel="rbf", cache_size=1000)
            seconds = alternate(
                lambda: searched(model, grid, data, goal, GramCache("2GB", exact=False)),  # noqa: B023
                lambda: searched(rival, grid, data, goal),  # noqa: B023
                repeats,
            )
            yield Case(f"{name}, cache", *seconds, "sklearn.svm.SVC", 1.0)


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(repeats=3, json=RESULTS)
    args = parser.parse_args()
    packages, found, extra = ["mercer", "numpy", "scipy", "scikit-learn"], [], {}
    if find_spec("hyppo") is not None:
        found += list(statistics(args.only, args.repeats))
        packages.append("hyppo")
    else:
        extra["left out"] = "independence and two samples, because hyppo is not installed"
    found += list(searches(args.only, args.repeats))
    report("Model selection", found, extra, packages, None if args.only else args.json)


if __name__ == "__main__":
    main()
