"""Wire-level conversion between two dialects: directly, or in two legs through a third."""

from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile, pivot_or_extended_profile
from bridgecheck_reference.convert.chat_members import restore_members
from bridgecheck_reference.convert.pair_converter import ConversionContext, PairConverter
from bridgecheck_reference.convert.pairs import PAIRS, find_pair_converter
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

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

ROUTES: Final[tuple[tuple[Dialect, Dialect], ...]] = (*PAIRS, *PIVOTS, *_IN_MEMORY)


@dataclass(frozen=True, slots=True)
class RouteStep:
    """One leg of a route, with the request as it stands on that leg's client side."""

    converter: PairConverter
    context: ConversionContext

    def convert_request(self) -> ConversionResult:
        """The request as it stands on the leg's upstream side."""
        return self.converter.request(self.context)


def convert_request(
    client: Dialect, upstream: Dialect, request: JsonObject, model: str, *, stream: bool, profile: Profile = NATIVE
) -> ConversionResult:
    """The request as the upstream gets it. ``profile``: of a route that is not through a third dialect and back.

    ``UnknownFormatError`` for a pair that is not routed, ``ConversionError``, naming the field, for a request
    that cannot be expressed.
    """
    middle_route = _middle_dialect_and_profile(client, upstream, profile)
    if middle_route is None:
        return _create_step(client, upstream, request, model, stream, profile).convert_request()
    middle, both = middle_route
    first = _create_step(client, middle, request, model, stream, both).convert_request()
    second = _create_step(middle, upstream, first.value, _converted_model(first, model), stream, both).convert_request()
    value, dropped = second.value, Losses()
    if is_chat_pivot(client, upstream):
        value = restore_members(request, value, dropped)
    return ConversionResult(value, (*first.losses, *second.losses, *dropped), second.meta)


def is_chat_pivot(client: Dialect, upstream: Dialect) -> bool:
    """Return whether both ends are Chat, so that members which no converter reads can go along."""
    return client == upstream == "openai-chat"


def response_steps(
    client: Dialect, upstream: Dialect, request: JsonObject, model: str, *, stream: bool, profile: Profile = NATIVE
) -> list[RouteStep]:
    """The legs an answer takes, the upstream's first. An answer has its meaning without the request too, so one that
    cannot be converted (a bare {}) is passed over on the inner leg."""
    middle_route = _middle_dialect_and_profile(client, upstream, profile)
    if middle_route is None:
        return [_create_step(client, upstream, request, model, stream, profile)]
    middle, both = middle_route
    outer = _create_step(client, middle, request, model, stream, both)
    try:
        first = outer.convert_request()
    except ConversionError:
        first = ConversionResult({})
    return [_create_step(middle, upstream, first.value, _converted_model(first, model), stream, both), outer]


def _create_step(
    client: Dialect, upstream: Dialect, request: JsonObject, model: str, stream: bool, profile: Profile
) -> RouteStep:
    context = ConversionContext(request, model, stream, profile)
    return RouteStep(find_pair_converter(client, upstream, profile), context)


def _middle_dialect_and_profile(client: Dialect, upstream: Dialect, profile: Profile) -> tuple[Dialect, Profile] | None:
    """The dialect in the middle of a route of two legs, and the profile of both; None for a route of one."""
    middle = PIVOTS.get((client, upstream)) or _IN_MEMORY.get((client, upstream))
    return None if middle is None else (middle, pivot_or_extended_profile(client, upstream, profile))


def _converted_model(result: ConversionResult, model: str) -> str:
    named = result.meta.get("model")
    return named if isinstance(named, str) else model
