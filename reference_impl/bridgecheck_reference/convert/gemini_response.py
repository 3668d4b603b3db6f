"""A unary Gemini answer -> an OpenAI chat completion: the stream converter with one event, folded."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import BAD_GATEWAY, gemini_error_to_openai
from bridgecheck_reference.convert.gemini_stream import GeminiToOpenAIStream
from bridgecheck_reference.convert.partial_text import with_partial_text
from bridgecheck_reference.convert.read import obj, objs
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.result import ConversionResult

_NUMBERED: Final = frozenset({"tool_calls", "images"})
"""Lists of a delta whose items say their place in the stream, which a message does not."""


def gemini_response_to_openai(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """``model``: said where the answer names none. ``request``: the client's OpenAI request, if at hand.

    ``meta["status"]`` is 200, or that of the error document which the value then is: an error answer, a broken call, an
    answer without a finish reason, no answer at all (502).
    """
    if "error" in response:
        status, document = gemini_error_to_openai(response, 200)
        return ConversionResult(document, (), {"status": status})
    stream = GeminiToOpenAIStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        return ConversionResult(with_partial_text(events), losses, {"status": BAD_GATEWAY})
    return ConversionResult(fold(events), losses, {"status": 200})


def fold(chunks: list[JsonObject]) -> JsonObject:
    """The chunks of one whole answer as one document."""
    first = chunks[0]
    choices: dict[object, JsonObject] = {}
    document: JsonObject = {**first, "object": "chat.completion"}
    for chunk in chunks:
        for choice in objs(chunk["choices"]):
            _add(choices.setdefault(choice["index"], {"index": choice["index"], "message": {}}), choice)
        for key in ("usage", "extra_content"):
            if key in chunk:
                document[key] = chunk[key]
    document["choices"] = [choices[index] for index in sorted(choices, key=str)]
    return document


def _add(choice: JsonObject, piece: JsonObject) -> None:
    """One more piece of a choice: its whole message, or its end."""
    message = obj(choice["message"])
    delta = obj(piece["delta"])
    for key, value in delta.items():
        message[key] = [_unnumbered(item) for item in objs(value)] if key in _NUMBERED else value
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


def _unnumbered(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if key != "index"}
