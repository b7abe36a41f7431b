"""Kernels of strings against scikit-learn's CountVectorizer, FastSK, a NumPy loop, and bounds of time and memory.

``python -m benchmarks.rivals.strings --data PATH``, runs in turn. Nothing is timed before both sides are seen to agree.

spectrum     Gram matrix of all of ZZZ3 (11 074 sequences of 200 nt), words of 6: against character counts and a
             sparse product
gapped       joint Gram matrix of EP300 (4000 sequences of 100 nt), g = 10, m = 4: against FastSK, exact, same threads.
             FastSK does not build from PyPI by itself: ``pip install pybind11 wheel 'setuptools<81'``, then
             ``pip install --no-build-isolation --no-deps fastsk``. Without it the case is measured against 10 seconds
subsequence  500 proteins of SCOP 1.34, p = 5: against the vectorised NumPy twin of the tests
reads        a million random DNA reads of 100 nt, half with a motif: features of words of 6, then scikit-learn's
             LinearSVC, in a process of its own: at most 3 minutes and 4 GB
"""

import argparse
import contextlib
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.rivals.harness import Case, against_slow, alternate, as_row, in_fresh_process, merge, options, report
from mercer._runtime.engine import thread_count
from mercer.data import Strings
from mercer.kernels.strings import Gapped, Spectrum, Subsequence
from tests.reference.subsequence import gram as subsequence_gram

RESULTS = Path(__file__).parents[1] / "results" / "strings.json"
READS = """
import json, time
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from mercer.kernels.strings import Spectrum
from mercer.preprocessing import FeatureMap

rng, n, length = np.random.default_rng(0), 1_000_000, 100
letters = np.frombuffer(b"ACGT", dtype=np.uint8)[rng.integers(0, 4, size=(n, length), dtype=np.uint8)]
y = np.arange(n) % 2
carriers = np.flatnonzero((y == 1) & (rng.random(n) < 0.9))
places = rng.integers(0, length - 8, len(carriers))
for k, letter in enumerate(b"TGACGTCA"):
    letters[carriers, places + k] = letter
reads = [row.tobytes().decode() for row in letters]
del letters
start = time.perf_counter()
features = FeatureMap(Spectrum(6))
F = features.fit_transform(reads)
extracted = time.perf_counter() - start
model = LinearSVC(C=0.01).fit(F, y)
total = time.perf_counter() - start
print(json.dumps({"seconds": total, "of features": extracted, "peak": PEAK, "entries": F.nnz,
                  "accuracy on the training reads": model.score(F[:100_000], y[:100_000])}))
"""


def fasta(folder: Path, *parts: str) -> Strings:
    return Strings.concatenate([Strings.read_fasta(folder / f"{part}.fasta.gz").upper() for part in parts])


def spectrum(data: Path, repeats: int) -> Case:
    strings = fasta(data / "strings" / "ZZZ3", "train", "test")
    texts, kernel = strings.to_list(), Spectrum(6)

    def rival() -> Any:
        counts = CountVectorizer(analyzer="char", ngram_range=(6, 6), lowercase=False).fit_transform(texts)
        return (counts @ counts.T).toarray()

    _agree(kernel(texts[:500]), rival()[:500, :500])
    ours, theirs = alternate(lambda: kernel(texts), rival, repeats)
    return Case("spectrum ZZZ3 p=6", ours, theirs, "CountVectorizer, sparse product", 5.0)


def gapped(data: Path, repeats: int) -> Case:
    strings = fasta(data / "strings" / "EP300", "train", "test")
    kernel = Gapped(10, 4).normalized()
    if importlib.util.find_spec("fastsk") is None:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            kernel(strings)
            times.append(time.perf_counter() - start)
        return Case("gapped EP300 (10, 4)", float(np.median(times)), 10.0, "10 seconds", 1.0)
    from fastsk import FastSK

    codes = [["ACGT".index(c) + 1 for c in s] for s in strings]
    half = len(codes) // 2

    def rival() -> Any:
        with _silent():
            machine = FastSK(g=10, m=4, t=thread_count(), approx=False)
            machine.compute_kernel(codes[:half], codes[half:])
        return machine

    _agree(kernel(strings[:half]), np.array(rival().get_train_kernel()))
    ours, theirs, notes = against_slow(lambda: kernel(strings), rival, repeats)
    return Case("gapped EP300 (10, 4)", ours, theirs, "FastSK, exact", 2.0, notes={**notes, "bound of 10 s": ours < 10})


def subsequence(data: Path, repeats: int) -> Case:
    strings = fasta(data / "strings" / "scop_1.34", "train")[:500]
    texts, kernel = strings.to_list(), Subsequence(5)
    _agree(kernel(texts[:20]), subsequence_gram(texts[:20], None, 5, 0.5))
    ours, theirs, notes = against_slow(lambda: kernel(strings), lambda: subsequence_gram(texts, None, 5, 0.5), repeats)
    return Case("subsequence scop_1.34 n=500 p=5", ours, theirs, "vectorised NumPy", 20.0, notes=notes)


def reads(_: Path, __: int) -> Case:
    found = in_fresh_process(READS)
    notes = {**found, "bound of 4 GB": found["peak"] < 4000}
    return Case("reads 1e6 to LinearSVC", found["seconds"], 180.0, "3 minutes", 1.0, notes=notes)


def _agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.allclose(ours, theirs, rtol=1e-6, atol=1e-7):  # FastSK has single precision
        raise SystemExit(f"values differ by up to {np.abs(ours - theirs).max():.3g}")


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Without what compiled code writes to the terminal."""
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def main() -> None:
    parser = options(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, required=True, help="folder that holds strings/ZZZ3, EP300, scop_1.34")
    parser.set_defaults(json=RESULTS)
    args = parser.parse_args()
    cases = [
        run(args.data, args.repeats) for run in (spectrum, gapped, subsequence, reads) if args.only in run.__name__
    ]
    packages = ["mercer", "numpy", "scipy", "scikit-learn", *(["fastsk"] if importlib.util.find_spec("fastsk") else [])]
    report("Kernels of strings", cases, {}, packages, None)
    merge(args.json, "Kernels of strings", packages, {"cases": [as_row(case) for case in cases]})


if __name__ == "__main__":
    main()
