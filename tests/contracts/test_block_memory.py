"""Fits to several times more data than the memory that they are given."""

import subprocess
import sys

import numpy as np
import pytest

FIT = """
import resource, sys
import numpy as np
from mercer.cluster import KernelKMeans
from mercer.data import ArrayBlocks
from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.ridge import KernelRidge
from mercer.svm import SVC

def blocks(rows):
    X = np.load(sys.argv[1], mmap_mode="r")[:rows]
    y = np.asarray(X[:, 0] > 0.5)
    return ArrayBlocks(X, y, rows=10_000)

model = {model}
model.fit(blocks(2000))  # libraries are loaded, threads are up
source = blocks(None)
held = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData:"))
limit = held * 1024 + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    np.array(np.load(sys.argv[1], mmap_mode="r"))
except MemoryError:
    pass
else:
    raise SystemExit("the limit has no effect")
model.fit(source)
source.take(np.arange(3))
print(model.approximation_.n_samples)
"""
N, COLUMNS = 1_060_000, 250  # 2.1 GB of rows


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "X.npy"
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(N, COLUMNS))
    for first in range(0, N, 20_000):
        X[first : first + 20_000] = rng.uniform(size=(20_000, COLUMNS))
    X.flush()
    yield path
    path.unlink()


@pytest.mark.exhaustive
@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="the limit on private memory is that of Linux")
@pytest.mark.parametrize(
    ("model", "times"),
    [
        ("KernelRidge(kernel='rbf', gamma='scale', approximation=40)", 10),
        ("KernelPCA(5, kernel='rbf', gamma='scale', approximation=40)", 10),
        ("KernelDiscriminantAnalysis(kernel='rbf', gamma='scale', approximation=40)", 10),
        # some 25 numbers for each row, which are a tenth of its columns here
        ("KernelKMeans(3, max_iter=3, tol=0.5, random_state=0, approximation=40)", 5),
        ("SVC(tol=0.1, approximation=40)", 5),
    ],
)
def test_more_data_than_memory(model, times, path):
    budget = path.stat().st_size // times
    code = "import warnings; warnings.simplefilter('ignore')\n" + FIT.format(model=model)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(budget)], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == str(N), done.stderr[-2000:]
