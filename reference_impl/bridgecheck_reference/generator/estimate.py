"""How many tokens a request has, roughly, for providers that cannot count. Never raises; more text is never fewer."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from bridgecheck.wire import JsonObject


@dataclass(frozen=True, slots=True)
class TokensPerUnit:
    """How many tokens to estimate for one ASCII character, one other character, one message, one image and one PDF."""

    ascii: float
    non_ascii: float
    message: float = 0
    image: float = 0
    pdf: float = 0


GEMINI_CLI: Final = TokensPerUnit(ascii=0.33, non_ascii=1.5, message=5, image=3000, pdf=25800)
"""What gemini-cli 0.61.0 estimates with when it does not ask the API (read in its source, 2026-11-20)."""

CHARS_4: Final = TokensPerUnit(ascii=0.25, non_ascii=0.25)
"""The older rule of thumb: four characters a token, nothing else counts."""


def estimate_tokens(request: JsonObject, weights: TokensPerUnit = GEMINI_CLI) -> int:
    """Estimate the tokens of ``contents``, ``systemInstruction`` and ``tools``, rounded up; 0 without them."""
    contents = request.get("contents")
    messages = len(contents) if isinstance(contents, list) else int(contents is not None)
    parts = (request.get(key) for key in ("contents", "systemInstruction", "system_instruction", "tools"))
    return ceil(sum(_estimate_value_tokens(part, weights) for part in parts) + messages * weights.message)


def _estimate_value_tokens(value: object, weights: TokensPerUnit) -> float:
    if isinstance(value, str):
        plain = sum(character.isascii() for character in value)
        return plain * weights.ascii + (len(value) - plain) * weights.non_ascii
    if isinstance(value, list):
        return sum(_estimate_value_tokens(item, weights) for item in value)
    if isinstance(value, dict):
        media = value.get("inlineData", value.get("inline_data"))
        rest = (item for key, item in value.items() if key not in ("inlineData", "inline_data"))
        return sum(_estimate_value_tokens(item, weights) for item in rest) + (
            _pdf_or_image_tokens(media, weights) if media is not None else 0
        )
    return 0


def _pdf_or_image_tokens(inline_data: object, weights: TokensPerUnit) -> float:
    """Estimate one file by its type, whatever its size: base64 is no text."""
    mime = str(inline_data.get("mimeType", inline_data.get("mime_type", ""))) if isinstance(inline_data, dict) else ""
    return weights.pdf if mime.lower() == "application/pdf" else weights.image
