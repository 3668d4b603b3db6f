"""The bytes that a document holds, wherever they stand in it, by their digest."""

import base64
from collections.abc import Iterator

from bridgecheck.normalise.media import decoded, digest
from bridgecheck.wire import JsonObject


def held_bytes(body: JsonObject) -> dict[str, str]:
    """sha256 (hex) -> the bytes in base64, of every text in the document: read as base64, as a ``data:`` URL with
    base64, and as plain text (Anthropic's text documents)."""
    found: dict[str, str] = {}
    for text in _texts(body):
        payload = text.partition(",")[2] if text.startswith("data:") else text
        for content in (text.encode("utf-8", errors="surrogatepass"), decoded(payload)):
            found[digest(content)] = base64.b64encode(content).decode("ascii")
    return found


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
