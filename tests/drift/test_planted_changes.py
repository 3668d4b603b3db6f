"""Each kind of change that a provider may make, planted in an answer: it is reported once, with its severity."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.drift import find_drift, observe_known

from .sample_answers import ANSWERS, ERRORS, edit_answer, record, rename, repeat, without

Edit = Callable[[list[Any]], object]


def each(path: str, change: Callable[[Any], Any]) -> Edit:
    """Change the value at a path in every document that has it."""

    def edit(documents: list[Any]) -> None:
        *steps, last = path.split(".")
        for document in documents:
            holders = [document]
            for step in steps:
                holders = [
                    item
                    for holder in holders
                    if isinstance(holder, dict) and holder.get(step) is not None
                    for item in (holder[step] if isinstance(holder[step], list) else [holder[step]])
                ]
            for holder in holders:
                if isinstance(holder, dict) and last in holder:
                    holder[last] = change(holder[last])

    return edit


def add(name: str, value: Any, *steps: str) -> Edit:
    return each(".".join(steps), lambda held: [{**item, name: value} for item in held] if isinstance(held, list)
                else {**held, name: value})  # fmt: skip


def swap(first: int, second: int) -> Edit:
    def edit(documents: list[Any]) -> None:
        documents[first], documents[second] = documents[second], documents[first]

    return edit


def insert(at: int, event: dict[str, Any]) -> Edit:
    return lambda documents: documents.insert(at, event)


def move_usage_into_delta(documents: list[Any]) -> None:
    documents[-2]["delta"]["usage"] = documents[-2].pop("usage")


def move_usage_into_candidate(documents: list[Any]) -> None:
    documents[0]["candidates"][0]["usageMetadata"] = documents[0].pop("usageMetadata")


def move_usage_to_finish(documents: list[Any]) -> None:
    documents[-2]["usage"] = documents.pop()["usage"]


def nest_prompt_tokens(documents: list[Any]) -> None:
    documents[0]["usage"]["prompt"] = {"tokens": documents[0]["usage"].pop("prompt_tokens")}


PLANTED: list[tuple[str, Edit, str, str]] = [
    ("openai-chat.unary", rename("finish_reason", "stop_cause"), "renamed", "breaking"),
    ("openai-chat.unary", rename("usage", "token_usage"), "renamed", "breaking"),
    ("openai-chat.unary", rename("content", "text"), "renamed", "breaking"),
    ("openai-chat.unary", rename("arguments", "parameters"), "renamed", "breaking"),
    ("openai-chat.unary", nest_prompt_tokens, "renamed", "breaking"),
    ("openai-chat.unary", without("usage"), "missing", "breaking"),
    ("openai-chat.unary", without("id"), "missing", "breaking"),
    ("openai-chat.unary", without("content", "tool_calls"), "missing", "breaking"),
    ("openai-chat.unary", without("system_fingerprint"), "missing", "cosmetic"),
    ("openai-chat.unary", each("choices.finish_reason", lambda _: "paused"), "value", "breaking"),
    ("openai-chat.unary", each("choices.finish_reason", lambda _: "stop"), "", ""),
    ("openai-chat.unary", each("service_tier", lambda _: "turbo"), "value", "notable"),
    ("openai-chat.unary", each("usage.prompt_tokens", str), "type", "breaking"),
    ("openai-chat.unary", each("choices.message.content", lambda text: [{"type": "text", "text": text}]), "type",
     "breaking"),
    ("openai-chat.unary", each("choices.message.tool_calls.function.arguments", json.loads), "type", "breaking"),
    ("openai-chat.unary", each("choices.message.role", lambda _: "model"), "value", "breaking"),
    ("openai-chat.unary", each("object", lambda _: "chat.reply"), "value", "breaking"),
    ("openai-chat.unary", each("created", lambda seconds: seconds * 1000), "value", "notable"),
    ("openai-chat.unary", add("confidence", 0.5, "choices"), "new", "notable"),
    ("openai-chat.unary", each("usage", lambda _: None), "missing", "breaking"),
    ("openai-chat.stream", without("usage"), "missing", "breaking"),
    ("openai-chat.stream", move_usage_to_finish, "order", "breaking"),
    ("openai-chat.stream", rename("delta", "patch"), "renamed", "breaking"),
    ("openai-chat.stream", without("finish_reason"), "missing", "breaking"),
    ("anthropic.unary", without("signature"), "missing", "breaking"),
    ("anthropic.unary", rename("stop_reason", "finish_reason"), "renamed", "breaking"),
    ("anthropic.stream", rename("stop_reason", "halt"), "renamed", "breaking"),
    ("anthropic.stream", rename("index", "position"), "renamed", "breaking"),
    ("openai-chat.stream", rename("index", "position"), "renamed", "breaking"),
    ("openai-chat.unary", rename("tool_calls", "calls"), "renamed", "breaking"),
    ("anthropic.unary", each("stop_reason", lambda _: "tired"), "value", "breaking"),
    ("anthropic.unary", each("content", lambda blocks: [*blocks, {"type": "hologram", "data": "x"}]), "kind", "notable"),
    ("anthropic.stream", insert(4, {"type": "content_block_progress", "index": 0, "percent": 5}), "kind", "notable"),
    ("anthropic.stream", lambda documents: documents.pop(), "terminator", "breaking"),
    ("anthropic.stream", lambda documents: documents.pop(5), "order", "breaking"),
    ("anthropic.stream", swap(5, 6), "order", "breaking"),
    ("anthropic.stream", swap(-2, -1), "order", "breaking"),
    ("anthropic.stream", lambda documents: documents.pop(0), "order", "breaking"),
    ("anthropic.stream", lambda documents: documents.pop(2), "", ""),
    ("anthropic.stream", move_usage_into_delta, "moved", "breaking"),
    ("anthropic.stream", rename("output_tokens", "completion_tokens"), "renamed", "breaking"),
    ("anthropic.stream", each("usage.output_tokens", str), "type", "breaking"),
    ("anthropic.stream", each("delta.type", lambda kind: kind.replace("text_delta", "text_piece")), "kind", "breaking"),
    ("anthropic.stream", each("type", lambda kind: kind.replace("message_delta", "message_update")), "kind", "breaking"),
    ("gemini.unary", move_usage_into_candidate, "moved", "breaking"),
    ("gemini.unary", rename("finishReason", "finish_reason"), "spelling", "breaking"),
    ("gemini.unary", rename("text", "content"), "renamed", "breaking"),
    ("gemini.unary", each("candidates.finishReason", lambda _: "TIRED"), "value", "breaking"),
    ("gemini.unary", each("candidates.finishReason", lambda _: 1), "type", "breaking"),
    ("gemini.unary", each("candidates.finishReason", lambda _: "MAX_TOKENS"), "", ""),
    ("gemini.unary", each("usageMetadata.totalTokenCount", str), "type", "breaking"),
    ("gemini.unary", each("usageMetadata.promptTokensDetails.modality", lambda _: "SMELL"), "value", "notable"),
    ("gemini.unary", each("candidates.content.role", lambda _: "assistant"), "value", "breaking"),
    ("gemini.unary", without("usageMetadata"), "missing", "breaking"),
    ("gemini.unary", without("responseId"), "missing", "notable"),
    ("gemini.unary", add("trace", {"id": "x", "hops": [1]}, "usageMetadata"), "new", "notable"),
    ("gemini.stream", each("candidates", lambda held: held[0]), "type", "breaking"),
    ("gemini.stream", without("finishReason"), "missing", "breaking"),
    ("gemini.unary", without("candidatesTokenCount"), "missing", "breaking"),
    ("gemini.unary", each("candidates.content", lambda held: {"role": "model", "text": held["parts"][0]["text"]}),
     "renamed", "breaking"),
    ("gemini.stream", insert(1, {"heartbeat": 1}), "kind", "notable"),
    ("gemini.stream", lambda documents: [{"response": document} for document in documents], "kind", "breaking"),
    ("gemini.unary", lambda documents: [{"response": documents[0]}], "kind", "breaking"),
    ("openai-chat.unary", lambda documents: [{"data": documents[0]}], "kind", "breaking"),
    ("anthropic.stream", rename("type", "kind"), "kind", "breaking"),
    ("openai-chat.stream", insert(1, {"type": "keepalive"}), "kind", "breaking"),
    ("openai-chat.unary", each("choices", lambda _: None), "missing", "breaking"),
    ("openai-chat.stream", lambda documents: documents[2].update(id="chatcmpl-2"), "order", "breaking"),
    ("openai-chat.stream", lambda documents: documents[2].update(created=1760000001), "", ""),
    ("openai-chat.stream", each("choices.index", lambda _: 1), "order", "breaking"),
    ("openai-chat.stream", lambda documents: documents.insert(-1, documents[-2]), "order", "breaking"),
    ("anthropic.stream", each("index", lambda number: number + 1), "order", "breaking"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "edit", "change", "severity"), PLANTED)
def test_a_planted_change_is_one_finding(case: str, edit: Edit, change: str, severity: str) -> None:
    found = find_drift([record(case)], [edit_answer(case, edit)])
    drift = [finding for finding in found if finding.is_drift or severity == "cosmetic"]
    assert [(finding.change, finding.severity) for finding in drift] == ([(change, severity)] if change else []), found


BYTES: list[tuple[str, Callable[[bytes], bytes], str, str]] = [
    ("openai-chat.stream", lambda body: body.replace(b"data: [DONE]\n\n", b""), "terminator", "breaking"),
    ("gemini.stream", lambda body: body + b"data: [DONE]\r\n\r\n", "terminator", "breaking"),
    ("anthropic.stream", lambda body: body + b"data: [DONE]\n\n", "terminator", "notable"),
    ("anthropic.stream", lambda body: b"".join(
        line for line in body.splitlines(keepends=True) if not line.startswith(b"event:")), "framing", "breaking"),
    ("anthropic.stream", lambda body: body.replace(b"event: message_stop", b"event: end"), "framing", "breaking"),
    ("openai-chat.stream", lambda body: b": hello\n\n" + body, "framing", "notable"),
    ("gemini.stream", lambda body: b": hello\r\n\r\n" + body, "framing", "breaking"),
    ("gemini.stream", lambda body: body.replace(b"\r\n", b"\n"), "framing", "notable"),
    ("openai-chat.stream", lambda body: b"id: 1\n" + body, "framing", "notable"),
    ("openai-chat.stream", lambda body: body.replace(b'data: {"id"', b'data: nonsense\n\ndata: {"id"', 1), "framing",
     "breaking"),
    ("openai-chat.stream", lambda body: body.replace(b"\n\n", b"\n"), "framing", "breaking"),
    ("gemini.stream", lambda body: b"[" + b",".join(
        line[6:] for line in body.splitlines() if line.startswith(b"data: ")) + b"]", "framing", "breaking"),
    ("openai-chat.unary", lambda body: b"<html>busy</html>", "framing", "breaking"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "change_bytes", "change", "severity"), BYTES)
def test_a_change_of_the_framing_is_one_finding(
    case: str, change_bytes: Callable[[bytes], bytes], change: str, severity: str
) -> None:
    found = find_drift([record(case)], [record(case, change=change_bytes)])
    assert [(finding.change, finding.severity) for finding in found] == [(change, severity)], found


def test_a_content_type_is_one_finding() -> None:
    changed = record("openai-chat.stream", headers=(("content-type", "application/json"),))
    found = find_drift([record("openai-chat.stream")], [changed])
    assert [(finding.change, finding.severity, finding.new) for finding in found] == [
        ("framing", "breaking", "application/json")
    ]


def test_an_answer_that_broke_off_is_one_finding() -> None:
    whole = record("anthropic.stream")
    cut = replace(record("anthropic.stream", ANSWERS["anthropic.stream"][:4]), end="cut")
    assert [(finding.change, finding.severity) for finding in find_drift([whole], [cut])] == [("ending", "breaking")]


def error(dialect: str, document: Any = None, status: int = 400) -> RecordedInteraction:
    return record(f"{dialect}.unary", [ERRORS[dialect] if document is None else document], status=status)


def body_of(dialect: str, **members: Any) -> Any:
    return {**ERRORS[dialect], "error": {**ERRORS[dialect]["error"], **members}}


CHANGED_ERRORS: list[tuple[str, Any, str]] = [
    ("openai-chat", {"error": "Bad."}, "breaking"),
    ("openai-chat", {"detail": "Bad."}, "breaking"),
    ("openai-chat", body_of("openai-chat", type="bad_request"), "notable"),
    ("openai-chat", {"error": {"message": "Bad.", "param": None, "code": "bad_value"}}, "breaking"),
    ("openai-chat", body_of("openai-chat", hint="Try again."), "notable"),
    ("gemini", body_of("gemini", code="400"), "breaking"),
    ("gemini", [ERRORS["gemini"]], "breaking"),
    ("gemini", {"error": {"code": 400, "message": "Bad."}}, "breaking"),
    ("anthropic", {"type": "error", "error": {"kind": "invalid_request_error", "message": "Bad."}}, "breaking"),
]


@pytest.mark.parametrize(("dialect", "document", "severity"), CHANGED_ERRORS)
def test_a_changed_error_body_is_one_finding(dialect: str, document: Any, severity: str) -> None:
    found = [finding for finding in find_drift([error(dialect)], [error(dialect, document)]) if finding.is_drift]
    assert [(finding.change, finding.severity) for finding in found] == [("error", severity)], found


def test_another_status_of_the_same_request_is_one_finding() -> None:
    found = find_drift([error("gemini")], [error("gemini", status=422)])
    assert [(finding.change, finding.severity, finding.old, finding.new) for finding in found] == [
        ("status", "breaking", "400", "422")
    ]


def test_another_status_of_another_request_is_none() -> None:
    old, new = record("gemini.unary"), error("gemini", status=429)
    assert find_drift([old], [replace(new, request=record("gemini.unary", prompt="Else").request)]) == []


def test_an_error_in_a_stream_of_the_same_request_is_one_finding() -> None:
    documents = [*ANSWERS["openai-chat.stream"][:2], ERRORS["openai-chat"]]
    found = find_drift([record("openai-chat.stream")], [record("openai-chat.stream", documents)])
    drift = [finding for finding in found if finding.is_drift]
    assert [(finding.change, finding.severity) for finding in drift] == [("status", "breaking")], found


@pytest.mark.parametrize("case", ANSWERS)
def test_an_answer_does_not_drift_from_itself(case: str) -> None:
    assert find_drift([record(case)], [record(case)]) == []


def test_an_optional_member_that_vanishes_everywhere_is_notable() -> None:
    case, edit = "openai-chat.unary", without("system_fingerprint")
    found = find_drift(repeat(case, 3), repeat(case, 3, edit))
    assert [(finding.change, finding.severity, finding.paths) for finding in found] == [
        ("missing", "notable", ("system_fingerprint",))
    ]


def test_what_other_old_recordings_show_is_no_news() -> None:
    case, edit = "openai-chat.unary", add("confidence", 0.5, "choices")
    found = find_drift([record(case)], [edit_answer(case, edit)], known=observe_known([edit_answer(case, edit)]))
    assert [(finding.change, finding.severity) for finding in found] == [("new", "cosmetic")]


def test_members_inside_unknown_objects_are_compared() -> None:
    case = "openai-chat.unary"
    old, new = (edit_answer(case, add("trace", {"hops": hops}, "choices")) for hops in (1, "one"))
    found = find_drift([old], [new])
    assert [(finding.change, finding.severity, finding.paths) for finding in found] == [
        ("type", "notable", ("choices[].trace.hops",))
    ]


def test_the_arguments_of_a_call_are_nobodys_structure() -> None:
    def call(arguments: dict[str, Any]) -> Edit:
        return each("candidates.content.parts", lambda _: [{"functionCall": {"name": "f", "args": arguments}}])

    old, new = (edit_answer("gemini.unary", call(arguments)) for arguments in ({"city": 1}, {"town": {"name": "Oslo"}}))
    assert find_drift([old], [new]) == []


def test_a_finding_tells_what_sdk_and_wire_types_know() -> None:
    (found,) = find_drift(
        [record("gemini.unary")], [edit_answer("gemini.unary", each("usageMetadata.totalTokenCount", str))]
    )
    assert found.paths == ("usageMetadata.totalTokenCount",) and (found.old, found.new) == ("integer", "text")
    assert found.wire == "integer"
    assert found.sdk.startswith("google-genai ") and "integer" in found.sdk


def test_an_object_in_the_place_of_a_text_is_of_a_schemas_making() -> None:
    contents = ({"title": "A"}, {"name": "Bo", "age": 3})
    old, new = (edit_answer("openai-chat.unary", each("choices.message.content", lambda _, held=held: held))
                for held in contents)  # fmt: skip
    assert find_drift([old], [new]) == []


def test_another_form_that_was_asked_for_is_no_drift() -> None:
    stream = record("gemini.stream")
    lines = [line[6:] for line in stream.body.splitlines() if line.startswith(b"data: ")]
    path = stream.request.path.partition("?")[0]
    array = replace(stream, request=replace(stream.request, path=path), chunks=(b"[" + b",".join(lines) + b"]",))
    assert find_drift([array], [stream]) == []


def test_what_an_old_answer_did_not_come_to_is_no_news() -> None:
    case = "openai-chat.stream"
    failed = record(case, [*ANSWERS[case][:2], ERRORS["openai-chat"]], prompt="Else")
    new = edit_answer(case, lambda documents: documents[-1].update(x_host={"usage": 1}))
    assert [finding for finding in find_drift([failed], [new]) if finding.is_drift] == []


def test_the_documented_type_in_the_place_of_another_is_cosmetic() -> None:
    case, name = "openai-chat.unary", "choices.message.content"
    old = edit_answer(case, each(name, lambda text: [{"type": "text", "text": text}]))  # Mistral, with reasoning
    assert [(finding.change, finding.severity) for finding in find_drift([old], [record(case)])] == [
        ("type", "cosmetic")
    ]


def test_text_that_grows_in_place_of_pieces_is_one_finding() -> None:
    case = "openai-chat.stream"
    base = ANSWERS[case]

    def stream(*pieces: str) -> RecordedInteraction:
        chunks = [{**base[1], "choices": [{**base[1]["choices"][0], "delta": {"content": piece}}]} for piece in pieces]
        return record(case, [base[0], *chunks, *base[-2:]])

    found = find_drift([stream("a", "b", "c")], [stream("a", "ab", "abc")])
    assert [(finding.change, finding.severity) for finding in found] == [("order", "breaking")]


@pytest.mark.parametrize("case", ANSWERS)
def test_a_connection_that_broke_in_the_middle_is_one_finding(case: str) -> None:
    whole = record(case)
    broken = replace(whole, chunks=(whole.body[: len(whole.body) // 2],), end="reset")
    assert [(finding.change, finding.severity) for finding in find_drift([whole], [broken])] == [("ending", "breaking")]


def test_a_content_type_that_is_missing_is_one_finding() -> None:
    whole = record("gemini.stream")
    found = find_drift([whole], [replace(whole, headers=())])
    assert [(finding.change, finding.severity, finding.new) for finding in found] == [
        ("framing", "breaking", "not stated")
    ]
    assert not any(finding.is_drift for finding in find_drift([replace(whole, headers=())], [whole]))


def test_thoughts_alone_are_no_counted_answer() -> None:
    def think(documents: list[Any]) -> None:
        documents[0]["candidates"][0]["content"]["parts"] = [{"text": "Hm.", "thought": True}]
        del documents[0]["usageMetadata"]["candidatesTokenCount"]

    found = find_drift([record("gemini.unary")], [edit_answer("gemini.unary", think)])
    assert [finding for finding in found if finding.is_drift] == []
