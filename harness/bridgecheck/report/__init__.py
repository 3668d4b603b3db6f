"""Reports: one ``Report`` built from the case results, shown on the terminal, written as JSON, JUnit and Markdown."""

from bridgecheck.report.folder import write_masked_report, write_report
from bridgecheck.report.model import Report, RunInfo

__all__ = ["Report", "RunInfo", "write_masked_report", "write_report"]
