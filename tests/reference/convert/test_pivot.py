"""There and back: Gemini through OpenAI's format and OpenAI through Gemini's, with and without what is carried."""

import pytest

from bridgecheck_reference.conversion_profile import CHAT_PIVOT, NATIVE, PIVOT
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai, openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream

from .samples import Json, call, chunk, event, model, result, tool_call, user


def round_trip(request: Json) -> Json:
    """A Gemini request through OpenAI's format and back."""
    there = gemini_request_to_openai(request, model="m", profile=PIVOT).value
    return openai_request_to_gemini(there, profile=PIVOT).value


def answer_round_trip(response: Json) -> Json:
    return openai_response_to_gemini(gemini_response_to_openai(response, profile=PIVOT).value, profile=PIVOT).value


def stream_round_trip(*events: Json) -> list[Json]:
    there, back = GeminiToOpenAIStream(profile=PIVOT), OpenAIToGeminiStream(profile=PIVOT)
    chunks = [made for item in events for made in there.feed(item)] + there.close()
    return [made for item in chunks for made in back.feed(item)] + back.close()


SIGNED = {
    "contents": [
        user("x"),
        model(
            {"text": "hm", "thought": True},
            {"text": "a", "thoughtSignature": "UzE="},
            {"text": "b"},
            {**call("f", {"q": [1]}, id="c1"), "thoughtSignature": "UzI="},
            call("g"),
            {"text": "", "thoughtSignature": "VA=="},
        ),
        {"role": "user", "parts": [result("f", {"output": '{"a": 1}'}, id="c1"), result("g", {"own": {"k": 1}})]},
        model({"executableCode": {"code": "1", "language": "PYTHON"}}, {"toolCall": {"id": "t", "toolType": "X"}}),
        {"role": "user", "parts": [
            {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v"}, "videoMetadata": {"fps": 1}},
            {"inlineData": {"mimeType": "audio/flac", "data": "AAAA"}},
            {"inlineData": {"mimeType": "audio/mp3", "data": "SUQz"}},
            {"text": "look", "partMetadata": {"k": 1}},
        ]},
    ]
}  # fmt: skip


@pytest.mark.row("S1.52")
def test_a_history_survives_the_round_trip() -> None:
    assert round_trip(SIGNED)["contents"] == SIGNED["contents"]


def test_members_unknown_to_openai_survive_the_round_trip() -> None:
    request = {
        "contents": [user("x")],
        "systemInstruction": {"parts": [{"text": "S"}]},
        "safetySettings": [{"category": "C", "threshold": "T"}],
        "cachedContent": "cachedContents/1",
        "labels": {"team": "t"},
        "tools": [{"functionDeclarations": [{"name": "f", "description": "", "parametersJsonSchema": {"type": "object"},
                                             "responseJsonSchema": {"type": "string"}}]}, {"googleSearch": {}}],
        "toolConfig": {"includeServerSideToolInvocations": True,
                       "functionCallingConfig": {"mode": "VALIDATED", "streamFunctionCallArguments": True}},
        "generationConfig": {"temperature": 0, "topK": 3, "maxOutputTokens": 5, "responseModalities": ["TEXT"],
                             "thinkingConfig": {"thinkingBudget": 77, "includeThoughts": True},
                             "speechConfig": {"v": 1}, "responseMimeType": "text/x.enum"},
    }  # fmt: skip
    assert round_trip(request) == request


ANSWER = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "t1"},
                    {**call("f", {"a": 1}), "thoughtSignature": "UzE="},
                    {"text": "t2"},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}, "thoughtSignature": "UzI="},
                    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thoughtSignature": "UzM="},
                    {"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "AAAA"}},
                ],
            },
            "finishReason": "STOP",
            "finishMessage": "done",
            "index": 0,
            "avgLogprobs": -0.5,
            "groundingMetadata": {"webSearchQueries": ["q"]},
            "safetyRatings": [{"category": "C", "probability": "LOW"}],
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 5,
        "toolUsePromptTokenCount": 2,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 4,
        "totalTokenCount": 14,
        "trafficType": "ON_DEMAND",
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 5}],
    },
    "modelVersion": "gemini-x",
    "responseId": "r1",
    "createTime": "2025-09-03T14:13:07.015693Z",
    "turnToken": "v1:x",
}


