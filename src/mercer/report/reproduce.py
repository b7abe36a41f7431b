"""Section on reproduction: code and versions."""

import platform
from importlib import metadata
from typing import Any

from mercer.report.blocks import Block, Heading, Listing, PageTable, Section
from mercer.report.text import plain

__all__ = ["reproduce_section", "versions"]

PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "polars", "pandas", "rdkit", "matplotlib", "jinja2")


def versions() -> list[tuple[str, str]]:
    """Versions of Python and of the installed packages that results depend on."""
    found: list[tuple[str, str]] = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return [*found, ("system", f"{platform.system()} {platform.machine()}")]


def reproduce_section(code: str) -> Section:
    """Create the section: code and versions."""
    blocks: list[Block] = [Listing("Code that reproduces the model", code.strip("\n"))]
    rows: list[list[Any]] = [[name, plain(version)] for name, version in versions()]
    blocks += [Heading("Versions"), PageTable.of("versions", "Software versions", ["package", "version"], rows)]
    lead = "This code fits the same model again, given the same data and software versions."
    return Section("again", "Reproduction", lead, blocks)
