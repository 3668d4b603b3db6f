"""A unary OpenAI chat completion -> an Anthropic message: the stream converter with one chunk, folded."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.errors import anthropic_failure, openai_error_to_anthropic
from bridgecheck_reference.convert.anthropic.fold_events import fold
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.errors import BAD_GATEWAY
from bridgecheck_reference.convert.read import arr, text
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.result import ConversionResult


def openai_response_to_anthropic(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """``model``: said where the answer names none. ``request``: the client's Anthropic request, if at hand.

    ``meta["status"]`` is 200, or that of the error document which the value then is: an error answer, an answer without
    any choice or without a finish reason, a call whose arguments are no JSON object (502).
    """
    if response.get("error"):
        status, document = openai_error_to_anthropic(response, 200)
        return ConversionResult(document, (), {"status": status})
    if not arr(response.get("choices")):
        return ConversionResult(anthropic_failure("upstream answered without choices"), (), {"status": BAD_GATEWAY})
    stream = OpenAIToAnthropicStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    if stream.failed:
        return ConversionResult(_failure(events), tuple(stream.losses), {"status": BAD_GATEWAY})
    value = fold(events, carried=profile.carries_anthropic)
    return ConversionResult(value, tuple(stream.losses), {"status": 200})


def _failure(events: list[JsonObject]) -> JsonObject:
    """The error event, with what text had been said before it."""
    error = events[-1]
    said = "".join(
        text(block.get("text")) for block in arr(fold(events[:-1]).get("content")) if isinstance(block, dict)
    )
    if said and isinstance(error["error"], dict):
        error["error"]["partial_text"] = said
    return error
