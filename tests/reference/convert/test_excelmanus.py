"""The habits of an older adapter, one test each, compared with the default."""

import pytest

from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.older_mappings.excelmanus import (
    request_to_gemini,
    response_to_openai,
    stream_to_openai,
)
from bridgecheck_reference.errors import ConversionError

from .samples import Json, call, event, tool_call

pytestmark = pytest.mark.row("S1.61")


def request(*messages: Json, **more: object) -> Json:
    return {"model": "m", "messages": list(messages), **more}


USER: Json = {"role": "user", "content": "x"}


def message(response: Json) -> Json:
    return response_to_openai(response, "m")["choices"][0]["message"]


def test_settings_are_ignored() -> None:
    original = request(USER, temperature=0.5, top_p=0.1, max_tokens=5, stop=["a"])
    assert request_to_gemini(original)["generationConfig"] == {"stopSequences": ["a"]}
    assert openai_request_to_gemini(original).value["generationConfig"]["temperature"] == 0.5


def test_a_system_message_of_parts_is_ignored() -> None:
    parts = {"role": "system", "content": [{"type": "text", "text": "Be kind."}]}
    assert "systemInstruction" not in request_to_gemini(request(parts, USER))
    assert "systemInstruction" in openai_request_to_gemini(request(parts, USER)).value
    text = {"role": "system", "content": "Be kind."}
    assert request_to_gemini(request(text, USER))["systemInstruction"] == {"parts": [{"text": "Be kind."}]}


def test_text_of_a_result_stands_under_result() -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f")]}
    converted = request_to_gemini(request(USER, turn, {"role": "tool", "tool_call_id": "a", "content": "no JSON"}))
    assert converted["contents"][2]["parts"] == [{"functionResponse": {"name": "f", "response": {"result": "no JSON"}}}]


def test_a_result_without_a_call_is_of_an_unknown_function() -> None:
    original = request(USER, {"role": "tool", "tool_call_id": "gone", "content": "r"})
    parts = [part for content in request_to_gemini(original)["contents"] for part in content["parts"]]
    assert parts[-1] == {"functionResponse": {"name": "unknown_function", "response": {"result": "r"}}}
    with pytest.raises(ConversionError, match="answers no call"):
        openai_request_to_gemini(original)


def test_an_unknown_role_is_a_user_and_neighbours_are_joined() -> None:
    converted = request_to_gemini(request(USER, {"role": "narrator", "content": "y"}))
    assert converted["contents"] == [{"role": "user", "parts": [{"text": "x"}, {"text": "y"}]}]


def test_tools_lose_three_keywords_and_the_choice_is_mapped() -> None:
    schema = {
        "type": "object",
        "title": "T",
        "additionalProperties": False,
        "properties": {"title": {"type": "string"}},
    }
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    converted = request_to_gemini(request(USER, tools=tools, tool_choice=" Required "))
    clean = {"type": "object", "properties": {"title": {"type": "string"}}}
    assert converted["tools"] == [{"functionDeclarations": [{"name": "f", "parameters": clean}]}]
    assert converted["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}


def test_texts_are_joined_by_line_feeds() -> None:
    answer = event({"text": "Hel"}, {"text": "lo"}, finish="STOP")
    assert message(answer)["content"] == "Hel\nlo"
    assert gemini_response_to_openai(answer).value["choices"][0]["message"]["content"] == "Hello"


def test_a_thought_is_the_text_under_thought() -> None:
    assert message(event({"thought": "hm"}, {"text": "yes"}, finish="STOP"))["reasoning_content"] == "hm"
    flagged = message(event({"text": "hm", "thought": True}, {"text": "yes"}, finish="STOP"))
    assert flagged == {"role": "assistant", "content": "hm\nyes"}


def test_words_are_invented_for_a_blocked_prompt() -> None:
    blocked: Json = {"promptFeedback": {"blockReason": "SAFETY"}, "responseId": "r"}
    choice = response_to_openai(blocked, "m")["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("[Gemini 安全过滤] SAFETY", "stop")
    native = gemini_response_to_openai(blocked).value["choices"][0]
    assert (native["message"]["content"], native["finish_reason"]) == (None, "content_filter")


def test_the_total_is_counted_anew() -> None:
    counts = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 99}
    answer = event({"text": "x"}, finish="STOP", usageMetadata=counts)
    assert response_to_openai(answer, "m")["usage"]["total_tokens"] == 7
    assert gemini_response_to_openai(answer).value["usage"]["total_tokens"] == 99


def test_calls_of_a_stream_are_all_number_0_and_it_ends_with_stop() -> None:
    events = [event(call("f", {"a": 1}, id="i")), event(call("g", {"b": 2}, id="j"), finish="STOP")]
    choices = [choice for chunk in stream_to_openai(events, "m") for choice in chunk["choices"]]
    calls = [item for choice in choices for item in choice["delta"].get("tool_calls", [])]
    assert [(item["index"], item["function"]["name"]) for item in calls] == [(0, "f"), (0, "g")]
    assert len({item["id"] for item in calls}) == 2
    assert not any(item["id"].startswith(("call_", "i", "j")) for item in calls)
    assert [choice["finish_reason"] for choice in choices if choice["finish_reason"]] == ["stop"]
    assert stream_to_openai(events, "m") == stream_to_openai(events, "m")
