"""Two installations of mercer against each other: is a change slower?

``python -m benchmarks.side_by_side --old OLD/bin/python --new NEW/bin/python --data PATH``: every case runs in turn in
one process of each installation, five times after a warm-up; the table has both medians and new/old. A case is slower
if that ratio is above ``--most`` (1.1). ``--only svm,gram`` chooses cases by the beginning of their names.

Run it from the project's root; both installations read the cases from there and import mercer from their own place.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

REPEATS = 5
Case = Callable[[], Any]


def cases(data: Path) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names, and functions that make the case; the data are read when it is made."""
    rng = np.random.default_rng(0)

    @cache
    def problem(name: str, rows: int) -> Any:
        from benchmarks.rivals.tables import TABLES

        return TABLES[name](data).head(rows)

    def points(n: int, d: int, dtype: type = np.float64) -> Any:
        return rng.standard_normal((n, d)).astype(dtype)

    def gram(kernel: Any, X: Any) -> Case:
        return lambda: kernel(X)

    def vectors() -> Iterator[tuple[str, Callable[[], Case]]]:
        from mercer import kernels as k
        from mercer.operators import gram as operator

        yield "gram rbf d=20", lambda: gram(k.RBF(gamma=0.05), points(4000, 20))
        yield "gram rbf d=784", lambda: gram(k.RBF(gamma=0.001), points(3000, 784))
        yield "gram rbf float32", lambda: gram(k.RBF(gamma=0.05), points(4000, 20, np.float32))
        yield "gram laplacian", lambda: gram(k.Laplacian(gamma=0.05), points(4000, 20))
        yield "gram matern", lambda: gram(k.Matern(gamma=0.05, nu=1.5), points(4000, 20))
        yield "gram chi2", lambda: gram(k.Chi2(gamma=0.05), np.abs(points(3000, 20)))
        yield "gram sum", lambda: gram(k.RBF(gamma=0.05) * k.Polynomial(degree=2) + k.Linear(), points(4000, 20))
        yield "gram csr", lambda: gram(k.RBF(gamma=0.05), problem("a9a csr", 3000).X)

        def product() -> Case:
            K, V = operator(k.RBF(gamma=0.05), points(10_000, 20)), points(10_000, 8)
            return lambda: K @ V

        yield "gram matmul", product

    def machines() -> Iterator[tuple[str, Callable[[], Case]]]:
        from mercer import svm

        def fit(name: str, rows: int) -> Case:
            p = problem(name, rows)
            return lambda: getattr(svm, p.estimator)(**p.params, cache_size=2000).fit(p.X, p.y)

        def predict(name: str, rows: int) -> Case:
            p = problem(name, rows)
            model = fit(name, rows)()
            model.predict(p.X_test[:10])
            return lambda: model.predict(p.X_test)

        for name, rows in (("letter", 15_000), ("magic", 15_000), ("mnist", 5000), ("a9a csr", 8000), ("kin40k", 5000)):
            yield f"svm fit {name}", lambda name=name, rows=rows: fit(name, rows)
            yield f"svm predict {name}", lambda name=name, rows=rows: predict(name, rows)
        for n in (100, 500, 2000):
            X = points(n, 10)
            y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
            yield f"svm small n={n}", lambda X=X, y=y: lambda: svm.SVC().fit(X, y).predict(X)
        X = points(400, 5)
        yield (
            "svm c_path",
            lambda: lambda: svm.c_path(svm.SVC(), X, (X[:, 0] * X[:, 1] > 0).astype(int), np.logspace(-2, 3, 12), cv=5),
        )

    def learners() -> Iterator[tuple[str, Callable[[], Case]]]:
        from sklearn.datasets import load_wine

        from mercer.auto import AutoClassifier
        from mercer.cluster import KernelKMeans
        from mercer.decomposition import KernelPCA
        from mercer.discriminant import KernelDiscriminantAnalysis
        from mercer.neighbors import KernelKNeighborsClassifier
        from mercer.perceptron import KernelPerceptron
        from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeCV

        X = points(2000, 10)
        y = (X[:, 0] + np.sin(X[:, 1]) > 0).astype(int)
        target = X[:, 0] + np.sin(X[:, 1])

        def ridge() -> Case:
            p = problem("kin40k", 4000)
            return lambda: KernelRidge(alpha=1e-3, kernel="rbf", gamma=0.1).fit(p.X, p.y).predict(p.X_test)

        yield "ridge kin40k", ridge
        yield "ridge small", lambda: lambda: KernelRidge(kernel="rbf").fit(X[:200], target[:200]).predict(X[:200])
        yield (
            "ridge cv",
            lambda: lambda: KernelRidgeCV(np.logspace(-6, 2, 50), kernel="rbf").fit(X[:1500], target[:1500]),
        )
        yield "ridge logistic", lambda: lambda: KernelLogisticRegression(kernel="rbf").fit(X[:1000], y[:1000])
        yield "pca mnist", lambda: lambda: KernelPCA(20, kernel="rbf").fit_transform(problem("mnist", 3000).X)
        yield (
            "discriminant mnist",
            lambda: lambda: KernelDiscriminantAnalysis().fit(problem("mnist", 3000).X, problem("mnist", 3000).y),
        )
        yield "kmeans", lambda: lambda: KernelKMeans(10, random_state=0, n_init=3).fit(points(4000, 20))
        yield "neighbours", lambda: lambda: KernelKNeighborsClassifier().fit(X, y).predict(X)
        yield "perceptron", lambda: lambda: KernelPerceptron(max_iter=5, variant="averaged").fit(X, y)
        wine = load_wine(return_X_y=True)
        yield "auto wine", lambda: lambda: AutoClassifier().fit(*wine)

    def structured() -> Iterator[tuple[str, Callable[[], Case]]]:
        from mercer import kernels as k
        from mercer.data import Graphs, Strings
        from mercer.svm import SVC

        letters = np.array(list("ACGT"))
        dna = ["".join(letters[rng.integers(0, 4, 200)]) for _ in range(2000)]
        packed = Strings(dna)

        def of(family: str, name: str, *args: Any) -> Any:
            return getattr(getattr(k, family), name)(*args)

        yield "strings spectrum", lambda: gram(of("strings", "Spectrum", 6), packed)
        yield "strings gapped", lambda: gram(of("strings", "Gapped", 8, 3), packed[:800])
        yield "strings subsequence", lambda: gram(of("strings", "Subsequence", 4), packed[:150])
        yield "strings packing", lambda: gram(of("strings", "Spectrum", 3) + of("strings", "Spectrum", 5), dna)
        side = rng.integers(0, 2, 600)
        yield (
            "strings svc",
            lambda: (
                lambda: SVC(kernel=of("strings", "Spectrum", 5).normalized()).fit(dna[:600], side).predict(dna[600:])
            ),
        )
        graphs = data / "graphs" / "PROTEINS"
        if graphs.exists():
            graph_set, _ = Graphs.read_tu(graphs)
            yield "graphs wl", lambda: gram(of("graphs", "WeisfeilerLehman", 5), graph_set)
            yield "graphs shortest path", lambda: gram(of("graphs", "ShortestPath"), graph_set)

    for family in (vectors, machines, learners, structured):
        yield from family()


