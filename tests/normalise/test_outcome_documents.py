"""Outcome documents of libraries with their own types: normalised, folded, and refused with a message."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bridgecheck import normalise
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.outcome import Choice, Finish, Media, Outcome, ToolCall, Usage
from bridgecheck.model.prompt import CallPart, MediaPart, ReasoningPart, ResultPart, TextPart, Thinking, Turn
from bridgecheck.normalise.media import sha256_hex
from bridgecheck.normalise.outcome import find_response_problems
from bridgecheck.normalise.outcome.problems import find_object_problems
from bridgecheck.wire import JsonObject

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"


def outcome_schema(name: str) -> JsonObject:
    return json.loads((SCHEMAS / f"outcome.{name}.json").read_text(encoding="utf-8"))


def read(*documents: JsonObject, mode: str = "unary", status: int = 200, **rest: object) -> Outcome:
    return normalise.response(Response("outcome", mode, documents, status, **rest))


def test_every_field_of_an_answer() -> None:
    outcome = read(
        {
            "parts": [
                {"reasoning": "Why not.", "signature": "s0"},
                {"redacted": "b3BhcXVl"},
                {"text": "Four"},
                {"text": "."},
                {"tool_call": {"id": "c1", "name": "add", "args": {"a": 2}}, "signature": "s1"},
                {"text": "Done."},
                {"media": {"mime": "image/PNG", "data": "aGk="}},
                {"code": {"kind": "executable", "text": "2 + 2"}},
                {"text": "", "signature": "s2"},
            ],
            "refusal": None,
            "citations": [{"url": "u"}],
            "finish": "tool_calls",
            "finish_native": "TOOL",
            "usage": {"prompt": 7, "completion": 2, "total": 9, "cached": 0, "reasoning": None},
            "model": "m",
            "id": "r",
            "keep": {"any": "thing"},
        }
    )
    (choice,) = outcome.choices
    assert choice.text == ("Four.", "Done.")
    assert choice.reasoning == ("Why not.",)
    assert choice.tool_calls == (ToolCall("add", {"a": 2}, "c1", None, "s1"),)
    assert choice.media == (Media("image/png", sha256_hex(b"hi")),)
    assert choice.code == (("executable", "2 + 2"),)
    assert choice.signatures == (("reasoning:0", "s0"), ("redacted:0", "b3BhcXVl"), ("tail", "s2"))
    assert [channel for channel, _ in choice.order] == ["reasoning", "text", "call", "text", "media", "code"]
    assert choice.finish == Finish("TOOL", "tool_calls")
    assert choice.citations == ('{"url":"u"}',)
    assert outcome.usage == Usage(7, 2, 9, 0)
    assert (outcome.model, outcome.response_id, outcome.other, outcome.error) == ("m", "r", (), None)


@pytest.mark.parametrize(
    ("document", "native", "kind"),
    [
        ({"parts": [{"text": "x"}]}, "", "incomplete"),
        ({"finish": "incomplete"}, "", "incomplete"),
        ({"finish": "length"}, "length", "length"),
        ({"finish": "other", "finish_native": "ODD"}, "ODD", "other"),
        ({"finish": "other", "finish_native": "SAFETY"}, "SAFETY", "other"),
        ({"finish_native": "prohibited_content"}, "prohibited_content", "content_filter"),
        ({"finish_native": "MAX_TOKENS"}, "MAX_TOKENS", "length"),
        ({"finish_native": "STOP"}, "STOP", "stop"),
        ({"finish_native": "ODD"}, "ODD", "other"),
        ({"parts": [], "finish": "content_filter"}, "content_filter", "content_filter"),
    ],
)
def test_finish_reasons(document: JsonObject, native: str, kind: str) -> None:
    assert read(document).first.finish == Finish(native, kind)


@pytest.mark.parametrize(
    ("call", "args", "bad"),
    [
        ({"args": {"a": 1}}, {"a": 1}, None),
        ({"args_text": '{"a": 1}'}, {"a": 1}, None),
        ({"args_text": ""}, {}, None),
        ({}, {}, None),
        ({"args_text": '{"a": '}, {}, '{"a": '),
        ({"args_text": "[1]"}, {}, "[1]"),
    ],
)
def test_arguments_as_an_object_or_as_text(call: JsonObject, args: JsonObject, bad: str | None) -> None:
    outcome = read({"parts": [{"tool_call": {"name": "f", **call}}]}).first.tool_calls[0]
    assert (outcome.args, outcome.bad_args) == (args, bad)


def test_several_choices_are_ordered_by_index() -> None:
    outcome = read({"choices": [{"index": 1, "parts": [{"text": "b"}]}, {"index": 0, "finish": "stop"}], "model": "m"})
    assert [(choice.index, choice.text, choice.finish.kind) for choice in outcome.choices] == [
        (0, (), "stop"),
        (1, ("b",), "incomplete"),
    ]


@pytest.mark.parametrize(
    ("document", "status", "kind", "message", "wait"),
    [
        ({"error": {"kind": "rate_limit", "message": "Slow down", "retry_after": 7}}, 200, "rate_limit", None, 7.0),
        ({"error": {"message": "No"}}, 404, "not_found", 404, None),
        ({"error": {"status": 503}}, 200, "overloaded", 503, None),
        ({"error": {"native": "RESOURCE_EXHAUSTED"}}, 200, "rate_limit", None, None),
        ({"error": {}}, 200, "unknown", None, None),
        ({}, 429, "rate_limit", 429, None),
    ],
)
def test_failures(document: JsonObject, status: int, kind: str, message: int | None, wait: float | None) -> None:
    error = read(document, status=status).error
    assert error is not None
    assert (error.kind, error.status, error.retry_after) == (kind, message, wait)


@pytest.mark.parametrize(
    ("response", "choices"),
    [
        (Response("outcome", "unary", ({},)), 1),
        (Response("outcome", "unary", ({"choices": []},)), 0),
        (Response("outcome", "unary", ({"error": {}},)), 0),
        (Response("outcome", "unary", ({"error": {}, "parts": []},)), 1),
        (Response("outcome", "unary", ({},), 500), 0),
        (Response("outcome", "stream", ()), 1),
        (Response("outcome", "stream", ({"error": {}},)), 0),
        (Response("outcome", "stream", (), end="reset"), 0),
    ],
)
def test_an_empty_document_is_an_answer_and_a_failure_is_not(response: Response, choices: int) -> None:
    assert len(normalise.response(response).choices) == choices


def test_a_connection_that_broke_before_any_document_is_an_error() -> None:
    assert read(mode="stream", end="reset").error.kind == "truncated"


EVENTS = [
    {"parts": [{"reasoning": "Hm"}]},
    {"parts": [{"reasoning": "m."}, {"reasoning": "", "signature": "s0"}]},
    {"parts": [{"text": "Fo"}], "model": "m"},
    {"parts": [{"text": "ur", "signature": None}]},
    {"parts": [{"tool_call": {"index": 0, "id": "c0", "name": "f", "args_text": '{"a"'}}]},
    {"parts": [{"tool_call": {"index": 1, "id": "c1", "name": "g", "args_text": ""}}]},
    {"parts": [{"tool_call": {"index": 0, "args_text": ": 1}"}, "signature": "s1"}]},
    {"parts": [{"tool_call": {"name": "h", "args": {"b": 2}}}], "usage": {"prompt": 1}},
    {"finish": "tool_calls", "usage": {"prompt": 3, "completion": 4}, "keep": {"all": 1}},
]


def test_a_stream_has_the_outcome_of_its_document() -> None:
    folded = normalise.fold("outcome", EVENTS)
    assert folded == {
        "parts": [
            {"reasoning": "Hmm."},
            {"reasoning": "", "signature": "s0"},
            {"text": "Four"},
            {"tool_call": {"id": "c0", "name": "f", "args_text": '{"a": 1}'}, "signature": "s1"},
            {"tool_call": {"id": "c1", "name": "g", "args_text": ""}},
            {"tool_call": {"name": "h", "args": {"b": 2}}},
        ],
        "finish": "tool_calls",
        "keep": {"all": 1},
        "model": "m",
        "usage": {"prompt": 3, "completion": 4},
    }
    streamed, whole = read(*EVENTS, mode="stream"), read(folded)
    assert (streamed.choices, streamed.usage, streamed.model) == (whole.choices, whole.usage, whole.model)
    assert streamed.first.reasoning == ("Hmm.",)
    assert find_response_problems(Response("outcome", "stream", tuple(EVENTS))) == []


def test_a_stream_of_several_answers() -> None:
    events = [
        {"choice": 1, "parts": [{"text": "b"}]},
        {"parts": [{"text": "a"}]},
        {"choice": 1, "finish": "length"},
        {"finish": "stop"},
    ]
    outcome = read(*events, mode="stream")
    assert [(choice.index, choice.text, choice.finish.kind) for choice in outcome.choices] == [
        (0, ("a",), "stop"),
        (1, ("b",), "length"),
    ]


def test_an_error_after_part_of_an_answer() -> None:
    outcome = read({"parts": [{"text": "a"}]}, {"error": {"kind": "overloaded"}}, mode="stream")
    assert (outcome.first.text, outcome.first.finish.kind, outcome.error.kind) == (("a",), "incomplete", "overloaded")


def test_refusal_texts_and_citations_are_concatenated() -> None:
    folded = normalise.fold("outcome", [{"refusal": "I can", "citations": [1]}, {"refusal": "not.", "citations": [2]}])
    assert folded == {"refusal": "I cannot.", "citations": [1, 2]}


NONSENSE = [
    ("answer", {"part": []}, "part: no member of an answer (did you mean parts?)"),
    ("answer", {"parts": "x"}, "parts: expected a list, each an answer part, got the text 'x'"),
    ("answer", {"parts": [{}]}, "parts[0]: expected exactly one of text, reasoning, redacted, tool_call, media, code, got none"),
    ("answer", {"parts": [{"text": "a", "reasoning": "b"}]}, "got text and reasoning"),
    ("answer", {"parts": [{"tool_result": {"value": 1}}]}, "parts[0].tool_result: no member of an answer part"),
    ("answer", {"parts": [{"tool_call": {"name": "f", "args": '{"a": 1}'}}]},
     "parts[0].tool_call.args: expected an object, got the text '{\"a\": 1}'"),
    ("answer", {"parts": [{"tool_call": {"args": {}}}]}, "parts[0].tool_call.name: expected text, it is missing"),
    ("answer", {"parts": [{"tool_call": {"name": "f", "args": {}, "args_text": "{}"}}]}, "expected args or args_text, got both"),
    ("answer", {"parts": [{"tool_call": {"name": "f", "index": 0}}]}, "index: no member of a tool call"),
    ("answer", {"parts": [{"media": {"mime": "image/png"}}]}, "expected exactly one of data, uri, got none"),
    ("answer", {"finish": "STOP"}, "finish: expected one of stop, tool_calls, length"),
    ("answer", {"usage": {"prompt": "7"}}, "usage.prompt: expected a whole number, got the text '7'"),
    ("answer", {"usage": {"prompt": True}}, "usage.prompt: expected a whole number, got true"),
    ("answer", {"error": "no"}, "error: expected an error, got the text 'no'"),
    ("answer", {"choices": [], "parts": []}, "document: expected choices or parts, got both"),
    ("event", {"choices": []}, "choices: no member of an event (did you mean choice?)"),
    ("event", {"choice": "0"}, "choice: expected a whole number"),
    ("request", {"version": 1, "model": "m"}, "turns: expected a list, each a turn, it is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document", "message"), NONSENSE)
def test_invalid_documents_are_reported_and_refused_by_the_schema(
    name: str, document: JsonObject, message: str
) -> None:
    assert message in " | ".join(find_object_problems(name, document))
    assert list(Draft202012Validator(outcome_schema(name)).iter_errors(document))


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_the_schema_accepts_events(event: JsonObject) -> None:
    assert find_object_problems("event", event) == []
    assert list(Draft202012Validator(outcome_schema("event")).iter_errors(event)) == []


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_a_value_that_is_not_an_object_is_invalid_and_reads_as_empty(value: object) -> None:
    assert find_object_problems("answer", value) == [f"document: expected an answer, got {json_word(value)}"]
    assert read(value).choices == (Choice(),)


def json_word(value: object) -> str:
    return {"[]": "a list", '"text"': "the text 'text'"}.get(json.dumps(value), json.dumps(value))


def test_fragments_that_make_no_call_are_invalid() -> None:
    events = ({"parts": [{"tool_call": {"index": 0, "args_text": "{}"}}]},)
    assert find_response_problems(Response("outcome", "stream", events)) == [
        "parts[0].tool_call.name: expected text, it is missing"
    ]


def test_unknown_values_are_preserved() -> None:
    outcome = read(
        {"parts": [{"text": 3}, {"tool_call": {"name": "f", "arg": {}}}], "finish": "STOP", "usage": {"x": 1}}
    )
    assert [path for path, _ in outcome.other] == ["finish", "parts[].text", "parts[].tool_call.arg", "usage.x"]


def test_a_request() -> None:
    body = {
        "version": 1,
        "model": "m",
        "system": ["Be brief."],
        "turns": [
            {
                "role": "user",
                "parts": [
                    {"text": "2 + 2?"},
                    {"media": {"mime": "image/png", "data": "aGk="}, "detail": {"detail": "low"}},
                ],
            },
            {
                "role": "assistant",
                "parts": [{"reasoning": "Hm", "signature": "s"}, {"tool_call": {"id": "c", "name": "f", "args": {}}}],
                "keep": [1],
            },
            {
                "role": "user",
                "parts": [{"tool_result": {"id": "c", "name": "f", "value": {"a": 1}, "is_error": False}}],
                "name": "ann",
            },
        ],
        "tools": [],
        "tool_choice": {"mode": "named", "names": ["f"], "parallel": False},
        "settings": {"temperature": 0, "stop": ["x"]},
        "thinking": {"budget": 0},
        "response_format": {"kind": "json_schema", "schema": {}, "name": "n"},
    }
    assert find_object_problems("request", body) == []
    assert list(Draft202012Validator(outcome_schema("request")).iter_errors(body)) == []
    outcome = normalise.request(Request("outcome", "unary", body, "m"))
    assert outcome.turns == (
        Turn("user", (TextPart("2 + 2?"), MediaPart(Media("image/png", sha256_hex(b"hi")), '{"detail":"low"}'))),
        Turn("assistant", (ReasoningPart("Hm", "s"), CallPart(ToolCall("f", {}, "c")))),
        Turn("user", (ResultPart("c", "f", {"a": 1}, (), False),), "ann"),
    )
    assert (outcome.system, outcome.tools, outcome.tool_choice.names, outcome.tool_choice.parallel) == (
        ("Be brief.",),
        (),
        ("f",),
        False,
    )
    assert outcome.settings == (("temperature", 0), ("stop", ("x",)))
    assert outcome.thinking == Thinking(0)
    assert (outcome.response_format.kind, outcome.response_format.schema, outcome.other) == ("json_schema", {}, ())
