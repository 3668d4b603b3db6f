"""OpenAI chunks -> Gemini events, streamed and in one piece."""

import copy
from typing import Any

import pytest

from bridgecheck_reference.convert.gemini.responses import openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.older_mappings.profiles import LETTER

from . import with_habits
from .samples import Json, chunk, paths, tool_call

USAGE = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
BLANK = {"parts": [{"text": ""}], "role": "model"}
USAGE_CHUNK = {"id": "chatcmpl-1", "choices": [], "usage": USAGE}


def run(*chunks: Json, **options: Any) -> list[Json]:
    stream = OpenAIToGeminiStream(**options)
    events = [event for item in chunks for event in stream.feed(item)]
    return events + stream.close()


def parts(events: list[Json]) -> list[Json]:
    """Return all parts but the blank text of an event that only ends the answer."""
    return [part for event in events for candidate in event.get("candidates", [])
            for part in candidate.get("content", {}).get("parts", []) if part != {"text": ""}]  # fmt: skip


def text(events: list[Json]) -> str:
    return "".join(part["text"] for part in parts(events) if "text" in part and not part.get("thought"))


def calls(events: list[Json]) -> list[tuple[object, object]]:
    return [
        (part["functionCall"]["name"], part["functionCall"]["args"]) for part in parts(events) if "functionCall" in part
    ]


def finishes(events: list[Json]) -> list[object]:
    return [candidate["finishReason"] for event in events for candidate in event.get("candidates", [])
            if "finishReason" in candidate]  # fmt: skip


def piece(index: int | None, arguments: object = None, id: object = None, name: object = None) -> Json:
    made: Json = {"function": {"name": name, "arguments": arguments}, "id": id}
    return made if index is None else {"index": index, **made}


def test_a_plain_stream() -> None:
    events = run(
        chunk({"role": "assistant", "content": "Hel"}), chunk({"content": "lo"}), chunk({}, "stop"), USAGE_CHUNK
    )
    head = {"createTime": "1970-01-01T00:00:05Z", "modelVersion": "m", "responseId": "chatcmpl-1"}
    assert events == [
        {"candidates": [{"content": {"parts": [{"text": "Hel"}], "role": "model"}, "index": 0}], **head},
        {"candidates": [{"content": {"parts": [{"text": "lo"}], "role": "model"}, "index": 0}], **head},
        {
            **head,
            "candidates": [{"content": BLANK, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10},
        },
    ]


@pytest.mark.row("S2.68")
def test_text_is_passed_on_at_once() -> None:
    assert text(OpenAIToGeminiStream().feed(chunk({"content": "now"}))) == "now"


@pytest.mark.row("S2.69", "S1.44")
@pytest.mark.parametrize(
    "empty",
    [{"choices": []}, {"choices": None}, {}, chunk({"role": "assistant"}), chunk({"content": ""}), chunk(None),
     chunk({"role": "assistant", "content": None, "tool_calls": None})],
)  # fmt: skip
def test_an_empty_chunk_gives_no_event(empty: Json) -> None:
    stream = OpenAIToGeminiStream()
    assert stream.feed(empty) == []
    assert text(stream.feed(chunk({"content": "x"}))) == "x"


def test_content_and_finish_in_one_chunk() -> None:
    events = run(chunk({"content": "all"}, "stop", usage=USAGE))
    assert (text(events), finishes(events)) == ("all", ["STOP"])
    assert events[-1]["usageMetadata"]["totalTokenCount"] == 10


def test_a_null_delta_with_a_finish() -> None:
    assert finishes(run(chunk({"content": "ok"}), chunk(None, "length"))) == ["MAX_TOKENS"]


@pytest.mark.row("S2.63")
@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("stop", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("tool_calls", "STOP"),
        ("eos", "STOP"),
        ("model_length", "MAX_TOKENS"),
        ("sensitive", "SAFETY"),
        ("new", "OTHER"),
    ],
)
def test_finish_reasons(reason: str, expected: str) -> None:
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"content": "x"}, reason)) + stream.close()
    assert finishes(events) == [expected]
    assert ("choices[].finish_reason" in paths(stream.losses)) == (reason == "new")


@pytest.mark.row("S2.64", "S2.65", "S1.44")
def test_arguments_are_gathered_over_fragments() -> None:
    events = run(
        chunk({"tool_calls": [piece(0, "", "call_1", "add")]}),
        chunk({"tool_calls": [piece(0, '{"tit')]}),
        chunk({"tool_calls": [piece(0, 'le": "é"}', "", "")]}),
        chunk({"tool_calls": [piece(0, None)]}),
        chunk({}, "tool_calls"),
        USAGE_CHUNK,
    )
    assert parts(events) == [{"functionCall": {"id": "call_1", "name": "add", "args": {"title": "é"}}}]
    assert finishes(events) == ["STOP"]
    assert "usageMetadata" in events[-1]


