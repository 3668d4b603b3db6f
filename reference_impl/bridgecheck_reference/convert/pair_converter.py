"""What converts between one client dialect and one upstream dialect, and what it may depend on beside the document."""

from collections.abc import Callable
from dataclasses import dataclass

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.types.conversion import ConversionResult, Machine


@dataclass(frozen=True, slots=True)
class ConversionContext:
    """What a conversion may depend on beside the document: the client's request, its model and mode. ``call_ids``: how
    the calls of a Gemini history get their ids, where not as usual."""

    request: JsonObject
    model: str
    stream: bool
    profile: Profile
    call_ids: CallIds | None = None


@dataclass(frozen=True, slots=True)
class PairConverter:
    """A client dialect on one side, an upstream dialect on the other. ``error`` takes a document and its status."""

    request: Callable[[ConversionContext], ConversionResult]
    response: Callable[[JsonObject, ConversionContext], ConversionResult]
    error: Callable[[JsonObject, int], tuple[int, JsonObject]]
    stream: Callable[[ConversionContext], Machine]
