"""Gemini answers in normal form: one table for each concept."""

import base64
import hashlib

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Choice, Finish, Media, Outcome, ToolCall, Usage
from bridgecheck.wire import JsonObject

PNG = b"\x89PNG\xff\xfe picture"
PNG_64 = base64.b64encode(PNG).decode()
PNG_SHA = hashlib.sha256(PNG).hexdigest()


def unary(document: object, status: int = 200) -> Outcome:
    return normalise.response(Response("gemini", "unary", (document,), status))


def stream(*events: object) -> Outcome:
    return normalise.response(Response("gemini", "stream", events))


def read_parts(*parts: JsonObject, **candidate: object) -> Choice:
    return unary({"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}).first


def event(*parts: JsonObject, **candidate: object) -> JsonObject:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **candidate}]}


CALL: JsonObject = {"functionCall": {"name": "f", "args": {"a": 1}}}


@pytest.mark.parametrize(
    ("parts", "text", "reasoning"),
    [
        (({"text": "a"}, {"text": "b"}), ("ab",), ()),
        (({"text": "a"}, CALL, {"text": "b"}), ("a", "b"), ()),
        (({"text": "a"}, {"text": ""}, {"text": "b"}), ("ab",), ()),
        (({"text": "a"}, {}, {"text": "b"}), ("ab",), ()),
        (({"text": "t", "thought": True}, {"text": "a"}, {"text": "u", "thought": True}), ("a",), ("t", "u")),
        (({"text": " a\n"}, {"text": "\u2028b"}), (" a\n\u2028b",), ()),
        (({"text": "a"}, {"toolCall": {"id": "1"}}, {"text": "b"}), ("a", "b"), ()),
        (({"text": "no", "thought": False},), ("no",), ()),
        ((), (), ()),
    ],
)
def test_segments(parts: tuple[JsonObject, ...], text: tuple[str, ...], reasoning: tuple[str, ...]) -> None:
    choice = read_parts(*parts)
    assert (choice.text, choice.reasoning) == (text, reasoning)


def test_order_across_channels() -> None:
    choice = read_parts(
        {"text": "t", "thought": True}, {"text": "a"}, CALL, {"text": "b"}, {"inlineData": {"data": PNG_64}}
    )
    assert choice.order == (("reasoning", 0), ("text", 0), ("call", 0), ("text", 1), ("media", 0))


@pytest.mark.parametrize(
    ("parts", "signatures"),
    [
        (({"text": "a", "thoughtSignature": "S"},), (("text:0", "S"),)),
        (({"text": "a"}, {"text": "", "thoughtSignature": "S"}), (("tail", "S"),)),
        (({"text": "a"}, {"thoughtSignature": "S"}), (("tail", "S"),)),
        (({"text": "a"}, {"text": "", "thoughtSignature": "S"}, {"text": "b"}), (("text:0", "S"),)),
        (({"text": "a"}, {"text": "", "thought_signature": "S"}, {"text": ""}), (("tail", "S"),)),
        (({"text": "t", "thought": True, "thoughtSignature": "S"}, {"text": "a"}), (("reasoning:0", "S"),)),
        (({"text": "a"}, CALL, {"text": "b", "thoughtSignature": "S"}), (("text:1", "S"),)),
        (({"inlineData": {"mimeType": "image/png", "data": PNG_64}, "thoughtSignature": "S"},), (("media:0", "S"),)),
        (({"executableCode": {"code": "1"}, "thoughtSignature": "S"},), (("code:0", "S"),)),
    ],
)
def test_signatures_with_the_location_of_their_part(
    parts: tuple[JsonObject, ...], signatures: tuple[tuple[str, str], ...]
) -> None:
    assert read_parts(*parts).signatures == signatures


def test_a_signature_on_a_call_belongs_to_the_call() -> None:
    choice = read_parts({**CALL, "thoughtSignature": "S"}, {"functionCall": {"name": "g", "id": "1"}})
    assert choice.tool_calls == (ToolCall("f", {"a": 1}, "", None, "S"), ToolCall("g", {}, "1"))
    assert choice.signatures == ()


@pytest.mark.parametrize(
    ("value", "args", "bad"),
    [({"x": 1}, {"x": 1}, None), (None, {}, None), ('{"x":1}', {}, '"{\\"x\\":1}"'), ([1], {}, "[1]")],
)
def test_arguments(value: object, args: JsonObject, bad: str | None) -> None:
    call = read_parts({"functionCall": {"name": "f", "args": value}}).tool_calls[0]
    assert (call.args, call.bad_args) == (args, bad)


def test_user_data_keeps_its_keys_and_fields_may_be_snake_case() -> None:
    made = unary(
        {
            "candidates": [
                {
                    "content": {"parts": [{"function_call": {"name": "f", "args": {"user_id": {"a_b": 1}}}}]},
                    "finish_reason": "STOP",
                }
            ],
            "usage_metadata": {"prompt_token_count": 3},
            "model_version": "m",
        }
    )
    assert made.first.tool_calls[0].args == {"user_id": {"a_b": 1}}
    assert (made.first.finish, made.usage, made.model) == (Finish("STOP", "stop"), Usage(prompt=3), "m")