@pytest.mark.row("S2.66")
def test_interleaved_fragments_come_out_in_index_order() -> None:
    events = run(
        chunk({"tool_calls": [piece(1, '{"b"', "y", "g")]}),
        chunk({"tool_calls": [piece(0, '{"a": ', "x", "f")]}),
        chunk({"tool_calls": [piece(1, ": 2}"), piece(0, "1}")]}),
        chunk({}, "tool_calls"),
    )
    assert calls(events) == [("f", {"a": 1}), ("g", {"b": 2})]


def test_calls_without_an_index_are_separated_by_their_ids() -> None:
    events = run(
        chunk({"tool_calls": [piece(None, '{"x": ', "a", "f")]}),
        chunk({"tool_calls": [piece(None, "1}")]}),
        chunk({"tool_calls": [piece(None, "{}", "b", "g")]}, "tool_calls"),
    )
    assert calls(events) == [("f", {"x": 1}), ("g", {})]


def test_two_whole_calls_under_one_index_are_two_calls() -> None:
    events = run(
        chunk({"tool_calls": [piece(0, '{"n": 1}', "a", "f")]}),
        chunk({"tool_calls": [piece(0, '{"n": 2}', "b", "f")]}),
        chunk({}, "tool_calls"),
    )
    assert calls(events) == [("f", {"n": 1}), ("f", {"n": 2})]


def test_pieces_under_a_shared_index_belong_to_the_call_that_began_last() -> None:
    events = run(
        chunk({"tool_calls": [piece(0, "", "a", "f")]}),
        chunk({"tool_calls": [piece(0, '{"n": 1}')]}),
        chunk({"tool_calls": [piece(0, '{"n"', "b", "g")]}),
        chunk({"tool_calls": [piece(0, ": 2}")]}),
        chunk({}, "tool_calls"),
    )
    assert calls(events) == [("f", {"n": 1}), ("g", {"n": 2})]


@pytest.mark.row("S2.65")
def test_a_name_that_is_repeated_stays_one() -> None:
    events = run(
        chunk({"tool_calls": [piece(0, "", "a", "calc")]}),
        chunk({"tool_calls": [piece(0, "{}", "a", "calc")]}),
        chunk({}, "tool_calls"),
    )
    assert calls(events) == [("calc", {})]


@pytest.mark.row("S2.58", "S2.65")
@pytest.mark.parametrize("arguments", ["", None, "null", "{}"])
def test_a_call_without_arguments(arguments: object) -> None:
    assert calls(run(chunk({"tool_calls": [piece(0, arguments, "a", "get_ip")]}), chunk({}, "tool_calls"))) == [
        ("get_ip", {})
    ]


@pytest.mark.row("S2.78")
@pytest.mark.parametrize("arguments", ['{"q": "unclosed', "[1]", '{"n": NaN}'])
def test_unreadable_arguments_are_no_call_but_a_malformed_one(arguments: str) -> None:
    events = run(chunk({"tool_calls": [piece(0, arguments, "a", "f")]}), chunk({}, "tool_calls"))
    assert calls(events) == []
    assert finishes(events) == ["MALFORMED_FUNCTION_CALL"]
    assert arguments in events[-1]["candidates"][0]["finishMessage"]


def test_a_truncated_call_is_dropped() -> None:
    events = run(chunk({"tool_calls": [piece(0, '{"path":"/tm', "a", "delete_file")]}), chunk({}, "length"))
    assert (calls(events), finishes(events)) == ([], ["MAX_TOKENS"])


@pytest.mark.row("S2.79")
def test_a_terminator_in_place_of_arguments_is_no_call() -> None:
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"tool_calls": [piece(0, " [DONE] ", "a", "f")]}, "stop")) + stream.close()
    assert calls(events) == []
    assert "choices[].delta.tool_calls[].function.arguments" in paths(stream.losses)


@pytest.mark.parametrize(
    "delta",
    [{"reasoning_content": "hm"}, {"reasoning": "hm"}, {"reasoning_content": "hm", "reasoning": "hm"},
     {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}],
)  # fmt: skip
def test_reasoning_in_every_field_is_one_thought(delta: Json) -> None:
    events = run(chunk(delta), chunk({"content": "Hi"}), chunk({}, "stop"))
    assert parts(events) == [{"text": "hm", "thought": True}, {"text": "Hi"}]


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk({"content": "half"})],
        [chunk({"reasoning_content": "hm"})],
        [chunk({"tool_calls": [piece(0, "{}", "a", "f")]})],
        [],
        [USAGE_CHUNK],
    ],
)
def test_a_stream_that_was_cut_ends_in_an_error_without_its_calls(chunks: list[Json]) -> None:
    events = run(*chunks)
    assert finishes(events) == []
    assert calls(events) == []
    assert events[-1]["error"]["status"] == "UNAVAILABLE"


