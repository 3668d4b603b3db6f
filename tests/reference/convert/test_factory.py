"""Converters by the name of a dialect."""

import copy
import logging
from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.factory import NO_MODEL, get_converter
from bridgecheck_reference.errors import ConversionError, UnknownFormatError

from .samples import event, model, result, user

RESULTS = replace(NATIVE, errors="result")
CHAT = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.row("S2.6")
def test_a_converter_for_each_dialect_made_anew() -> None:
    assert get_converter("gemini") is not get_converter("gemini")
    assert [get_converter(name).name for name in ("gemini", "openai")] == ["gemini", "openai"]
    with pytest.raises(UnknownFormatError, match="unknown format 'klingon'; known: gemini, openai"):
        get_converter("klingon")


@pytest.mark.row("S2.1", "S2.3")
def test_requests_go_and_answers_come_back() -> None:
    converted = get_converter("gemini").convert_request({"contents": [user("x")]}, "openai", "m")
    assert (converted.success, converted.data, converted.error) == (True, CHAT, "")
    answer = {"choices": [{"message": {"content": "y"}, "finish_reason": "stop"}]}
    back = get_converter("gemini").convert_response(answer, "openai")
    assert back.data is not None and back.data["candidates"][0]["content"]["parts"] == [{"text": "y"}]
    there = get_converter("openai").convert_request(CHAT, "gemini", "gemini-2.5-pro")
    assert there.data == {"contents": [{"role": "user", "parts": [{"text": "x"}]}]}
    content = get_converter("openai").convert_response(event({"text": "y"}, finish="STOP"), "gemini", model="g")
    assert content.data is not None and content.data["choices"][0]["message"]["content"] == "y"


@pytest.mark.row("S2.2")
def test_a_request_in_the_upstreams_own_dialect_passes_through() -> None:
    for name, document in (("gemini", {"contents": [user("x")], "odd": 1}), ("openai", {**CHAT, "odd": 1})):
        converted = get_converter(name).convert_request({**document, "stream": True}, name, "m")
        assert converted.data == document
        assert get_converter(name).convert_response({"any": 1}, name).data == {"any": 1}


@pytest.mark.row("S2.7")
def test_the_model_has_to_be_named() -> None:
    with pytest.raises(ValueError, match=r"^Original model name is required for request conversion$"):
        get_converter("gemini").convert_request({"contents": [user("x")]}, "openai", "")
    converted = get_converter("gemini", RESULTS).convert_request({"contents": [user("x")]}, "openai", "")
    assert (converted.success, converted.error) == (False, NO_MODEL)
    named = get_converter("gemini").convert_request({"contents": [user("x")], "model": "other"}, "openai", "asked")
    assert named.data is not None and named.data["model"] == "asked"


@pytest.mark.row("S2.76")
def test_errors_are_raised_or_returned(caplog: pytest.LogCaptureFixture) -> None:
    bad = {"contents": [{"role": "narrator", "parts": []}]}
    with pytest.raises(ConversionError):
        get_converter("gemini").convert_request(bad, "openai", "m")
    with caplog.at_level(logging.WARNING):
        converted = get_converter("gemini", RESULTS).convert_request(bad, "openai", "m")
    assert (converted.success, converted.data) == (False, None)
    assert "unknown role 'narrator'" in converted.error and converted.error in caplog.text
    unknown = get_converter("gemini", RESULTS).convert_request({"contents": [user("x")]}, "klingon", "m")
    assert not unknown.success and "klingon" in unknown.error


@pytest.mark.row("S2.76")
def test_an_answer_that_is_an_error_has_its_status() -> None:
    converted = get_converter("gemini").convert_response({"error": {"message": "no", "code": 429}}, "openai")
    assert converted.success and converted.status == 429
    assert converted.data is not None and converted.data["error"]["status"] == "RESOURCE_EXHAUSTED"


@pytest.mark.row("S2.92")
def test_one_converter_remembers_nothing_of_the_request_before() -> None:
    history = [
        user("x"),
        model({"functionCall": {"name": "w", "args": {}}}),
        {"role": "user", "parts": [result("w", {})]},
    ]
    request = {"contents": history}
    used = get_converter("gemini")
    first = used.convert_request(copy.deepcopy(request), "openai", "m")
    assert used.convert_request(copy.deepcopy(request), "openai", "m") == first
    assert get_converter("gemini").convert_request(request, "openai", "m") == first
