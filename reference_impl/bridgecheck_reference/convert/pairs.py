"""The converters of all pairs of dialects that are converted directly, as one table."""

from typing import Final

from bridgecheck.wire import Dialect
from bridgecheck_reference.conversion_profile import NATIVE, Profile
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
from bridgecheck_reference.convert.older_mappings.around import put_habits_around
from bridgecheck_reference.convert.pair_converter import ConversionContext, PairConverter
from bridgecheck_reference.convert.usage import requests_usage
from bridgecheck_reference.errors import UnknownFormatError

_PAIR_CONVERTERS: Final[dict[tuple[Dialect, Dialect], PairConverter]] = {
    ("gemini", "openai-chat"): PairConverter(
        request=lambda context: gemini_request_to_openai(
            context.request,
            model=context.model,
            stream=context.stream,
            profile=context.profile,
            call_ids=context.call_ids,
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


def _is_usage_requested_or_middle_leg(context: ConversionContext) -> bool:
    """Return whether the chunks are to end with the usage: the client requests it, or they only stand in the middle."""
    return requests_usage(context.request) or context.profile.carry != "nothing" or context.profile.extended


PAIRS: Final[tuple[tuple[Dialect, Dialect], ...]] = (*_PAIR_CONVERTERS,)


def find_pair_converter(client: Dialect, upstream: Dialect, profile: Profile = NATIVE) -> PairConverter:
    """Return what converts between two dialects, with the habits of the profile. ``UnknownFormatError`` for a pair that
    is not converted directly."""
    converter = _PAIR_CONVERTERS.get((client, upstream))
    if converter is None:
        raise UnknownFormatError(f"{client} to {upstream}", (f"{a} to {b}" for a, b in PAIRS))
    return put_habits_around(converter, client, upstream, profile.habits) if profile.habits else converter