def test_an_error_event_ends_the_stream() -> None:
    stream = OpenAIToGeminiStream()
    stream.feed(chunk({"content": "half "}))
    converted = stream.feed({"error": {"message": "boom", "type": "server_error", "code": None}})
    assert converted == [{"error": {"code": 500, "message": "boom", "status": "INTERNAL"}}]
    assert stream.feed(chunk({"content": "x"})) == []
    assert stream.close() == []


def test_an_error_of_one_choice_ends_the_stream() -> None:
    broken = chunk({"content": ""}, "error")
    broken["choices"][0]["error"] = {"code": 502, "message": "provider failed"}
    events = run(chunk({"content": "x"}), broken)
    assert events[-1]["error"]["message"] == "provider failed"
    assert finishes(events) == []


def test_a_repeated_finish_reason_counts_once() -> None:
    assert finishes(run(chunk({"content": "x"}, "stop"), chunk({}, "stop"), chunk({}, "stop", usage=USAGE))) == ["STOP"]


@pytest.mark.row("S2.67")
def test_usage_on_every_chunk_is_not_summed() -> None:
    growing = [chunk({"content": "x"}, usage={**USAGE, "completion_tokens": n}) for n in (1, 2)]
    assert run(*growing, chunk({}, "stop"))[-1]["usageMetadata"]["candidatesTokenCount"] == 2


def test_usage_is_read_from_groqs_member_and_sent_on_request() -> None:
    ends = chunk({}, "stop", x_groq={"usage": USAGE})
    assert run(chunk({"content": "x"}), ends)[-1]["usageMetadata"]["promptTokenCount"] == 9
    assert "usageMetadata" not in run(chunk({"content": "x"}), ends, include_usage=False)[-1]


@pytest.mark.row("S2.60")
def test_several_choices() -> None:
    events = run(
        chunk({"content": "a"}), chunk({"content": "x"}, index=1), chunk({}, "length"), chunk({}, "stop", index=1)
    )
    assert [(c["index"], c["finishReason"]) for c in events[-1]["candidates"]] == [(0, "MAX_TOKENS"), (1, "STOP")]


def test_an_unfinished_choice_leaves_the_finished_one_whole() -> None:
    begun = chunk({"content": "x", "tool_calls": [piece(0, "{}", "a", "f")]}, index=1)
    events = run(chunk({"content": "a"}), begun, chunk({}, "stop"))
    assert finishes(events) == ["STOP"]
    assert not any("error" in event for event in events)
    assert calls(events) == []


def test_signatures_go_back_to_their_parts() -> None:
    google = {"google": {"thought_signature": "UzE="}}
    tail = {"google": {"thought_signature": "VA==", "thought_signature_part": "tail"}}
    first = {**piece(0, "{}", "a", "f"), "extra_content": google}
    events = run(chunk({"content": "t", "extra_content": google}), chunk({"tool_calls": [first, piece(1, "{}", "b", "g")]}),
                 chunk({"content": "", "extra_content": tail}), chunk({}, "tool_calls"))  # fmt: skip
    assert parts(events) == [
        {"text": "t", "thoughtSignature": "UzE="},
        {"text": "", "thoughtSignature": "VA=="},
        {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "UzE="},
        {"functionCall": {"id": "b", "name": "g", "args": {}}},
    ]


def test_spoken_output_and_images() -> None:
    events = run(chunk({"audio": {"id": "x", "transcript": "hi"}}), chunk({"audio": {"data": "UklGRg=="}}),
                 chunk({"audio": {"data": "AQI="}}), chunk({}, "stop"))  # fmt: skip
    assert parts(events) == [{"inlineData": {"mimeType": "audio/wav", "data": "UklGRgEC"}}]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert parts(run(chunk({"images": [image, image]}), chunk({}, "stop"))) == [
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}] * 2  # fmt: skip


def whole(message: Json, finish: object = "stop", **rest: object) -> Json:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 5, "model": "m", "choices": [choice], **rest}


