"""Call arguments and tool results."""

import pytest

from bridgecheck_reference.convert.arguments import parse_arguments, result_object, result_text, write_arguments


@pytest.mark.parametrize("raw", [None, "", "  ", "null", "{}", {}])
def test_no_arguments_in_any_spelling_are_an_empty_object(raw: object) -> None:
    assert parse_arguments(raw) == {}


@pytest.mark.parametrize("raw", ["[1]", "3", '"x"', '{"q": "unclosed', "NaN", '{"a": NaN}', "[DONE]", 7, ["a"]])
def test_what_is_no_object_is_not_taken_for_one(raw: object) -> None:
    assert parse_arguments(raw) is None


def test_integers_stay_exact_and_text_readable() -> None:
    assert parse_arguments('{"n": 9007199254740993, "huge": 123456789012345678901234567890}') == {
        "n": 9007199254740993,
        "huge": 123456789012345678901234567890,
    }
    assert write_arguments({"ort": "Zürich", "n": 9007199254740993}) == '{"ort": "Zürich", "n": 9007199254740993}'


@pytest.mark.parametrize(
    ("args", "written"), [(None, "{}"), ({}, "{}"), ('{"a":1}', '{"a":1}'), ("", "{}"), ("nonsense", None), ([1], None)]
)
def test_arguments_are_always_written_as_text(args: object, written: str | None) -> None:
    assert write_arguments(args) == written


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"output": "sunny"}, "sunny"),
        ({"output": ""}, ""),
        ({"output": ["a", "b"]}, '["a", "b"]'),
        ({"output": 3}, '{"output": 3}'),
        ({"result": "x"}, '{"result": "x"}'),
        ({"output": "x", "more": 1}, '{"output": "x", "more": 1}'),
        ({"error": "boom"}, '{"error": "boom"}'),
        ({"content": {"deep": 1}}, '{"content": {"deep": 1}}'),
        ({}, "{}"),
        (None, ""),
        ("plain", "plain"),
    ],
)
def test_a_result_becomes_text(response: object, text: str) -> None:
    assert result_text(response) == text


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ("sunny", {"output": "sunny"}),
        ("", {"output": ""}),
        ("42", {"output": "42"}),
        ('{"temp": 3, "deep": {"k": [1, null]}}', {"temp": 3, "deep": {"k": [1, None]}}),
        ('["a", "b"]', {"output": ["a", "b"]}),
        ('{"output": "x"}', {"output": '{"output": "x"}'}),
        ('{"broken": ', {"output": '{"broken": '}),
        ("[DONE]", {"output": "[DONE]"}),
    ],
)
def test_text_becomes_a_result(text: str, response: object) -> None:
    assert result_object(text) == response


@pytest.mark.parametrize(
    "response",
    [
        {"output": "x"},
        {"output": ["a", "b"]},
        {"output": {"a": 1}},
        {"result": "x"},
        {"content": "c", "name": "n"},
        {"error": "boom"},
        {"own": {"keys": [1, 2.5, None, True]}},
        {},
    ],
)
def test_every_wrapper_comes_back_as_it_was(response: dict[str, object]) -> None:
    assert result_object(result_text(response)) == response


@pytest.mark.parametrize("text", ["x", "", '{"output": "x"}', '{"output": ["x"]}', "[1, 2]", "{", "3"])
def test_every_text_comes_back_as_it_was(text: str) -> None:
    assert result_text(result_object(text)) == text


def test_the_older_preference_for_content_is_an_option() -> None:
    assert result_text({"content": "c", "name": "n"}, "content") == "c"
    assert result_text({"content": {"a": 1}}, "content") == '{"a": 1}'
