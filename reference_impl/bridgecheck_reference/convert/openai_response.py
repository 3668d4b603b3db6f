"""A unary OpenAI chat completion -> a Gemini answer: the stream converter with one chunk, folded."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import BAD_GATEWAY, gemini_failure, openai_error_to_gemini
from bridgecheck_reference.convert.openai_stream import OpenAIToGeminiStream
from bridgecheck_reference.convert.read import arr, integer, obj, objs
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.result import ConversionResult


def openai_response_to_gemini(
    response: JsonObject,
    *,
    profile: Profile = NATIVE,
    model: str | None = None,
    request: JsonObject | None = None,
) -> ConversionResult:
    """``model``: said where the answer names none. ``request``: the client's Gemini request, if at hand.

    ``meta["status"]`` is 200, or that of the error document which the value then is: an error answer, or one without
    any choice (502). A choice without a finish reason gives a candidate without one.
    """
    if response.get("error"):
        status, document = openai_error_to_gemini(response, 200)
        return ConversionResult(document, (), {"status": status})
    if not arr(response.get("choices")):
        return ConversionResult(gemini_failure("upstream answered without choices"), (), {"status": BAD_GATEWAY})
    stream = OpenAIToGeminiStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        error = events[-1]
        return ConversionResult(error, losses, {"status": integer(obj(error["error"]).get("code")) or BAD_GATEWAY})
    value = fold(events)
    if profile.minimal_response:
        value = {"candidates": [], "usageMetadata": {}, **value}
    return ConversionResult(value, losses, {"status": 200})


def fold(events: list[JsonObject]) -> JsonObject:
    """The events of one whole answer as one document. A candidate without parts gets one empty text."""
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
