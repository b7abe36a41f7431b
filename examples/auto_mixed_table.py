"""A raw table of numbers, categories and texts, from columns to a model that says what it chose, and why.

Nothing is told but the table and the target. The columns are looked at (what is a number, a category, a text, an
identifier), a few kernels are tried on each kind, alone and in sums, and cross-validation decides. An outer
cross-validation repeats all of that in every fold, so that its score is honest.
"""

import numpy as np

from mercer.auto import AutoClassifier, evaluate

rng = np.random.default_rng(0)
n = 240
price = rng.gamma(3.0, 10.0, n).round(2)
days = rng.integers(1, 15, n)
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

model = AutoClassifier().fit(orders, returned)
print("columns")
for name, kind in model.preparer_.kinds_.items():
    print(f"  {name:<9} {kind}")
print("\nwhat was decided")
for note in model.notes_:
    print(f"  {note}")

print("\ncandidate                        alignment  weight  inner accuracy")
for candidate in model.candidates_:
    weight = "" if candidate.weight is None else f"{candidate.weight:.3f}"
    score = f"{candidate.score:.3f} ± {candidate.spread:.3f}"
    mark = f"  <- {candidate.model}, {candidate.params}" if candidate.chosen else ""
    print(f"{candidate.name:<33}{candidate.alignment:>8.3f}{weight:>9}   {score}{mark}")
print(f"\n{model.kernel_}")

found = evaluate(AutoClassifier(), orders, returned)
for metric in found.metrics:
    mean, low, high = found.interval(metric)
    guess = found.baseline[metric].mean()
    print(f"{metric:<18} {mean:.3f}   95 % interval {low:.3f} to {high:.3f}   guessing {guess:.3f}")

alone = max(candidate.score for candidate in model.candidates_ if candidate.weight is not None)
assert model.best_score_ > alone  # together they know more
assert found.metrics["accuracy"].mean() > 0.75
