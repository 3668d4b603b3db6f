"""docs/protocol.md, "Events": what a converter is fed, and when its stream is closed."""

from typing import Any

import pytest

from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan

FIRST_KEYS = {"gemini": "candidates", "openai-chat": "choices", "anthropic": "type"}


class Listener:
    """Passes on what it is fed, and notes it."""

    name, version = "listener", "1"
    routes = tuple((dialect, dialect) for dialect in FIRST_KEYS)

    def __init__(self) -> None:
        self.fed: list[dict[str, Any]] = []
        self.closed = 0

    def to_upstream(self, body: dict[str, Any], **rest: object) -> dict[str, Any]:
        return body

    def stream(self, **rest: object) -> "Listener":
        return self

    def feed(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        self.fed.append(event)
        return [event]

    def close(self) -> list[dict[str, Any]]:
        self.closed += 1
        return []


@pytest.mark.parametrize("scenario_id", ["messages/plain-text", "broken-streams/cut-mid-event", "broken-streams/reset"])
@pytest.mark.parametrize("dialect", FIRST_KEYS)
def test_documents_are_fed_and_the_stream_is_closed_once(library: Library, scenario_id: str, dialect: str) -> None:
    scenario, listener = load_scenario(scenarios_root() / f"{scenario_id}.json"), Listener()
    driver = describe_adapter("listener", listener)
    cases = plan(scenario, driver, Selection(("stream",), ("bridged",), layers=("wire",)))
    (case,) = [case for case in cases if case.key.client == case.key.upstream == dialect]
    run_with_transcript(case, scenario, driver, library)
    assert listener.fed and all(FIRST_KEYS[dialect] in event for event in listener.fed)
    assert listener.closed == 1
