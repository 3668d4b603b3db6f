"""The report folder: report.json, junit.xml, summary.md and report.html, each written whole or not at all."""

from pathlib import Path
from typing import Final

from bridgecheck.files.jsonfile import write_text
from bridgecheck.report.jsonfile import to_text
from bridgecheck.report.junit import to_xml
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.model import Report
from bridgecheck.report.read import JSON

PAGE: Final = "report.html"
NAMES: Final = (JSON, "junit.xml", "summary.md", PAGE)


def write(report: Report, folder: Path) -> list[Path]:
    """Write the four files (the folder is made if need be) and give their paths. Raises OSError."""
    from bridgecheck.report.html.page import to_html  # jinja2 takes time to import

    made = (to_text(report), to_xml(report), to_markdown(report), to_html(report, report.info.today))
    for name, text in zip(NAMES, made, strict=True):
        write_text(folder / name, encodable(text))
    return [folder / name for name in NAMES]


def encodable(text: str) -> str:
    r"""A lone surrogate becomes its escape ``\ud800``, which inside a JSON string means the same."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
