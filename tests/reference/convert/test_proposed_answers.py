"""Answers as public bridges were seen to get them wrong: odd chunks, endings, safety and usage."""

import pytest
from google.genai.types import FinishReason

from .answers import (
    answer_of,
    case,
    chunks_of,
    completion_of,
    outcome_of_answer,
    outcome_of_chunks,
    outcome_of_completion,
    outcome_of_events,
    read_outcome,
    select_fields,
)
from .samples import Json, call, chunk, event, tool_call

BARE: Json = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m"}


def usage(prompt: int, candidates: int | None = None, total: int | None = None, **more: int) -> Json:
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": candidates, "totalTokenCount": total, **more}
    return {name: count for name, count in counts.items() if count is not None}


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        case("chunk-choices-null-or-absent",
             [{**BARE, "choices": None}, BARE, chunk({"content": "ok"}, "stop")], {"text": "ok", "finish": "stop"}),
        case("chunk-delta-null-with-finish",
             [chunk({"content": "ok"}), chunk(None, "length")], {"text": "ok", "finish": "length"}),
        case("safety-openai-content-filter-to-gemini",
             [chunk({"content": "Once "}), chunk({}, "content_filter")], {"text": "Once ", "native": "SAFETY"}),
        case("usage-per-chunk-openai-compat",
             [chunk({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}),
              chunk({"content": "b"}, usage={"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}),
              chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11})],
             {"text": "ab", "usage": (9, 2, 11)}),
    ],
)  # fmt: skip
def test_streams_towards_gemini(chunks: list[Json], expected: Json) -> None:
    assert select_fields(outcome_of_events(*chunks), expected) == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        case("chunk-gemini-empty-candidates-usage",
             [{"candidates": [], "usageMetadata": usage(3, total=3)}, {},
              event({"text": "yo"}, finish="STOP", usageMetadata=usage(3, 1, 4))],
             {"text": "yo", "finish": "stop", "usage": (3, 1, 4)}),
        case("tools-parallel-one-chunk-indices",
             [event(call("get_weather", {"city": "Oslo"}), call("get_time", {"tz": "UTC"}), finish="STOP")],
             {"calls": [["get_weather", {"city": "Oslo"}], ["get_time", {"tz": "UTC"}]],
              "ids_differ": True, "finish": "tool_calls"}),
        case("finish-terminal-reason-beats-calls",
             [event(call("f")), {"candidates": [{"index": 0, "finishReason": "SAFETY"}]}],
             {"finish": "content_filter"}),
        case("finish-unspecified-stream-empty",
             [event({"text": "a"}, finish="FINISH_REASON_UNSPECIFIED"), event({"text": "b"}, finish=""),
              event({"text": "c"}, finish="STOP")],
             {"text": "abc", "finish": "stop"}),
        case("mm-image-output-stream",
             [event({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, finish="STOP")],
             {"media": ["image/png"], "finish": "stop"}),
        case("mm-unknown-part-kind", [event({"newFancyPart": {"a": 1}}, {"text": "ok"}, finish="STOP")],
             {"text": "ok", "finish": "stop"}),
    ],
)  # fmt: skip
def test_streams_towards_openai(events: list[Json], expected: Json) -> None:
    assert select_fields(outcome_of_chunks(*events), expected) == expected


@pytest.mark.proposal("chunk-stable-id-model-created")
def test_every_chunk_of_a_stream_names_one_answer_though_gemini_gave_no_id() -> None:
    made = chunks_of(event({"text": "a"}), event({"text": "b"}, finish="STOP"), model="gemini-x")
    assert {(item["model"], item["object"]) for item in made} == {("gemini-x", "chat.completion.chunk")}
    [named] = {(item["id"], item["created"]) for item in made}
    assert named[0]


@pytest.mark.proposal("chunk-gemini-stop-on-every-chunk", "finish-lowercase-normalised")
def test_one_finish_reason_of_openais_words_in_the_last_choice() -> None:
    made = chunks_of(event({"text": "one "}, finish="STOP"), event({"text": "two"}, finish="STOP"))
    content = [choice["finish_reason"] for item in made for choice in item["choices"]]
    assert content == [None, None, "stop"]


