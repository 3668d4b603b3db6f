"""A unary Anthropic answer -> an OpenAI chat completion: the stream converter with one event, folded."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai
from bridgecheck_reference.convert.anthropic.fold_chunks import fold
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream, events_of
from bridgecheck_reference.convert.errors import BAD_GATEWAY
from bridgecheck_reference.convert.partial_text import with_partial_text
from bridgecheck_reference.profile import NATIVE, Profile
from bridgecheck_reference.types.result import ConversionResult


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
        return ConversionResult(with_partial_text(events), losses, {"status": BAD_GATEWAY})
    return ConversionResult(
        fold(events, ordered=profile.extended or profile.carries_anthropic), losses, {"status": 200}
    )
