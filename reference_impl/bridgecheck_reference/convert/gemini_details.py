"""Gemini's thought signatures in ``reasoning_details``, as OpenRouter passes them on (mapping row R-26).

An entry of the format ``google-gemini-v1`` and the type ``reasoning.encrypted`` holds a signature in ``data`` and the
id of its call in ``id``; one entry is there for a turn, with the id of the first call or none. Entries of other formats
are other providers' and mean nothing to Gemini. Sources: https://github.com/RooCodeInc/Roo-Code/pull/10640 and
https://github.com/OpenRouterTeam/ai-sdk-provider/issues/491 (stored copies read 2026-11-21).
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import obj, objs, text

FORMAT: Final = "google-gemini-v1"
ENCRYPTED: Final = "reasoning.encrypted"


def signatures_in(details: object) -> list[tuple[str, str]]:
    """(id of the call or "", signature) of each entry that is Gemini's."""
    return [
        (text(item.get("id")), text(item["data"]))
        for item in objs(details)
        if item.get("format") == FORMAT and item.get("type") == ENCRYPTED and text(item.get("data"))
    ]


def sign(parts: list[JsonObject], ids: Sequence[str], signatures: Sequence[tuple[str, str]]) -> None:
    """Puts signatures on the call parts they name, else on the first one without, else behind everything on an empty
    text of its own. ``ids``: of the call parts, in order, as the OpenAI document has them."""
    calls = [part for part in parts if "functionCall" in part]
    by_id = dict(zip(ids, calls, strict=False))
    for id, signature in signatures:
        unsigned = (call for call in calls if "thoughtSignature" not in call)
        wanted = by_id.get(id) if id else None
        if wanted is None:
            wanted = next(unsigned, None)
        if wanted is None and not calls:
            parts.append({"text": "", "thoughtSignature": signature})
        elif wanted is not None:
            obj(wanted).setdefault("thoughtSignature", signature)
