"""Thought signatures of one provider inside the documents of another. Nothing is remembered: the text itself says all.

Between Gemini and Anthropic (mapping row R-46):

* Gemini signs any part; Anthropic signs thinking blocks. A Gemini signature travels as the signature of the reasoning
  right before the part it stood on (an empty one if there is none), as ``gemini.<part>.<signature>``, <part> being one
  of ``PARTS``. No signature of Anthropic's holds a dot: theirs are base64.
* Clients of Gemini drop thoughts and echo the signatures of calls and texts. So the reasoning blocks of another
  provider travel whole in the thoughtSignature of the part that follows them: standard base64, which every client takes
  for bytes, of ``MARK`` and the blocks as JSON.

Inside a call's id (row R-26, ``signature_carrier="id"``), for clients that send back id, name and arguments and nothing
else. A signed id is ``sig_`` + 8 hex digits of a checksum + ``_`` + one letter each for how id and signature are
written + the length of the former in 4 hex digits + the former + the latter. Only A-Z, a-z, 0-9, ``-`` and ``_``
occur. An id that does not fit its checksum is an ordinary one.

In ``reasoning_details``, as OpenRouter passes them on (row R-26): an entry of the format ``google-gemini-v1`` and the
type ``reasoning.encrypted`` holds a signature in ``data`` and the id of its call in ``id``; one entry is there for a
turn, with the id of the first call or none. Entries of other formats are other providers' and mean nothing to Gemini.
Sources: https://github.com/RooCodeInc/Roo-Code/pull/10640 and
https://github.com/OpenRouterTeam/ai-sdk-provider/issues/491 (stored copies read 2026-11-21).
"""

import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.ids import fingerprint
from bridgecheck_reference.convert.json_values import dumps, obj, objs, text
from bridgecheck_reference.convert.media import decode_base64_or_empty

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""What a client writes in place of a lost signature. Source: https://ai.google.dev/gemini-api/docs/thought-signatures,
as gemini-cli and others quote it."""

SIGNED_PART_KINDS: Final[frozenset[str]] = frozenset({"thought", "text", "image", "call", "tail", "other"})
"""Kinds of part that Gemini signs: ``tail`` is an empty last text part, ``other`` any further one."""

MARK: Final = b"bridged-reasoning:"
"""Start of the bytes of a carrier; no signature of Gemini's begins so."""

AHEAD: Final = "ahead"
"""Key of a carried block: how many characters of text came between it and the part that carries it."""

_CARRIER_START: Final = b64encode(MARK).decode("ascii")
"""Start of every carrier: 18 bytes are 24 letters without padding."""


class UnwrappedSignature(NamedTuple):
    """A signature of Gemini's, and the kind of the part that it stood on: one of ``SIGNED_PART_KINDS``."""

    part_kind: str
    signature: str


def prefix_gemini_signature(signature: str, part_kind: str) -> str:
    """Return a Gemini signature as that of reasoning; ``part_kind``: the kind of part it stood on."""
    return f"gemini.{part_kind}.{signature}"


def split_gemini_signature_prefix(signature: str) -> UnwrappedSignature | None:
    """Return Gemini's signature and the kind of part it stood on; None for a signature of another provider."""
    provider, _, rest = signature.partition(".")
    part_kind, dot, value = rest.partition(".")
    is_gemini = provider == "gemini" and dot and part_kind in SIGNED_PART_KINDS
    return UnwrappedSignature(part_kind, value) if is_gemini else None


def encode_reasoning_carrier(blocks: Sequence[JsonObject]) -> str:
    """Encode ``reasoning_details`` of another provider as one thoughtSignature."""
    return b64encode(MARK + dumps(list(blocks)).encode("utf-8", "surrogatepass")).decode("ascii")


def decode_reasoning_carrier(signature: str) -> list[JsonObject] | None:
    """Return the ``reasoning_details`` that a thoughtSignature carries; None where it is a signature of Gemini's
    own."""
    if not signature.startswith(_CARRIER_START):
        return None
    content = decode_base64_or_empty(signature)
    if not content.startswith(MARK):
        return None
    try:
        return list(objs(json.loads(content[len(MARK) :].decode("utf-8", "surrogatepass"))))
    except (ValueError, RecursionError):
        return None


