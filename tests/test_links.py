"""Relative links in pages lead to files that exist, and to headings that exist in them."""

import re

import pytest

from tests.test_documentation import PAGES, ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
FENCE = re.compile(r"^ *(```|:::).*?^ *\1", re.MULTILINE | re.DOTALL)
GENERATED = ("docs/api/", "docs/gallery/")  # by Sphinx, which checks them


def anchors(text):
    """Anchors of the headings of a page, as MyST and code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead(page):
    """Links of a page that lead nowhere."""
    found = []
    for groups in LINK.findall(FENCE.sub("", PAGES[page])):
        link = "".join(groups)
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or "<" in link:
            continue
        target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        name = target.relative_to(ROOT).as_posix()
        if name.startswith(GENERATED):
            continue
        if (path and not target.exists()) or (anchor and name in PAGES and anchor not in anchors(PAGES[name])):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert dead(page) == []


def test_dead_links_are_found(monkeypatch):
    text = "[a](README.md) [b](nothing.md) [c](README.md#no) [d](https://example.org)\n# Here\n[e](#here) [f](#there)"
    monkeypatch.setitem(PAGES, "x.md", text)
    assert dead("x.md") == ["nothing.md", "README.md#no", "#there"]
