"""Wire-level conversion between two dialects as one table, and the two-leg way through a third and back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile, pivot_or_extended_profile
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai, openai_error_to_anthropic
from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai, openai_response_to_anthropic
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream
from bridgecheck_reference.convert.gemini.errors import gemini_error_to_openai, openai_error_to_gemini
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai, openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.usage import requests_usage
from bridgecheck_reference.errors import ConversionError, UnknownFormatError
from bridgecheck_reference.types.conversion import ConversionResult, Machine


@dataclass(frozen=True, slots=True)
class ConversionContext:
    """What a conversion may depend on beside the document: the client's request, its model and mode."""

    request: JsonObject
    model: str
    stream: bool
    profile: Profile


@dataclass(frozen=True, slots=True)
class PairConverter:
    """A client dialect on one side, an upstream dialect on the other. ``error`` takes a document and its status."""

    request: Callable[[ConversionContext], ConversionResult]
    response: Callable[[JsonObject, ConversionContext], ConversionResult]
    error: Callable[[JsonObject, int], tuple[int, JsonObject]]
    stream: Callable[[ConversionContext], Machine]


_PAIR_CONVERTERS: Final[dict[tuple[Dialect, Dialect], PairConverter]] = {
    ("gemini", "openai-chat"): PairConverter(
        request=lambda context: gemini_request_to_openai(
            context.request, model=context.model, stream=context.stream, profile=context.profile
        ),
        response=lambda body, context: openai_response_to_gemini(
            body, model=context.model or None, request=context.request, profile=context.profile
        ),
        error=openai_error_to_gemini,
        stream=lambda context: OpenAIToGeminiStream(
            model=context.model, request=context.request, profile=context.profile
        ),
    ),
    ("openai-chat", "gemini"): PairConverter(
        request=lambda context: openai_request_to_gemini(context.request, profile=context.profile),
        response=lambda body, context: gemini_response_to_openai(
            body, model=context.model or None, request=context.request, profile=context.profile
        ),
        error=gemini_error_to_openai,
        stream=lambda context: GeminiToOpenAIStream(
            model=context.model,
            include_usage=_is_usage_requested_or_middle_leg(context),
            profile=context.profile,
            request=context.request,
        ),
    ),
    ("anthropic", "openai-chat"): PairConverter(
        request=lambda context: anthropic_request_to_openai(
            context.request, model=context.model, stream=context.stream, profile=context.profile
        ),
        response=lambda body, context: openai_response_to_anthropic(
            body, model=context.model or None, request=context.request, profile=context.profile
        ),
        error=openai_error_to_anthropic,
        stream=lambda context: OpenAIToAnthropicStream(
            model=context.model, request=context.request, profile=context.profile
        ),
    ),
    ("openai-chat", "anthropic"): PairConverter(
        request=lambda context: openai_request_to_anthropic(context.request, profile=context.profile),
        response=lambda body, context: anthropic_response_to_openai(
            body, model=context.model or None, request=context.request, profile=context.profile
        ),
        error=anthropic_error_to_openai,
        stream=lambda context: AnthropicToOpenAIStream(
            model=context.model,
            include_usage=_is_usage_requested_or_middle_leg(context),
            profile=context.profile,
            request=context.request,
        ),
    ),
}

PIVOTS: Final[dict[tuple[Dialect, Dialect], Dialect]] = {
    ("gemini", "gemini"): "openai-chat",
    ("openai-chat", "openai-chat"): "gemini",
    ("anthropic", "anthropic"): "openai-chat",
}
"""Same-dialect route -> the dialect it goes through."""

_IN_MEMORY: Final[dict[tuple[Dialect, Dialect], Dialect]] = {
    ("gemini", "anthropic"): "openai-chat",
    ("anthropic", "gemini"): "openai-chat",
}
"""Route -> the dialect of the document in the middle, which is no pivot: it expresses all that both ends can (R-46)."""

ROUTES: Final[tuple[tuple[Dialect, Dialect], ...]] = (*_PAIR_CONVERTERS, *PIVOTS, *_IN_MEMORY)


@dataclass(frozen=True, slots=True)
class RouteStep:
    """One leg of a route, with the request as it stands on that leg's client side."""

    converter: PairConverter
    context: ConversionContext


def convert_request(
    client: Dialect, upstream: Dialect, request: JsonObject, model: str, *, stream: bool, profile: Profile = NATIVE
) -> ConversionResult:
    """The request as the upstream gets it. ``profile``: of a route that is not through a third dialect and back.

    ``UnknownFormatError`` for a pair that is not routed, ``ConversionError``, naming the field, for a request
    that cannot be expressed.
    """
    middle_route = _middle_dialect_and_profile(client, upstream, profile)
    if middle_route is None:
        return _pair_converter(client, upstream).request(ConversionContext(request, model, stream, profile))
    middle, both = middle_route
    first = _pair_converter(client, middle).request(ConversionContext(request, model, stream, both))
    second = _pair_converter(middle, upstream).request(
        ConversionContext(first.value, _converted_model(first, model), stream, both)
    )
    return ConversionResult(second.value, (*first.losses, *second.losses), second.meta)


def response_steps(
    client: Dialect, upstream: Dialect, request: JsonObject, model: str, *, stream: bool, profile: Profile = NATIVE
) -> list[RouteStep]:
    """The legs an answer takes, the upstream's first. An answer has its meaning without the request too, so one that
    cannot be converted (a bare {}) is passed over on the inner leg."""
    middle_route = _middle_dialect_and_profile(client, upstream, profile)
    if middle_route is None:
        return [RouteStep(_pair_converter(client, upstream), ConversionContext(request, model, stream, profile))]
    middle, both = middle_route
    outer = RouteStep(_pair_converter(client, middle), ConversionContext(request, model, stream, both))
    try:
        first = outer.converter.request(outer.context)
    except ConversionError:
        first = ConversionResult({})
    inner = RouteStep(
        _pair_converter(middle, upstream), ConversionContext(first.value, _converted_model(first, model), stream, both)
    )
    return [inner, outer]


def _middle_dialect_and_profile(client: Dialect, upstream: Dialect, profile: Profile) -> tuple[Dialect, Profile] | None:
    """The dialect in the middle of a route of two legs, and the profile of both; None for a route of one."""
    middle = PIVOTS.get((client, upstream)) or _IN_MEMORY.get((client, upstream))
    return None if middle is None else (middle, pivot_or_extended_profile(client, upstream, profile))


def _converted_model(result: ConversionResult, model: str) -> str:
    named = result.meta.get("model")
    return named if isinstance(named, str) else model


def _pair_converter(client: Dialect, upstream: Dialect) -> PairConverter:
    converter = _PAIR_CONVERTERS.get((client, upstream))
    if converter is None:
        raise UnknownFormatError(f"{client} to {upstream}", (f"{a} to {b}" for a, b in ROUTES))
    return converter


def _is_usage_requested_or_middle_leg(context: ConversionContext) -> bool:
    """Return whether the chunks are to end with the usage: the client requests it, or they only stand in the middle."""
    return requests_usage(context.request) or context.profile.carry != "nothing" or context.profile.extended


def chat_converter(client: Dialect) -> PairConverter:
    """The leg between a client's dialect and Chat Completions, the IR. ``UnknownFormatError`` if there is none."""
    return _pair_converter(client, "openai-chat")
