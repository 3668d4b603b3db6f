"""Which case is played next while a finished one may still be sent one of its requests again."""

from dataclasses import replace

from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.verdict import CaseKey
from bridgecheck.pytest_plugin.put_off import PutOffCases
from bridgecheck.run.record import request_group
from bridgecheck.run.turns import minimal_response, scenario_turns


def test_cases_whose_user_says_the_same_may_be_sent_the_same_request_in_either_mode() -> None:
    """Some adapters always request a stream: what the case in the other mode was sent is no repetition."""

    def group_of(scenario: str, key: CaseKey) -> str:
        found = load_scenario(scenarios_root() / f"{scenario}.json")
        return request_group(key, scenario_turns(found, key, [minimal_response(key.upstream, key.mode)]))

    unary = CaseKey("errors/internal", "bridged", "outcome", "anthropic", "unary", "sdk")
    assert group_of("errors/internal", unary) == group_of("errors/internal", replace(unary, mode="stream"))
    assert group_of("errors/internal", unary) != group_of("errors/internal", replace(unary, upstream="gemini"))
    assert group_of("errors/internal", unary) != group_of("messages/plain-text", unary)


def test_a_case_waits_behind_later_ones_and_at_the_end_for_its_time() -> None:
    waits, slept = {"again": 3.0}, []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        waits["again"] = 0

    items = ["first", "again", "second", "third"]
    put_off = PutOffCases(lambda item: waits.get(item, 0), sleep)
    assert [put_off.choose(item, items) for item in items] == ["first", "second", "third", "again"]
    assert len(slept) == 1


def test_a_case_that_need_not_wait_any_more_comes_next() -> None:
    waits = {"again": 3.0}
    items = ["again", "first", "second"]
    put_off = PutOffCases(lambda item: waits.get(item, 0))
    assert put_off.choose("again", items) == "first"
    waits.clear()
    assert [put_off.choose(item, items) for item in items[1:]] == ["again", "second"]
