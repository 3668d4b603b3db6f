"""Scenarios that contradict themselves are refused with the location when they are read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.errors import BadScenario
from bridgecheck.files import load_scenario, scenarios_root

Change = Callable[[dict[str, Any]], object]

REQUEST = {"on": "upstream_request[0]", "path": "contents", "present": True}
EVENTS = {"on": "client_events", "path": "[0]", "present": True}
ANSWER = {"on": "client_response", "path": "id", "present": True}


def _predicate(base: dict[str, Any], **keys: object) -> Change:
    return lambda scenario: scenario["expect"]["wire"].append({**base, **keys})


def _outcome(**keys: object) -> Change:
    return lambda scenario: scenario["expect"].update(outcome=keys)


def _prompt(**keys: object) -> Change:
    return lambda scenario: scenario["expect"].update(prompt=keys)


def _load(tmp_path: Path, change: Change) -> None:
    source = scenarios_root() / "messages" / "plain-text.json"
    scenario = json.loads(source.read_text(encoding="utf-8"))
    scenario["modes"] = ["unary"]
    scenario["upstream"].pop("anthropic", None)
    scenario["client"].pop("anthropic", None)
    scenario.pop("live", None)
    scenario["expect"] = {"wire": [{**REQUEST, "dialect": "gemini"}]}
    change(scenario)
    path = tmp_path / "messages" / "plain-text.json"
    path.parent.mkdir()
    path.write_text(json.dumps(scenario, indent=1), encoding="utf-8")
    load_scenario(path)


@pytest.mark.parametrize(
    ("change", "message", "path"),
    [
        (_predicate(EVENTS), "client_events without a stream", "expect.wire[1].on"),
        (_predicate(ANSWER, mode="stream"), "the scenario has no mode stream", "expect.wire[1].mode"),
        (_predicate(ANSWER, turn=1), "there is no turn 1", "expect.wire[1].turn"),
        (_predicate(ANSWER, dialect="anthropic"), "no client request in anthropic", "expect.wire[1].dialect"),
        (_predicate(REQUEST, dialect="anthropic"), "no upstream answers in anthropic", "expect.wire[1].dialect"),
        (_predicate(REQUEST, on="upstream_request[1]"), "there is no upstream request 1", "expect.wire[1].on"),
        (_outcome(error={"kind": "auth"}, text="Hello"), "text beside an error", "expect.outcome.text"),
        (_outcome(error={"kind": "auth"}, finish="stop"), "finish beside an error", "expect.outcome.finish"),
        (_outcome(finish="stop", finish_in=["length"]), "stop is not in finish_in", "expect.outcome.finish"),
        (_outcome(finish="stop", finish_not=["stop"]), "stop is in finish_not", "expect.outcome.finish"),
        (_outcome(tool_calls=[["raise_flag", {}]]), "a call of 'raise_flag', which no", "expect.outcome.tool_calls[0]"),
        (_outcome(turn=1), "there is no turn 1", "expect.outcome.turn"),
        (_prompt(turn=2), "there is no turn 2", "expect.prompt.turn"),
        (_prompt(tools=["raise_flag"]), "tools that no request declares", "expect.prompt.tools"),
        (lambda scenario: scenario.update(modes=["unary", "unary"]), "a mode is listed twice", "modes"),
        (
            lambda scenario: scenario.update(
                sources=[],
                evidence=[],
                level="SHOULD",
                basis={"kind": "recorded", "ref": "somewhere", "date": "2026-11-20"},
            ),
            "the scenario cites nothing",
            "basis",
        ),
    ],
)
def test_a_contradiction_is_refused(tmp_path: Path, change: Change, message: str, path: str) -> None:
    with pytest.raises(BadScenario) as wrong:
        _load(tmp_path, change)
    error = str(wrong.value)
    assert message in error
    assert f": {path}\n" in error
    assert "plain-text.json:" in error


@pytest.mark.parametrize(
    "change",
    [
        _predicate(ANSWER, dialect="gemini", mode="unary"),
        _outcome(error={"kind": "auth"}),
        _outcome(finish="stop", finish_in=["stop", "length"]),
        _prompt(tools=[]),
    ],
)
def test_a_consistent_scenario_is_read(tmp_path: Path, change: Change) -> None:
    _load(tmp_path, change)


def test_expecting_no_request_is_no_contradiction(tmp_path: Path) -> None:
    _load(tmp_path, lambda scenario: scenario["expect"]["wire"].append(
        {"on": "upstream_request[1]", "path": "", "absent": True}
    ))  # fmt: skip
