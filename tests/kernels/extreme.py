"""Kernels of one class with absurd integers, on small data, in a process of their own: one line of JSON per request.

``python -m tests.kernels.extreme Gapped`` prints for each kernel and each of Gram matrix and features how long it took
and how it ended. The address space is limited to 2 GB above what Python and mercer take.
"""

import inspect
import itertools
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from mercer import kernels
from mercer.data import Graphs, Trees
from mercer.kernels import RBF
from mercer.kernels.registry import LIBRARY, families

VALUES = (10**3, 10**6, 10**9)
SIZES = {"tiny": (3, 6), "medium": (12, 120)}
TOGETHER = {  # integers that explode together, and what a class needs besides
    "Gapped": [{"g": 20, "m": 10}, {"g": 1000, "m": 500}, {"g": 1000, "m": 3}, {"g": 60, "m": 20, "n_samples": 10**9}],
    "Mismatch": [{"p": 20, "m": 10}, {"p": 200, "m": 100}, {"p": 255, "m": 254}],
    "WeightedDegree": [{"degree": 10**9, "shift": 10**9}],
    "RandomWalk": [{"form": "steps", "n_steps": value} for value in (10**3, 10**5, 10**9)],
    "Graphlet": [{"size": size, "n_samples": value} for size in (3, 8) for value in VALUES] + [{"size": 5}],
    "PolynomialOf": [{"coefficients": [1.0] * 10**5}],
}


def integers(cls):
    """Parameters of a class that are integers."""
    found = inspect.signature(cls).parameters.values()
    return [p.name for p in found if type(p.default) is int and p.name != "seed"]


CLASSES = [cls.__name__ for cls in LIBRARY if integers(cls) or cls.__name__ in TOGETHER]


def data(name, size):
    """Samples that a class reads."""
    n, length = SIZES[size]
    rng = np.random.default_rng(0)
    family = next((f for f, classes in families().items() if getattr(kernels, name) in classes), "vectors")
    if family == "strings":
        return ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]
    if family == "trees":
        return Trees(["(S (A a) (B (C c) (D d)))", "(S (A a) (A a))"] * n)
    if family == "graphs":
        nodes = length // 6 + 3
        return Graphs([[(i, int(j)) for i in range(1, nodes) for j in rng.integers(0, i, 2)] for _ in range(n)])
    return np.abs(rng.normal(size=(n, length // 12 + 2)))


def requests(name):
    alone = [{parameter: value} for parameter in integers(getattr(kernels, name)) for value in VALUES]
    return itertools.product(alone + TOGETHER.get(name, []), SIZES, ("gram", "features"))


def main(name):
    cls = getattr(kernels, name)
    inner = {"kernel": RBF(gamma=1.0)} if "kernel" in inspect.signature(cls).parameters else {}
    samples = {size: data(name, size) for size in SIZES}
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + 2 * 2**30,) * 2)
    for parameters, size, what in requests(name):
        start = time.process_time()  # of the processor: other processes do not count
        try:
            kernel = cls(**inner, **parameters)
            made = kernel(samples[size]) if what == "gram" else kernel.feature_map(samples[size])
            outcome = ["value", str(made.shape)]
        except Exception as error:
            outcome = [type(error).__name__, str(error)]
        shown = {key: value if isinstance(value, int | str) else "..." for key, value in parameters.items()}
        sys.stdout.write(json.dumps([shown, size, what, time.process_time() - start, *outcome]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