@pytest.mark.proposal("finish-lowercase-normalised")
@pytest.mark.parametrize("reason", sorted(FinishReason))
def test_no_native_finish_reason_leaks(reason: FinishReason) -> None:
    made = chunks_of(event({"text": "x"}, finish=reason.value))
    content = {choice["finish_reason"] for item in made for choice in item.get("choices", [])} - {None}
    assert content <= {"stop", "length", "content_filter"}
    assert content or "error" in made[-1]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        case("finish-stop-with-call-nonstream", event(call("f", {"q": "1"}), finish="STOP"),
             {"finish": "tool_calls", "calls": [["f", {"q": "1"}]]}),
        case("finish-no-content-key-nonstream",
             {"candidates": [{"finishReason": "NO_IMAGE", "index": 0}], "usageMetadata": usage(19, 0, 19)},
             {"choices": 1, "text": "", "finish": "content_filter", "usage": (19, 0, 19)}),
        case("usage-thoughts-in-completion",
             event({"text": "36"}, finish="STOP", usageMetadata=usage(20, 198, 623, thoughtsTokenCount=405)),
             {"usage": (20, 603, 623, 405, None)}),
        case("usage-candidates-absent",
             event({"text": ""}, finish="MAX_TOKENS", usageMetadata=usage(21, total=81, thoughtsTokenCount=60)),
             {"usage": (21, 60, 81, 60, None), "finish": "length"}),
        case("usage-cached-subset",
             event({"text": "x"}, finish="STOP", usageMetadata=usage(100, 5, 105, cachedContentTokenCount=80)),
             {"usage": (100, 5, 105, None, 80)}),
        case("usage-tool-use-prompt",
             event({"text": "x"}, finish="STOP",
                   usageMetadata=usage(10, 5, 28, thoughtsTokenCount=3, toolUsePromptTokenCount=10)),
             {"usage": (20, 8, 28, 3, None)}),
        case("safety-prompt-block-nonstream",
             {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage(7, total=7)},
             {"choices": 1, "finish": "content_filter", "text": "", "usage": (7, 0, 7)}),
        case("mm-image-output-nonstream",
             event({"text": "here"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, finish="STOP"),
             {"text": "here", "media": ["image/png"]}),
    ],
)  # fmt: skip
def test_whole_answers_towards_openai(response: Json, expected: Json) -> None:
    assert select_fields(outcome_of_completion(response), expected) == expected


@pytest.mark.proposal("finish-length-to-gemini")
@pytest.mark.parametrize(
    ("reason", "native"),
    [("stop", "STOP"), ("length", "MAX_TOKENS"), ("content_filter", "SAFETY"), ("function_call", "STOP")],
)
def test_finish_reasons_towards_gemini_in_both_modes(reason: str, native: str) -> None:
    completion = {"choices": [{"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": reason}]}
    [candidate] = answer_of(completion)["candidates"]
    assert (candidate["finishReason"], candidate["content"]) == (native, {"parts": [{"text": ""}], "role": "model"})
    assert outcome_of_events(chunk({"role": "assistant", "content": ""}), chunk({}, reason))["native"] == native


@pytest.mark.proposal("finish-enum-str-trap")
@pytest.mark.parametrize("reason", [FinishReason.MAX_TOKENS, "MAX_TOKENS", "FinishReason.MAX_TOKENS", "max_tokens"])
def test_a_reason_of_the_sdk_is_read_like_its_word(reason: object) -> None:
    response = {"candidates": [{"index": 0, "content": {"parts": [{"text": "x"}]}, "finishReason": reason}]}
    assert outcome_of_completion(response)["finish"] == "length"


@pytest.mark.proposal("finish-malformed-function-call", "finish-malformed-with-parsed-call")
@pytest.mark.parametrize("parts", [[], [call("rm", {"p": "/"})]], ids=["without a call", "with a call"])
def test_a_malformed_call_is_an_error_and_no_clean_end(parts: list[Json]) -> None:
    response = event(*parts, finish="MALFORMED_FUNCTION_CALL")
    response["candidates"][0]["finishMessage"] = "Malformed function call: print(f())"
    assert select_fields(outcome_of_completion(response), expected := {"calls": [], "error": "server"}) == expected
    assert (
        select_fields(outcome_of_chunks(response), expected := {"finish": "incomplete", "error": "server"}) == expected
    )
    for document in (completion_of(response), chunks_of(response)[-1]):
        assert "print(f())" in str(document) and "MALFORMED_FUNCTION_CALL" in str(document)


