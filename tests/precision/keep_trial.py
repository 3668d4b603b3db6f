"""Keep a finished precision trial: each sheet with what both readers and the judge found in it, and a table of all.

    python tests/precision/keep_trial.py FOLDER docs/precision/NAME

FOLDER is what ``draw_findings.py`` wrote, and beside it ``answers_A.jsonl`` and ``answers_B.jsonl`` (a line a sheet:
``{"n": 12, "defects": [{"side", "where", "defect", "by", "arguable"}]}``) and ``grades.jsonl`` (``{"n", "A", "B",
"class": "true" | "debatable" | "false", "note"}``).
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from draw_findings import FORM

Row: TypeAlias = dict[str, object]

CLASSES: Final = ("true", "debatable", "false")


def main(arguments: Sequence[str]) -> int:
    folder, target = map(Path, arguments)
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    answers = {reader: read_rows(folder / f"answers_{reader}.jsonl") for reader in "AB"}
    grades = read_rows(folder / "grades.jsonl")
    target.mkdir(parents=True, exist_ok=True)
    for name, finding in key["findings"].items():
        sheet = (folder / "sheets" / f"{name}.md").read_text(encoding="utf-8")
        number = int(name)
        found = {reader: rows[number] for reader, rows in answers.items()}
        text = "\n".join(fill_in(sheet, finding, found, grades[number]))
        (target / f"{name}.md").write_text(text, encoding="utf-8")
    (target / "README.md").write_text("\n".join(write_table(key, grades)) + "\n", encoding="utf-8")
    return 0


def read_rows(path: Path) -> dict[int, Row]:
    """Return the rows of a file by the number of their sheet."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {row["n"]: row for row in rows}


def fill_in(sheet: str, finding: Row, answers: dict[str, Row], grade: Row) -> Iterator[str]:
    """Yield the lines of a sheet with the answers in place of its form, and the verdict at its end."""
    yield sheet.removesuffix(FORM).rstrip()
    for reader, answer in answers.items():
        yield from ("", f"## Reader {reader}", "")
        defects = answer["defects"]
        assert isinstance(defects, list)
        yield from (_describe_defect(defect) for defect in defects)
        if not defects:
            yield "No defect."
    yield from ("", "## The judge", "", f"`{finding['check']}`: {finding['headline']}", "")
    messages = finding["message"]
    assert isinstance(messages, list)
    yield from (f"* {message}" for message in messages)
    note = f": {grade['note']}" if grade["note"] else ""
    yield from ("", f"**{grade['class']}**{note}", "")


def _describe_defect(defect: dict[str, str]) -> str:
    arguable = f" Arguable: {defect['arguable']}" if defect.get("arguable") else ""
    return f"* {defect['side']}, {defect['where']}: {defect['defect']} ({defect['by']}){arguable}"


def write_table(key: Row, grades: dict[int, Row]) -> Iterator[str]:
    """Yield the lines of the page of a trial."""
    counts = Counter(str(grade["class"]) for grade in grades.values())
    findings = key["findings"]
    assert isinstance(findings, dict)
    yield from ("# A precision trial", "", f"Judge and seed: {key['seed']}.", "")
    shown = ", ".join(f"{counts[name]} {name}" for name in CLASSES)
    yield f"{shown}: {counts['true'] / len(grades):.0%} of {len(grades)} are true."
    yield from ("", "| sheet | adapter | case | check | |", "|---|---|---|---|---|")
    for name, finding in findings.items():
        grade = grades[int(name)]
        yield (
            f"| [{name}]({name}.md) | {finding['adapter']} | `{finding['case']}` | `{finding['check']}` | "
            f"{grade['class']} |"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
