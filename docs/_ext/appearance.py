"""Sphinx extension: no blank line at the end of code blocks, and pictures for the light and the dark theme.

A doctest needs a blank line before the fence that closes its block; pages do not show it. Where a picture ``NAME.png``
has a ``NAME-dark.png`` beside it, the dark theme shows that one.
"""

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


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.add_transform(Appearance)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
