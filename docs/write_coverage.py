"""``make docs``: writes docs/coverage.md anew: which test shows which row of the checklists.

Rows and the reasons of those left out stand in coverage_rows.json, the tests say with ``pytest.mark.row`` what they
show. S1 is the provider layer, S2 the conversion between Gemini and OpenAI, S3 the prompt assembler, S4 the chat, S5
gemini-cli as a model.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from collect_marks import collect_marks

HERE: Final = Path(__file__).resolve().parent
ROWS: Final = HERE / "coverage_rows.json"
PAGE: Final = HERE / "coverage.md"
OPEN: Final = "**open**"

_HEAD: Final = """# Which test shows what

Every row of the checklists the reference is built from, and the tests that show it. S1 is the provider layer, S2 the
conversion between Gemini and OpenAI, S3 the prompt assembler, S4 the chat, S5 gemini-cli as a model. Written by
`docs/write_coverage.py` from the marks in the tests (`pytest.mark.row`): `make docs`. `[OUT]` rows are left out on
purpose, with the reason.

{count}
"""
_TABLE: Final = "\n| Row | What | Shown by |\n| --- | --- | --- |\n"


def page(rows: Mapping[str, str], out: Mapping[str, str], shown: Mapping[str, Iterable[str]]) -> str:
    """Return the page. ``rows``: id -> what; ``out``: id -> why it is left out; ``shown``: id -> node ids of tests.

    ``ValueError`` on a mark for a row that does not exist, and on a row left out that a test shows.
    """
    if unknown := sorted(shown.keys() - rows.keys()):
        raise ValueError(f"marked in tests, but no row of {ROWS.name}: {', '.join(unknown)}")
    if both := sorted(shown.keys() & out.keys()):
        raise ValueError(f"left out in {ROWS.name}, but shown by a test: {', '.join(both)}")
    lines = [f"| {row} | {what} | {_answer_cell(row, out, shown)} |\n" for row, what in rows.items()]
    left = len(open_rows(rows, out, shown))
    count = f"{len(rows)} rows: {len(rows) - len(out) - left} shown, {len(out)} left out, {left} open."
    return _HEAD.format(count=count) + _TABLE + "".join(lines)


def open_rows(rows: Iterable[str], out: Mapping[str, str], shown: Mapping[str, object]) -> list[str]:
    """Return the rows that no test shows and that are not left out."""
    return [row for row in rows if row not in shown and row not in out]


def _answer_cell(row: str, out: Mapping[str, str], shown: Mapping[str, Iterable[str]]) -> str:
    if row in out:
        return f"[OUT] {out[row]}"
    return "<br>".join(f"`{node.removeprefix('tests/')}`" for node in shown.get(row, ())) or OPEN


def current_page() -> str:
    """Return the page as it should be now: collects the tests, which takes seconds."""
    found = json.loads(ROWS.read_text(encoding="utf-8"))
    return page(found["rows"], found["out"], collect_marks("row"))


def main() -> None:
    PAGE.write_text(current_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
