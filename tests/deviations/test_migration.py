"""docs/migrate_fingerprints.py: new fingerprints in deviations.toml and findings.toml, everything else as it was."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.jsonfile import to_text

TOOL: Final = Path(__file__).resolve().parents[2] / "docs" / "migrate_fingerprints.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("migrate_fingerprints", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def case(scenario: str, *messages: str) -> CaseResult:
    key = CaseKey(scenario, "bridged", "gemini", "openai-chat", "unary", "wire")
    return CaseResult(key, "mine", tuple(Verdict("response.text", "FAIL", message) for message in messages))


def report(*cases: CaseResult) -> Report:
    return Report.from_results(RunInfo("mine", planned=len(cases)), cases)


def mark(item: CaseResult, position: int = 0) -> str:
    return fingerprint(item, item.verdicts[position])


DEVIATIONS: Final = """\
# what is known

# the first
[[deviation]]
fingerprint = "{0}"  # stays
reason = "why {0} is accepted"

[[deviation]]
check = "response.usage"
reason = "by check"

# the second
[[deviation]]
fingerprint = "{1}"
reason = "another"
"""
FINDINGS: Final = """\
[[finding]]
id = "lost"
fingerprints = ["{0}", "{1}"]  # both
why = "{0} is only text here"
"""

OLD: Final = (case("a/a", "text got lost", "text got cut"), case("b/b", "text got lost"))


def write(folder: Path, old: Report, new: Report) -> list[str]:
    """The arguments: two reports, and a folder with both files that name the old fingerprints."""
    (folder / "old.json").write_text(to_text(old), encoding="utf-8")
    (folder / "new.json").write_text(to_text(new), encoding="utf-8")
    marks = mark(OLD[0]), mark(OLD[0], 1)
    (folder / "deviations.toml").write_text(DEVIATIONS.format(*marks), encoding="utf-8")
    (folder / "findings.toml").write_text(FINDINGS.format(*marks), encoding="utf-8")
    return [str(folder / "old.json"), str(folder / "new.json"), str(folder)]


def test_new_messages_give_new_fingerprints_and_nothing_else_changes(tool: ModuleType, tmp_path: Path) -> None:
    new = (case("a/a", "text is missing", "text is incomplete"), case("b/b", "text is missing"))
    assert tool.main(write(tmp_path, report(*OLD), report(*new))) == 0
    before, after = (mark(OLD[0]), mark(OLD[0], 1)), (mark(new[0]), mark(new[0], 1))
    expected = DEVIATIONS.format(*after).replace(f"why {after[0]}", f"why {before[0]}")
    assert (tmp_path / "deviations.toml").read_text() == expected
    expected = FINDINGS.format(*after).replace(f'why = "{after[0]}', f'why = "{before[0]}')
    assert (tmp_path / "findings.toml").read_text() == expected


def test_the_same_messages_change_nothing(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.main(write(tmp_path, report(*OLD), report(*OLD))) == 0
    assert (tmp_path / "deviations.toml").read_text() == DEVIATIONS.format(mark(OLD[0]), mark(OLD[0], 1))


def test_a_fingerprint_without_a_counterpart_is_listed_and_unchanged(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = (case("a/a", "text is missing"), case("b/b", "text is missing"))
    assert tool.main(write(tmp_path, report(*OLD), report(*new))) == 1
    lost = mark(OLD[0], 1)
    assert f"deviations.toml: {lost} has no counterpart in the new report" in capsys.readouterr().out
    assert f'fingerprint = "{lost}"' in (tmp_path / "deviations.toml").read_text()
    assert f'["{mark(new[0])}", "{lost}"]' in (tmp_path / "findings.toml").read_text()


def test_a_split_fingerprint_is_refused_unless_all_parts_are_listed(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = (case("a/a", "text is missing", "text is incomplete"), case("b/b", "text is not there"))
    arguments = write(tmp_path, report(*OLD), report(*new))
    assert tool.main(arguments) == 2
    several = f"{mark(new[0])}, {mark(new[1])}"
    assert f"deviations.toml: {mark(OLD[0])} became several: {several}" in capsys.readouterr().out
    assert mark(OLD[0]) in (tmp_path / "findings.toml").read_text()
    assert tool.main([*arguments, "--all"]) == 0
    deviations, findings = ((tmp_path / f"{name}.toml").read_text() for name in ("deviations", "findings"))
    marks = mark(new[0]), mark(new[1]), mark(new[0], 1)
    assert all(deviations.count(f'fingerprint = "{mark_}"') == 1 for mark_ in marks)
    assert deviations.count(f'reason = "why {mark(OLD[0])} is accepted"') == 2
    listed = '", "'.join(marks)
    assert f'fingerprints = ["{listed}"]  # both' in findings


def test_two_merged_fingerprints_become_one_entry(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = (case("a/a", "text is missing", "text is missing"), case("b/b", "text is missing"))
    assert tool.main(write(tmp_path, report(*OLD), report(*new))) == 0
    deviations = (tmp_path / "deviations.toml").read_text()
    assert deviations.count("fingerprint = ") == 1
    assert "# the second" not in deviations
    dropped = [line for line in capsys.readouterr().out.split("\n") if "dropped" in line]
    assert len(dropped) == 1 and mark(OLD[0], 1) in dropped[0] and mark(new[0]) in dropped[0]
    assert f'fingerprints = ["{mark(new[0])}"]  # both' in (tmp_path / "findings.toml").read_text()
