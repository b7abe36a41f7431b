"""The section on repeating the work: code and versions."""

import platform
from importlib import metadata
from typing import Any

from mercer.report.blocks import Block, Heading, Listing, PageTable, Section
from mercer.report.text import plain

__all__ = ["reproduce_section", "versions"]

PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "polars", "pandas", "rdkit", "matplotlib", "jinja2")


def versions() -> list[tuple[str, str]]:
    """Python and the packages that a result may depend on, those that are installed."""
    found: list[tuple[str, str]] = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return [*found, ("system", f"{platform.system()} {platform.machine()}")]


def reproduce_section(code: str) -> Section:
    """The code as it was given, and the versions it ran with."""
    blocks: list[Block] = [Listing("Code that makes the model again", code.strip("\n"))]
    rows: list[list[Any]] = [[name, plain(version)] for name, version in versions()]
    blocks += [Heading("Versions"), PageTable.of("versions", "What it was made with", ["package", "version"], rows)]
    lead = "This code makes the model again; with the same versions and the same data it is the same."
    return Section("again", "How to get it again", lead, blocks)
