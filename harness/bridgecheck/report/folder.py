"""The report folder: report.json, junit.xml and summary.md, each written whole or not at all."""

from pathlib import Path

from bridgecheck.files.jsonfile import write_text
from bridgecheck.report.jsonfile import to_text
from bridgecheck.report.junit import to_xml
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.model import Report

NAMES = ("report.json", "junit.xml", "summary.md")


def write(report: Report, folder: Path) -> list[Path]:
    """Write the three files (the folder is made if need be) and give their paths. Raises OSError."""
    texts = dict(zip(NAMES, (to_text(report), to_xml(report), to_markdown(report)), strict=True))
    for name, text in texts.items():
        write_text(folder / name, encodable(text))
    return [folder / name for name in NAMES]


def encodable(text: str) -> str:
    r"""A lone surrogate becomes its escape ``\ud800``, which inside a JSON string means the same."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
