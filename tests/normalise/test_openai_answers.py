"""Chat answers in normal form: one table for each concept, unary and streamed."""

import base64
import hashlib

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Choice, Finish, Media, Outcome, ToolCall, Usage
from bridgecheck.wire import JsonObject


def unary(document: object, status: int = 200) -> Outcome:
    return normalise.response(Response("openai-chat", "unary", (document,), status))


def stream(*events: object) -> Outcome:
    return normalise.response(Response("openai-chat", "stream", events))


def read_message(finish: object = "stop", **message: object) -> Outcome:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return unary({"id": "i", "object": "chat.completion", "model": "m", "choices": [choice]})


def chunk(finish: object = None, index: int | None = 0, **delta: object) -> JsonObject:
    at = {} if index is None else {"index": index}
    return {
        "id": "i", "object": "chat.completion.chunk", "model": "m",
        "choices": [{**at, "delta": delta, "finish_reason": finish}],
    }  # fmt: skip


def call(index: object, arguments: object, name: object = None, call_id: object = None) -> JsonObject:
    return {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_plain_answer() -> None:
    made = read_message(content="Hi", refusal=None, annotations=[])
    assert made == Outcome(
        "openai-chat",
        (Choice(text=("Hi",), finish=Finish("stop", "stop"), order=(("text", 0),)),),
        model="m",
        response_id="i",
    )


def test_a_streamed_answer_has_the_same_outcome() -> None:
    made = stream(
        chunk(role="assistant", content=""),
        {"choices": []},
        {"choices": None},
        chunk(content="H"),
        chunk(content=None),
        chunk(content="i"),
        chunk("stop"),
    )
    assert made.choices == read_message(content="Hi").choices
    assert (made.model, made.response_id, made.other) == ("m", "i", ())


@pytest.mark.parametrize(
    "pieces",
    [
        [call(0, "", "f", "1"), call(0, '{"a":'), call(0, "1}")],
        [call(0, '{"a":1}', "f", "1")],
        [call(0, None, "f", "1"), call(0, '{"a":', ""), call(0, "1}", None, "")],
        [call(0, '{"a":'), call(0, "1}", "f", "1")],
        [call(None, "", "f", "1"), call(None, '{"a":1}')],
        [call(0, '{"a":', "f", "1"), call(0, "1}", "f", "1")],
    ],
)
def test_call_deltas(pieces: list[JsonObject]) -> None:
    made = stream(*(chunk(tool_calls=[piece]) for piece in pieces), chunk("tool_calls"))
    assert made.first.tool_calls == (ToolCall("f", {"a": 1}, "1"),)
    assert made.first.finish == Finish("tool_calls", "tool_calls")


def test_interleaved_calls_by_index() -> None:
    made = stream(
        chunk(tool_calls=[call(1, "", "g", "2"), call(0, "", "f", "1")]),
        chunk(tool_calls=[call(0, '{"a"'), call(1, '{"b"')]),
        chunk(tool_calls=[call(1, ":2}")]),
        chunk(tool_calls=[call(0, ":1}")]),
    )
    assert made.first.tool_calls == (ToolCall("f", {"a": 1}, "1"), ToolCall("g", {"b": 2}, "2"))


def test_two_calls_on_one_index_are_merged_with_a_note() -> None:
    made = stream(chunk(tool_calls=[call(0, "{}", "f", "1")]), chunk(tool_calls=[call(0, "{}", "g", "2")]))
    assert made.first.tool_calls == (ToolCall("fg", {}, "1", "{}{}"),)


def test_without_an_index_a_new_id_starts_a_call() -> None:
    made = stream(
        chunk(tool_calls=[call(None, '{"a":', "f", "1")]),
        chunk(tool_calls=[call(None, "1}")]),
        chunk(tool_calls=[call(None, '{"b":', "g", "2")]),
        chunk(tool_calls=[call(None, "2}", None, "2")]),
    )
    assert made.first.tool_calls == (ToolCall("f", {"a": 1}, "1"), ToolCall("g", {"b": 2}, "2"))


@pytest.mark.parametrize(
    ("arguments", "args", "bad", "note"),
    [
        ('{"a": 1.0}', {"a": 1.0}, None, False),
        ("", {}, None, True),
        (None, {}, None, True),
        ("null", {}, None, True),
        ("{}", {}, None, True),
        ("[1]", {}, "[1]", False),
        ('{"a"', {}, '{"a"', False),
        ('{"a": NaN}', {}, '{"a": NaN}', False),
        ('{"a":1,"a":2}', {"a": 2}, None, False),
        ([1], {}, "[1]", False),
    ],
)
def test_arguments(arguments: object, args: JsonObject, bad: str | None, note: bool) -> None:
    made = read_message(tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}])
    assert made.first.tool_calls == (ToolCall("f", args, "1", bad),)
    assert ("no_args" in made.notes) is note