def test_media_by_bytes_or_uri() -> None:
    loose = base64.urlsafe_b64encode(PNG).decode().rstrip("=")
    choice = read_parts(
        {"inlineData": {"mimeType": "image/PNG", "data": loose[:4] + "\n" + loose[4:]}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v"}},
    )
    assert choice.media == (Media("image/png", PNG_SHA), Media("video/mp4", uri="gs://b/v"))


def test_code_and_its_result() -> None:
    made = unary(
        event(
            {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        )
    )
    assert made.first.code == (("executable", "print(1)"), ("result", "1\n"))
    assert dict(made.other) == {
        "candidates[].content.parts[].executableCode.language": '"PYTHON"',
        "candidates[].content.parts[].codeExecutionResult.outcome": '"OUTCOME_OK"',
    }


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", Finish("STOP", "stop")),
        (1, Finish("STOP", "stop")),
        (2, Finish("MAX_TOKENS", "length")),
        (10, Finish("MODEL_ARMOR", "content_filter")),
        (99, Finish("99", "other")),
        ("SAFETY", Finish("SAFETY", "content_filter")),
        ("MALFORMED_FUNCTION_CALL", Finish("MALFORMED_FUNCTION_CALL", "malformed_call")),
        ("BRAND_NEW", Finish("BRAND_NEW", "other")),
        (None, Finish("", "incomplete")),
    ],
)
def test_finish(reason: object, finish: Finish) -> None:
    assert read_parts({"text": "a"}, finishReason=reason).finish == finish


def test_stop_with_calls_is_not_promoted() -> None:
    assert read_parts(CALL, finishReason="STOP").finish == Finish("STOP", "stop")


def test_a_blocked_prompt_is_one_choice_with_its_reason() -> None:
    made = stream({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}}, {"usageMetadata": {}})
    assert made.choices == (Choice(finish=Finish("SAFETY", "content_filter")),)
    assert "finish.blocked_prompt" in made.notes


def test_a_block_reason_next_to_candidates_is_an_unknown_leaf() -> None:
    made = unary({**event({"text": "a"}), "promptFeedback": {"blockReason": "OTHER"}})
    assert len(made.choices) == 1
    assert ("promptFeedback.blockReason", '"OTHER"') in made.other


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}, Usage(9, 2, 11)),
        (
            {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 30, "totalTokenCount": 41},
            Usage(9, 32, 41, reasoning=30),
        ),
        ({"thoughtsTokenCount": 30}, Usage(None, 30, None, reasoning=30)),
        (
            {"promptTokenCount": 9, "cachedContentTokenCount": 4, "toolUsePromptTokenCount": 7},
            Usage(9, cached=4, tool_prompt=7),
        ),
        ({"promptTokenCount": 0}, Usage(0)),
        ({"promptTokenCount": "9"}, None),
        ({}, None),
    ],
)
def test_usage(usage: JsonObject, expected: Usage | None) -> None:
    assert unary({"candidates": [], "usageMetadata": usage}).usage == expected


def test_stream_usage_is_the_last_value_of_each_field_even_if_it_falls() -> None:
    made = stream(
        {"usageMetadata": {"promptTokenCount": 169, "totalTokenCount": 169}},
        {"usageMetadata": {"promptTokenCount": 169, "thoughtsTokenCount": 5}},
        {"usageMetadata": {"promptTokenCount": 79, "candidatesTokenCount": 8, "totalTokenCount": None}},
    )
    assert made.usage == Usage(79, 13, 169, reasoning=5)
    assert "usage.last_non_null" in made.notes


