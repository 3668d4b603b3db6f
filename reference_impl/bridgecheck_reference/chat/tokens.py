"""How many tokens parts have, as gemini-cli estimates while it talks: four ASCII characters a token.

Its other estimate, for providers that cannot count, is ``generator.estimate``.
Source: utils/tokenCalculation.js and core/tokenLimits.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import json
from collections.abc import Iterable, Sequence
from math import floor
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.documents import child, parts
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.generator.protocol import ContentGenerator

_ASCII_CHARACTERS: Final = 4
_NON_ASCII_TOKENS: Final = 1.5
_LONGEST_TEXT: Final = 100_000
"""A longer text is counted as if it were ASCII."""
_DEEPEST: Final = 3
_IMAGE, _PDF = 3000, 25800

TOKEN_LIMITS: Final = {"gemma-4-31b-it": 256_000, "gemma-4-26b-a4b-it": 256_000}
DEFAULT_TOKEN_LIMIT: Final = 1_048_576


def token_limit(model: str) -> int:
    """Return the size of the model's window."""
    return TOKEN_LIMITS.get(model, DEFAULT_TOKEN_LIMIT)


def estimate_parts(found: Iterable[JsonObject], depth: int = 0) -> int:
    """Return the tokens of the parts, rounded down; nothing below the third level of nesting."""
    return 0 if depth > _DEEPEST else floor(sum(_estimate_part(part, depth) for part in found))


def estimate_contents(contents: Sequence[JsonObject]) -> int:
    """Return the tokens of all parts of the contents."""
    return estimate_parts(part for content in contents for part in parts(content))


def _estimate_part(part: JsonObject, depth: int) -> float:
    text = part.get("text")
    if isinstance(text, str):
        return _estimate_text(text)
    result = child(part, "functionResponse")
    if result:
        name = result.get("name")
        size = len(name) / _ASCII_CHARACTERS if isinstance(name, str) else 0
        response = result.get("response")
        size += len(as_json(response)) / _ASCII_CHARACTERS if response is not None else 0
        return size + estimate_parts(parts(result), depth + 1)
    mime = str((child(part, "inlineData") or child(part, "fileData")).get("mimeType", ""))
    if mime.startswith("image/"):
        return _IMAGE
    return _PDF if mime.startswith("application/pdf") else len(as_json(part)) / _ASCII_CHARACTERS


def _estimate_text(text: str) -> float:
    if len(text) > _LONGEST_TEXT:
        return len(text) / _ASCII_CHARACTERS
    plain = sum(map(str.isascii, text))
    return plain / _ASCII_CHARACTERS + (len(text) - plain) * _NON_ASCII_TOKENS


def as_json(value: object) -> str:
    """Return compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def count_request(generator: ContentGenerator, model: str, found: list[JsonObject]) -> int:
    """Return the tokens of a message: estimated, or as the provider counts where there are files in it."""
    if any("inlineData" in part or "fileData" in part for part in found):
        try:
            request: JsonObject = {"model": model, "contents": [{"role": "user", "parts": found}]}
            total = (await generator.count_tokens(request)).get("totalTokens")
            return total if isinstance(total, int) else 0
        except ProviderError:
            pass  # a count is a hint: what is wrong, the call that it is for will report
    return estimate_parts(found)
