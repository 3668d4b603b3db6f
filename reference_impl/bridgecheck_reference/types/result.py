"""ConversionResult: what every converter returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridgecheck.wire import JsonObject
from bridgecheck_reference.loss import Loss


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """``value``: the document in the other dialect. ``losses``: what it does not say.

    ``meta``: what belongs beside the document. Of a request: ``model`` (str) and ``stream`` (bool), which Gemini says
    in the path. Of a response: ``status`` (int), 200 or the status of the error document that ``value`` then is.
    """

    value: JsonObject
    losses: tuple[Loss, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)
