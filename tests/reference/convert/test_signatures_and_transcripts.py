"""What an answer carries besides text: signatures as OpenRouter sends them, transcripts, and members for the pivot."""

from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import CHAT_PIVOT, NATIVE
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream

from .samples import Json, chunk, event, paths, tool_call


def encrypted_detail(data: str, id: str | None = None, form: str = "google-gemini-v1") -> Json:
    return {"type": "reasoning.encrypted", "data": data, "id": id, "format": form, "index": 0}


def history(*details: Json, calls: tuple[str, ...] = ("a", "b"), **more: object) -> Json:
    content: Json = {"role": "assistant", "content": more.get("content"), "reasoning_details": list(details)}
    if calls:
        content["tool_calls"] = [tool_call(id, "f") for id in calls]
    return {"model": "m", "messages": [{"role": "user", "content": "x"}, content]}


def signatures_of(parts: list[Json]) -> list[str | None]:
    return [part.get("thoughtSignature") for part in parts]


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ([encrypted_detail("S", "b")], [None, "S"]),
        ([encrypted_detail("S")], ["S", None]),
        ([encrypted_detail("S", "gone")], ["S", None]),
        ([encrypted_detail("S", "a"), encrypted_detail("T", "b")], ["S", "T"]),
        ([encrypted_detail("S", "a", form="anthropic-claude-v1")], [None, None]),
    ],
)
def test_signatures_as_openrouter_has_them(details: list[Json], expected: list[str | None]) -> None:
    request = history(*details)
    assert signatures_of(openai_request_to_gemini(request).value["contents"][1]["parts"]) == expected
    assert signatures_of(
        openai_request_to_gemini(request, profile=replace(NATIVE, signatures="drop")).value["contents"][1]["parts"]
    ) == [None, None]
    message = {**request["messages"][1], "content": None}
    whole = openai_response_to_gemini({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).value
    assert signatures_of(whole["candidates"][0]["content"]["parts"]) == expected
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"reasoning_details": details}))
    for position, id in enumerate(("a", "b")):
        events += stream.feed(chunk({"tool_calls": [{"index": position, **tool_call(id, "f")}]}))
    events += stream.feed(chunk({}, "tool_calls")) + stream.close()
    assert signatures_of(events[-1]["candidates"][0]["content"]["parts"]) == expected


def test_the_signature_of_an_answer_without_calls_follows_its_text() -> None:
    parts = openai_request_to_gemini(history(encrypted_detail("S"), calls=(), content="hi")).value["contents"][1][
        "parts"
    ]
    assert parts == [{"text": "hi"}, {"text": "", "thoughtSignature": "S"}]


def test_a_transcript_is_sent_where_there_is_no_sound() -> None:
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"audio": {"id": "a", "transcript": "Good "}}))
    events += stream.feed(chunk({"audio": {"transcript": "day"}}, "stop")) + stream.close()
    assert events[-1]["candidates"][0]["content"]["parts"] == [{"text": "Good day"}]
    both = {"role": "assistant", "audio": {"id": "a", "data": "AAAA", "transcript": "Good day"}}
    converted = openai_response_to_gemini({"choices": [{"message": both, "finish_reason": "stop"}]})
    assert [list(part) for part in converted.value["candidates"][0]["content"]["parts"]] == [["inlineData"]]
    assert "choices[].delta.audio.transcript" in paths(converted.losses)


@pytest.mark.parametrize(("detail", "recorded"), [("low", True), ("high", True), ("auto", False), (None, False)])
def test_the_detail_of_an_image_is_recorded(detail: str | None, recorded: bool) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": detail}}
    converted = openai_request_to_gemini({"model": "m", "messages": [{"role": "user", "content": [image]}]})
    assert ("messages[].content[].image_url.detail" in paths(converted.losses)) == recorded


SCHEMA: Json = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_names_and_strictness_survive_the_pivot() -> None:
    function = {"name": "f", "description": "", "parameters": SCHEMA, "strict": True}
    json_schema = {"name": "weather", "description": "d", "strict": True, "schema": SCHEMA}
    request: Json = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": function}],
        "response_format": {"type": "json_schema", "json_schema": json_schema},
    }
    there = openai_request_to_gemini(request, profile=CHAT_PIVOT).value
    assert gemini_request_to_openai(there, model="m", profile=CHAT_PIVOT).value == request
    native = openai_request_to_gemini(request)
    assert {"tools[].function.strict", "response_format.json_schema.strict"} <= paths(native.losses)
    assert "extra_content" not in str(native.value)


