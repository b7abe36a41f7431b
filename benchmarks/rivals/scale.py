"""Large data with ``approximation=``: against scikit-learn's Nyström pipelines and against goals.

``python -m benchmarks.rivals.scale [CASE ...] --data PATH``. Runs alternate in one process and medians are reported;
what takes longer than 20 seconds runs once. Peak memory is measured in processes of their own.

ridge-kin40k   KernelRidge, 36 000 x 8, against Nystroem + Ridge: time and error at equal m, error in equal time
ridge-1e5      KernelRidge, 100 000 x 20, generated, against the same
ridge-linear   KernelRidge alone, up to 10⁶ x 20 (--huge: 10⁷): time, memory, slope
svc-mnist      SVC, 60 000 x 784, 10 classes, against exact SVC and Nystroem + LinearSVC
svc-a9a        SVC, 32 560 x 123, 10 values of C, against exact fits and Nystroem + LinearSVC
svc-torchkm    SVC, the same with 5 folds, against TorchKM, if it is installed
pca-1e6        KernelPCA, 10⁶ x 20, 20 components, against one pass over the samples

Every goal is a row with its value and whether it was met. Results replace those of the same name in
benchmarks/results/scale.json. With other sizes they are not comparable and not written.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.rivals import scale_pca, scale_ridge, scale_svm
from benchmarks.rivals.harness import Case, Goal, as_row, limit_threads, merge, options, report

TITLE = "Large data"
RESULTS = Path(__file__).parents[1] / "results" / "scale.json"
PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn")
CASES: dict[str, Callable[[argparse.Namespace], Iterator[Case | Goal]]] = {
    "ridge-kin40k": scale_ridge.on_kin40k,
    "ridge-1e5": scale_ridge.on_generated,
    "ridge-linear": scale_ridge.linear,
    "svc-mnist": scale_svm.on_mnist,
    "svc-a9a": scale_svm.on_a9a,
    "svc-torchkm": scale_svm.against_torchkm,
    "pca-1e6": scale_pca.on_generated,
}
OF_TABLES = ("ridge-kin40k", "svc-mnist", "svc-a9a", "svc-torchkm")
SIZES = {"rows": None, "landmarks": None, "larger": [3000, 4000, 5000, 6000], "fewer": [500, 1000, 2000]}
SIZES |= {"sizes": [100_000, 300_000, 1_000_000], "costs": 10}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of {', '.join(CASES)}; all if none is named")
    parser.add_argument("--data", type=Path, help="folder that holds tables/kin40k, tables/mnist and tables/a9a")
    parser.add_argument("--rows", type=int, help="training samples")
    parser.add_argument("--landmarks", type=int, help="m, instead of that of each case")
    parser.add_argument("--larger", type=int, nargs="*", help="m of ridge-kin40k for equal time")
    parser.add_argument("--fewer", type=int, nargs="*", help="m of svc-mnist for equal error")
    parser.add_argument("--sizes", type=int, nargs="+", help="n of ridge-linear")
    parser.add_argument("--costs", type=int, help="number of values of C of svc-a9a")
    parser.add_argument("--huge", action="store_true", help="10⁷ samples in ridge-linear, too")
    parser.add_argument("--threads", type=int, help="limit for both sides; with 1, processor time is measured")
    parser.add_argument("--skip-memory", action="store_true", help="no peak memory of the svc cases, which fits again")
    parser.add_argument("--exact-seconds", type=float, help="time of exact SVC on MNIST, instead of a measurement")
    parser.set_defaults(repeats=3, json=RESULTS, **SIZES)
    args = parser.parse_args(given)
    if unknown := set(args.cases) - set(CASES):
        parser.error(f"CASE: expected some of {', '.join(CASES)}, got {', '.join(sorted(unknown))}")
    args.cases = [name for name in CASES if args.only in name and (not args.cases or name in args.cases)]
    if args.data is None and set(args.cases) & set(OF_TABLES):
        parser.error(f"--data: the folder of the tables is needed for {', '.join(OF_TABLES)}")
    return args


def comparable(args: argparse.Namespace) -> bool:
    """Whether all sizes are the default ones."""
    return all(getattr(args, name) == default for name, default in SIZES.items())


def show(goals: Sequence[Goal]) -> None:
    print(f"\n{'goal':<72}{'value':>14}{'goal':>12}  verdict")
    for goal in goals:
        bound = "" if goal.goal is None else f"{'>=' if goal.at_least else '<='} {goal.goal:g}"
        print(f"{goal.name:<72}{f'{goal.value:.4g} {goal.unit}':>14}{bound:>12}  {goal.verdict}")
        for key, value in goal.notes.items():
            print(f"    {key}: {value}")


def main() -> None:
    args = arguments()
    if args.threads is not None:
        limit_threads(args.threads)
    found: list[Case | Goal] = []
    for name in args.cases:
        for result in CASES[name](args):
            found.append(result)
            print(result.name, flush=True)
            if comparable(args):
                part = "goals" if isinstance(result, Goal) else "cases"
                merge(args.json, TITLE, PACKAGES, {"cases": [], "goals": [], part: [as_row(result)]})
    title = TITLE if comparable(args) else f"{TITLE} (other sizes: not comparable, not written)"
    report(title, [result for result in found if isinstance(result, Case)], {}, PACKAGES, None)
    show([result for result in found if isinstance(result, Goal)])


if __name__ == "__main__":
    main()
