"""What the content of one OpenAI message holds."""

from dataclasses import dataclass

from bridgecheck.wire import JsonObject


@dataclass(slots=True)
class Said:
    """``media``: as Gemini parts."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    media: tuple[JsonObject, ...] = ()
