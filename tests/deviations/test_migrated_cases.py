"""docs/migrate_deviations.py: entries without cases get those of the report beside them, and keep their words."""

import gzip
import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from bridgecheck.deviations import KnownIds, read_deviations
from bridgecheck.errors import BadReport
from bridgecheck.files.jsonfile import read_json
from bridgecheck.model.verdict import CaseKey, CaseResult, Difference, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.jsonfile import from_json, to_text

TOOL: Final = Path(__file__).resolve().parents[2] / "docs" / "migrate_deviations.py"
LOST: Final = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
TEXT: Final = Verdict("response.text", "FAIL", "text is lost", (Difference("text", "a", "(absent)"),))


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("migrate_deviations", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case(scenario: str, *verdicts: Verdict) -> CaseResult:
    key = CaseKey(scenario, "bridged", "gemini", "openai-chat", "unary", "wire")
    return CaseResult(key, "mine", verdicts)


def test_entries_get_the_cases_of_the_report(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [case("usage/cached", LOST), case("usage/none", LOST), case("finish/stop", TEXT)]
    report = Report.from_results(RunInfo("mine", started="2026-11-20", planned=len(cases)), cases)
    (tmp_path / "report.json.gz").write_bytes(gzip.compress(to_text(report).encode()))
    listed, mended = fingerprint(cases[0], LOST), "0" * 10
    entries = [f'# the owner\'s words\n[[deviation]]\nfingerprint = "{listed}"\nreason = "it counts itself"\n']
    entries += [f'[[deviation]]\nfingerprint = "{mended}"\nreason = "long ago"\n']
    (tmp_path / "deviations.toml").write_text("\n".join(entries), encoding="utf-8")

    assert tool.main([str(tmp_path)]) == 0

    source = (tmp_path / "deviations.toml").read_text(encoding="utf-8")
    assert "# the owner's words" in source
    first, added = read_deviations(tmp_path / "deviations.toml", KnownIds([LOST.check, TEXT.check], []))
    assert (first.fingerprint, first.reason) == (listed, "it counts itself")
    assert sorted(first.codes_by_address) == [str(cases[0].key), str(cases[1].key)]
    assert "say why" in added.reason
    written = from_json(read_json(tmp_path / "report.json.gz", BadReport)[0])
    assert [item.counted_as for item in written.cases] == ["deviation"] * 3
    assert [replace(item.verdicts[0], excuse=None) for item in written.cases] == [TEXT, LOST, LOST]
    assert written.exit_code == 0 and "KNOWN FAILURES" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert f"{mended} fails nowhere by itself, taken out: long ago" in printed
    assert f"{added.fingerprint} was not listed: response.text: text is lost" in printed
