"""A report on the wines: one HTML file with scores, pictures and reasons.

``python examples/report.py wine.html`` writes it where you like, without a name it goes to a temporary folder and is
removed again. The page holds all it shows, opens without a network, and ends with this program.
"""

import sys
import tempfile
from pathlib import Path

from mercer.auto import AutoClassifier, evaluate
from mercer.datasets import read
from mercer.report import write_report

data = read("wine")
X, y, groups = data.split()
model = AutoClassifier(cv=3)
evaluation = evaluate(model, X, y, cv=5)  # every choice is made again in each fold
model.fit(X, y)

program = Path(__file__).read_text(encoding="utf-8")
with tempfile.TemporaryDirectory() as folder:
    given = sys.argv[1] if sys.argv[1:] else Path(folder, "wine.html")
    path = write_report(given, model, evaluation, data, X, y, code=program, title="Three growers of wine")
    page = path.read_text(encoding="utf-8")

accuracy, guessing = evaluation.metrics["accuracy"].mean(), evaluation.baseline["accuracy"].mean()
print(f"accuracy {accuracy:.1%}, by guessing {guessing:.1%}, with the kernel {model.kernel_}")
print(f"{path.name}: {len(page) / 1000:.0f} kB, {page.count('<figure')} pictures, {page.count('<table')} tables")
assert page.startswith("<!doctype html>")
assert accuracy > 0.9
