"""Sphinx extension: turns the path of an example, ``examples/svm/plot_svm_margin.py``, into a link to the gallery."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

EXAMPLE = re.compile(r"examples/([\w/]+)\.py")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("doctree-read", link_examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def link_examples(app: Sphinx, document: nodes.document) -> None:
    """Put a link around every literal that is the path of an example."""
    for literal in list(document.findall(nodes.literal)):
        found = EXAMPLE.fullmatch(literal.astext())
        if found is None or isinstance(literal.parent, nodes.reference | addnodes.pending_xref):
            continue
        if not (Path(app.srcdir).parent / literal.astext()).is_file():
            raise ValueError(f"{document['source']}: {literal.astext()} does not exist")
        link = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/gallery/{found[1]}", refexplicit=True, refwarn=True
        )
        literal.replace_self(link)
        link += literal
