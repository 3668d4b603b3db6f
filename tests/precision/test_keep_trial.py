"""A kept trial shows what each reader and the judge said of each sheet, and counts what was true."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from draw_findings import FORM
from keep_trial import main


def write_lines(path: Path, *rows: object) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def test_answers_take_the_place_of_the_form(tmp_path: Path) -> None:
    (tmp_path / "sheets").mkdir()
    finding = {"adapter": "a 1", "case": "c", "check": "response.text", "headline": "text is lost", "message": ["m"]}
    write_lines(tmp_path / "key.json", {"seed": "abc", "findings": {"001": finding, "002": finding}})
    for name in ("001", "002"):
        (tmp_path / "sheets" / f"{name}.md").write_text(f"# {name}\n{FORM}", encoding="utf-8")
    defect = {"side": "response", "where": "text", "defect": "half is lost", "by": "the API", "arguable": ""}
    write_lines(tmp_path / "answers_A.jsonl", {"n": 1, "defects": [defect]}, {"n": 2, "defects": []})
    write_lines(tmp_path / "answers_B.jsonl", {"n": 1, "defects": [defect]}, {"n": 2, "defects": []})
    grades = ({"n": 1, "class": "true", "note": ""}, {"n": 2, "class": "false", "note": "nobody sees it"})
    write_lines(tmp_path / "grades.jsonl", *grades)
    assert main([str(tmp_path), str(tmp_path / "kept")]) == 0
    first, second, page = (
        (tmp_path / "kept" / name).read_text(encoding="utf-8") for name in ("001.md", "002.md", "README.md")
    )
    assert first.count("* response, text: half is lost (the API)") == 2 and "**true**" in first
    assert second.count("No defect.") == 2 and "**false**: nobody sees it" in second
    assert "Write one block a defect" not in first + second
    assert "1 true, 0 debatable, 1 false: 50% of 2 are true." in page
