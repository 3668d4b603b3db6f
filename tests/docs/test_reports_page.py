"""docs/reports.md says what every status of a verdict means."""

from pathlib import Path

from bridgecheck.model.verdict import STATUSES

PAGE = (Path(__file__).parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")


def test_the_table_has_every_status_worst_first() -> None:
    section = PAGE.partition("\n### Statuses\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    assert rows == ["status", *STATUSES, "accepted", "newer"]