def test_arguments_as_an_object_are_read_and_counted() -> None:
    made = read_message(tool_calls=[{"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}])
    assert made.first.tool_calls == (ToolCall("f", {"a": 1}, "1"),)
    assert "args.object" in made.notes


def test_the_deprecated_function_call() -> None:
    made = read_message("function_call", function_call={"name": "f", "arguments": '{"a":1}'})
    assert made.first.tool_calls == (ToolCall("f", {"a": 1}),)
    assert made.first.finish == Finish("function_call", "tool_calls")
    streamed = stream(
        chunk(function_call={"name": "f", "arguments": '{"a"'}), chunk(function_call={"arguments": ":1}"})
    )
    assert streamed.first.tool_calls == made.first.tool_calls
    assert read_message(function_call={"name": "", "arguments": ""}).first.tool_calls == ()


def test_a_custom_call_preserves_its_free_text() -> None:
    made = read_message(tool_calls=[{"id": "1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}])
    assert made.first.tool_calls == (ToolCall("sql", {"input": "select 1"}, "1"),)


@pytest.mark.parametrize(
    ("carriers", "reasoning", "twin"),
    [
        ({"reasoning_content": "so"}, ("so",), False),
        ({"reasoning": "so"}, ("so",), False),
        ({"reasoning": "so", "reasoning_content": "so"}, ("so",), True),
        ({"reasoning": "so", "reasoning_content": "other"}, ("other", "so"), False),
        (
            {"reasoning": "so", "reasoning_details": [{"type": "reasoning.text", "text": "so", "index": 0}]},
            ("so",),
            True,
        ),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "so"}]}, ("so",), False),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}]}, ("so",), False),
        ({"reasoning_content": ""}, (), False),
    ],
)
def test_reasoning_counts_once(carriers: JsonObject, reasoning: tuple[str, ...], twin: bool) -> None:
    made = read_message(**carriers)
    assert made.first.reasoning == reasoning
    assert ("reasoning.twin" in made.notes) is twin
    assert made.first.text == ()


def test_streamed_reasoning_details_are_joined_by_index() -> None:
    detail = {"type": "reasoning.text", "index": 0}
    made = stream(
        chunk(reasoning="a", reasoning_details=[{**detail, "text": "a"}]),
        chunk(reasoning="b", reasoning_details=[{**detail, "text": "b"}]),
        chunk(
            reasoning_details=[{**detail, "signature": "S"}, {"type": "reasoning.encrypted", "data": "E", "index": 1}]
        ),
    )
    assert made.first.reasoning == ("ab",)
    assert made.first.signatures == (("reasoning:0", "S"), ("redacted:0", "E"))


def test_content_parts_and_order() -> None:
    made = read_message(
        content=[
            {"type": "thinking", "thinking": [{"type": "text", "text": "t"}], "closed": True},
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b"},
        ]
    )
    assert (made.first.text, made.first.order, made.other) == (("ab",), (("reasoning", 0), ("text", 0)), ())
    streamed = stream(chunk(content="x"), chunk(content=[{"type": "text", "text": "y"}]))
    assert streamed.first.text == ("xy",)


def test_content_of_a_wrong_type_is_not_read_as_text() -> None:
    made = read_message(content={"answer": 42})
    assert made.first.text == ()
    assert made.other == (("choices[].message.content.answer", "42"),)


