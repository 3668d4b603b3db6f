"""``bridgecheck ledger``: what it shows, what it writes, how it ends."""

import json
from pathlib import Path

import pytest

from bridgecheck.errors import BadTarget
from bridgecheck.ledger.command import LedgerOptions, print_ledger, run_ledger
from bridgecheck.ledger.play import MAX_ENDS, LedgerDialectsAndSide

FORGETFUL = """
class Forgetful:
    name, version = "forgetful", "1"
    routes = (("openai-chat", "gemini"),)

    def to_upstream(self, body, **rest):
        content = body["messages"][-1].get("content")
        return {"contents": [{"role": "user", "parts": [{"text": content if isinstance(content, str) else "?"}]}]}


class Live:
    name, version = "live", "1"
    routes = (("openai-chat", "gemini"),)

    def connect(self, **rest): ...


adapter, live = Forgetful(), Live()
"""


@pytest.fixture
def forgetful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "forgetful_adapter.py").write_text(FORGETFUL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "python:forgetful_adapter:adapter"


def test_the_identity_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_ledger(LedgerOptions("native:", LedgerDialectsAndSide(side="stream"), None, None)) == 0
    shown = capsys.readouterr().out
    assert "Where every field ends: identity" in shown
    assert "G>G stream" in shown and "O>O stream" in shown and "G>G request" not in shown
    assert "Failing" not in shown


def test_a_silent_loss_exits_with_1_and_is_named(forgetful: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_ledger(LedgerOptions(forgetful, LedgerDialectsAndSide(side="request"), None, None)) == 1
    shown = capsys.readouterr().out.replace("\n      ", " ")
    assert "Failing:" in shown
    (line,) = [line for line in shown.splitlines() if "O>G request temperature [text]: silent" in line]
    assert "settings.temperature" in line


def test_long_lines_fit_the_terminal(
    forgetful: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_ledger(LedgerOptions(forgetful, LedgerDialectsAndSide(side="request"), None, None))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert any(line.startswith("      ") for line in lines), "some line was too long for one"


def test_fates_can_be_filtered(forgetful: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_ledger(LedgerOptions(forgetful, LedgerDialectsAndSide(side="request"), "declared", None))
    shown = capsys.readouterr().out.replace("\n      ", " ")
    assert "declared:" in shown and "user [text]: declared (chat.user)" in shown
    assert "settings.temperature" not in shown


def test_the_report_holds_every_entry(forgetful: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_ledger(LedgerOptions(forgetful, LedgerDialectsAndSide(side="request"), None, tmp_path / "out"))
    document = json.loads((tmp_path / "out" / "ledger.json").read_text(encoding="utf-8"))
    assert (document["format"], document["version"]) == ("bridgecheck-ledger", 1)
    assert document["totals"]["silent"] == sum(entry["fate"] == "silent" for entry in document["entries"])
    (user,) = [entry for entry in document["entries"] if entry["leaf"] == "user"]
    assert (user["fate"], user["losses"], user["paths"]) == ("declared", ["chat.user"], ["settings.user"])
    page = (tmp_path / "out" / "ledger.md").read_text(encoding="utf-8")
    assert "| `user` | declared: chat.user |" in page
    assert str(tmp_path / "out" / "ledger.json") in capsys.readouterr().out


def test_a_target_without_documents_is_refused_at_start(forgetful: str) -> None:
    with pytest.raises(BadTarget, match="no wire layer"):
        run_ledger(forgetful.replace(":adapter", ":live"), LedgerDialectsAndSide())
    with pytest.raises(BadTarget, match="no such kind"):
        run_ledger("nonsense", LedgerDialectsAndSide())


def test_an_empty_selection_exits_with_4(forgetful: str) -> None:
    assert run_ledger(forgetful, LedgerDialectsAndSide(client="anthropic")).exit_code_of_bad_or_unrun == 4


EXITING = """
import os, pathlib


class Exiting:
    name, version = "exiting", "1"
    routes = (("openai-chat", "gemini"),)

    def to_upstream(self, body, **rest):
        with pathlib.Path(__file__).with_name("calls").open("a") as calls:
            calls.write("x")
        os._exit(0)


adapter = Exiting()
"""


def test_an_adapter_that_ends_its_process_is_not_asked_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exiting_adapter.py").write_text(EXITING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    options = LedgerOptions("python:exiting_adapter:adapter", LedgerDialectsAndSide(side="request"), None, None)
    assert print_ledger(options) == 1
    assert MAX_ENDS <= len((tmp_path / "calls").read_text(encoding="utf-8")) < MAX_ENDS + 3
    shown = " ".join(capsys.readouterr().out.split())
    assert f"more: not asked: the adapter ended its process, or hung, {MAX_ENDS} times" in shown
