"""Reports: one HTML file that says what was fitted, how good it is, and why."""

from mercer._doors import publish
from mercer.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]

publish(__name__, globals())
