"""
The proof tree of a composed kernel
===================================

Every kernel has a certificate: a verdict, the rule that gives it, and the certificates of its parts. For a composed
kernel the certificate is a tree whose leaves are known kernels and whose inner nodes are closure rules. This example
builds a kernel for a table with a number, a category, a price and a text, prints its certificate and draws it.
"""

import matplotlib.pyplot as plt

from mercer.kernels import RBF, Columns, Delta, ExpOf, Power, Spectrum
from mercer.plots import COLOURS

# %%
# A kernel for a mixed table
# --------------------------
# The exponential of −|x − z| is PSD although −|x − z| itself is only conditionally PSD (CPD).

kernel = (
    Columns("days", RBF(gamma=0.5)) * Columns("shop", Delta())
    + 0.5 * ExpOf(Columns("price", Power(degree=1.0)))
    + Columns("review", Spectrum(3)).normalized()
)
certificate = kernel.certificate()
print(certificate)
assert certificate.definiteness.value == "psd"

# %%
# The tree as a figure
# --------------------
# Each box is one node of the proof with its kernel: blue for PSD, yellow for CPD. The text beside it is the rule.

VERDICT = {"psd": COLOURS[0], "cpd": COLOURS[4]}


def draw(ax, node, row=0, level=0):
    """Draw a node and the nodes below it; return the next free row."""
    first, row = row, row + 1
    for part in node.parts:
        ax.plot([level + 0.3, level + 0.3, level + 1], [-first, -row, -row], color="0.6", lw=1.3, zorder=1)
        row = draw(ax, part, row, level + 1)
    name = node.kernel if len(node.kernel) < 36 else node.kernel[:35] + "…"
    style = {"facecolor": VERDICT[node.definiteness.value], "edgecolor": "none", "boxstyle": "round,pad=0.35"}
    colour = "white" if node.definiteness.value == "psd" else "black"
    ax.text(level + 0.1, -first, name, color=colour, family="monospace", va="center", bbox=style, zorder=2)
    rule = node.rule.split(" (")[0]
    ax.text(7.6, -first, f"{node.definiteness.name}: {rule}", color="0.25", va="center")
    return row


plt.rcParams.update({"font.size": 10})
figure, ax = plt.subplots(figsize=(10, 5.6), layout="constrained")
rows = draw(ax, certificate)
ax.set(xlim=(0, 13.6), ylim=(0.4 - rows, 0.6))
ax.axis("off")
ax.set_title("Certificate of the kernel: a PSD verdict with its proof", fontsize=13)

plt.show()
