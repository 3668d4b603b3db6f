"""Trimming and measuring text as JavaScript does, whose programs read these prompts."""

from typing import Final

_JS_WHITE_SPACE: Final = (
    "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Source: ECMA-262, WhiteSpace and LineTerminator (2025). ``str.strip`` removes U+001C to U+001F and U+0085, which
JavaScript keeps, and keeps U+FEFF, which JavaScript removes."""


def trim(text: str | None) -> str:
    """Return the text without white space at its ends; None is ""."""
    return (text or "").strip(_JS_WHITE_SPACE)


def byte_size(text: str) -> int:
    """Return the size as UTF-8 in bytes. Half a surrogate pair has three, like the U+FFFD that is sent in its stead."""
    return len(_encode(text))


def cut_to_bytes(text: str, limit: int) -> str:
    """Return the longest beginning of whole characters that has at most ``limit`` bytes; "" if that is 0 or less."""
    data = _encode(text)
    if len(data) <= limit:
        return text
    end = max(limit, 0)
    while end and data[end] & 0xC0 == 0x80:  # in the middle of a character
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