def deltas(*events: Json) -> list[tuple[int, Json]]:
    stream = GeminiToOpenAIStream()
    chunks = [converted for item in events for converted in stream.feed(item)] + stream.close()
    return [(choice["index"], choice) for converted in chunks for choice in converted.get("choices", [])]


def test_several_candidates_stream_calls_of_their_own() -> None:
    def both(first: Json, second: Json, finish: str | None = None) -> Json:
        return {
            "candidates": [
                *event(first, finish=finish)["candidates"],
                *event(second, finish=finish, index=1)["candidates"],
            ]
        }

    call_a, call_b = (
        {"functionCall": {"name": "a", "args": {"x": 1}}},
        {"functionCall": {"name": "b", "args": {"y": 2}}},
    )
    found = deltas(both({"text": "t0"}, {"text": "t1"}), both(call_a, call_b), both(call_b, call_a, "STOP"))
    for index, names in ((0, ["a", "b"]), (1, ["b", "a"])):
        own = [choice for number, choice in found if number == index]
        calls = [first for choice in own for first in choice["delta"].get("tool_calls", [])]
        assert [(first["index"], first["function"]["name"]) for first in calls] == list(enumerate(names))
        assert "".join(choice["delta"].get("content", "") for choice in own) == f"t{index}"
        assert [choice["finish_reason"] for choice in own if choice["finish_reason"]] == ["tool_calls"]
    ids = [first["id"] for _, choice in found for first in choice["delta"].get("tool_calls", [])]
    assert len(set(ids)) == 4


def test_several_choices_stream_calls_of_their_own() -> None:
    stream = OpenAIToGeminiStream()
    for index in (0, 1):
        for piece in ('{"n": ', f"{index}}}"):
            part = {"index": 0, **tool_call(f"id{index}", "f", piece)}
            assert stream.feed(chunk({"tool_calls": [part]}, index=index)) == []
    for index in (1, 0):
        stream.feed(chunk({}, "tool_calls", index=index))
    (last,) = stream.close()
    made = [(entry["index"], entry["content"]["parts"][0]["functionCall"]) for entry in last["candidates"]]
    assert made == [(n, {"id": f"id{n}", "name": "f", "args": {"n": n}}) for n in (0, 1)]


def test_log_probabilities_of_each_event_of_a_stream() -> None:
    def with_logprobs(word: str, finish: str | None = None) -> Json:
        converted = event({"text": word}, finish=finish)
        chosen = {"token": word, "logProbability": -0.5}
        converted["candidates"][0]["logprobsResult"] = {
            "chosenCandidates": [chosen],
            "topCandidates": [{"candidates": [chosen, {"token": "z", "logProbability": -3}]}],
        }
        return converted

    found = [
        choice["logprobs"]["content"]
        for _, choice in deltas(with_logprobs("a"), with_logprobs("é", "STOP"))
        if choice.get("logprobs")
    ]
    assert [(entry[0]["token"], entry[0]["bytes"], len(entry[0]["top_logprobs"])) for entry in found] == [
        ("a", [97], 2),
        ("é", [195, 169], 2),
    ]


def partial(path: str, value: Json, *, more: bool = True, name: str = "") -> Json:
    named = {"name": name} if name else {}
    return {"functionCall": {**named, "partialArgs": [{"jsonPath": path, **value}], "willContinue": more}}


def test_arguments_that_come_in_pieces_make_one_call() -> None:
    found = deltas(
        event(partial("$.city", {"stringValue": "Ro", "willContinue": True}, name="w")),
        event(partial("$.city", {"stringValue": "ma"})),
        event(partial("$.days[0]", {"numberValue": 3})),
        event(partial("$.deep.flag", {"boolValue": True}, more=False)),
        event({"functionCall": {"name": "next", "args": {}}}, finish="STOP"),
    )
    calls = [entry for _, choice in found for entry in choice["delta"].get("tool_calls", [])]
    assert [entry["function"] for entry in calls] == [
        {"name": "w", "arguments": '{"days":[3],"deep":{"flag":true},"city":"Roma"}'},
        {"name": "next", "arguments": "{}"},
    ]


def test_a_call_that_never_ends_is_no_clean_stop() -> None:
    stream = GeminiToOpenAIStream()
    stream.feed(event(partial("$.a", {"stringValue": "x"}, name="w"), finish="STOP"))
    assert "error" in stream.close()[-1]
