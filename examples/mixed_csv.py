"""A CSV file as people write it, and what was decided while reading it.

The file has numbers with gaps, categories, a text, a date and names with blanks around them. `read` decides column by
column what they hold, changes nothing in silence, and tells it in notes. `split` takes the target out.
"""

import pathlib
import tempfile

from mercer.datasets import read

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

print(f"{data}\n")
for column in data.X:
    print(f"  {column.name:<8}  {column.dtype!s:<8}  {column.null_count()} missing  {column[0]!r}")

print("\nWhat was decided:")
for note in data.notes:
    print(f"- {note}")

try:
    data.split("clas")
except ValueError as error:
    print(f"\nA name that is not there: {error}")
try:
    data.split()
except ValueError as error:
    print(f"A sample without target: {error}")

parts = data.split(drop_missing=True)
print(f"\nTarget {parts.target!r}: {parts.y.tolist()}; samples {parts.X.shape}")
for note in parts.notes[len(data.notes) :]:
    print(f"- {note}")
