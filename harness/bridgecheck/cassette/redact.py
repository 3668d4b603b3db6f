"""What never reaches a file: headers by allow-list, keys and project ids in addresses; and a scanner for the rest.

Scrubbing happens when a cassette is made and never when it is played. The scanner looks at the text of bodies,
addresses and headers: undone from gzip or deflate, with JSON's \\u escapes undone, and inside every base64 run. An
error names the kind of secret and the place, never the secret.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.compare.secrets import SECRETS, find_credential_kinds
from bridgecheck.errors import SecretFound
from bridgecheck.model.exchange import Headers

REQUEST_HEADERS: Final[frozenset[str]] = frozenset({"accept", "anthropic-beta", "content-type", "openai-beta"})
RESPONSE_HEADERS: Final[frozenset[str]] = frozenset({
    "content-encoding", "content-type", "retry-after", "retry-after-ms", "x-should-retry",
})  # fmt: skip

REDACTED: Final = "REDACTED"
_QUERY_SECRET: Final = re.compile(r"(?<=[?&])(key|api[-_]?key|access_token|token|code|sig)=[^&]*", re.IGNORECASE)
_PATH_ID: Final = re.compile(r"(?<=/)(projects|accounts)/[^/?]+")

_ESCAPE: Final = re.compile(r"\\u([0-9A-Fa-f]{4})")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_BASE64_ALPHABET: Final = str.maketrans("-_", "+/")


def allowed_request_headers(headers: Headers) -> Headers:
    return _filter_headers(headers, REQUEST_HEADERS)


def allowed_response_headers(headers: Headers) -> Headers:
    return _filter_headers(headers, RESPONSE_HEADERS)


def mask_keys_and_project_ids(path: str) -> str:
    """Return a request path with the keys in its query and its project ids masked."""
    return _PATH_ID.sub(rf"\1/{REDACTED}", _QUERY_SECRET.sub(rf"\1={REDACTED}", path))


def find_secret_kinds(data: bytes) -> tuple[str, ...]:
    """Return the kinds of secrets in a body, each once, in the order of SECRETS."""
    found = {name for text in _readable_texts(data) for name in find_credential_kinds(text)}
    return tuple(name for name, _ in SECRETS if name in found)


def mask_secrets(text: str) -> str:
    """Return the text with everything that looks like a credential removed, for display and reports."""
    for _, pattern in SECRETS:
        text = pattern.sub(REDACTED, text)
    return text


def refuse_secrets(cassette: Cassette, where: str) -> None:
    """Raise SecretFound with the place and the kind of a secret in the cassette."""
    for number, recorded in enumerate(cassette.interactions):
        for part, data in _interaction_parts(recorded):
            if found := find_secret_kinds(data):
                what = f"something that looks like a credential: {', '.join(found)}"
                place, next_step = (
                    f"{where}: interactions[{number}].{part}",
                    "take it out of the scenario or the recording",
                )
                raise SecretFound(what, place, "no credential in a cassette", next_step)


def _filter_headers(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name.lower(), value) for name, value in headers if name.lower() in names)


def _interaction_parts(recorded: RecordedInteraction) -> Iterator[tuple[str, bytes]]:
    yield "request.uri", (recorded.origin + recorded.request.path).encode()
    yield "request.headers", _join_headers(recorded.request.headers)
    yield "request.body", recorded.request.body
    yield "response.headers", _join_headers(recorded.headers)
    yield "response.body", recorded.body


def _join_headers(headers: Headers) -> bytes:
    return "\n".join(f"{name}: {value}" for name, value in headers).encode()


def _readable_texts(data: bytes) -> Iterator[str]:
    """Yield the readings of a body: as it is, unescaped, and each base64 run in it."""
    text = _decompress(data).decode("utf-8", "replace")
    yield text
    if "\\u" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), text)
        yield text
    for run in _BASE64.findall(text):
        bare = run.rstrip("=").translate(_BASE64_ALPHABET)
        with suppress(binascii.Error):
            yield base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")


def _decompress(data: bytes) -> bytes:
    """Return gzip or zlib data decompressed; of cut data what there is."""
    if not data.startswith((b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data)
    except zlib.error:
        return data