@pytest.mark.row("S1.52")
def test_an_answer_survives_the_round_trip() -> None:
    assert answer_round_trip(ANSWER) == ANSWER


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "RECITATION", "OTHER", "BRAND_NEW", "LANGUAGE"])
def test_finish_reasons_survive_the_round_trip(reason: str) -> None:
    response = event({"text": "x"}, finish=reason)
    assert answer_round_trip(response)["candidates"] == response["candidates"]
    assert stream_round_trip(response)[-1]["candidates"][0]["finishReason"] == reason


def test_a_blocked_prompt_survives_the_round_trip() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}, "responseId": "r", "modelVersion": "m"}
    assert answer_round_trip(blocked) == blocked


def test_a_stream_survives_the_round_trip() -> None:
    events = stream_round_trip(
        event({"text": "a"}),
        event({"text": ""}, {"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "UzE="}),
        event({"text": "b"}, groundingNote=1),
        event({"text": "", "thoughtSignature": "VA=="}, finish="STOP", usageMetadata={"totalTokenCount": 3}),
    )
    content = [part for item in events for c in item["candidates"] for part in c.get("content", {}).get("parts", [])]
    assert [part for part in content if part != {"text": ""}] == [
        {"text": "a"},
        {"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "UzE="},
        {"text": "b"},
        {"text": "", "thoughtSignature": "VA=="},
    ]
    assert events[-1]["candidates"][0]["finishReason"] == "STOP"
    assert events[-1]["usageMetadata"] == {"totalTokenCount": 3}
    assert events[-1]["groundingNote"] == 1


def test_calls_stay_before_the_text_that_follows_them() -> None:
    """The text comes in one chunk with the last call, whose place in it is carried; two more calls came before."""
    calls: list[Json] = [{"functionCall": {"name": "f", "args": {"n": n}}} for n in range(3)]
    round_trip = stream_round_trip(
        event(calls[0]), event(calls[1]), event(calls[2], {"text": "So."}), event(finish="STOP")
    )
    parts = [part for item in round_trip for part in item["candidates"][0].get("content", {}).get("parts", [])]
    texts_and_numbers = [part["text"] if "text" in part else part["functionCall"]["args"]["n"] for part in parts]
    assert texts_and_numbers == [0, 1, 2, "So.", ""]


@pytest.mark.row("S1.52")
def test_an_openai_request_survives_the_round_trip() -> None:
    request = {
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": "x"},
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "R",
                "tool_calls": [tool_call("a", "f", '{"n": 1}')],
            },
            {"role": "tool", "tool_call_id": "a", "content": "plain"},
            {"role": "assistant", "content": "done"},
        ],
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "F", "parameters": {"type": "object"}}}
        ],
        "tool_choice": "required",
        "reasoning_effort": "minimal",
        "max_completion_tokens": 9,
        "user": "u",
        "store": True,
        "parallel_tool_calls": False,
    }
    there = openai_request_to_gemini(request, profile=CHAT_PIVOT).value
    assert gemini_request_to_openai(there, model="gpt-x", profile=CHAT_PIVOT).value == request


@pytest.mark.row("S1.52")
def test_an_openai_answer_survives_the_round_trip() -> None:
    response = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1756908787,
        "model": "gpt-x",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "t", "reasoning_content": "R", "tool_calls": [tool_call("a", "f")]},
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12,
                  "completion_tokens_details": {"reasoning_tokens": 3}},
        "system_fingerprint": "fp",
        "service_tier": "default",
    }  # fmt: skip
    there = openai_response_to_gemini(response, profile=CHAT_PIVOT).value
    assert gemini_response_to_openai(there, profile=CHAT_PIVOT).value == response


def test_native_requests_carry_no_pivot_members() -> None:
    converted = gemini_request_to_openai(SIGNED, model="m", profile=NATIVE).value
    assert "extra_content" not in converted
    remaining = [set(m["extra_content"]["google"]) for m in converted["messages"] if "extra_content" in m]
    assert remaining == [{"thought_signature"}]
    assert (
        "extra_content"
        not in openai_request_to_gemini({"messages": [{"role": "user", "content": "x"}], "user": "u"}).value
    )


