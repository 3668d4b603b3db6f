"""The converters of a profile, with its habits, called as the live converters are."""

from bridgecheck.wire import Dialect
from bridgecheck_reference.conversion_profile import NATIVE, PROFILES, Profile
from bridgecheck_reference.convert.older_mappings.profiles import OLDER_PROFILES
from bridgecheck_reference.convert.pair_converter import ConversionContext
from bridgecheck_reference.convert.pairs import find_pair_converter
from bridgecheck_reference.types.conversion import ConversionResult, Machine

from .samples import Json

ALL_PROFILES = {**PROFILES, **OLDER_PROFILES}


def habits(*names: str) -> frozenset[str]:
    return frozenset(names)


def convert_request(
    client: Dialect, upstream: Dialect, request: Json, profile: Profile, model: str = "", stream: bool = False
) -> ConversionResult:
    return find_pair_converter(client, upstream, profile).request(ConversionContext(request, model, stream, profile))


def convert_response(client: Dialect, upstream: Dialect, response: Json, profile: Profile) -> ConversionResult:
    return find_pair_converter(client, upstream, profile).response(response, ConversionContext({}, "", False, profile))


def open_stream(client: Dialect, upstream: Dialect, profile: Profile) -> Machine:
    return find_pair_converter(client, upstream, profile).stream(ConversionContext({}, "", True, profile))


def gemini_request_to_openai(
    request: Json, *, model: str = "", stream: bool = False, profile: Profile = NATIVE
) -> ConversionResult:
    return convert_request("gemini", "openai-chat", request, profile, model, stream)


def openai_request_to_gemini(request: Json, *, profile: Profile = NATIVE) -> ConversionResult:
    return convert_request("openai-chat", "gemini", request, profile)


def openai_response_to_gemini(response: Json, *, profile: Profile = NATIVE) -> ConversionResult:
    return convert_response("gemini", "openai-chat", response, profile)


def gemini_response_to_openai(response: Json, *, profile: Profile = NATIVE) -> ConversionResult:
    return convert_response("openai-chat", "gemini", response, profile)
