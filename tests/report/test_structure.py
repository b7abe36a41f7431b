import base64
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

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
    images = found.all("img")
    assert len(images) >= 3
    assert len(found.texts["figcaption"]) == len(images)
    for image in images:
        assert len(image["alt"]) > 25
        assert int(image["width"]) > 100
        assert int(image["height"]) > 50
        kind, _, data = image["src"].partition(",")
        assert kind == "data:image/svg+xml;base64"
        root = ET.fromstring(base64.b64decode(data))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not root.findall(".//{http://www.w3.org/2000/svg}script")


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
        for key in ("src", "href", "action", "data", "srcset", "poster"):
            assert re.match(r"data:|#|$", attrs.get(key) or "")
    style = found.texts["style"][0]
    assert "url(" not in style
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
