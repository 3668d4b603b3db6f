"""A unary Anthropic answer -> an OpenAI chat completion: the stream converter with one event, folded."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai
from bridgecheck_reference.convert.anthropic.fold_chunks import fold
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream, events_of
from bridgecheck_reference.convert.read import obj, objs, text
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.result import ConversionResult

BAD_GATEWAY = 502


def anthropic_response_to_openai(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """``model``: said where the answer names none. ``request``: the client's OpenAI request, if at hand.

    ``meta["status"]`` is 200, or that of the error document which the value then is: an error answer, an answer without
    a stop reason, none at all (502).
    """
    if response.get("type") == "error" or response.get("error"):
        status, document = anthropic_error_to_openai(response, 200)
        return ConversionResult(document, (), {"status": status})
    stream = AnthropicToOpenAIStream(model=model, profile=profile, request=request, whole=True)
    events = [made for event in events_of(response) for made in stream.feed(event)] + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        return ConversionResult(_failure(events), losses, {"status": BAD_GATEWAY})
    return ConversionResult(
        fold(events, ordered=profile.extended or profile.carries_anthropic), losses, {"status": 200}
    )


def _failure(events: list[JsonObject]) -> JsonObject:
    """The error event, with what text had been said before it."""
    said = "".join(
        text(obj(choice.get("delta")).get("content")) for event in events[:-1] for choice in objs(event.get("choices"))
    )
    if said:
        obj(events[-1]["error"])["partial_text"] = said
    return events[-1]
