"""Gemini documents to measure on, shaped like what the providers send. Always the same ones: no chance, no clock."""

from typing import Any

import orjson

WORDS = (
    "the",
    "weather",
    "in",
    "Zürich",
    "turns",
    "fine",
    "by",
    "noon",
    "with",
    "light",
    "wind",
    "from",
    "the",
    "west",
)


def encoded(documents: list[dict[str, Any]]) -> list[bytes]:
    return [orjson.dumps(document) for document in documents]


def text_chunk(number: int) -> dict[str, Any]:
    """A Gemini stream chunk with one text part, as gemini-2.5-flash sends them."""
    text = " ".join(WORDS[(number + i) % len(WORDS)] for i in range(12)) + " "
    return _chunk([{"text": text}], number)


def call_chunk(number: int) -> dict[str, Any]:
    """A Gemini stream chunk with one function call."""
    arguments = {
        "city": WORDS[number % len(WORDS)],
        "days": number,
        "units": "metric",
        "options": {"wind": True, "rain": [1, 2, 3]},
    }
    return _chunk([{"functionCall": {"name": "get_weather", "args": arguments}}], number)


def history(messages: int) -> dict[str, Any]:
    """A Gemini request whose contents are a long agentic conversation: text, calls and results by turns."""
    steps = [_user, _call, _result, _answer]
    return {
        "systemInstruction": {"parts": [{"text": "You are a careful assistant."}]},
        "contents": [steps[i % 4](i) for i in range(messages)],
        "tools": [{"functionDeclarations": [_declaration()]}],
        "generationConfig": {"temperature": 0.2, "maxOutputTokens": 1024},
    }


def transcript(events: int) -> list[dict[str, Any]]:
    """The events of a long stream, text and calls mixed."""
    return [call_chunk(i) if i % 10 == 9 else text_chunk(i) for i in range(events)]


def _chunk(parts: list[dict[str, Any]], number: int) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 117,
            "candidatesTokenCount": number,
            "totalTokenCount": 117 + number,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 117}],
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "3vXmaLyWBqKlvdIP2b_GqQs",
    }


def _user(number: int) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": f"Question {number}: what is {' '.join(WORDS)}?"}]}


def _call(number: int) -> dict[str, Any]:
    call = {"name": "get_weather", "args": {"city": "Zürich", "days": number}}
    return {"role": "model", "parts": [{"text": "Let me look."}, {"functionCall": call}]}


def _result(number: int) -> dict[str, Any]:
    response = {"output": {"temperature": number % 30, "summary": " ".join(WORDS)}}
    return {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": response}}]}


def _answer(number: int) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": f"Answer {number}: {' '.join(WORDS)}."}]}


def _declaration() -> dict[str, Any]:
    properties = {"city": {"type": "STRING"}, "days": {"type": "INTEGER"}}
    schema = {"type": "OBJECT", "properties": properties, "required": ["city"]}
    return {"name": "get_weather", "description": "The weather of some days.", "parameters": schema}
