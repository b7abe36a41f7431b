import re

import pytest

from tests.report.cases import CODE, HOSTILE, case, page
from tests.report.pages import parsed


def test_names_and_values_are_text():
    found = parsed("hostile")
    assert found.all("script") == []
    assert found.all("img") == []
    assert found.all("b") == []
    assert HOSTILE not in page("hostile")
    assert HOSTILE in found.tables["columns"].column("column")


def test_labels_are_shown_as_they_are():
    found = parsed("hostile")
    classes = found.tables["recall"].column("</title><b>")
    assert classes[0] == '"quoted" & <b>'
    assert HOSTILE in classes
    assert found.texts["title"] == ['<img src=x onerror="alert(1)">: prediction of </title><b>']


def test_long_labels_are_cut_with_the_whole_as_title():
    found = parsed("hostile")
    label = max(case("hostile").y, key=len)
    (short,) = [text for text in found.tables["recall"].column("</title><b>") if text.startswith("$x^2$")]
    assert short.endswith("…")
    assert len(short) == 60
    assert label in [attrs.get("title") for attrs in found.all("th")]


def test_control_characters_are_seen():
    assert "a\\x00b\\tc" in parsed("hostile").text
    assert "\x00" not in page("hostile")


def test_pictures_take_labels_as_text_too():
    pictures = re.findall(r"<svg.*?</svg>", page("hostile"), re.DOTALL)
    assert any("&lt;script&gt;" in picture for picture in pictures)
    for picture in pictures:
        assert "<script" not in picture
        assert not re.search(r"<[^>]*\sonerror=", picture.replace("&quot;", ""))


@pytest.mark.parametrize("name", ["wine", "hostile"])
def test_code_is_escaped(name):
    assert "a &lt; b &amp; c" in page(name)
    assert parsed(name).texts["pre"][-1] == CODE
