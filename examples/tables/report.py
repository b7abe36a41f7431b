"""
An HTML report of a model
=========================

``write_report`` writes one self-contained HTML file with scores, figures and the decisions of an automatic model. The
file needs no network. This example evaluates ``AutoClassifier`` on the wine data, draws the confusion matrix, and
writes the report to a temporary folder.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay

from mercer.auto import AutoClassifier, evaluate
from mercer.datasets import read
from mercer.report import write_report

# %%
# Fit and evaluate
# ----------------
# ``evaluate`` repeats every automatic decision in each fold. The baseline predicts the majority class.

data = read("wine")
X, y, _ = data.split()
model = AutoClassifier(cv=3)
evaluation = evaluate(model, X, y, cv=5)
model.fit(X, y)
accuracy, baseline = evaluation.metrics["accuracy"].mean(), evaluation.baseline["accuracy"].mean()
print(f"accuracy {accuracy:.1%}, majority-class baseline {baseline:.1%}, kernel {model.kernel_}")
assert accuracy > 0.9

# %%
# The evaluation keeps the out-of-fold predictions.

plt.rcParams.update({"font.size": 12})
figure, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
ConfusionMatrixDisplay.from_predictions(evaluation.truth, evaluation.predictions, cmap="Blues", ax=ax)
ax.set_title(f"Out-of-fold predictions: {accuracy:.1%} correct")

# %%
# Write the report
# ----------------
# ``code`` is shown at the end of the report, so that the result can be reproduced.

CODE = """
from mercer.auto import AutoClassifier
from mercer.datasets import read

X, y, _ = read("wine").split()
model = AutoClassifier(cv=3).fit(X, y)
"""
with tempfile.TemporaryDirectory() as folder:
    target = Path(folder, "wine.html")
    path = write_report(target, model, evaluation, data, X, y, code=CODE, title="Wine of three growers")
    page = path.read_text(encoding="utf-8")
print(f"{path.name}: {len(page) / 1000:.0f} kB, {page.count('<figure')} figures, {page.count('<table')} tables")
assert page.startswith("<!doctype html>")

plt.show()
