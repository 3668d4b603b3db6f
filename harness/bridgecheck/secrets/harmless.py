"""What stands in a secret's place and is none: placeholders, types, code, words of a sentence."""

import base64
import binascii
import re
from typing import Final

OWN_KEYS: Final = ("not-a-key-9d41c2", "dummy-key-of-bridgecheck", "a-key-for-nobody", "not-a-key-of-a-client")
"""What bridgecheck itself gives adapters in place of keys."""

_HARMLESS: Final = re.compile(
    rf"(?:(?:bearer|basic|token|key) )?(?:REDACTED|.*(?:{'|'.join(OWN_KEYS)}).*"
    r"|(?:(?:your|my|the|own|real|dummy|fake|test|example|openai|anthropic|google|gemini|api|key|token|secret|password"
    r"|here|project|account|id|value|bearer|basic|digest)[-_ ]?)+"
    r"|none|null|true|false|undefined|nil|string|str|bytes|bool|int|object|any|optional|required|hidden"
    r"|[a-z_-]*x{4,}|[x*.•…#-]+"
    r"|\$?\{+[^{}]*\}+.*|\$[A-Za-z_]\w*|<[^<>]*>|%\(?\w*\)?[sr]?|.*(?:environ|getenv|process\.env).*"
    r"|.*\.\.\.|.*…)",
    re.IGNORECASE,
)


def is_harmless(value: str) -> bool:
    """Return whether a value that stands in a secret's place is a placeholder."""
    return _HARMLESS.fullmatch(value.strip(" .,;:!?")) is not None


def is_own_key(value: str) -> bool:
    """Return whether a value holds a key that bridgecheck itself gives to adapters."""
    return any(key in value for key in OWN_KEYS)


def is_name_and_password(encoded: str) -> bool:
    """Return whether a word behind "Basic" is what that scheme carries, rather than a word of a sentence."""
    try:
        decoded = base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in decoded and decoded.decode("utf-8", "replace").isprintable()


def has_digit_or_mixed_case(value: str) -> bool:
    return any(map(str.isdigit, value)) or not (value.islower() or value.isupper() or value.istitle())


_IDENTIFIER: Final = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+|_[a-z]+)*[0-9]?")


def is_no_identifier(value: str) -> bool:
    """Return whether a value has digits or both cases otherwise than ``userName`` and ``address_line2`` have them: what
    a list of names (``required`` of a JSON schema) has beside ``password`` is no value of it."""
    return has_digit_or_mixed_case(value) and _IDENTIFIER.fullmatch(value) is None


_IMAGES: Final = ("iVBOR", "/9j/", "R0lGOD", "UklGR", "JVBER", "AAAA")


def is_random_base64(value: str) -> bool:
    """Return whether base64 looks like a random key: of all character classes, no file and no text encoded."""
    if not all(re.search(characters, value) for characters in ("[0-9]", "[a-z]", "[A-Z]")) or value.startswith(_IMAGES):
        return False
    return not base64.b64decode(value).isascii()


def is_no_short_word(value: str) -> bool:
    return len(value) >= 8 or has_digit_or_mixed_case(value)
