"""HTML reports on fitted automatic models."""

from mercer._doors import publish
from mercer.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]

publish(__name__, globals())