def test_a_client_that_keeps_unknown_fields_relays_signatures() -> None:
    parts = [{"text": "t", "thoughtSignature": "VFhU"}, {**call("f", {"q": 1}, id="a"), "thoughtSignature": "UzE="},
             call("g", {"q": 2}, id="b")]  # fmt: skip
    message = gemini_response_to_openai(event(*parts, finish="STOP")).value["choices"][0]["message"]
    answers = [{"role": "tool", "tool_call_id": id, "content": "1"} for id in ("b", "a")]
    request = {"model": "gemini-3-pro", "messages": [{"role": "user", "content": "x"}, message, *answers]}
    converted = openai_request_to_gemini(request).value["contents"]
    assert converted[1] == {"role": "model", "parts": parts}
    assert [part["functionResponse"]["id"] for part in converted[2]["parts"]] == ["a", "b"]


def test_a_tail_signature_returns_after_the_text() -> None:
    stream = GeminiToOpenAIStream()
    chunks = stream.feed(event({"text": "a"})) + stream.feed(event({"text": "", "thoughtSignature": "VA=="}))
    extra = chunks[1]["choices"][0]["delta"]["extra_content"]
    request = {
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "a", "extra_content": extra}]
    }
    converted = openai_request_to_gemini(request).value["contents"][1]["parts"]
    assert converted == [{"text": "a"}, {"text": "", "thoughtSignature": "VA=="}]


@pytest.mark.parametrize(
    ("name", "signature", "earlier", "expected"),
    [
        ("gemini-3-pro-preview", None, "skip_thought_signature_validator", "skip_thought_signature_validator"),
        ("gemini-3-pro-preview", "UzE=", "skip_thought_signature_validator", "UzE="),
        ("gemini-2.5-flash", None, None, None),
    ],
)
def test_a_lost_signature_is_replaced_where_gemini_3_wants_one(
    name: str, signature: str | None, earlier: str | None, expected: str | None
) -> None:
    """That of an earlier turn stays, so that what was sent before is sent again."""
    extra = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
    old = {"role": "assistant", "tool_calls": [tool_call("o", "f")]}
    new = {"role": "assistant", "tool_calls": [tool_call("a", "f", **extra), tool_call("b", "g")]}
    converted = [{"role": "tool", "tool_call_id": id, "content": "1"} for id in "oab"]
    messages = [
        {"role": "user", "content": "x"},
        old,
        converted[0],
        {"role": "user", "content": "y"},
        new,
        *converted[1:],
    ]
    contents = openai_request_to_gemini({"model": name, "messages": messages}).value["contents"]
    signed = [part.get("thoughtSignature") for c in contents for part in c["parts"] if "functionCall" in part]
    assert signed == [earlier, expected, None]


def test_the_placeholder_of_a_client_does_not_reach_openai() -> None:
    signed = {**call("f"), "thoughtSignature": "skip_thought_signature_validator"}
    converted = gemini_request_to_openai({"contents": [user("x"), model(signed)]}, model="m").value
    assert "extra_content" not in converted["messages"][1]["tool_calls"][0]
    assert round_trip({"contents": [user("x"), model(signed)]})["contents"][1] == model(signed)


def test_openai_chunks_survive_the_round_trip() -> None:
    there, back = OpenAIToGeminiStream(profile=CHAT_PIVOT), GeminiToOpenAIStream(profile=CHAT_PIVOT)
    chunks = [chunk({"role": "assistant", "content": "a"}, system_fingerprint="fp"), chunk({"content": "b"}, "stop")]
    events = [made for item in chunks for made in there.feed(item)] + there.close()
    converted = [made for item in events for made in back.feed(item)] + back.close()
    assert "".join(c["delta"].get("content", "") for item in converted for c in item["choices"]) == "ab"
    assert converted[-1]["choices"][0]["finish_reason"] == "stop"
    assert any(item.get("system_fingerprint") == "fp" for item in converted)
