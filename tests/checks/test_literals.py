"""Literal expectations: the operator that forbids values, and keys of Gemini requests in either casing."""

import pytest

from bridgecheck.checks.expect_wire import find_violation, select
from bridgecheck.wire import JsonObject

MIXED: JsonObject = {
    "generationConfig": {"thinkingConfig": {"thinking_budget": 0}},
    "contents": [{"parts": [{"inlineData": {"mime_type": "image/png"}}]}],
}


@pytest.mark.parametrize(
    ("values", "wrong"), [([], False), ([None, "error"], False), ([None, "stop"], True), (["STOP"], False)]
)
def test_none_of_forbids_values_and_requires_no_value(values: list[object], wrong: bool) -> None:
    assert bool(find_violation("none_of", ["stop", "length"], values)) is wrong


@pytest.mark.parametrize(
    ("path", "value"),
    [("generationConfig.thinkingConfig.thinkingBudget", 0), ("contents[].parts[].inlineData.mimeType", "image/png")],
)
def test_a_camel_case_key_matches_its_snake_case_spelling_only_if_enabled(path: str, value: object) -> None:
    assert [found for _, found in select(MIXED, path, either_casing=True)] == [value]
    assert select(MIXED, path) == []


@pytest.mark.parametrize(
    ("values", "wrong"), [([None, "stop", None], False), (["stop", "length"], True), ([None], True), ([], True)]
)
def test_last_is_the_last_value_that_is_present(values, wrong):
    assert bool(find_violation("last", {"equals": "stop"}, values)) is wrong