def test_refusal() -> None:
    assert read_message(refusal="No.").first.refusal == "No."
    assert stream(chunk(refusal="N"), chunk(refusal="o.")).first.refusal == "No."


def test_audio_streamed_in_padded_fragments() -> None:
    sound = [b"ab", b"cde"]
    pieces = [{"data": base64.b64encode(piece).decode()} for piece in sound]
    made = stream(
        chunk(audio={"id": "a1", "transcript": "he"}),
        chunk(audio=pieces[0]),
        chunk(audio={**pieces[1], "transcript": "llo"}),
    )
    assert made.first.media == (Media("audio/*", hashlib.sha256(b"abcde").hexdigest()),)
    assert ("choices[].message.audio.transcript", '"hello"') in made.other


def test_images_generated_by_hosts() -> None:
    url = "data:image/png;base64," + base64.b64encode(b"p").decode()
    made = read_message(
        images=[{"type": "image_url", "image_url": {"url": url}}, {"image_url": {"url": "https://x/y"}}]
    )
    assert made.first.media == (
        Media("image/png", hashlib.sha256(b"p").hexdigest()),
        Media("image/*", uri="https://x/y"),
    )


def test_the_signature_beside_an_image_is_its_own() -> None:
    image = {"image_url": {"url": "https://x/y"}, "extra_content": {"google": {"thought_signature": "S"}}}
    made = read_message(images=[image])
    assert (made.first.signatures, made.other) == ((("media:0", "S"),), ())


def test_annotations_and_top_level_citations() -> None:
    made = read_message(content="a", annotations=[{"type": "url_citation", "url_citation": {"url": "u"}}])
    assert made.first.citations == ('{"type":"url_citation","url_citation":{"url":"u"}}',)
    listed = stream({**chunk(content="a"), "citations": ["u"]}, {**chunk(content="b"), "citations": ["u", "v"]})
    assert listed.first.citations == ('"u"', '"v"')


def test_google_signatures_on_calls_and_messages() -> None:
    extra = {"google": {"thought_signature": "S"}}
    made = read_message(tool_calls=[{**call(0, "{}", "f", "1"), "extra_content": extra}])
    assert (made.first.tool_calls[0].signature, made.other) == ("S", ())
    streamed = stream(
        chunk(tool_calls=[{**call(0, "", "f", "1"), "extra_content": extra}]), chunk(tool_calls=[call(0, "{}")])
    )
    assert streamed.first.tool_calls[0].signature == "S"
    assert read_message(content="a", extra_content=extra).first.signatures == (("text:0", "S"),)
    assert stream(chunk(content=""), chunk(extra_content=extra)).first.signatures == (("tail", "S"),)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "tool_calls"),
        ("model_length", "length"), ("error", "error"), ("brand_new", "other"), (None, "incomplete"), ("", "incomplete"),
    ],
)  # fmt: skip
def test_finish(reason: object, kind: str) -> None:
    assert read_message(reason, content="a").first.finish.kind == kind


def test_the_last_finish_reason_counts_and_null_does_not_remove_it() -> None:
    assert stream(chunk("length"), chunk("stop"), chunk(None), chunk("")).first.finish.native == "stop"


@pytest.mark.parametrize(
    ("usage", "expected", "note"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}, Usage(9, 2, 11), False),
        (
            {
                "prompt_tokens": 9, "completion_tokens": 32, "total_tokens": 41,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(9, 32, 41, 4, 1, 30),
            False,
        ),
        (
            {
                "prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 354,
                "completion_tokens_details": {"reasoning_tokens": 340},
            },
            Usage(12, 342, 354, reasoning=340),
            True,
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 0}, Usage(9, cached=0), False),
        ({"prompt_tokens": 9, "prompt_tokens_details": None, "completion_tokens_details": None}, Usage(9), False),
        (None, None, False),
    ],
)  # fmt: skip
def test_usage(usage: object, expected: Usage | None, note: bool) -> None:
    made = unary({"choices": [], "usage": usage})
    assert (made.usage, "usage.xai_reasoning_outside" in made.notes) == (expected, note)


