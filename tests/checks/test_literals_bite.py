"""Every literal expectation bites: it holds of what the reference sends, and fails when its value is missing there or is
another one, or, where a value is forbidden, when it stands there."""

import copy
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.checks.expect_wire import applies
from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.literals import find_violation, is_refusal, parse_path, plain_json, select
from bridgecheck.model.scenario import Scenario, WireDocumentPredicate
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library

FORBIDDING = frozenset({"absent", "none_of"})
COUNTING = frozenset({"present", "count", "distinct"})
"""Operators that another value in the same place satisfies."""

TOOTHLESS: dict[str, str] = {
    "chunks/thought-only choices[0].message.content": "it expects no text: none at all is right too",
    "conversations/half-of-parallel-calls-cut-off ": "the reference refuses the request, as it may",
}
"""Scenario and path -> why the expectation does not bite on what the reference sends."""


@pytest.mark.parametrize("step", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_every_literal_expectation_bites(step: int) -> None:
    known: set[tuple[int, str]] = set()
    bites: dict[tuple[int, str], bool] = defaultdict(bool)
    written = [scenario for scenario in scenarios(scenarios_root()) if not scenario.client_model]
    for scenario, key, transcript in play_reference(written[::step]):
        evidence: Any = SimpleNamespace(key=key, inexpressible=frozenset())
        for number, predicate in enumerate(scenario.expect.wire):
            name = (number, f"{scenario.id} {predicate.path}")
            known.add(name)
            if applies(predicate, evidence) and not bites[name]:
                bites[name] = does_bite(predicate, scenario, transcript)
    assert len(known) > 2000 / step
    assert {name for _, name in known if name in TOOTHLESS} == {
        name for number, name in known if not bites[number, name]
    }


def play_reference(chosen: list[Scenario]) -> Iterator[tuple[Scenario, CaseKey, CaseTranscript]]:
    driver, library = resolve(DEFAULT_TARGET), Library(cassettes_root())
    for scenario in chosen:
        for case in plan.plan(scenario, driver, plan.Selection(addresses=("*::bridged-*-wire",))):
            _, transcript, _ = run_with_transcript(case, scenario, driver, library)
            if transcript is not None and not transcript.crash and not transcript.refused:
                yield scenario, case.key, transcript


def document_of(predicate: WireDocumentPredicate, transcript: CaseTranscript) -> Any:
    if predicate.on == "upstream_request":
        requests = [call.request for call in transcript.upstream if call.request is not None]
        return requests[predicate.index].body if predicate.index < len(requests) else None
    documents = transcript.client[predicate.turn].response.documents
    return list(documents) if predicate.on == "client_events" else next(iter(documents), None)


def does_bite(predicate: WireDocumentPredicate, scenario: Scenario, transcript: CaseTranscript) -> bool:
    document = document_of(predicate, transcript)
    received = [list(turn.response.documents) for turn in transcript.client]
    is_refused = is_refusal(predicate.on, predicate.turn, document is not None, received)

    def fails(changed: object) -> bool:
        if predicate.operator == "bind":
            same = [two for two in scenario.expect.wire if two.operator == "bind" and two.operand == predicate.operand]
            documents = [changed if two is predicate else document_of(two, transcript) for two in same]
            values = [select(item, two.path, two.on) for two, item in zip(same, documents, strict=True)]
            return not all(values) or len({plain_json(value) for found in values for value in found}) > 1
        return bool(
            find_violation(predicate.operator, predicate.operand, changed, predicate.path, predicate.on, is_refused)
        )

    assert not fails(document), (scenario.id, predicate)
    if predicate.operator in FORBIDDING:
        values = predicate.operand if isinstance(predicate.operand, list) else ["planted"]
        return any(fails(plant_value(document, predicate, value)) for value in values)
    if document is None:
        return False
    deletes = any(fails(changed) for changed in delete_each_node(document, predicate.path))
    replaces = predicate.operator in COUNTING or any(
        fails(changed) for changed in replace_each_value(document, predicate.path)
    )
    return deletes and replaces


def plant_value(document: Any, predicate: WireDocumentPredicate, value: object) -> Any:
    """Return the document with the value at the path; what is missing on the way is made."""
    steps = parse_path(predicate.path)
    if predicate.on == "client_events" and predicate.path and not predicate.path.startswith("["):
        steps = [None, *steps]
    if not steps:
        return value if predicate.operator == "none_of" else {}
    root: list[Any] = [copy.deepcopy(document)]
    here: Any = root
    key: Any = 0
    for step in steps:
        if here[key] is None or isinstance(here[key], str | int | float):
            here[key] = {} if isinstance(step, str) else []
        here, key = here[key], step
        if isinstance(here, list):
            if not isinstance(step, int):
                holders = [at for at, item in enumerate(here) if isinstance(item, dict | list)]
                key = holders[-1] if holders else len(here)
            here += [None] * ((key + 1 if key >= 0 else -key) - len(here))
        elif isinstance(here, dict):
            key = "planted" if step == "*" else step
            here.setdefault(key, None)
    here[key] = value
    return root[0]


def nodes(value: Any, last: str) -> Iterator[tuple[Any, ...]]:
    """Yield the location of every node, those under the path's last key first."""
    found = list(_walk(value, ()))
    yield from sorted(found, key=lambda steps: last not in (steps[-1], *steps[-2:-1]))


def _walk(value: Any, steps: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*steps, key)
        yield from _walk(item, (*steps, key))


def _last_key(path: str) -> str:
    return next((step for step in reversed(parse_path(path)) if isinstance(step, str)), "")


def delete_each_node(document: Any, path: str) -> Iterator[Any]:
    """Yield the document without one of its nodes, each in turn, and then without all under the path's last key."""
    for steps in nodes(document, _last_key(path)):
        changed = copy.deepcopy(document)
        del _parent(changed, steps)[steps[-1]]
        yield changed
    changed = copy.deepcopy(document)
    for steps in reversed([steps for steps in nodes(document, "") if steps[-1] == _last_key(path)]):
        del _parent(changed, steps)[steps[-1]]
    yield changed


def replace_each_value(document: Any, path: str) -> Iterator[Any]:
    """Yield the document with another value in one place, each in turn."""
    for steps in nodes(document, _last_key(path)):
        changed = copy.deepcopy(document)
        parent = _parent(changed, steps)
        parent[steps[-1]] = 4711 if isinstance(parent[steps[-1]], str) else "another value"
        yield changed


def _parent(document: Any, steps: tuple[Any, ...]) -> Any:
    for step in steps[:-1]:
        document = document[step]
    return document
