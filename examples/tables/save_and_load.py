"""
Saving and loading models
=========================

``save`` writes a fitted model to a file that contains arrays and parameters but no code, so loading it does not
execute anything. A loaded model returns the same values to the last bit. ``about`` describes a file without building
the model. Damaged files and kernels that contain Python functions are refused with an error.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import Mismatch, Spectrum, user
from mercer.persistence import about, load, save
from mercer.plots import COLOURS
from mercer.svm import SVC

# %%
# A model on strings
# ------------------
# The classifier learns whether a DNA sequence contains GAT.

rng = np.random.default_rng(0)
reads = ["".join(rng.choice(list("ACGT"), size=30)) for _ in range(200)]
with_motif = np.array(["GAT" in read for read in reads])
kernel = Spectrum(3).normalized() + 0.5 * Mismatch(4, 1).normalized()
model = SVC(kernel=kernel, C=10).fit(reads[:150], with_motif[:150])
print(f"accuracy on 50 new reads: {model.score(reads[150:], with_motif[150:]):.0%}")

# %%
# Save, load, describe
# --------------------
# The decision values of the loaded model are equal, not only close.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "motifs.mercer"
save(model, path)
loaded = load(path)
before, after = model.decision_function(reads), loaded.decision_function(reads)
assert np.array_equal(after, before)

figure, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
for label, colour, marker in ((False, COLOURS[0], "o"), (True, COLOURS[1], "^")):
    chosen = with_motif == label
    name = "with GAT" if label else "without GAT"
    ax.scatter(before[chosen], after[chosen], s=26, color=colour, marker=marker, alpha=0.7, label=name)
ax.axhline(0, color="0.7", lw=1, zorder=0)
ax.axvline(0, color="0.7", lw=1, zorder=0)
ax.set(title="200 reads: equal to the last bit", xlabel="decision value before saving", ylabel="after loading")
ax.spines[["top", "right"]].set_visible(False)
ax.legend()

description = about(path)
print(f"{description['bytes'] / 1000:.0f} kB, {description['arrays']} arrays")
print(f"{description['model']} with {description['kernels'][0]}")

# %%
# A damaged file
# --------------
# One changed bit is detected.

content = path.read_bytes()
path.write_bytes(content[:5000] + bytes([content[5000] ^ 1]) + content[5001:])
try:
    load(path)
except ValueError as error:
    print(str(error).replace(folder.name, ""))

# %%
# A kernel with a Python function
# -------------------------------
# A function cannot be stored without code, so ``save`` raises an error.

try:
    save(SVC(kernel=user(lambda a, b: float(a[0] == b[0]), name="first_letter")), path)
except TypeError as error:
    print(error)
folder.cleanup()