def test_duplicate_counts_are_ignored_and_unknown_ones_preserved() -> None:
    usage = {
        "prompt_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 4},
        "prompt_cache_hit_tokens": 4,
        "cached_tokens": 5,
    }
    assert unary({"choices": [], "usage": usage}).other == (("usage.cached_tokens", "5"),)


def test_usage_of_a_stream_on_every_chunk_is_not_summed() -> None:
    made = stream(
        {**chunk(content="a"), "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}},
        {**chunk(content="b"), "usage": None},
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}},
    )
    assert made.usage == Usage(9, 2, 11)
    assert "usage.last_non_null" in made.notes


def test_usage_where_groq_puts_it() -> None:
    made = stream(chunk("stop"), {"choices": [], "x_groq": {"id": "r", "usage": {"prompt_tokens": 3}}})
    assert (made.usage, made.other) == (Usage(3), (("x_groq.id", '"r"'),))


def test_choices_by_index_in_any_order() -> None:
    made = stream(chunk(index=1, content="b"), chunk(index=0, content="a"), chunk("stop", index=1))
    assert [(choice.index, choice.joined_text) for choice in made.choices] == [(0, "a"), (1, "b")]


def test_perplexitys_cumulative_message_next_to_the_delta_is_ignored() -> None:
    events = [chunk(role="assistant", content="a"), chunk("stop", content="b")]
    for event, so_far in zip(events, ("a", "ab"), strict=True):
        event["choices"] = [{**event["choices"][0], "message": {"role": "assistant", "content": so_far}}]
    made = stream(*events)
    assert (made.first.text, made.other) == (("ab",), ())


def test_unknown_leaves_have_the_same_path_in_both_modes() -> None:
    whole = read_message(content="a", brand_new={"x": 1})
    streamed = stream({**chunk(content="a"), "obfuscation": "xyz"}, chunk(brand_new={"x": 1}))
    assert whole.other == (("choices[].message.brand_new.x", "1"),)
    assert streamed.other == whole.other, "padding is no content"


@pytest.mark.parametrize(
    ("document", "status", "kind", "message", "native"),
    [
        ({"error": {"message": "m", "type": "t", "code": "invalid_api_key"}}, 401, "auth", "m", "invalid_api_key"),
        ({"error": {"message": "m", "code": 429}}, 429, "rate_limit", "m", ""),
        ({"error": "plain"}, 500, "server", "plain", ""),
        ({"object": "error", "message": "m", "code": "1500"}, 400, "invalid", "m", ""),
        ({"detail": "Unauthorized"}, 401, "auth", "Unauthorized", ""),
        ([{"error": {"message": "m", "status": 404}}], 404, "not_found", "m", ""),
        ({"error": {"message": "m", "code": "content_filter"}}, 400, "content", "m", "content_filter"),
        ({"error": {"message": "m", "code": 502}}, 200, "server", "m", ""),
        (None, 503, "overloaded", "", ""),
    ],
)
def test_errors(document: object, status: int, kind: str, message: str, native: str) -> None:
    error = unary(document, status).error
    assert error is not None
    assert (error.kind, error.message, error.native) == (kind, message, native)
    assert error.status == (status if status >= 400 else 502)


def test_an_error_event_preserves_the_content_before_it() -> None:
    made = stream(
        chunk(content="so far"), {"error": {"message": "m", "metadata": {"retry_after_seconds": 3}, "code": 429}}
    )
    assert made.error is not None
    assert (made.error.kind, made.error.status, made.error.retry_after) == ("rate_limit", 429, 3.0)
    assert (made.first.joined_text, made.first.finish.kind) == ("so far", "incomplete")


def test_an_error_inside_a_choice() -> None:
    made = unary(
        {
            "choices": [
                {
                    "index": 0,
                    "message": {"content": "a"},
                    "finish_reason": "error",
                    "error": {"message": "m", "code": 502},
                }
            ]
        }
    )
    assert made.error is not None
    assert (made.error.status, made.first.finish.kind) == (502, "error")