def test_several_candidates_keep_their_index() -> None:
    made = stream(
        {"candidates": [{"index": 1, "content": {"parts": [{"text": "b"}]}}]},
        {"candidates": [{"index": 0, "content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]},
        {"candidates": [{"index": 1, "content": {"parts": [{"text": "B"}]}, "finishReason": "MAX_TOKENS"}]},
    )
    assert [(choice.index, choice.joined_text, choice.finish.kind) for choice in made.choices] == [
        (0, "a", "stop"),
        (1, "bB", "length"),
    ]


@pytest.mark.parametrize(
    "candidate", [{}, {"content": {}}, {"content": {"role": "model"}}, {"content": {"parts": [{}]}}]
)
def test_a_candidate_without_content_is_an_empty_choice(candidate: JsonObject) -> None:
    assert unary({"candidates": [{**candidate, "finishReason": "STOP"}]}).choices == (
        Choice(finish=Finish("STOP", "stop")),
    )


def test_streamed_arguments_are_assembled() -> None:
    made = stream(
        event({"functionCall": {"name": "cook", "willContinue": True}, "thoughtSignature": "S"}),
        event({"functionCall": {"partialArgs": [_piece("$.name", "Las", True)], "willContinue": True}}),
        event({"functionCall": {"partialArgs": [_piece("$.name", "agna")], "willContinue": True}}),
        event({"functionCall": {"partialArgs": [_piece("$.steps[1].text", "mix")], "willContinue": True}}),
        event(
            {
                "functionCall": {
                    "partialArgs": [{"jsonPath": "$.steps[0]['a.b']", "numberValue": 0.5}],
                    "willContinue": True,
                }
            }
        ),
        event({"functionCall": {"partialArgs": [{"jsonPath": "$.hot", "boolValue": False}], "willContinue": True}}),
        event({"functionCall": {}}),
        event({"functionCall": {"name": "eat"}}, finishReason="STOP"),
    )
    assert made.first.tool_calls == (
        ToolCall("cook", {"name": "Lasagna", "steps": [{"a.b": 0.5}, {"text": "mix"}], "hot": False}, signature="S"),
        ToolCall("eat"),
    )


def _piece(path: str, value: str, goes_on: bool = False) -> JsonObject:
    return {"jsonPath": path, "stringValue": value, "willContinue": goes_on}


@pytest.mark.parametrize("path", ["", "$", "nonsense", "$.a[999999999]", "$[0]", "$.a.b", "$.a[0].b"])
def test_an_invalid_argument_path_is_tolerated(path: str) -> None:
    made = stream(
        event({"functionCall": {"name": "f", "willContinue": True, "args": {"a": "text"}}}),
        event({"functionCall": {"partialArgs": [_piece(path, "x")]}}),
    )
    assert made.first.tool_calls[0].name == "f"


def test_citations_and_grounding() -> None:
    made = unary(
        event(
            {"text": "a"},
            citationMetadata={"citationSources": [{"uri": "u"}, {"uri": "u"}]},
            groundingMetadata={"groundingChunks": [{"web": {"uri": "w"}}], "webSearchQueries": ["q"]},
        )
    )
    assert made.first.citations == ('{"uri":"u"}', '{"web":{"uri":"w"}}')
    assert made.other == (("candidates[].groundingMetadata.webSearchQueries[]", '"q"'),)


def test_unknown_leaves_are_preserved_with_path_and_value_and_null_is_absent() -> None:
    made = unary(
        {
            **event({"text": "a", "brandNew": {"x": [1.0, "b"]}}, avgLogprobs=-0.25),
            "createTime": None,
            "modelStatus": {},
        }
    )
    assert made.other == (
        ("candidates[].avgLogprobs", "-0.25"),
        ("candidates[].content.parts[].brandNew.x[]", "1"),
        ("candidates[].content.parts[].brandNew.x[]", '"b"'),
        ("modelStatus", "{}"),
    )


def test_an_unknown_role_is_preserved() -> None:
    assert ("candidates[].content.role", '"user"') in unary({"candidates": [{"content": {"role": "user"}}]}).other


ERROR: JsonObject = {
    "error": {
        "code": 429,
        "message": "slow down",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}],
    }
}


@pytest.mark.parametrize("document", [ERROR, [ERROR]])
def test_errors(document: object) -> None:
    error = unary(document, 429).error
    assert error is not None
    assert (error.kind, error.message, error.status, error.native, error.retry_after) == (
        "rate_limit", "slow down", 429, "RESOURCE_EXHAUSTED", 34.4,
    )  # fmt: skip


def test_a_bad_key_is_an_authentication_error_despite_status_400() -> None:
    document = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}
    error = unary(document, 400).error
    assert error is not None
    assert (error.kind, error.status) == ("auth", 400)


def test_an_error_event_preserves_the_content_before_it() -> None:
    made = stream(event({"text": "so far"}), {"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}})
    assert made.error is not None
    assert (made.error.kind, made.error.status) == ("overloaded", 503)
    assert (made.first.joined_text, made.first.finish.kind) == ("so far", "incomplete")


@pytest.mark.parametrize(
    ("pieces", "args"),
    [
        ([{"name": "f", "args": {}}, {"args": {"a": 1}}], [{"a": 1}]),
        ([{"name": "f"}, {"args": {"a": 1}}, {"name": "g", "args": {"b": 2}}], [{"a": 1}, {"b": 2}]),
        ([{"name": "f", "args": {"a": 1}}, {"args": {"b": 2}}], [{"a": 1}, {"b": 2}]),
        ([{"args": {"a": 1}}], [{"a": 1}]),
    ],
)
def test_arguments_without_a_name_belong_to_the_call_without_arguments(
    pieces: list[JsonObject], args: list[JsonObject]
) -> None:
    made = stream(*(event({"functionCall": piece}) for piece in pieces))
    assert [call.args for call in made.first.tool_calls] == args
