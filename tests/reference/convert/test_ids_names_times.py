"""Casing, ids, names, times, finish reasons: the small concepts, one table each."""

import pytest

from bridgecheck_reference.convert import names
from bridgecheck_reference.convert.gemini import finish
from bridgecheck_reference.convert.ids import CallIds, document_digest
from bridgecheck_reference.convert.json_values import camel, camel_key
from bridgecheck_reference.convert.times import format_timestamp, parse_timestamp


@pytest.mark.parametrize(
    ("key", "expected"),
    [("max_output_tokens", "maxOutputTokens"), ("topP", "topP"), ("_private", "_private"), ("a", "a"), ("", "")],
)
def test_keys_become_camel_case(key: str, expected: str) -> None:
    assert camel_key(key) == expected


def test_camel_touches_one_level_and_camel_case_wins() -> None:
    source = {"top_p": 1, "topP": 2, "stop_sequences": [{"inner_key": 1}]}
    assert camel(source) == {"topP": 2, "stopSequences": [{"inner_key": 1}]}
    assert source == {"top_p": 1, "topP": 2, "stop_sequences": [{"inner_key": 1}]}
    assert camel(None) == {}


def test_ids_are_numbered_by_name_over_the_history() -> None:
    ids = CallIds()
    ids.begin_step()
    made = [ids.assign_call_id(name, "") for name in ("get_weather", "search", "get_weather")]
    assert made == ["call_get_weather_0001", "call_search_0001", "call_get_weather_0002"]


def test_parallel_results_without_ids_pair_in_order() -> None:
    ids = CallIds()
    ids.begin_step()
    first, second = ids.assign_call_id("f", ""), ids.assign_call_id("f", "")
    assert [ids.find_result_id("f", ""), ids.find_result_id("f", "")] == [first, second]


def test_results_with_ids_pair_in_any_order() -> None:
    ids = CallIds()
    ids.begin_step()
    for original in ("id-a", "id-b"):
        ids.assign_call_id("f", original)
    assert ids.find_result_id("f", "id-b") == "id-b"
    assert ids.find_result_id("f", "") == "id-a"
    assert ids.find_result_id("f", "") == ""


def test_a_result_cannot_answer_a_call_of_an_earlier_step() -> None:
    ids = CallIds()
    ids.begin_step()
    ids.assign_call_id("f", "")
    ids.begin_step()
    assert ids.find_result_id("f", "") == ""


def test_a_repeated_id_gets_a_suffix() -> None:
    ids = CallIds()
    ids.begin_step()
    assert [ids.assign_call_id("f", "x"), ids.assign_call_id("f", "x")] == ["x", "x_2"]
    assert [ids.find_result_id("f", "x"), ids.find_result_id("f", "x")] == ["x", "x_2"]


def test_functions_whose_names_look_like_ids_do_not_collide() -> None:
    ids = CallIds()
    ids.begin_step()
    assert ids.assign_call_id("response_x", "") != ids.assign_call_id("x", "")
    assert ids.find_result_id("x", "") == "call_x_0001"


def test_a_digest_depends_only_on_the_document() -> None:
    assert document_digest({"a": 1}) == document_digest({"a": 1}) != document_digest({"a": 2})


@pytest.mark.parametrize(
    ("name", "sent"),
    [("get_weather", "get_weather"), ("a.b:c", "a_b_c"), ("srv/get item", "srv_get_item"), ("ünï", "_n_")],
)
def test_names_openai_refuses_are_cleaned(name: str, sent: str) -> None:
    assert names.map_names_for_openai([name]).get(name, name) == sent


def test_cleaned_names_stay_distinct_and_are_restored() -> None:
    names_to_map = ["1c_reload", "srv/get item", "srv_get_item", "x" * 80, "x" * 81, "-dash", "a.b:c"]
    changed = names.map_names_for_gemini(names_to_map)
    sent = [changed.get(name, name) for name in names_to_map]
    assert len(set(sent)) == len(names_to_map)
    assert all(len(name) <= 64 and (name[0].isalpha() or name[0] == "_") for name in sent)
    back = names.create_reverse_renamer_if_needed(changed)
    assert back is not None
    assert [back(name) for name in sent] == names_to_map


def test_legal_names_need_no_renaming() -> None:
    assert names.map_names_for_gemini(["a.b:c-1", "_x"]) == {}
    assert names.create_renamer_if_needed({}) is None


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2000-02-29T12:00:00Z", 951825600),
        ("2025-09-03T14:13:07.015693Z", 1756908787),
        ("2100-03-01T00:00:00Z", 4107542400),
    ],
)
def test_times(stamp: str, seconds: int) -> None:
    assert parse_timestamp(stamp) == seconds
    assert format_timestamp(seconds) == stamp[:19] + "Z"


@pytest.mark.parametrize("stamp", [None, 3, "", "yesterday", "2025-09-03T14:13:07+02:00", "2025-0x-03T14:13:07Z"])
def test_an_invalid_time_gives_none(stamp: object) -> None:
    assert parse_timestamp(stamp) is None


@pytest.mark.parametrize(
    ("native", "calls", "expected"),
    [
        ("STOP", False, "stop"),
        ("STOP", True, "tool_calls"),
        ("MAX_TOKENS", False, "length"),
        ("MAX_TOKENS", True, "length"),
        ("SAFETY", True, "content_filter"),
        ("RECITATION", False, "content_filter"),
        ("LANGUAGE", False, "content_filter"),
        ("OTHER", False, "stop"),
        ("BRAND_NEW_REASON", False, "stop"),
        ("MALFORMED_FUNCTION_CALL", True, "error"),
        ("UNEXPECTED_TOOL_CALL", False, "error"),
    ],
)
def test_finish_reasons_towards_openai(native: str, calls: bool, expected: str) -> None:
    assert finish.to_openai(native, calls) == expected


def test_every_finish_reason_of_the_sdk_is_mapped() -> None:
    from google.genai.types import FinishReason

    known = {reason.value for reason in FinishReason}
    assert known <= set(finish.FROM_GEMINI)


@pytest.mark.parametrize(("value", "word"), [
    ("stop", "STOP"), (1, "STOP"), (2, "MAX_TOKENS"), (9, "MALFORMED_FUNCTION_CALL"), (11, "IMAGE_SAFETY"), (77, "77"),
    (None, ""),
])  # fmt: skip
def test_finish_reasons_in_any_spelling(value: object, word: str) -> None:
    assert finish.normalise_finish_reason(value) == word


@pytest.mark.parametrize(
    ("held", "new", "expected"),
    [("", "STOP", "STOP"), ("STOP", "RECITATION", "RECITATION"), ("MAX_TOKENS", "STOP", "MAX_TOKENS")],
)
def test_the_more_specific_of_two_finish_reasons_counts(held: str, new: str, expected: str) -> None:
    assert finish.later_or_more_precise_finish_reason(held, new) == expected
