"""A table of numbers, categories and texts to learn from."""

import csv
import re

import numpy as np

WORDS = ("quick", "nice", "slow", "bad", "friendly", "cold")
QUICK = ("--folds", "2", "--model", "svm", "--kernel", "rbf[age, income] + overlap[city]")


def write_people(path, n=60, *, target=True):
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "income", "city", "note", *["bought"] * target])
        for i in range(n):
            age, city = int(rng.integers(18, 80)), str(rng.choice(["Rome", "Oslo", "Bonn"]))
            note = " ".join(rng.choice(WORDS, size=4))
            bought = (age > 45) + (city == "Oslo") + ("nice" in note) + rng.normal(0, 0.3) > 1.2
            income = round(float(rng.normal(30, 5)), 2)
            shown = age if i % 9 else ""
            writer.writerow([i + 1, shown, income, city, note, *["yes" if bought else "no"] * target])


def without_progress(err):
    """Lines of the standard error that are not lines of progress, which only slow machines write."""
    return "".join(
        line for line in err.splitlines(keepends=True) if not re.match(r"mercer: +(\d+% )?after \d+ s", line)
    )
