"""A model in a file: the same answers to the bit, no code in it, and a change is noticed.

A support vector machine on strings is fitted, saved and loaded. `about` tells what is in the file without building it.
A file with one changed bit is refused, and so is a kernel that no file can hold without code.
"""

import tempfile
from pathlib import Path

import numpy as np

from mercer.kernels import Mismatch, Spectrum, user
from mercer.persistence import about, load, save
from mercer.svm import SVC

rng = np.random.default_rng(0)
reads = ["".join(rng.choice(list("ACGT"), size=30)) for _ in range(200)]
with_motif = np.array(["GAT" in read for read in reads])
model = SVC(kernel=Spectrum(3).normalized() + 0.5 * Mismatch(4, 1).normalized(), C=10).fit(
    reads[:150], with_motif[:150]
)
print(f"accuracy on 50 new reads: {model.score(reads[150:], with_motif[150:]):.0%}")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "motifs.mercer"
    save(model, path)
    again = load(path)
    assert np.array_equal(again.decision_function(reads), model.decision_function(reads))
    print("loaded: the same decision values, to the bit")

    told = about(path)
    print(f"{told['bytes'] / 1000:.0f} kB, {told['arrays']} arrays: {told['model']} with {told['kernels'][0]}")

    whole = path.read_bytes()
    path.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    try:
        load(path)
    except ValueError as error:
        print(f"one bit turned: {str(error).replace(folder, '')}")

    try:
        save(SVC(kernel=user(lambda a, b: float(a[0] == b[0]), name="first_letter")), path)
    except TypeError as error:
        print(f"a function: {str(error)[:77]}...")