SIGNED_ID_START: Final = "sig_"
LONGEST_SIGNED_ID: Final = 8192
"""Characters of a signed id; a signature that needs more travels in the field beside the call."""

_CHECK: Final = 8
_HEAD: Final = len(SIGNED_ID_START) + _CHECK + 1
_BODY: Final = _HEAD + 6
_LEGAL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_PLAIN, _BASE64, _TEXT = "p", "b", "t"


def embed_signature_in_id(id: str, signature: str) -> str | None:
    """Return the id with its signature inside; None where that would be too long."""
    (id_kind, encoded_id), (kind, encoded) = _encode_legal(id), _encode_legal(signature)
    body = f"{id_kind}{kind}{len(encoded_id):04x}{encoded_id}{encoded}"
    signed = f"{SIGNED_ID_START}{_checksum(body)}_{body}"
    return signed if len(signed) <= LONGEST_SIGNED_ID and len(encoded_id) <= LONGEST_SIGNED_ID else None


def split_signed_id(id: str) -> tuple[str, str] | None:
    """Return (id, signature) of a signed id; None for any other."""
    if not id.startswith(SIGNED_ID_START) or id[len(SIGNED_ID_START) : _HEAD] != f"{_checksum(id[_HEAD:])}_":
        return None
    try:
        split = _BODY + int(id[_HEAD + 2 : _BODY], 16)
        return _decode_legal(id[_HEAD], id[_BODY:split]), _decode_legal(id[_HEAD + 1], id[split:])
    except (ValueError, IndexError):
        return None


def _encode_legal(value: str) -> tuple[str, str]:
    """Return how a text is written, and the text in legal letters: as it is, as base64 in the other alphabet, or
    encoded."""
    if _LEGAL.issuperset(value):
        return _PLAIN, value
    base64_body = value.rstrip("=").replace("+", "-").replace("/", "_")
    if _LEGAL.issuperset(base64_body) and _restore_base64(base64_body) == value:
        return _BASE64, base64_body
    return _TEXT, urlsafe_b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")


def _decode_legal(kind: str, encoded: str) -> str:
    if kind == _TEXT:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8", "surrogatepass")
    return _restore_base64(encoded) if kind == _BASE64 else encoded


def _restore_base64(encoded: str) -> str:
    return encoded.replace("-", "+").replace("_", "/") + "=" * (-len(encoded) % 4)


def _checksum(body: str) -> str:
    return fingerprint(body, _CHECK)


GEMINI_FORMAT: Final = "google-gemini-v1"
ENCRYPTED_TYPE: Final = "reasoning.encrypted"


class CallSignature(NamedTuple):
    """A signature of Gemini's, and the id of the call that it stood on, "" where that is not known."""

    call_id: str
    signature: str


def gemini_signatures_in_details(details: object) -> list[CallSignature]:
    """Return the signatures in the entries of ``reasoning_details`` that are Gemini's."""
    return [
        CallSignature(text(item.get("id")), text(item["data"]))
        for item in objs(details)
        if item.get("format") == GEMINI_FORMAT and item.get("type") == ENCRYPTED_TYPE and text(item.get("data"))
    ]


def attach_signatures_to_calls_or_empty_tail(
    parts: list[JsonObject], ids: Sequence[str], signatures: Sequence[CallSignature]
) -> None:
    """Put signatures on the call parts they name, else on the first one without, else behind everything on an empty
    text.

    ``ids``: of the call parts, in order, as the OpenAI document has them.
    """
    calls = [part for part in parts if "functionCall" in part]
    by_id = dict(zip(ids, calls, strict=False))
    for id, signature in signatures:
        unsigned = (call for call in calls if "thoughtSignature" not in call)
        target = by_id.get(id) if id else None
        if target is None:
            target = next(unsigned, None)
        if target is None and not calls:
            parts.append({"text": "", "thoughtSignature": signature})
        elif target is not None:
            obj(target).setdefault("thoughtSignature", signature)
