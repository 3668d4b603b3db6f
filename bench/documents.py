"""Gemini documents to measure on, shaped and spread like recorded ones. Always the same ones: no chance, no clock."""

from typing import Any

import orjson
from lengths import (
    ASSISTANT,
    GEMINI_ARGUMENTS,
    GEMINI_SIGNATURES,
    GEMINI_TEXT,
    HISTORY_ARGUMENTS,
    HISTORY_SIGNATURES,
    RESULTS,
    USER,
    filler_text,
    pick_length,
    signature,
)


def encode_documents(documents: list[dict[str, Any]]) -> list[bytes]:
    return [orjson.dumps(document) for document in documents]


def text_chunk(number: int) -> dict[str, Any]:
    """A Gemini stream chunk with one text part, as gemini-2.5-flash sends them."""
    return _chunk([{"text": filler_text(pick_length(GEMINI_TEXT, number), number)}], number)


def call_chunk(number: int) -> dict[str, Any]:
    """A Gemini stream chunk with one function call; nine in ten are signed."""
    call = {"name": "get_weather", "args": _arguments(pick_length(GEMINI_ARGUMENTS, number), number)}
    return _chunk([_add_signature({"functionCall": call}, pick_length(GEMINI_SIGNATURES, number, 3))], number)


def whole_answer() -> dict[str, Any]:
    """A Gemini answer that is not streamed: text and two calls, finished."""
    text, first, second = text_chunk(5), call_chunk(3), call_chunk(4)
    parts = [chunk["candidates"][0]["content"]["parts"][0] for chunk in (text, first, second)]
    answer = _chunk(parts, 57)
    answer["candidates"][0]["finishReason"] = "STOP"
    return answer


def nested_call_chunk(number: int) -> dict[str, Any]:
    """A Gemini stream chunk with one unsigned call whose arguments hold lists and objects, as few do."""
    options = {"wind": True, "rain": [1, 2, 3]}
    arguments = {"city": filler_text(6, number), "days": number, "units": "metric", "options": options}
    return _chunk([{"functionCall": {"name": "get_weather", "args": arguments}}], number)


def history(messages: int) -> dict[str, Any]:
    """A Gemini request whose contents are a long agentic conversation: text, calls and results by turns."""
    steps = [_user, _call, _result, _answer]
    return {
        "systemInstruction": {"parts": [{"text": "You are a careful assistant."}]},
        "contents": [steps[i % 4](i // 4) for i in range(messages)],
        "tools": [{"functionDeclarations": [_declaration()]}],
        "generationConfig": {"temperature": 0.2, "maxOutputTokens": 1024},
    }


def history_arguments(number: int) -> dict[str, Any]:
    """The arguments of a call of the conversation."""
    length = pick_length(HISTORY_ARGUMENTS, number)
    return _arguments(length, number) if length > 2 else {}


def history_result(number: int) -> str | dict[str, Any]:
    """What a tool of the conversation gave: text, or an object every tenth time."""
    length = pick_length(RESULTS, number)
    if number % 10 == 5:
        return {"temperature": number % 30, "summary": filler_text(length, number)}
    return filler_text(length, number)


def transcript(events: int) -> list[dict[str, Any]]:
    """The events of a long stream, text and calls mixed."""
    return [nested_call_chunk(i) if i % 10 == 9 else text_chunk(i) for i in range(events)]


def _chunk(parts: list[dict[str, Any]], number: int) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 117,
            "candidatesTokenCount": number,
            "totalTokenCount": 158 + number,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 117}],
            "thoughtsTokenCount": 41,
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "3vXmaLyWBqKlvdIP2b_GqQs",
    }


def _add_signature(part: dict[str, Any], length: int) -> dict[str, Any]:
    return {**part, "thoughtSignature": signature(length)} if length else part


def _arguments(length: int, number: int) -> dict[str, Any]:
    """Arguments that are about so many characters of JSON, the longer ones with two members or three."""
    if length < 50:
        return {"city": filler_text(max(1, length - 12), number)}
    more: dict[str, Any] = {"days": number, "units": "metric"}
    if length < 100:
        return {"city": filler_text(length - 43, number), **more}
    return {"city": filler_text(length - 58, number), **more, "hourly": True}


def _user(number: int) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": filler_text(pick_length(USER, number), number)}]}


def _call(number: int) -> dict[str, Any]:
    call = {"functionCall": {"name": "get_weather", "args": history_arguments(number)}}
    return {"role": "model", "parts": [_add_signature(call, pick_length(HISTORY_SIGNATURES, number, 3))]}


def _result(number: int) -> dict[str, Any]:
    result = history_result(number)
    response = result if isinstance(result, dict) else {"output": result}
    return {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": response}}]}


def _answer(number: int) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": filler_text(pick_length(ASSISTANT, number), number)}]}


def _declaration() -> dict[str, Any]:
    properties = {"city": {"type": "STRING"}, "days": {"type": "INTEGER"}}
    schema = {"type": "OBJECT", "properties": properties, "required": ["city"]}
    return {"name": "get_weather", "description": "The weather of some days.", "parameters": schema}
