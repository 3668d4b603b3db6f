"""Gemini's signatures that an Anthropic client sends back as those of thinking, for Google's own Chat endpoint.

The endpoint puts them under ``extra_content.google.thought_signature`` of a call or a message and wants them back there
(https://ai.google.dev/gemini-api/docs/openai); towards the client each was the signature of a thinking block
(``convert/signatures``).
"""

from collections.abc import Sequence

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import obj, objs, text
from bridgecheck_reference.convert.signatures import to_gemini


def give_back(message: JsonObject, blocks: Sequence[JsonObject]) -> None:
    """Puts the signatures in these blocks on the message made of them, and on its calls. A signature whose call is gone
    goes with it."""
    calls = iter(objs(message.get("tool_calls")))
    waiting = ""
    for block in blocks:
        kind, signature = to_gemini(text(block.get("signature"))) or ("", "")
        if kind == "call":
            waiting = signature
        elif kind:
            _sign(message, signature)
        elif block.get("type") == "tool_use":
            call = next(calls, {})
            if waiting:
                _sign(call, signature=waiting)
            waiting = ""
    _keep(message, [detail for detail in objs(message.get("reasoning_details")) if not _is_googles(detail)])


def _is_googles(detail: JsonObject) -> bool:
    return to_gemini(text(detail.get("signature"))) is not None


def _sign(holder: JsonObject, signature: str) -> None:
    holder["extra_content"] = {**obj(holder.get("extra_content")), "google": {"thought_signature": signature}}


def _keep(message: JsonObject, details: list[JsonObject]) -> None:
    if details:
        message["reasoning_details"] = details
    else:
        message.pop("reasoning_details", None)
