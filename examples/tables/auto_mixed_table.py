"""
Automatic model for a raw table
===============================

``AutoClassifier`` needs only a table and a target. It detects the kind of every column (number, category, text,
identifier), tries kernels for each kind alone and in sums, and chooses by cross-validation. ``evaluate`` repeats the
whole procedure in every fold of an outer cross-validation, so that its scores are not biased by the choice.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.auto import AutoClassifier, evaluate
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

# %%
# A table of orders
# -----------------
# The table has an identifier, numbers with missing values, a category, a constant column and a text.

rng = np.random.default_rng(0)
n = 240
price, days = rng.gamma(3.0, 10.0, n).round(2), rng.integers(1, 15, n)
shop = rng.choice(["north", "south", "online"], n)
mood = rng.random(n)
praise, blame = ["lovely", "sturdy", "bright"], ["broken", "dull", "flimsy"]
review = [
    f"the {rng.choice(['lamp', 'desk'])} is {' and '.join(rng.choice(praise if m > 0.5 else blame, 2))}, order {i}"
    for i, m in enumerate(mood)
]
regret = 0.25 * days + 1.5 * (shop == "online") - 2.0 * (mood > 0.5) + 0.5 * np.sin(price / 5)
returned = np.where(regret > np.median(regret), "returned", "kept")
orders = {
    "order": [f"R{1000 + i}" for i in range(n)],
    "price": [None if i % 17 == 0 else float(p) for i, p in enumerate(price)],
    "days": days,
    "shop": shop,
    "currency": ["EUR"] * n,
    "review": review,
}

# %%
# Columns and decisions
# ---------------------
# Every automatic decision is recorded in ``notes_``.

model = AutoClassifier().fit(orders, returned)
print(model.preparer_.kinds_)
for note in model.notes_:
    print("-", note)

# %%
# Candidates
# ----------
# Inner cross-validation compares single kernels and sums. The chosen model is marked.

for candidate in model.candidates_:
    mark = f"  <- {candidate.model}, {candidate.params}" if candidate.chosen else ""
    print(f"{candidate.name:<32} accuracy {candidate.score:.3f} ± {candidate.spread:.3f}{mark}")
print(f"\n{model.kernel_}")
single = max(candidate.score for candidate in model.candidates_ if candidate.weight is not None)
assert model.best_score_ > single

figure, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
shown = sorted(model.candidates_, key=lambda candidate: candidate.score)
colours = [COLOURS[1] if candidate.chosen else COLOURS[0] for candidate in shown]
ax.hlines(range(len(shown)), 0.5, [candidate.score for candidate in shown], color="0.85", lw=2, zorder=1)
for i, (candidate, colour) in enumerate(zip(shown, colours, strict=True)):
    ax.errorbar(candidate.score, i, xerr=candidate.spread, fmt="o", ms=9, color=colour, capsize=3)
ax.set_yticks(range(len(shown)), [candidate.name for candidate in shown])
ax.set(title="Inner accuracy of the candidates (orange: chosen)", xlabel="accuracy ± standard deviation", xlim=(0.5, 1))

# %%
# Evaluation
# ----------
# Nested cross-validation with 95 % intervals, beside the majority-class baseline.

found = evaluate(AutoClassifier(), orders, returned)
for metric in found.metrics:
    mean, low, high = found.interval(metric)
    print(f"{metric:<18} {mean:.3f} [{low:.3f}, {high:.3f}]   baseline {found.baseline[metric].mean():.3f}")
assert found.metrics["accuracy"].mean() > 0.75

plt.show()
