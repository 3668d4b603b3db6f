"""Which cases a scenario becomes, and which are only counted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.drivers.driver import IDENTITY, Driver
from bridgecheck.files import load_scenario
from bridgecheck.model.adapter import AdapterInfo, Route
from bridgecheck.model.scenario import Scenario
from bridgecheck.run.plan import Selection, plan

Document = dict[str, Any]
Put = Callable[[Document], Path]

BOTH: frozenset[Route] = frozenset({("gemini", "gemini"), ("openai-chat", "gemini")})


def adapter(routes: frozenset[Route] = BOTH, claims: frozenset[str] = frozenset(), live: bool = False) -> Driver:
    info = AdapterInfo("mine", "1", routes, claims=claims)
    something: Any = object()
    return Driver("python:x:y", info, something, something if live else None, routes)


@pytest.fixture
def scenario(put: Put, document: Document) -> Scenario:
    return load_scenario(put(document))


EVERYTHING = Selection()


def addresses(scenario: Scenario, driver: Driver, selection: Selection = EVERYTHING) -> list[str]:
    return [case.key.route_mode_layer for case in plan(scenario, driver, selection) if not case.why_not]


@pytest.mark.row("S1.54")
def test_native_runs_where_request_and_script_share_a_dialect(scenario: Scenario) -> None:
    assert addresses(scenario, adapter(), Selection(paths=("native",))) == [
        "native-gemini-to-gemini-unary-wire",
        "native-gemini-to-gemini-unary-sdk",
        "native-gemini-to-gemini-stream-wire",
        "native-gemini-to-gemini-stream-sdk",
    ]


@pytest.mark.row("S1.54")
def test_bridged_runs_every_stated_pair_that_is_routed(scenario: Scenario) -> None:
    assert addresses(scenario, adapter(), Selection(paths=("bridged",))) == [
        "bridged-gemini-to-gemini-unary-wire",
        "bridged-gemini-to-gemini-stream-wire",
        "bridged-openai-chat-to-gemini-unary-wire",
        "bridged-openai-chat-to-gemini-stream-wire",
    ]


def test_sessions_add_the_sdk_layer_where_an_sdk_exists(scenario: Scenario) -> None:
    driver = replace(adapter(live=True), sessions=frozenset({("openai-chat", "gemini")}))
    sdk = [variant for variant in addresses(scenario, driver) if variant.startswith("bridged") and "sdk" in variant]
    assert sdk == ["bridged-openai-chat-to-gemini-unary-sdk", "bridged-openai-chat-to-gemini-stream-sdk"]


def test_unrouted_cases_are_counted_with_their_reason(scenario: Scenario) -> None:
    cases = plan(scenario, adapter(frozenset({("gemini", "gemini")})), Selection(paths=("bridged",), modes=("unary",)))
    assert [(case.key.client, case.why_not) for case in cases] == [
        ("gemini", ""),
        ("openai-chat", "mine does not route openai-chat to gemini"),
    ]


def test_an_unclaimed_capability_is_counted_with_its_reason(scenario: Scenario) -> None:
    needs = replace(scenario, requires=("tools",))
    bridged = plan(needs, adapter(), Selection(paths=("bridged",)))
    assert {case.why_not for case in bridged} == {"mine does not claim tools"}
    claimed = plan(needs, adapter(claims=frozenset({"tools"})), Selection(paths=("bridged",)))
    assert {case.why_not for case in claimed} == {""}
    silent = replace(adapter(), judged_on_all=True)
    assert {case.why_not for case in plan(needs, silent, Selection(paths=("bridged",)))} == {""}
    assert all(not case.why_not for case in plan(needs, adapter(), Selection(paths=("native",))))


def test_the_identity_may_be_the_target(scenario: Scenario) -> None:
    bridged = plan(scenario, IDENTITY, Selection(paths=("bridged",), modes=("unary",)))
    assert [(case.key.route_mode_layer, bool(case.why_not)) for case in bridged] == [
        ("bridged-gemini-to-gemini-unary-wire", False),
        ("bridged-openai-chat-to-gemini-unary-wire", True),
    ]


@pytest.mark.parametrize(
    ("glob", "count"),
    [
        ("messages/plain", 8),
        ("messages", 8),
        ("*::bridged-*", 4),
        ("messages/plain::*-stream-wire", 3),
        ("messages/plain::native-gemini-to-gemini-unary-sdk", 1),
        ("tools/*", 0),
        ("messages/plain::nothing", 0),
    ],
)
def test_addresses_select_cases(scenario: Scenario, glob: str, count: int) -> None:
    assert len(plan(scenario, adapter(), Selection(addresses=(glob,)))) == count


def test_a_pair_that_some_turn_does_not_state_is_not_played(scenario: Scenario) -> None:
    first = scenario.turns[0]
    second = replace(first, client={"gemini": first.client["gemini"]})
    both = replace(scenario, turns=(first, second))
    assert all("openai-chat" not in variant for variant in addresses(both, adapter()))
