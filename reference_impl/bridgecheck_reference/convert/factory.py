"""Converters by the name of a dialect: requests of clients that speak it, and responses on their way back to them.

Each converter is made anew and remembers nothing, so one request cannot show in another. What the converters raise
becomes an unsuccessful ``Outcome`` where the profile wants errors as results (mapping row R-28).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai, openai_response_to_gemini
from bridgecheck_reference.errors import ConversionError, UnknownFormatError
from bridgecheck_reference.loss import Loss
from bridgecheck_reference.types.conversion import ConversionResult

NO_MODEL: Final = "Original model name is required for request conversion"

Convert = TypeVar("Convert")
_Request: TypeAlias = Callable[[JsonObject, str, bool, Profile], ConversionResult]
_Response: TypeAlias = Callable[[JsonObject, str, JsonObject | None, Profile], ConversionResult]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a conversion came to.

    ``success``: whether there is a document. ``data``: the document, None without success. ``error``: what was wrong,
    "" with success. ``losses``: what the document does not express. ``status``: HTTP status of a response's document.
    """

    success: bool
    data: JsonObject | None = None
    error: str = ""
    losses: tuple[Loss, ...] = ()
    status: int = 200


def _convert_gemini_request_to_openai(
    request: JsonObject, model: str, stream: bool, profile: Profile
) -> ConversionResult:
    return gemini_request_to_openai(request, model=model, stream=stream, profile=profile)


def _convert_openai_request_to_gemini(
    request: JsonObject, model: str, stream: bool, profile: Profile
) -> ConversionResult:
    return openai_request_to_gemini({**request, "model": model, "stream": stream}, profile=profile)


def _convert_openai_response_to_gemini(
    response: JsonObject, model: str, request: JsonObject | None, profile: Profile
) -> ConversionResult:
    return openai_response_to_gemini(response, model=model or None, request=request, profile=profile)


def _convert_gemini_response_to_openai(
    response: JsonObject, model: str, request: JsonObject | None, profile: Profile
) -> ConversionResult:
    return gemini_response_to_openai(response, model=model or None, request=request, profile=profile)


_REQUESTS: Final[dict[str, dict[str, _Request]]] = {
    "gemini": {"openai": _convert_gemini_request_to_openai},
    "openai": {"gemini": _convert_openai_request_to_gemini},
}
"""Client dialect -> upstream dialect -> the conversion of a request."""

_RESPONSES: Final[dict[str, dict[str, _Response]]] = {
    "gemini": {"openai": _convert_openai_response_to_gemini},
    "openai": {"gemini": _convert_gemini_response_to_openai},
}
"""Client dialect -> upstream dialect -> the conversion of a response."""


class RequestAndResponseConverter:
    """Converts for clients that speak one dialect. ``name``: that dialect."""

    __slots__ = ("_profile", "name")

    def __init__(self, name: str, profile: Profile) -> None:
        self.name = name
        self._profile = profile

    def convert_request(self, request: JsonObject, upstream: str, model: str, *, stream: bool = False) -> Outcome:
        """Convert a client's request to ``upstream``; in the client's own dialect only its member ``stream`` is
        dropped.

        ``model``: the model to request; required. Raises ``ConversionError`` and ``UnknownFormatError``, unless the
        profile wants errors as results.
        """
        return self._run_conversion_or_raise_by_profile(lambda: self._convert_request(request, upstream, model, stream))

    def convert_response(
        self, response: JsonObject, upstream: str, *, model: str = "", request: JsonObject | None = None
    ) -> Outcome:
        """Convert a response of ``upstream`` for the client.

        ``model``: used where the response names none. ``request``: the client's own, if at hand. Errors as in
        ``convert_request``.
        """
        return self._run_conversion_or_raise_by_profile(
            lambda: self._convert_response(response, upstream, model, request)
        )

    def _convert_request(self, request: JsonObject, upstream: str, model: str, stream: bool) -> ConversionResult:
        if not model:
            raise ConversionError(NO_MODEL, "model")
        if upstream == self.name:
            return ConversionResult({key: value for key, value in request.items() if key != "stream"})
        return self._find_conversion(_REQUESTS, upstream)(request, model, stream, self._profile)

    def _convert_response(
        self, response: JsonObject, upstream: str, model: str, request: JsonObject | None
    ) -> ConversionResult:
        if upstream == self.name:
            return ConversionResult(response, (), {"status": 200})
        return self._find_conversion(_RESPONSES, upstream)(response, model, request, self._profile)

    def _find_conversion(self, table: dict[str, dict[str, Convert]], upstream: str) -> Convert:
        found = table[self.name].get(upstream)
        if found is None:
            raise UnknownFormatError(upstream, (self.name, *table[self.name]))
        return found

    def _run_conversion_or_raise_by_profile(self, convert: Callable[[], ConversionResult]) -> Outcome:
        try:
            result = convert()
        except (ConversionError, UnknownFormatError) as error:
            if self._profile.errors == "raise":
                raise
            logging.getLogger(__name__).warning("conversion failed: %s", error)
            return Outcome(False, error=str(error))
        status = result.meta.get("status", 200)
        return Outcome(True, result.value, losses=result.losses, status=status if isinstance(status, int) else 200)


def get_converter(name: str, profile: Profile = NATIVE) -> RequestAndResponseConverter:
    """Return a new converter for clients of that dialect: ``gemini`` or ``openai``. Raises ``UnknownFormatError`` for
    another."""
    if name not in _REQUESTS:
        raise UnknownFormatError(name, _REQUESTS)
    return RequestAndResponseConverter(name, profile)
