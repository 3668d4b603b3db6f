"""Converters by the name of a dialect: requests of clients that speak it, and responses on their way back to them.

Each converter is made anew and remembers nothing, so one request cannot show in another. What the converters raise
becomes an unsuccessful ``Outcome`` where the profile wants errors as results (mapping row R-28).
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.pair_converter import ConversionContext, PairConverter
from bridgecheck_reference.convert.pairs import find_pair_converter
from bridgecheck_reference.errors import ConversionError, UnknownFormatError
from bridgecheck_reference.loss import Loss
from bridgecheck_reference.types.conversion import ConversionResult

NO_MODEL: Final = "Original model name is required for request conversion"


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


_DIALECTS: Final[dict[str, Dialect]] = {"gemini": "gemini", "openai": "openai-chat"}
"""The name of a client's or an upstream's dialect here -> the dialect."""


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
        converter = self._find_converter(upstream)
        if self.name == "openai":
            request = {**request, "model": model, "stream": stream}
        return converter.request(ConversionContext(request, model, stream, self._profile))

    def _convert_response(
        self, response: JsonObject, upstream: str, model: str, request: JsonObject | None
    ) -> ConversionResult:
        if upstream == self.name:
            return ConversionResult(response, (), {"status": 200})
        context = ConversionContext(request or {}, model, False, self._profile)
        return self._find_converter(upstream).response(response, context)

    def _find_converter(self, upstream: str) -> PairConverter:
        if upstream not in _DIALECTS:
            raise UnknownFormatError(upstream, _DIALECTS)
        return find_pair_converter(_DIALECTS[self.name], _DIALECTS[upstream], self._profile)

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
    if name not in _DIALECTS:
        raise UnknownFormatError(name, _DIALECTS)
    return RequestAndResponseConverter(name, profile)
