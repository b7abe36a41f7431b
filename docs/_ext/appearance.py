"""Sphinx extension: no blank line at the end of code blocks, code in tables that wraps, pictures for the dark theme.

A doctest needs a blank line before the fence that closes its block; pages do not show it. Where a picture ``NAME.png``
has a ``NAME-dark.png`` beside it, the dark theme shows that one. Code in a cell of a table may wrap after a point, an
underscore, a comma, a bracket or a sign of equality, and nowhere else.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Appearance(SphinxTransform):
    """Change code blocks and pictures of a page, before its pictures are collected."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        for block in self.document.findall(nodes.literal_block):
            text = block.astext().rstrip("\n")
            if text != block.astext():
                block.rawsource = text  # Sphinx highlights a block only if both are equal
                block[:] = [nodes.Text(text)]
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for picture in list(self.document.findall(nodes.image)):
            name = f"{picture['uri'].removesuffix('.png')}-dark.png"
            if (folder / name).is_file():
                dark = picture.deepcopy()
                dark["uri"] = name
                picture["classes"].append("only-light")
                dark["classes"].append("only-dark")
                picture.parent.insert(picture.parent.index(picture) + 1, dark)


CELL = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
CODE = re.compile(r'(?<=<span class="pre">)[^<]+')
BREAK = re.compile(r"(?<=[\w)\]])([._,(\[=])(?=\w)")


def let_cells_wrap(app: Sphinx, page: str, template: str, context: dict[str, Any], document: Any) -> None:
    """Mark the places at which code in tables may wrap."""
    if "body" in context:
        context["body"] = CELL.sub(
            lambda cell: CODE.sub(lambda code: BREAK.sub(r"\1<wbr>", code[0]), cell[0]), context["body"]
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.add_transform(Appearance)
    app.connect("html-page-context", let_cells_wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
