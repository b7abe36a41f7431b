import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from mercer.plots import COLOURS
from mercer.report.drawing import variables
from tests.report.cases import NAMES, page
from tests.report.pages import parsed

everywhere = pytest.mark.parametrize("name", NAMES)


@everywhere
def test_tags_are_balanced_and_ids_unique(name):
    found = parsed(name)
    assert found.unbalanced == []
    assert found.open == []
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {attrs["href"][1:] for attrs in found.all("a")} <= set(ids)


@everywhere
def test_headings_are_in_order(name):
    levels = [int(tag[1]) for tag, _ in parsed(name).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert levels.count(2) >= 7


@everywhere
def test_pictures_are_embedded_and_told(name):
    found = parsed(name)
    assert found.all("img") == []
    pictures = found.all("svg")
    assert len(pictures) >= 3
    assert len(found.texts["figcaption"]) == len(pictures)
    for picture in pictures:
        assert picture["role"] == "img"
        assert len(picture["aria-label"]) > 25
        assert int(picture["width"]) > 100
        assert int(picture["height"]) > 50
    for source in re.findall(r"<svg.*?</svg>", page(name), re.DOTALL):
        root = ET.fromstring(source)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not root.findall(".//{http://www.w3.org/2000/svg}script")


@everywhere
def test_colours_of_pictures_are_those_of_the_page(name):
    """Nothing is white or black on both pages, and no data has the same colour on both."""
    for source in re.findall(r"<svg.*?</svg>", page(name), re.DOTALL):
        fixed = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", source))
        assert not fixed & {"#ffffff", "#000000", *map(str.lower, COLOURS)}
        used = set(re.findall(r"var\((--[\w-]+)\)", source))
        assert used <= {"--ink", "--paper", *variables()[0]}
        assert "--ink" in used


@everywhere
def test_tables_have_headings_and_even_rows(name):
    found = parsed(name)
    assert all(attrs.get("scope") in ("col", "row") for attrs in found.all("th"))
    for table in found.tables.values():
        assert table.caption, table.id
        assert table.header, table.id
        assert table.rows, table.id
        assert {len(row) for row in table.rows} == {len(table.header)}
    assert len(found.all("table")) == len(found.tables)


@everywhere
def test_nothing_is_loaded_or_run(name):
    found = parsed(name)
    assert found.all("script") == []
    assert {attrs["href"] for attrs in found.all("link")} == {"data:,"}
    for _, attrs in found.tags:
        assert not [key for key in attrs if key.startswith("on")]
        for key in ("src", "href", "xlink:href", "action", "data", "srcset", "poster"):
            assert re.match(r"\s*data:|#|$", attrs.get(key) or "")
    style = found.texts["style"][0]
    assert not re.search(r"url\((?!#)", page(name))
    assert "@import" not in style


@everywhere
def test_the_language_the_viewport_and_the_way_around_are_there(name):
    found = parsed(name)
    assert found.all("html") == [{"lang": "en"}]
    assert any(attrs.get("name") == "viewport" for attrs in found.all("meta"))
    assert found.all("a")[0] == {"class": "skip", "href": "#content"}
    assert page(name).startswith("<!doctype html>")
    assert len(page(name)) < 3_000_000


@everywhere
def test_nothing_is_shown_that_is_no_word(name):
    text = parsed(name).text
    assert not re.search(r"\bnan\b|\binf\b|None\b(?!:)|\\u202f|<function|array\(", text.replace("None: out", ""))