@pytest.mark.row("S1.43")
def test_an_answer_in_one_piece() -> None:
    converted = openai_response_to_gemini(
        whole({"content": "t", "tool_calls": [tool_call("a", "f", '{"x": 1}')]}, "tool_calls", usage=USAGE)
    )
    assert converted.meta["status"] == 200
    assert converted.value == {
        "candidates": [
            {
                "content": {
                    "parts": [{"text": "t"}, {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}}],
                    "role": "model",
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "createTime": "1970-01-01T00:00:05Z",
        "modelVersion": "m",
        "responseId": "c1",
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10},
    }


@pytest.mark.row("S2.59")
def test_an_answer_without_text_has_one_empty_part() -> None:
    converted = openai_response_to_gemini(whole({"content": None})).value
    assert converted["candidates"][0]["content"]["parts"] == [{"text": ""}]


@pytest.mark.row("S2.61")
def test_an_answer_without_a_finish_reason_gets_none() -> None:
    converted = openai_response_to_gemini(whole({"content": "x"}, None))
    assert "finishReason" not in converted.value["candidates"][0]
    assert "choices[].finish_reason" in paths(converted.losses)


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({}, 502),
        ({"choices": []}, 502),
        ({"object": "list"}, 502),
        ({"error": {"message": "m", "type": "rate_limit_error", "code": None}}, 429),
        ({"error": {"message": "Provider returned error", "code": 400}}, 400),
    ],
)
def test_invalid_answers_are_errors(response: Json, status: int) -> None:
    converted = openai_response_to_gemini(response)
    assert (converted.meta["status"], converted.value["error"]["code"]) == (status, status)


def test_an_answer_whose_content_is_a_list_or_an_object() -> None:
    listed = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "4"}]
    converted = openai_response_to_gemini(whole({"content": listed})).value
    assert converted["candidates"][0]["content"]["parts"] == [{"text": "hm", "thought": True}, {"text": "4"}]
    converted = openai_response_to_gemini(whole({"content": {"a": 1}})).value
    assert converted["candidates"][0]["content"]["parts"] == [{"text": '{"a": 1}'}]


def test_both_delta_and_message_in_one_choice() -> None:
    response = whole({"content": "whole"})
    response["choices"][0]["delta"] = {"role": "assistant", "content": ""}
    assert openai_response_to_gemini(response).value["candidates"][0]["content"]["parts"] == [{"text": "whole"}]
    both = chunk({"content": "na"})
    both["choices"][0]["message"] = {"role": "assistant", "content": "bana"}
    assert text(run(chunk({"content": "ba"}), both, chunk({}, "stop"))) == "bana"


def test_a_refusal_is_sent_as_text() -> None:
    assert text(run(chunk({"refusal": "No."}), chunk({}, "stop"))) == "No."


def test_log_probabilities_over_a_stream() -> None:
    item, two = chunk({"content": "a"}), chunk({"content": "b"}, "stop")
    item["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": -1, "top_logprobs": []}]}
    two["choices"][0]["logprobs"] = {"content": [{"token": "b", "logprob": -2}]}
    converted = run(item, two)[-1]["candidates"][0]["logprobsResult"]
    assert converted == {
        "chosenCandidates": [{"token": "a", "logProbability": -1}, {"token": "b", "logProbability": -2}]
    }


def test_renamed_functions_get_their_names_back() -> None:
    request = {"contents": [], "tools": [{"functionDeclarations": [{"name": "a.b"}]}]}
    converted = openai_response_to_gemini(whole({"tool_calls": [tool_call("x", "a_b")]}), request=request).value
    assert converted["candidates"][0]["content"]["parts"][0]["functionCall"]["name"] == "a.b"


def test_an_answer_in_the_letter_profile() -> None:
    converted = with_habits.openai_response_to_gemini(
        whole({"content": "t", "tool_calls": [tool_call("a", "f")]}, "tool_calls"), profile=LETTER
    )
    assert converted.value == {
        "candidates": [
            {
                "content": {"parts": [{"text": "t"}, {"functionCall": {"name": "f", "args": {}}}], "role": "model"},
                "finishReason": "MODEL_REQUESTED_TOOL",
                "index": 0,
            }
        ],
        "usageMetadata": {},
    }


@pytest.mark.row("S2.92")
def test_input_is_not_changed_and_streams_share_nothing() -> None:
    chunks = [chunk({"tool_calls": [piece(0, '{"x": [1]}', "a", "f")]}), chunk({}, "tool_calls")]
    before = copy.deepcopy(chunks)
    aborted = OpenAIToGeminiStream()
    aborted.feed(chunks[0])
    assert calls(run(*chunks)) == [("f", {"x": [1]})]
    assert chunks == before


def test_reasoning_that_ends_with_its_signed_details_is_thought_once() -> None:
    detail = {"type": "reasoning.text", "text": "hm", "signature": "S"}
    stream = OpenAIToGeminiStream()
    chunks = [chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"})]
    chunks += [chunk({"reasoning_details": [detail]}), chunk({"content": "x"}, "stop")]
    events = [made for item in chunks for made in stream.feed(item)] + stream.close()
    parts = [part for item in events for part in item["candidates"][0].get("content", {}).get("parts", [])]
    assert "".join(part["text"] for part in parts if part.get("thought")) == "hm"


def test_reasoning_only_in_details_is_a_thought() -> None:
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}))
    assert events[0]["candidates"][0]["content"]["parts"] == [{"text": "hm", "thought": True}]