def work(data: Path) -> None:
    """Run cases that are named on standard input, and write their seconds to standard output."""
    import warnings

    warnings.simplefilter("ignore")
    made: dict[str, Case] = {}
    known = dict(cases(data))
    sys.stdout.write(json.dumps(list(known)) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        name = line.strip()
        if name not in made:
            made.clear()  # one data set at a time
            made[name] = known[name]()
        start = time.perf_counter()
        result = made[name]()
        seconds = time.perf_counter() - start
        del result
        sys.stdout.write(f"{seconds}\n")
        sys.stdout.flush()


class Worker:
    """One installation, in a process that waits for cases."""

    def __init__(self, python: str, data: Path) -> None:
        command = [python, "-m", "benchmarks.side_by_side", "--data", str(data), "--work"]
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # it would serve both
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own)
        self.names: list[str] = json.loads(self._line())

    def run(self, name: str) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A process of an installation has ended; its error is above.")
        return line


def compare(old: str, new: str, data: Path, only: tuple[str, ...], most: float) -> None:
    workers = Worker(old, data), Worker(new, data)
    slower = []
    print(f"{'case':24} {'old':>9} {'new':>9}  new/old")
    for name in workers[0].names:
        if only and not name.startswith(only):
            continue
        for worker in workers:
            worker.run(name)  # warm-up
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(REPEATS):
            for i in (0, 1) if turn % 2 == 0 else (1, 0):
                times[i].append(workers[i].run(name))
        medians = [statistics.median(record) for record in times]
        ratio = medians[1] / medians[0]
        slower += [name] if ratio > most else []
        print(
            f"{name:24} {medians[0]:9.4f} {medians[1]:9.4f}  {ratio:6.3f}{'  SLOWER' if ratio > most else ''}",
            flush=True,
        )
    print(f"slower by more than {most - 1:.0%}: {', '.join(slower) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with tables/ and graphs/")
    parser.add_argument("--old", help="interpreter of the installation before the change")
    parser.add_argument("--new", help="interpreter of the installation after it")
    parser.add_argument("--only", default="", help="beginnings of names, separated by commas")
    parser.add_argument("--most", type=float, default=1.1, help="new/old above which a case counts as slower")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.data)
    else:
        compare(given.old, given.new, given.data, tuple(filter(None, given.only.split(","))), given.most)


if __name__ == "__main__":
    main()
