"""Suggestions are made for typing errors only."""

import pytest

from mercer._validation.near import near_misses
from mercer.datasets import names, read


@pytest.mark.parametrize(
    ("word", "meant"), [("Iris", "iris"), ("irsi", "iris"), ("iri", "iris"), ("breast-cancer", "breast_cancer")]
)
def test_typing_errors(word, meant):
    assert near_misses(word, names()) == [meant]


@pytest.mark.parametrize("word", ["dogs", "train", "prices", "is", "risk.csv", "people.csv", "x", "", "review"])
def test_other_words(word):
    expected = ["reviews"] if word == "review" else []
    assert near_misses(word, names()) == expected


def test_the_nearest_first():
    assert near_misses("weigth", ["height", "weight"], most=3) == ["weight", "height"]


def test_a_file_that_is_only_somewhat_like_a_bundled_name():
    """Former versions asked whether 'winter' was meant to be a bundled data set."""
    for name in ("rungs.csv", "winter"):
        with pytest.raises(FileNotFoundError, match="bundled data sets: wine, iris"):
            read(name)
