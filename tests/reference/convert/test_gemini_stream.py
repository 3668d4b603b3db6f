"""Gemini events -> OpenAI chunks, streamed and in one piece."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream

from .samples import Json, call, event, paths

USAGE = {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4}


def run(*events: Json, **options: Any) -> list[Json]:
    stream = GeminiToOpenAIStream(**options)
    chunks = [chunk for item in events for chunk in stream.feed(item)]
    return chunks + stream.close()


def deltas(chunks: list[Json]) -> list[Json]:
    return [choice["delta"] for chunk in chunks for choice in chunk.get("choices", [])]


def text(chunks: list[Json]) -> str:
    return "".join(delta.get("content") or "" for delta in deltas(chunks))


def finishes(chunks: list[Json]) -> list[object]:
    return [choice["finish_reason"] for chunk in chunks for choice in chunk.get("choices", [])]


def calls(chunks: list[Json]) -> list[tuple[int, str, str]]:
    made = [made for delta in deltas(chunks) for made in delta.get("tool_calls", [])]
    return [(item["index"], item["function"]["name"], item["function"]["arguments"]) for item in made]


def test_a_plain_stream() -> None:
    chunks = run(
        event({"text": "Hel"}, responseId="r1", modelVersion="gemini-x", createTime="1970-01-01T00:00:09.5Z"),
        event({"text": "lo"}, finish="STOP", usageMetadata=USAGE),
    )
    head = {"id": "r1", "object": "chat.completion.chunk", "created": 9, "model": "gemini-x"}
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    assert chunks == [
        {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**head, "choices": [], "usage": usage},
    ]


def test_text_is_passed_on_at_once() -> None:
    stream = GeminiToOpenAIStream()
    assert text(stream.feed(event({"text": "now"}))) == "now"


def test_a_part_with_only_a_signature_is_sent() -> None:
    [first, *_] = deltas(run(event({"thoughtSignature": "VA=="}, finish="STOP")))
    signed = {"thought_signature": "VA==", "thought_signature_part": "tail"}
    assert first == {"role": "assistant", "extra_content": {"google": signed}}


@pytest.mark.parametrize("empty", [{}, {"candidates": []}, {"candidates": [{}]}, {"candidates": None},
                                   {"usageMetadata": USAGE}, event(), event({"text": ""})])  # fmt: skip
def test_an_empty_event_gives_no_chunk(empty: Json) -> None:
    stream = GeminiToOpenAIStream()
    assert stream.feed(empty) == []
    assert text(stream.feed(event({"text": "x"}))) == "x"


def test_stop_on_every_event_is_sent_once_at_the_end() -> None:
    chunks = run(*(event({"text": value}, finish="STOP") for value in ("one ", "two ", "three")))
    assert text(chunks) == "one two three"
    assert finishes(chunks) == [None, None, None, "stop"]


def test_finish_without_content_and_usage_last() -> None:
    chunks = run(event({"text": "done"}), {"candidates": [{"finishReason": "STOP"}]}, {"usageMetadata": USAGE})
    assert (text(chunks), finishes(chunks)) == ("done", [None, "stop"])
    assert chunks[-1]["usage"]["total_tokens"] == 4


def test_usage_is_the_last_one_and_only_on_request() -> None:
    events = [event({"text": "a"}, usageMetadata={**USAGE, "candidatesTokenCount": n, "totalTokenCount": 3 + n})
              for n in (1, 5, 14)]  # fmt: skip
    ends = event(finish="STOP")
    assert run(*events, ends)[-1]["usage"] == {"prompt_tokens": 3, "completion_tokens": 14, "total_tokens": 17}
    assert all(chunk["choices"] for chunk in run(*events, ends, include_usage=False))


def test_parallel_calls_are_numbered_over_the_stream() -> None:
    chunks = run(*(event(call("get_weather", {"city": city})) for city in "ABC"), event(finish="STOP"))
    assert [index for index, _, _ in calls(chunks)] == [0, 1, 2]
    assert [arguments for _, _, arguments in calls(chunks)] == [f'{{"city":"{city}"}}' for city in "ABC"]
    ids = [made["id"] for delta in deltas(chunks) for made in delta.get("tool_calls", [])]
    assert len(set(ids)) == 3
    assert finishes(chunks)[-1] == "tool_calls"


def test_ids_of_gemini_are_preserved() -> None:
    chunks = run(event(call("f", {"a": 1}, id="c1")), event(finish="STOP"))
    assert chunks[0]["choices"][0]["delta"]["tool_calls"][0]["id"] == "c1"


def test_generated_ids_differ_from_turn_to_turn() -> None:
    made = [
        run(event(call("f", {"a": 1})), request={"messages": [{}] * turns})[0]["choices"][0]["delta"]["tool_calls"]
        for turns in (1, 3)
    ]
    assert made[0][0]["id"] != made[1][0]["id"]


def test_many_parts_in_one_event() -> None:
    chunks = run(
        event(
            {"text": "plan", "thought": True},
            {"text": "A"},
            {"text": "B"},
            call("f", {"q": "1"}),
            call("g"),
            finish="STOP",
        )
    )
    assert text(chunks) == "AB"
    assert deltas(chunks)[0]["reasoning_content"] == "plan"
    assert calls(chunks) == [(0, "f", '{"q":"1"}'), (1, "g", "{}")]


@pytest.mark.parametrize(
    ("reason", "expected"), [("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("OTHER", "tool_calls")]
)
def test_a_terminal_reason_beats_calls(reason: str, expected: str) -> None:
    assert finishes(run(event(call("f")), event(finish=reason)))[-1] == expected


def test_the_native_finish_reason_is_preserved_where_openai_has_none() -> None:
    last = run(event({"text": "x"}, finish="RECITATION"))[-1]["choices"][0]
    assert last["finish_reason"] == "content_filter"
    assert last["extra_content"] == {"google": {"finish_reason": "RECITATION"}}
    assert "extra_content" not in run(event({"text": "x"}, finish="STOP"))[-1]["choices"][0]


def test_an_unfinished_candidate_leaves_the_finished_one_whole() -> None:
    stream = GeminiToOpenAIStream()
    both = [{"index": index, "content": {"parts": [{"text": "x"}]}} for index in (0, 1)]
    chunks = stream.feed({"candidates": [{**both[0], "finishReason": "STOP"}, both[1]]}) + stream.close()
    ends = [(choice["index"], choice["finish_reason"]) for made in chunks[1:] for choice in made["choices"]]
    assert ends == [(0, "stop"), (1, None)]
    assert not any("error" in made for made in chunks)
    assert "candidates[].finishReason" in paths(stream.losses)


def test_an_unknown_reason_is_a_loss() -> None:
    stream = GeminiToOpenAIStream()
    stream.feed(event({"text": "x"}, finish="BRAND_NEW"))
    assert finishes(stream.close()) == ["stop"]
    assert "candidates[].finishReason" in paths(stream.losses)


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE"])
def test_a_broken_call_ends_in_an_error(reason: str) -> None:
    broken = {"candidates": [{"content": {}, "finishReason": reason, "finishMessage": "call of undeclared"}]}
    chunks = run(event({"text": "x"}), broken)
    assert finishes(chunks) == [None]
    assert chunks[-1]["error"]["code"] == reason
    assert chunks[-1]["error"]["message"] == "call of undeclared"


def test_a_stream_that_was_cut_ends_in_an_error() -> None:
    chunks = run(event({"text": "half of the an"}))
    assert finishes(chunks) == [None]
    assert chunks[-1]["error"]["code"] == "stream_truncated"


def test_a_stream_without_events_ends_in_an_error() -> None:
    assert run()[-1]["error"]["code"] == "empty_response"


def test_an_error_event_ends_the_stream() -> None:
    stream = GeminiToOpenAIStream()
    stream.feed(event({"text": "half "}))
    converted = stream.feed({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
    assert converted[0]["error"]["message"] == "overloaded"
    assert stream.feed(event({"text": "more"})) == []
    assert stream.close() == []


def test_a_blocked_prompt_is_a_filtered_answer() -> None:
    chunks = run(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7}}
    )
    assert deltas(chunks) == [{"role": "assistant"}]
    assert finishes(chunks) == ["content_filter"]
    assert chunks[0]["choices"][0]["extra_content"] == {"google": {"finish_reason": "SAFETY"}}
    assert chunks[-1]["usage"] == {"prompt_tokens": 7, "completion_tokens": 0, "total_tokens": 7}


def test_several_candidates() -> None:
    both = {
        "candidates": [{"content": {"parts": [{"text": "a"}]}}, {"index": 1, "content": {"parts": [{"text": "x"}]}}]
    }
    ends = {"candidates": [{"finishReason": "MAX_TOKENS"}, {"index": 1, "finishReason": "STOP"}]}
    converted = gemini_response_to_openai(
        {"candidates": [{**a, **b} for a, b in zip(both["candidates"], ends["candidates"], strict=True)]}
    )
    assert [(c["index"], c["message"]["content"], c["finish_reason"]) for c in converted.value["choices"]] == [
        (0, "a", "length"), (1, "x", "stop")]  # fmt: skip
    assert finishes(run(both, ends)) == [None, None, "length", "stop"]


def test_arguments_that_come_in_pieces() -> None:
    chunks = run(
        event({"functionCall": {"name": "write", "willContinue": True}, "thoughtSignature": "U0lH"}),
        event({"functionCall": {"partialArgs": [{"jsonPath": "$.text", "stringValue": "ab", "willContinue": True}],
                                "willContinue": True}}),
        event({"functionCall": {"partialArgs": [{"jsonPath": "$.text", "stringValue": "cd"},
                                                {"jsonPath": "$.list[1].n", "numberValue": 2}], "willContinue": True}}),
        event({"functionCall": {}}, finish="STOP"),
    )  # fmt: skip
    assert calls(chunks) == [(0, "write", '{"list": [null, {"n": 2}], "text": "abcd"}')]
    made = deltas(chunks)[0]["tool_calls"][0]
    assert made["extra_content"] == {"google": {"thought_signature": "U0lH"}}
    assert finishes(chunks)[-1] == "tool_calls"


def test_arguments_that_come_in_a_second_nameless_part() -> None:
    chunks = run(event(call("edit")), event({"functionCall": {"args": {"p": "a"}}}), event(finish="STOP"))
    assert calls(chunks) == [(0, "edit", '{"p":"a"}')]


def test_a_call_that_never_ended_is_no_clean_end() -> None:
    chunks = run(event({"functionCall": {"name": "write", "willContinue": True}}), event(finish="STOP"))
    assert calls(chunks) == []
    assert "error" in chunks[-1]


def test_a_call_without_arguments_keeps_its_order() -> None:
    chunks = run(event(call("a")), event({"text": "t"}), event(call("b", {"x": 1})), event(finish="STOP"))
    assert [name for _, name, _ in calls(chunks)] == ["a", "b"]
    assert text(chunks) == "t"


def test_signatures_travel_as_googles_own_endpoint_has_them() -> None:
    signed = {**call("f", {"q": "1"}), "thoughtSignature": "ab+/cd=="}
    chunks = run(
        event({"text": "t", "thoughtSignature": "VFhU"}), event(signed, call("g", {"q": "2"})), event(finish="STOP")
    )
    assert chunks[0]["choices"][0]["delta"]["extra_content"] == {"google": {"thought_signature": "VFhU"}}
    first, second = deltas(chunks)[1]["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "ab+/cd=="}}
    assert "extra_content" not in second


def test_a_signature_on_the_empty_last_part_is_marked() -> None:
    chunks = run(event({"text": "a"}), event({"text": "", "thoughtSignature": "VEFJTA=="}, finish="STOP"))
    assert text(chunks) == "a"
    assert deltas(chunks)[1]["extra_content"]["google"] == {
        "thought_signature": "VEFJTA==",
        "thought_signature_part": "tail",
    }


def test_a_signed_image_comes_back_signed() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}, "thoughtSignature": "SU1H"}
    converted = gemini_response_to_openai(event(image, finish="STOP"))
    message = converted.value["choices"][0]["message"]
    assert message["images"][0]["extra_content"] == {"google": {"thought_signature": "SU1H"}}
    assert converted.losses == ()
    history = {"messages": [{"role": "user", "content": "draw"}, message, {"role": "user", "content": "red"}]}
    assert openai_request_to_gemini(history).value["contents"][1]["parts"] == [image]
    dropped = gemini_response_to_openai(event(image, finish="STOP"), profile=replace(NATIVE, signatures="drop"))
    assert "extra_content" not in dropped.value["choices"][0]["message"]["images"][0]


def test_images_and_sound_of_the_model() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    converted = gemini_response_to_openai(event({"text": "here"}, image, image, finish="STOP")).value["choices"][0][
        "message"
    ]
    url = "data:image/png;base64,iVBORw0KGgo="
    assert converted["images"] == [{"type": "image_url", "image_url": {"url": url}}] * 2
    sound = {"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "AQI="}}
    converted = gemini_response_to_openai(event(sound, finish="STOP")).value["choices"][0]["message"]
    assert converted["audio"]["data"] == "AQI="


def test_unknown_parts_and_code_are_losses_not_crashes() -> None:
    stream = GeminiToOpenAIStream()
    code = {"executableCode": {"code": "1", "language": "PYTHON"}}
    assert text(stream.feed(event({"somethingNew": {}}, code, {"text": "42."}))) == "42."
    assert {"candidates[].content.parts[].somethingNew", "candidates[].content.parts[].executableCode"} <= paths(
        stream.losses
    )


def test_log_probabilities() -> None:
    chosen = [{"token": "é", "tokenId": 5, "logProbability": -0.5}]
    result = {"chosenCandidates": chosen, "topCandidates": [{"candidates": [{"token": "a", "logProbability": -1}]}]}
    candidate = {**event({"text": "é"}, finish="STOP")["candidates"][0], "logprobsResult": result}
    converted = gemini_response_to_openai({"candidates": [candidate]}).value["choices"][0]["logprobs"]
    assert converted["content"] == [
        {"token": "é", "logprob": -0.5, "bytes": [195, 169],
         "top_logprobs": [{"token": "a", "logprob": -1, "bytes": [97]}]}]  # fmt: skip


def test_unary_and_stream_answers_agree() -> None:
    parts = [{"text": "r", "thought": True}, {"text": "t"}, call("f", {"a": 1}), call("g")]
    whole = gemini_response_to_openai(event(*parts, finish="STOP", usageMetadata=USAGE, responseId="r1")).value
    message = whole["choices"][0]["message"]
    chunks = run(*(event(part, responseId="r1") for part in parts), event(finish="STOP", usageMetadata=USAGE))
    assert message["content"] == text(chunks)
    assert [(made["function"]["name"], made["function"]["arguments"]) for made in message["tool_calls"]] == [
        (name, arguments) for _, name, arguments in calls(chunks)
    ]
    assert whole["choices"][0]["finish_reason"] == finishes(chunks)[-1] == "tool_calls"
    assert whole["usage"] == chunks[-1]["usage"]
    assert whole["object"] == "chat.completion"
    assert all("index" not in made for made in message["tool_calls"])


@pytest.mark.parametrize(
    ("response", "status", "code"),
    [
        ({}, 502, "empty_response"),
        ({"candidates": []}, 502, "empty_response"),
        ({"candidates": [{"content": {"parts": [{"text": "x"}]}}]}, 502, "stream_truncated"),
        (event(finish="MALFORMED_FUNCTION_CALL"), 502, "MALFORMED_FUNCTION_CALL"),
        ({"error": {"code": 404, "message": "no such model", "status": "NOT_FOUND"}}, 404, "not_found"),
    ],
)
def test_invalid_answers_are_errors(response: Json, status: int, code: str) -> None:
    converted = gemini_response_to_openai(response)
    assert (converted.meta["status"], converted.value["error"]["code"]) == (status, code)


def test_an_answer_cut_off_keeps_its_text_in_the_error() -> None:
    converted = gemini_response_to_openai({"candidates": [{"content": {"parts": [{"text": "half"}]}}]})
    assert converted.value["error"]["partial_text"] == "half"


def test_renamed_functions_get_their_names_back() -> None:
    request = {"messages": [], "tools": [{"type": "function", "function": {"name": "1c_reload"}}]}
    chunks = run(event(call("_1c_reload", {"q": "a"})), event(finish="STOP"), request=request)
    assert calls(chunks) == [(0, "1c_reload", '{"q":"a"}')]


def test_ids_are_stable_without_a_response_id_and_input_is_not_changed() -> None:
    events = [event({"text": "a"}, call("f", {"deep": {"x": [1]}})), event(finish="STOP")]
    before = copy.deepcopy(events)
    first, second = run(*events, model="m"), run(*events, model="m")
    assert first == second
    assert events == before
    assert len({chunk["id"] for chunk in first}) == 1
    assert str(first[0]["id"]).startswith("chatcmpl-")
    assert {chunk["model"] for chunk in first} == {"m"}


def test_streams_do_not_share_anything() -> None:
    item, two = GeminiToOpenAIStream(), GeminiToOpenAIStream()
    item.feed(event(call("f", {"x": 1})))
    two.feed(event(call("g", {"y": 2})))
    item.feed(event({"text": "aborted here"}))
    assert finishes(two.feed(event(finish="STOP")) + two.close()) == ["tool_calls"]
    assert calls(GeminiToOpenAIStream().feed(event(call("h", {"z": 3})))) == [(0, "h", '{"z":3}')]
