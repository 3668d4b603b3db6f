"""Unary responses: each is the stream converter with one event, whose output is folded into one document."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.chat_messages import failure_with_partial_text
from bridgecheck_reference.convert.errors import BAD_GATEWAY
from bridgecheck_reference.convert.gemini.errors import (
    create_gemini_error,
    gemini_error_to_openai,
    openai_error_to_gemini,
)
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.json_values import arr, integer, obj, objs
from bridgecheck_reference.types.conversion import ConversionResult

_INDEXED_LISTS: Final = frozenset({"tool_calls", "images"})
"""Lists of a delta whose items have an index, which a message's do not."""


def gemini_response_to_openai(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """Convert a unary response.

    ``model``: used where the response names none. ``request``: the client's OpenAI request, if at hand.
    ``meta["status"]`` is 200, or that of the error document which the value then is: an error response, a broken call,
    a response without a finish reason, no response at all (502).
    """
    if "error" in response:
        status, document = gemini_error_to_openai(response, 200)
        return ConversionResult(document, (), {"status": status})
    stream = GeminiToOpenAIStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        return ConversionResult(failure_with_partial_text(events), losses, {"status": BAD_GATEWAY})
    return ConversionResult(fold_chunks(events), losses, {"status": 200})


def fold_chunks(chunks: list[JsonObject]) -> JsonObject:
    """Fold the chunks of one whole response into one document."""
    first = chunks[0]
    choices: dict[object, JsonObject] = {}
    document: JsonObject = {**first, "object": "chat.completion"}
    for chunk in chunks:
        for choice in objs(chunk["choices"]):
            _add_choice_piece(choices.setdefault(choice["index"], {"index": choice["index"], "message": {}}), choice)
        for key in ("usage", "extra_content"):
            if key in chunk:
                document[key] = chunk[key]
    document["choices"] = [choices[index] for index in sorted(choices, key=str)]
    return document


def _add_choice_piece(choice: JsonObject, piece: JsonObject) -> None:
    """Add one more piece of a choice: its whole message, or its end."""
    message = obj(choice["message"])
    delta = obj(piece["delta"])
    for key, value in delta.items():
        message[key] = [_without_index(item) for item in objs(value)] if key in _INDEXED_LISTS else value
    message.setdefault("content", None)
    choice["finish_reason"] = piece["finish_reason"]
    if "logprobs" in piece:
        choice["logprobs"] = piece["logprobs"]
    if "extra_content" in piece:
        carried = {
            **obj(obj(choice.get("extra_content")).get("google")),
            **obj(obj(piece["extra_content"]).get("google")),
        }
        choice["extra_content"] = {"google": carried}


def _without_index(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if key != "index"}


def openai_response_to_gemini(
    response: JsonObject,
    *,
    profile: Profile = NATIVE,
    model: str | None = None,
    request: JsonObject | None = None,
) -> ConversionResult:
    """Convert a unary response.

    ``model``: used where the response names none. ``request``: the client's Gemini request, if at hand.
    ``meta["status"]`` is 200, or that of the error document which the value then is: an error response, or one without
    any choice (502). A choice without a finish reason gives a candidate without one.
    """
    if response.get("error"):
        status, document = openai_error_to_gemini(response, 200)
        return ConversionResult(document, (), {"status": status})
    if not arr(response.get("choices")):
        return ConversionResult(create_gemini_error("upstream answered without choices"), (), {"status": BAD_GATEWAY})
    stream = OpenAIToGeminiStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        error = events[-1]
        return ConversionResult(error, losses, {"status": integer(obj(error["error"]).get("code")) or BAD_GATEWAY})
    return ConversionResult(fold_events(events), losses, {"status": 200})


def fold_events(events: list[JsonObject]) -> JsonObject:
    """Fold the events of one whole response into one document. A candidate without parts gets one empty text."""
    candidates: dict[object, JsonObject] = {}
    document: JsonObject = {}
    for event in events:
        for piece in objs(event.get("candidates")):
            candidate = candidates.setdefault(piece.get("index"), {"content": {"parts": [], "role": "model"}})
            arr(obj(candidate["content"])["parts"]).extend(arr(obj(piece.get("content")).get("parts")))
            candidate.update((key, value) for key, value in piece.items() if key != "content")
        document.update((key, value) for key, value in event.items() if key != "candidates")
    for candidate in candidates.values():
        content = obj(candidate["content"])
        if not content["parts"]:
            content["parts"] = [{"text": ""}]
    if candidates:
        return {"candidates": list(candidates.values()), **document}
    return document
