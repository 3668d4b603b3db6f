"""The documents of libraries with types of their own: read into the normal form, folded, and refused with words."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bridgecheck import normalise
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.outcome import Choice, Finish, Media, Outcome, ToolCall, Usage
from bridgecheck.model.prompt import CallPart, MediaPart, ReasoningPart, ResultPart, TextPart, Thinking, Turn
from bridgecheck.normalise.media import sha256_digest
from bridgecheck.normalise.outcome import find_response_problems
from bridgecheck.normalise.outcome.problems import find_object_problems
from bridgecheck.wire import JsonObject

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"


def outcome_schema(name: str) -> JsonObject:
    return json.loads((SCHEMAS / f"outcome.{name}.json").read_text(encoding="utf-8"))


def read(*documents: JsonObject, mode: str = "unary", status: int = 200, **rest: object) -> Outcome:
    return normalise.response(Response("outcome", mode, documents, status, **rest))


def test_everything_an_answer_can_say() -> None:
    got = read(
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
    (choice,) = got.choices
    assert choice.text == ("Four.", "Done.")
    assert choice.reasoning == ("Why not.",)
    assert choice.tool_calls == (ToolCall("add", {"a": 2}, "c1", None, "s1"),)
    assert choice.media == (Media("image/png", sha256_digest(b"hi")),)
    assert choice.code == (("executable", "2 + 2"),)
    assert choice.signatures == (("reasoning:0", "s0"), ("redacted:0", "b3BhcXVl"), ("tail", "s2"))
    assert [channel for channel, _ in choice.order] == ["reasoning", "text", "call", "text", "media", "code"]
    assert choice.finish == Finish("TOOL", "tool_calls")
    assert choice.citations == ('{"url":"u"}',)
    assert got.usage == Usage(7, 2, 9, 0)
    assert (got.model, got.response_id, got.other, got.error) == ("m", "r", (), None)


@pytest.mark.parametrize(
    ("document", "native", "kind"),
    [
        ({"parts": [{"text": "x"}]}, "", "incomplete"),
        ({"finish": "incomplete"}, "", "incomplete"),
        ({"finish": "length"}, "length", "length"),
        ({"finish": "other", "finish_native": "ODD"}, "ODD", "other"),
        ({"parts": [], "finish": "content_filter"}, "content_filter", "content_filter"),
    ],
)
def test_why_an_answer_ended(document: JsonObject, native: str, kind: str) -> None:
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
    got = read({"parts": [{"tool_call": {"name": "f", **call}}]}).first.tool_calls[0]
    assert (got.args, got.bad_args) == (args, bad)


def test_several_answers_stand_by_their_index() -> None:
    got = read({"choices": [{"index": 1, "parts": [{"text": "b"}]}, {"index": 0, "finish": "stop"}], "model": "m"})
    assert [(one.index, one.text, one.finish.kind) for one in got.choices] == [
        (0, (), "stop"),
        (1, ("b",), "incomplete"),
    ]


@pytest.mark.parametrize(
    ("document", "status", "kind", "said", "wait"),
    [
        ({"error": {"kind": "rate_limit", "message": "Slow down", "retry_after": 7}}, 200, "rate_limit", None, 7.0),
        ({"error": {"message": "No"}}, 404, "not_found", 404, None),
        ({"error": {"status": 503}}, 200, "overloaded", 503, None),
        ({"error": {"native": "RESOURCE_EXHAUSTED"}}, 200, "rate_limit", None, None),
        ({"error": {}}, 200, "server", None, None),
        ({}, 429, "rate_limit", 429, None),
    ],
)
def test_failures(document: JsonObject, status: int, kind: str, said: int | None, wait: float | None) -> None:
    error = read(document, status=status).error
    assert error is not None
    assert (error.kind, error.status, error.retry_after) == (kind, said, wait)


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
def test_what_says_nothing_is_an_answer_all_the_same_and_a_failure_is_none(response: Response, choices: int) -> None:
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


def test_a_stream_says_what_its_document_says() -> None:
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
    got = read(*events, mode="stream")
    assert [(one.index, one.text, one.finish.kind) for one in got.choices] == [
        (0, ("a",), "stop"),
        (1, ("b",), "length"),
    ]


def test_an_error_behind_a_part_of_an_answer() -> None:
    got = read({"parts": [{"text": "a"}]}, {"error": {"kind": "overloaded"}}, mode="stream")
    assert (got.first.text, got.first.finish.kind, got.error.kind) == (("a",), "incomplete", "overloaded")


def test_the_words_of_a_refusal_and_citations_add_up() -> None:
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


@pytest.mark.parametrize(("name", "document", "said"), NONSENSE)
def test_nonsense_is_named_and_the_schema_refuses_it_too(name: str, document: JsonObject, said: str) -> None:
    assert said in " | ".join(find_object_problems(name, document))
    assert list(Draft202012Validator(outcome_schema(name)).iter_errors(document))


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_the_schema_takes_events(event: JsonObject) -> None:
    assert find_object_problems("event", event) == []
    assert list(Draft202012Validator(outcome_schema("event")).iter_errors(event)) == []


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_what_is_no_object_is_nonsense_and_reads_as_nothing(value: object) -> None:
    assert find_object_problems("answer", value) == [f"document: expected an answer, got {json_word(value)}"]
    assert read(value).choices == (Choice(),)


def json_word(value: object) -> str:
    return {"[]": "a list", '"text"': "the text 'text'"}.get(json.dumps(value), json.dumps(value))


def test_pieces_that_make_no_call_are_nonsense() -> None:
    events = ({"parts": [{"tool_call": {"index": 0, "args_text": "{}"}}]},)
    assert find_response_problems(Response("outcome", "stream", events)) == [
        "parts[0].tool_call.name: expected text, it is missing"
    ]


def test_what_is_not_understood_is_left_to_be_seen() -> None:
    got = read({"parts": [{"text": 3}, {"tool_call": {"name": "f", "arg": {}}}], "finish": "STOP", "usage": {"x": 1}})
    assert [path for path, _ in got.other] == ["finish", "parts[].text", "parts[].tool_call.arg", "usage.x"]


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
    got = normalise.request(Request("outcome", "unary", body, "m"))
    assert got.turns == (
        Turn("user", (TextPart("2 + 2?"), MediaPart(Media("image/png", sha256_digest(b"hi")), '{"detail":"low"}'))),
        Turn("assistant", (ReasoningPart("Hm", "s"), CallPart(ToolCall("f", {}, "c")))),
        Turn("user", (ResultPart("c", "f", {"a": 1}, (), False),), "ann"),
    )
    assert (got.system, got.tools, got.tool_choice.names, got.tool_choice.parallel) == (
        ("Be brief.",),
        (),
        ("f",),
        False,
    )
    assert got.settings == (("temperature", 0), ("stop", ("x",)))
    assert got.thinking == Thinking(0)
    assert (got.response_format.kind, got.response_format.schema, got.other) == ("json_schema", {}, ())