@pytest.mark.proposal("finish-unexpected-tool-call-message")
def test_the_message_of_an_unexpected_call_is_preserved() -> None:
    response = event(call("undeclared", {"a": 1}), finish="UNEXPECTED_TOOL_CALL")
    response["candidates"][0]["finishMessage"] = "Unexpected tool call: undeclared"
    made = completion_of(response)
    assert "Unexpected tool call: undeclared" in made["error"]["message"]


@pytest.mark.proposal("finish-policy-family-content-filter", "finish-recitation-language")
@pytest.mark.parametrize(
    "reason",
    ["SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "RECITATION",
     "LANGUAGE", "IMAGE_RECITATION"],
)  # fmt: skip
def test_a_filtered_answer_is_filtered_and_not_an_error(reason: str) -> None:
    response = event({"text": "x"}, finish=reason)
    assert (
        select_fields(outcome_of_completion(response), expected := {"finish": "content_filter", "error": None})
        == expected
    )
    assert select_fields(outcome_of_chunks(response), expected) == expected
    assert reason in str(completion_of(response)) and reason in str(chunks_of(response))


@pytest.mark.proposal("finish-unknown-future-reason")
def test_an_unknown_reason_reads_alike_in_both_modes_and_keeps_its_word() -> None:
    whole = event({"text": "x"}, finish="BRAND_NEW_REASON")
    parted = [event({"text": "x"}), {"candidates": [{"index": 0, "finishReason": "BRAND_NEW_REASON"}]}]
    assert outcome_of_completion(whole)["finish"] == outcome_of_chunks(*parted)["finish"] == "stop"
    assert "BRAND_NEW_REASON" in str(completion_of(whole)) and "BRAND_NEW_REASON" in str(chunks_of(*parted))


@pytest.mark.proposal("usage-stream-not-requested-o2g", "usage-stream-present-o2g")
@pytest.mark.parametrize("include_usage", [True, False])
def test_a_usage_chunk_is_sent_only_on_request(include_usage: bool) -> None:
    made = chunks_of(event({"text": "a"}, finish="STOP", usageMetadata=usage(2, 1, 3)), include_usage=include_usage)
    assert [item.get("usage") is not None for item in made] == [False] * (len(made) - include_usage) + [
        True
    ] * include_usage
    assert [not item["choices"] for item in made] == [False] * (len(made) - include_usage) + [True] * include_usage
    assert read_outcome("openai-chat", "stream", made)["usage"] == ((2, 1, 3) if include_usage else None)


@pytest.mark.proposal("usage-cached-g2o", "usage-absent-upstream")
def test_cached_tokens_and_absent_usage_towards_gemini() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
    counted = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
               "prompt_tokens_details": {"cached_tokens": 80}}  # fmt: skip
    assert answer_of({"choices": [choice], "usage": counted})["usageMetadata"] == {
        "promptTokenCount": 100, "candidatesTokenCount": 5, "cachedContentTokenCount": 80, "totalTokenCount": 105,
    }  # fmt: skip
    assert "usageMetadata" not in answer_of({"choices": [choice]})


@pytest.mark.proposal("tools-int-stays-int", "uni-not-ascii-escaped-args")
def test_numbers_and_letters_of_arguments_are_written_as_they_were() -> None:
    args = {"n": 3, "ratio": 3.5, "whole": 1.0, "big": 9007199254740993, "t": "東京 – é"}
    [made] = completion_of(event(call("page", args), finish="STOP"))["choices"][0]["message"]["tool_calls"]
    written = made["function"]["arguments"].replace(": ", ":").replace(", ", ",")
    assert written == '{"n":3,"ratio":3.5,"whole":1.0,"big":9007199254740993,"t":"東京 – é"}'


@pytest.mark.proposal("payload-nan-infinity")
def test_no_bare_nan_is_passed_on_as_a_call() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f", '{"x": NaN}')]}
    completion = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    content = outcome_of_answer(completion)
    assert (content["calls"], content["native"]) == ([], "MALFORMED_FUNCTION_CALL")


@pytest.mark.proposal("uni-surrogate-escape-pair")
def test_escaped_surrogates_split_between_fragments_are_one_character() -> None:
    pieces = [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"s":"\\ud83c'}},
              {"index": 0, "function": {"arguments": '\\udf78"}'}}]  # fmt: skip
    made = outcome_of_events(*(chunk({"tool_calls": [piece]}) for piece in pieces), chunk({}, "tool_calls"))
    assert made["calls"] == [["f", {"s": "🍸"}]]
