"""
Reading a CSV file with mixed columns
=====================================

``read`` detects the separator, the decimal point, missing values and the type of every column of a CSV file. It
reports each of these decisions in ``notes``. ``split`` separates the target from the other columns and raises errors
that name the problem.
"""

import pathlib
import tempfile

from mercer.datasets import read

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
