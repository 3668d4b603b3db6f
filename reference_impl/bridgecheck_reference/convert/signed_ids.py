"""The thought signature of a call inside the call's id, for clients that send back id, name and arguments and nothing
else (mapping row R-26, ``signature_carrier="id"``). Nothing is remembered: the id itself says both.

A signed id is ``sig_`` + 8 hex digits of a checksum + ``_`` + one letter each for how id and signature are written +
the length of the former in 4 hex digits + the former + the latter. Only A-Z, a-z, 0-9, ``-`` and ``_`` occur. An id
that does not fit its checksum is an ordinary one.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from bridgecheck_reference.convert.ids import fingerprint

START: Final = "sig_"
LONGEST: Final = 8192
"""Characters of a signed id; a signature that needs more travels in the field beside the call."""

_CHECK: Final = 8
_HEAD: Final = len(START) + _CHECK + 1
_BODY: Final = _HEAD + 6
_LEGAL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_PLAIN, _BASE64, _TEXT = "p", "b", "t"


def signed_id(id: str, signature: str) -> str | None:
    """The id with its signature inside; None where that would be too long."""
    (id_kind, id_said), (kind, said) = _written(id), _written(signature)
    body = f"{id_kind}{kind}{len(id_said):04x}{id_said}{said}"
    signed = f"{START}{_checksum(body)}_{body}"
    return signed if len(signed) <= LONGEST and len(id_said) <= LONGEST else None


def unsigned_id(id: str) -> tuple[str, str] | None:
    """(id, signature) of a signed id; None for any other."""
    if not id.startswith(START) or id[len(START) : _HEAD] != f"{_checksum(id[_HEAD:])}_":
        return None
    try:
        split = _BODY + int(id[_HEAD + 2 : _BODY], 16)
        return _read(id[_HEAD], id[_BODY:split]), _read(id[_HEAD + 1], id[split:])
    except (ValueError, IndexError):
        return None


def _written(value: str) -> tuple[str, str]:
    """How a text is written, and the text in legal letters: as it is, as base64 in the other alphabet, or encoded."""
    if _LEGAL.issuperset(value):
        return _PLAIN, value
    other = value.rstrip("=").replace("+", "-").replace("/", "_")
    if _LEGAL.issuperset(other) and _padded(other) == value:
        return _BASE64, other
    return _TEXT, urlsafe_b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")


def _read(kind: str, said: str) -> str:
    if kind == _TEXT:
        return urlsafe_b64decode(said + "=" * (-len(said) % 4)).decode("utf-8", "surrogatepass")
    return _padded(said) if kind == _BASE64 else said


def _padded(said: str) -> str:
    return said.replace("-", "+").replace("_", "/") + "=" * (-len(said) % 4)


def _checksum(body: str) -> str:
    return fingerprint(body, _CHECK)
