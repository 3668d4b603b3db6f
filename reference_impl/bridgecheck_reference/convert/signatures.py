"""Signatures of one provider in the words of another (mapping row R-46). Both directions need nothing but the text.

* Gemini signs any part; Anthropic signs thinking blocks. A Gemini signature travels as the signature of the reasoning
  right before the part it stood on (an empty one if there is none), as ``gemini.<part>.<signature>``, <part> being one
  of ``PARTS``. No signature of Anthropic's holds a dot: theirs are base64.
* Clients of Gemini drop thoughts and echo the signatures of calls and texts. So the reasoning blocks of another
  provider travel whole in the thoughtSignature of the part that follows them: standard base64, which every client takes
  for bytes, of ``MARK`` and the blocks as JSON.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.media import decoded
from bridgecheck_reference.convert.read import dumps, objs

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""What a client writes in place of a lost signature. Source: https://ai.google.dev/gemini-api/docs/thought-signatures,
as gemini-cli and others quote it."""

PARTS: Final[frozenset[str]] = frozenset({"thought", "text", "image", "call", "tail", "other"})
"""Kinds of part that Gemini signs: ``tail`` is an empty last text part, ``other`` any further one."""

MARK: Final = b"bridged-reasoning:"
"""What the bytes of a carrier begin with, and no signature of Gemini's does."""

AHEAD: Final = "ahead"
"""Key of a carried block: how many characters of text had been said between it and the part that carries it."""

_START: Final = b64encode(MARK).decode("ascii")
"""What every carrier begins with: 18 bytes are 24 letters without padding."""


def of_gemini(signature: str, part: str) -> str:
    """A Gemini signature as that of reasoning; ``part``: the kind of part it stood on."""
    return f"gemini.{part}.{signature}"


def to_gemini(signature: str) -> tuple[str, str] | None:
    """(kind of part, Gemini's signature); None for a signature of another provider."""
    provider, _, rest = signature.partition(".")
    part, dot, value = rest.partition(".")
    return (part, value) if provider == "gemini" and dot and part in PARTS else None


def carrier(blocks: Sequence[JsonObject]) -> str:
    """``reasoning_details`` of another provider as one thoughtSignature."""
    return b64encode(MARK + dumps(list(blocks)).encode("utf-8", "surrogatepass")).decode("ascii")


def carried(signature: str) -> list[JsonObject] | None:
    """The ``reasoning_details`` that a thoughtSignature carries; None where it is a signature of Gemini's own."""
    if not signature.startswith(_START):
        return None
    content = decoded(signature)
    if not content.startswith(MARK):
        return None
    try:
        return list(objs(json.loads(content[len(MARK) :].decode("utf-8", "surrogatepass"))))
    except (ValueError, RecursionError):
        return None
