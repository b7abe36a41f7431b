"""
Reading a CSV file with mixed columns
=====================================

``read`` detects the separator, the decimal point, missing values and the type of every column of a CSV file. It
reports each of these decisions in ``notes``. ``split`` separates the target from the other columns and raises errors
that name the problem.
"""

import pathlib
import tempfile

import matplotlib.pyplot as plt

from mercer.datasets import read
from mercer.plots import COLOURS

# %%
# A file with typical problems
# ----------------------------
# The file has decimal commas, missing values in several spellings, a date, identifiers with leading zeros, a number
# written as a word, a quoted line break and blanks around column names.

TABLE = """\
id ;price; days;shop;ordered;review;class
007;19,90;3;market;2024-02-29;"sturdy; quiet, too";kept
008;n/a;5;online;2024-03-01;"the lid is ""brittle""
and the cable too short";returned
012;7,25;;outlet;2024-03-04;handy;kept
013;49,00;two;online;2024-03-04;;
015;31,50;9;?;2024-03-11;noisy, dim;returned
"""
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "orders.csv"
    path.write_text(TABLE, encoding="utf-8")
    data = read(path)
print(data)
for column in data.X:
    print(f"  {column.name:<8}  {column.dtype!s:<8}  {column.null_count()} missing  {column[0]!r}")

# %%
# The table as it was read
# ------------------------
# Colours are types of columns; missing values are white. *days* stays text, because one of its values is a word.

TYPES = {"Float64": ("number", COLOURS[0]), "Date": ("date", COLOURS[1]), "String": ("text", "0.55")}
figure, ax = plt.subplots(figsize=(9.5, 3.4), layout="constrained")
for j, column in enumerate(data.X):
    kind, colour = TYPES[str(column.dtype)]
    ax.text(j + 0.5, -0.15, f"{column.name}\n{kind}", ha="center", va="bottom", color=colour, weight="bold")
    for i, value in enumerate(column):
        face = "white" if value is None else colour
        ax.add_patch(plt.Rectangle((j + 0.03, i + 0.06), 0.94, 0.88, facecolor=face, alpha=0.25, edgecolor=colour))
        text = "missing" if value is None else " ".join(str(value).split()) or "(empty)"
        text = text if len(text) <= 15 else f"{text[:14]}…"
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=9, color="0.5" if value is None else "black")
ax.set(xlim=(0, data.X.shape[1]), ylim=(len(data.X), -0.9))
ax.axis("off")

# %%
# Notes
# -----
# Every decision is listed.

for note in data.notes:
    print("-", note)

# %%
# Errors
# ------
# A misspelt target and a sample without a target raise errors with a suggestion.

for arguments in (("clas",), ()):
    try:
        data.split(*arguments)
    except ValueError as error:
        print(f"ValueError: {error}\n")

# %%
# Splitting
# ---------
# ``drop_missing=True`` removes the sample without a target.

parts = data.split(drop_missing=True)
print(f"target {parts.target!r}: {parts.y.tolist()}; samples {parts.X.shape}")
for note in parts.notes[len(data.notes) :]:
    print("-", note)
assert parts.X.shape == (4, 6)
