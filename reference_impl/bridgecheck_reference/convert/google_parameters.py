"""Google's own parameters inside a Chat Completions request: ``extra_body.google.thinking_config`` and the like.

Google's OpenAI-compatible endpoint takes them there, and an SDK's own ``extra_body`` puts ``google`` into the top level
(https://ai.google.dev/gemini-api/docs/openai, stored copy read 2026-11-21). They are Gemini's words already.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.read import obj, text, unknown
from bridgecheck_reference.loss import Losses

CARRIERS: Final = frozenset({"extra_body", "google"})
"""Keys of a request that this reads."""

_READ: Final = frozenset({"thinkingConfig", "cachedContent"})


def google_parameters(request: JsonObject, losses: Losses) -> JsonObject:
    """``thinkingConfig`` and ``cachedContent``, where the client gave them; {} for a request without any."""
    if CARRIERS.isdisjoint(request):
        return {}
    wrapped = obj(request.get("extra_body"))
    said = {**camel(wrapped.get("google")), **camel(request.get("google"))}
    for key in unknown(wrapped, {"google"}):
        losses.add(f"extra_body.{key}", "Gemini has no place for it")
    for key in unknown(said, _READ):
        losses.add(f"extra_body.google.{key}", "no known parameter of Gemini")
    found: JsonObject = {}
    if camel(said.get("thinkingConfig")):
        found["thinkingConfig"] = camel(said["thinkingConfig"])
    if text(said.get("cachedContent")):
        found["cachedContent"] = said["cachedContent"]
    return found
