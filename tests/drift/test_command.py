"""``bridgecheck drift``: what it prints, its exit codes, and that accepting loses nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.store import save_cassette
from bridgecheck.drift import folders
from bridgecheck.drift.command import run_drift
from bridgecheck.errors import BadCassette, BadRecording, MissingPath, SecretFound

from .sample_answers import ANSWERS, edit_answer, record, rename, without

METADATA = {"source": "live", "scenario": "messages/plain"}
CASE = "openai-chat.unary"


def save(path: Path, *recorded: RecordedInteraction) -> Path:
    save_cassette(path, Cassette(METADATA, recorded))
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return save(tmp_path / "old.yaml", record(CASE))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return save(tmp_path / "new.yaml", edit_answer(CASE, rename("finish_reason", "stop_cause")))


def test_drift_is_printed_in_the_width_of_the_terminal(
    old: Path, new: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert run_drift(old, new, as_json=False, accept=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "BREAKING  a member has another name  (openai-chat, unary)" in lines
    assert "  checks   response.finish" in lines
    assert any(line.startswith("  types    openai ") for line in lines)
    assert "DRIFT: 1 breaking" in lines
    assert max(len(line) for line in lines if not line.startswith("accept it")) <= 72


def test_json_holds_everything(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_drift(old, new, as_json=True, accept=False) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["counts"] == {"breaking": 1, "notable": 0, "cosmetic": 0} and shown["compared"] == 1
    (finding,) = shown["findings"]
    assert finding["paths"] == ["choices[].finish_reason", "choices[].stop_cause"]
    assert finding["checks"] == ["response.finish"] and len(finding["scenarios"]) > 100


def test_no_drift_and_a_cosmetic_change_are_zero(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_drift(old, old, as_json=False, accept=False) == 0
    assert capsys.readouterr().out.endswith("NO DRIFT: nothing differs\n")
    cosmetic = save(tmp_path / "cosmetic.yaml", edit_answer(CASE, without("service_tier")))
    assert run_drift(old, cosmetic, as_json=False, accept=False) == 0
    assert capsys.readouterr().out.endswith("NO DRIFT: 1 cosmetic\n")


def test_accept_replaces_the_old_cassette(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_drift(old, new, as_json=False, accept=True) == 0
    assert old.read_bytes() == new.read_bytes()
    assert "accepted: 1 cassette replaced" in capsys.readouterr().out


def _cut(recorded: RecordedInteraction) -> RecordedInteraction:
    return replace(recorded, end="cut")


@pytest.mark.parametrize(("change", "error"), [(_cut, BadRecording), (None, SecretFound)])
def test_accept_refuses_what_is_broken_or_secret(
    old: Path, tmp_path: Path, change: Callable[[RecordedInteraction], RecordedInteraction] | None, error: type[Exception]
) -> None:  # fmt: skip
    before, bad = old.read_bytes(), tmp_path / "bad.yaml"
    save(bad, change(record(CASE)) if change else record(CASE))
    if change is None:
        text = bad.read_text(encoding="utf-8")
        bad.write_text(
            text.replace(
                "content-type: [application/json]", "authorization: [Bearer sk-proj-0a1B2c3D4e5F6g7H8i9J0k1L]", 1
            ),
            encoding="utf-8",
        )
    with pytest.raises(error):
        run_drift(old, bad, as_json=True, accept=True)
    assert old.read_bytes() == before


def test_accept_that_cannot_write_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        save(tmp_path / "old" / f"{name}.yaml", record(CASE))
        save(tmp_path / "new" / f"{name}.yaml", edit_answer(CASE, without("usage")))
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}

    def fail(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(MissingPath, match="No space left"):
        run_drift(tmp_path / "old", tmp_path / "new", as_json=True, accept=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before


def test_folders_are_paired_by_name_and_by_scenario(tmp_path: Path) -> None:
    for case in ANSWERS:
        save(tmp_path / "old" / f"{case}.yaml", record(case))
        save(tmp_path / "new" / f"{case}.yaml", edit_answer(case, without("usageMetadata")))
    save_cassette(tmp_path / "old" / "extra.yaml", Cassette({}, (record(CASE),)))
    (tmp_path / "new" / f"{CASE}.yaml").rename(tmp_path / "new" / "renamed.yaml")
    for side, name in (("old", CASE), ("new", "renamed")):
        of_one = Cassette({**METADATA, "dialect": "openai-chat", "mode": "unary"}, (record(CASE),))
        save_cassette(tmp_path / side / f"{name}.yaml", of_one)
    found = folders.compare_paths(tmp_path / "old", tmp_path / "new")
    assert len(found.pairs) == len(ANSWERS)
    assert (found.only_old, found.only_new) == (("extra.yaml",), ())
    assert [(finding.change, finding.severity, finding.paths, finding.recordings) for finding in found.findings] == [
        ("missing", "breaking", ("usageMetadata",), ("gemini.stream.yaml", "gemini.unary.yaml"))
    ]


def test_bad_paths_are_refused(old: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingPath, match="no such"):
        run_drift(old, tmp_path / "absent.yaml", as_json=False, accept=False)
    with pytest.raises(MissingPath, match="a file and a folder"):
        run_drift(old, tmp_path, as_json=False, accept=False)
    (tmp_path / "broken.yaml").write_text("version: 1\ninteractions: [{request: {}}]\n", encoding="utf-8")
    with pytest.raises(BadCassette):
        run_drift(old, tmp_path / "broken.yaml", as_json=False, accept=False)
