"""Answers between Gemini and Anthropic, through a document in the middle that no wire sees (mapping row R-46)."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message
from google.genai.types import GenerateContentResponse
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck import validate
from bridgecheck_reference import adapter
from bridgecheck_reference.convert.signatures import (
    AHEAD,
    decode_reasoning_carrier,
    prefix_gemini_signature,
    split_signed_id,
)

from .answer_samples import EVENT, Json, accumulate_message, block, message, start, stop, text, thinking, tool_use

TO_GEMINI = {"client": "gemini", "upstream": "anthropic", "model": "m", "request": {}}
TO_ANTHROPIC = {"client": "anthropic", "upstream": "gemini", "model": "m", "request": {}}
TO_THINKING_ANTHROPIC = {**TO_ANTHROPIC, "request": {"thinking": {"type": "adaptive"}}}
SIGNED = {"type": "reasoning.text", "text": "hm", "signature": "S"}


def convert_answer(body: Json, **route: Any) -> Json:
    status, document = adapter.from_upstream(body, status=200, **route)
    assert status == 200
    return document


def convert_stream(events: list[Json], **route: Any) -> list[Json]:
    machine = adapter.stream(**route)
    return [made for event in events for made in machine.feed(event)] + machine.close()


def parts(*events: Json) -> list[Json]:
    """The parts of all events; texts of one kind that follow each other as one, as they say the same."""
    made: list[Json] = []
    for part in [part for event in events for part in event["candidates"][0].get("content", {}).get("parts", ())]:
        last = made[-1] if made else {}
        if (
            "text" in part
            and "text" in last
            and part.keys() | last.keys() <= {"text", "thought"}
            and (part.get("thought") == last.get("thought"))
        ):
            last["text"] += part["text"]
        else:
            made.append(dict(part))
    return [part for part in made if part != {"text": ""}]


CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "S"}
HIDDEN = {"type": "redacted_thinking", "data": "D"}


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_thinking_travels_in_the_signature_of_the_next_call(mode: str) -> None:
    events = [
        start(),
        *thinking(0, "hm", "S"),
        *text(1, "I look"),
        *tool_use(2, "toolu_1", "f", '{"a"', ": 1}"),
        *stop("tool_use"),
    ]
    body = message(THOUGHT, {"type": "text", "text": "I look"}, CALL, reason="tool_use")
    thought, texts, call = (
        parts(convert_answer(body, **TO_GEMINI)) if mode == "unary" else parts(*convert_stream(events, **TO_GEMINI))
    )
    assert (thought, texts["text"]) == ({"text": "hm", "thought": True}, "I look")
    assert call["functionCall"] == {"id": "toolu_1", "name": "f", "args": {"a": 1}}
    assert decode_reasoning_carrier(texts["thoughtSignature"]) == [SIGNED]
    assert decode_reasoning_carrier(call["thoughtSignature"]) == [{**SIGNED, AHEAD: 6}]


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_thinking_that_nothing_follows_travels_in_an_empty_last_part(mode: str) -> None:
    events = [start(), *text(0, "Yes."), *thinking(1, "hm", "S"), *block(2, HIDDEN), *stop()]
    body = message({"type": "text", "text": "Yes."}, THOUGHT, HIDDEN)
    texts, thought, tail = (
        parts(convert_answer(body, **TO_GEMINI)) if mode == "unary" else parts(*convert_stream(events, **TO_GEMINI))
    )
    assert (texts, thought, tail["text"]) == ({"text": "Yes."}, {"text": "hm", "thought": True}, "")
    assert decode_reasoning_carrier(tail["thoughtSignature"]) == [SIGNED, {"type": "reasoning.encrypted", "data": "D"}]


@pytest.mark.parametrize("keeps", ["all", "no thoughts", "signatures of calls only"])
def test_thinking_comes_back_unmodified_whatever_the_client_keeps(keeps: str) -> None:
    content = [THOUGHT, HIDDEN, {"type": "text", "text": "I look"}, CALL]
    remaining = [
        part
        for part in parts(convert_answer(message(*content), **TO_GEMINI))
        if keeps == "all" or not part.get("thought")
    ]
    if keeps == "signatures of calls only":
        remaining = [
            {key: part[key] for key in part if key != "thoughtSignature" or "functionCall" in part}
            for part in remaining
        ]
    answered = {"functionResponse": {"id": "toolu_1", "name": "f", "response": {"output": "ok"}}}
    contents = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": remaining},
        {"role": "user", "parts": [answered]},
    ]
    sent = adapter.to_upstream({"contents": contents}, client="gemini", upstream="anthropic", mode="unary", model="m")
    assert sent["messages"][1]["content"] == content


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_calls_and_texts_keep_their_order(mode: str) -> None:
    events = [
        start(),
        *tool_use(0, "a", "f"),
        *text(1, "and"),
        *tool_use(2, "b", "g"),
        *thinking(3, "hm", ""),
        *text(4, "so"),
        *stop("tool_use"),
    ]
    call = {**CALL, "input": {}}
    body = message(
        {**call, "id": "a"}, {"type": "text", "text": "and"}, {**call, "id": "b", "name": "g"},
        {"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": "so"}, reason="tool_use",
    )  # fmt: skip
    made = parts(convert_answer(body, **TO_GEMINI)) if mode == "unary" else parts(*convert_stream(events, **TO_GEMINI))
    assert made == [
        {"functionCall": {"id": "a", "name": "f", "args": {}}}, {"text": "and"},
        {"functionCall": {"id": "b", "name": "g", "args": {}}}, {"text": "hm", "thought": True}, {"text": "so"},
    ]  # fmt: skip


def test_a_call_passes_as_soon_as_something_follows_it() -> None:
    machine = adapter.stream(**TO_GEMINI)
    for event in [start(), *tool_use(0, "a", "f", "{}")]:
        assert "functionCall" not in str(machine.feed(event))
    assert "functionCall" in str([machine.feed(event) for event in text(1, "and")])


@pytest.mark.parametrize(("reason", "expected"), [("end_turn", "STOP"), ("tool_use", "STOP"), ("max_tokens", "MAX_TOKENS"), ("stop_sequence", "STOP"), ("refusal", "SAFETY"), ("pause_turn", "STOP"), ("model_context_window_exceeded", "MAX_TOKENS")])  # fmt: skip
@pytest.mark.row("S2.91")
def test_stop_reasons_to_gemini(reason: str, expected: str) -> None:
    assert (
        convert_answer(message({"type": "text", "text": "x"}, reason=reason), **TO_GEMINI)["candidates"][0][
            "finishReason"
        ]
        == expected
    )


def test_a_call_that_cannot_be_read_is_malformed_to_gemini() -> None:
    events = [start(), *tool_use(0, "a", "f", '{"a"'), *text(1, "x"), *stop("tool_use")]
    last = convert_stream(events, **TO_GEMINI)[-1]["candidates"][0]
    assert (last["finishReason"], last["finishMessage"]) == ("MALFORMED_FUNCTION_CALL", 'Malformed function call: {"a"')


def test_counts_with_cache_to_gemini_and_thoughts_to_anthropic() -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 4,
        "cache_read_input_tokens": 100,
        "output_tokens_details": {"thinking_tokens": 1},
    }
    assert convert_answer(message(usage=usage), **TO_GEMINI)["usageMetadata"] == {
        "promptTokenCount": 103, "cachedContentTokenCount": 100, "candidatesTokenCount": 3, "thoughtsTokenCount": 1,
        "totalTokenCount": 107,
    }  # fmt: skip
    counted = {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}
    assert convert_answer(gemini({"text": "x"}, usageMetadata=counted), **TO_ANTHROPIC)["usage"] == {
        "input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 5},
    }  # fmt: skip


def gemini(*parts: Json, finish: str | None = "STOP", **extra: object) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate], "responseId": "r", **extra}


SIGNED_TEXT: Json = {"text": "and", "thoughtSignature": "S2"}
SIGNED_CALL: Json = {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "S1"}
SIGNED_TAIL: Json = {"text": "", "thoughtSignature": "S3"}


def signature_block(signature: str, part_kind: str, thought: str = "") -> Json:
    return {"type": "thinking", "thinking": thought, "signature": prefix_gemini_signature(signature, part_kind)}


def convert_both(parts: list[Json], route: Json) -> list[list[Json]]:
    """Return the content of a unary answer with these parts, and that of a stream with an event for each."""
    events = [gemini(entry, finish=None) for entry in parts] + [gemini(finish="STOP")]
    streamed = accumulate_message(convert_stream(events, **route))
    return [convert_answer(gemini(*parts), **route)["content"], streamed["content"]]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([{"text": "hm", "thought": True}, SIGNED_CALL], [signature_block("S1", "call", "hm"), CALL]),
        ([{"text": "and"}, SIGNED_CALL], [{"type": "text", "text": "and"}, signature_block("S1", "call"), CALL]),
        ([SIGNED_TEXT, SIGNED_TAIL], [signature_block("S2", "text"), {"type": "text", "text": "and"}]),
        ([{"text": "an"}, {"text": "d", "thoughtSignature": "S2"}], [{"type": "text", "text": "and"}]),
        ([SIGNED_CALL, SIGNED_TEXT], [signature_block("S1", "call"), CALL, {"type": "text", "text": "and"}]),
    ],
)
def test_signatures_of_gemini_stand_in_thinking_for_who_asked_for_it(answer: list[Json], expected: list[Json]) -> None:
    """Never behind or amid text: a block there takes text from clients that show the last one."""
    expected = [{**block, "id": "1"} if block["type"] == "tool_use" else block for block in expected]
    assert convert_both(answer, TO_THINKING_ANTHROPIC) == [expected, expected]


@pytest.mark.parametrize("tail", [SIGNED_TAIL, {"text": "", "thoughtSignature": "S3", "thought": True}])
def test_who_did_not_ask_for_thinking_finds_text_and_calls_alone(tail: Json) -> None:
    for content in convert_both([SIGNED_TEXT, SIGNED_CALL, tail], TO_ANTHROPIC):
        text_block, call = content
        assert text_block == {"type": "text", "text": "and"}
        assert split_signed_id(call.pop("id")) == ("1", "S1")
        assert call == {"type": "tool_use", "name": "f", "input": {"a": 1}}


@pytest.mark.parametrize("route", [TO_ANTHROPIC, TO_THINKING_ANTHROPIC])
def test_signatures_of_calls_come_back_on_their_parts(route: Json) -> None:
    parts: list[Json] = [
        {"text": "I look"},
        {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "S2=="},
        {"functionCall": {"id": "2", "name": "f", "args": {}}},
    ]
    for content in convert_both(parts, route):
        ids = [block["id"] for block in content if block["type"] == "tool_use"]
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in ids]},
        ]
        request = {"model": "gemini-3-pro", "max_tokens": 9, "messages": messages}
        sent = adapter.to_upstream(request, client="anthropic", upstream="gemini", mode="unary", model="gemini-3-pro")
        assert sent["contents"][1]["parts"] == parts
        results = [part["functionResponse"] for part in sent["contents"][2]["parts"]]
        assert [result["id"] for result in results] == ["1", "2"]


def test_signatures_of_gemini_come_back_on_their_parts() -> None:
    parts: list[Json] = [
        {"text": "hm", "thought": True},
        {"text": "I look", "thoughtSignature": "S1=="},
        {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "S2=="},
        {"functionCall": {"id": "2", "name": "f", "args": {}}},
    ]
    results = [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in ("1", "2")]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": convert_answer(gemini(*parts), **TO_THINKING_ANTHROPIC)["content"]},
        {"role": "user", "content": results},
    ]
    request = {"model": "gemini-3-pro", "max_tokens": 9, "messages": messages}
    sent = adapter.to_upstream(request, client="anthropic", upstream="gemini", mode="unary", model="gemini-3-pro")
    assert sent["contents"][1]["parts"] == parts


PIECES = st.lists(
    st.tuples(st.just("text"), st.text(min_size=1, max_size=8))
    | st.tuples(st.just("thinking"), st.text(max_size=8))
    | st.tuples(st.just("tool_use"), st.dictionaries(st.text(max_size=4), st.integers(), max_size=2)),
    max_size=6,
)


@settings(deadline=None)
@given(PIECES)
def test_a_stream_and_a_unary_answer_convert_to_the_same_parts(pieces: list[tuple[str, Any]]) -> None:
    events, content = [start()], []
    for index, (kind, value) in enumerate(pieces):
        if kind == "text":
            content.append({"type": "text", "text": value})
            events += text(index, value[:2], value[2:])
        elif kind == "thinking":
            content.append({"type": "thinking", "thinking": value, "signature": f"S{index}"})
            events += thinking(index, value, f"S{index}")
        else:
            content.append({"type": "tool_use", "id": f"t{index}", "name": "f", "input": value})
            events += tool_use(index, f"t{index}", "f", json.dumps(value))
    whole, converted_events = (
        convert_answer(message(*content), **TO_GEMINI),
        convert_stream([*events, *stop()], **TO_GEMINI),
    )
    assert strip_signatures(converted_events) == strip_signatures([whole])
    assert signatures(converted_events) == signatures([whole])


def strip_signatures(events: list[Json]) -> list[Json]:
    """The parts without their signatures."""
    bare = copy.deepcopy(events)
    for event in bare:
        for part in event["candidates"][0].get("content", {}).get("parts", ()):
            part.pop("thoughtSignature", None)
    return parts(*bare)


def signatures(events: list[Json]) -> list[str]:
    return [part["thoughtSignature"] for part in parts(*events) if "thoughtSignature" in part]


@pytest.mark.traffic
def test_recorded_answers_are_valid_on_the_other_side(traffic_folder: Path) -> None:
    count = 0
    for file in sorted(traffic_folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            own = item["provider"] if item["provider"] == "anthropic" else "gemini"
            if item["url_path"].split("?")[0].endswith("/messages") or "enerateContent" in item["url_path"]:
                count += 1
                check_both_modes(item, TO_GEMINI if own == "anthropic" else TO_ANTHROPIC)
    assert count > 1000


def check_both_modes(item: Json, route: Json) -> None:
    body = item.get("response_body")
    client = route["client"]
    if isinstance(body, dict):
        status, made = adapter.from_upstream(body, status=item["status"], **route)
        assert validate.response(client, "unary", made) == [], item["id"]
        if status == 200:
            assert (GenerateContentResponse if client == "gemini" else Message).model_validate(made), item["id"]
    if events := [event for event in item.get("sse_chunks") or () if isinstance(event, dict)]:
        made = convert_stream(events, **route)
        assert [wrong for entry in made for wrong in validate.response(client, "stream", entry)] == [], item["id"]
        for entry in made:
            valid = GenerateContentResponse.model_validate if client == "gemini" else EVENT.validate_python
            assert entry.get("error") or valid(entry), item["id"]


def test_two_thoughts_of_the_same_words_are_two() -> None:
    parts: list[Json] = [
        {"text": "Hm.", "thought": True},
        {"text": "Hm.", "thought": True},
        {"text": "A"},
        {"text": "B"},
    ]
    candidate: Json = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    blocks = convert_answer({"candidates": [candidate]}, **TO_ANTHROPIC)["content"]
    assert "".join(block.get("thinking", "") for block in blocks) == "Hm.Hm."
