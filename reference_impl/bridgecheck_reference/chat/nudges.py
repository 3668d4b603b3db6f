"""What a model is told when its answer was empty, at the end of the request that asks again. Never in the history.

Source of the rules: core/geminiChat.js of @google/gemini-cli-core 0.61.0 (2026-11-24). The texts are our own."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.answer import Invalid
from bridgecheck_reference.chat.documents import has_result, parts

_MESSAGES: Final[dict[Invalid, str]] = {
    "THINKING_ONLY_RESPONSE": "[Your last answer had thoughts only. Answer the user, or call a tool.]",
    "NO_RESPONSE_TEXT": "[Your last answer was empty. Answer the user, or call a tool.]",
}
_BETWEEN: Final = "[The tools are done.]"


def add_nudge(contents: list[JsonObject], reason: Invalid | None) -> list[JsonObject]:
    """Return the contents, with a word to the model for the two reasons that call for one. Behind the result of a tool
    it is a message of its own, with one of the model between."""
    message_text = _MESSAGES.get(reason) if reason else None
    if message_text is None:
        return contents
    message: JsonObject = {"role": "user", "parts": [{"text": message_text}]}
    if not contents or contents[-1].get("role") != "user":
        return [*contents, message]
    if has_result(contents[-1]):
        return [*contents, {"role": "model", "parts": [{"text": _BETWEEN}]}, message]
    last: JsonObject = {**contents[-1], "parts": [*parts(contents[-1]), {"text": f"\n{message_text}"}]}
    return [*contents[:-1], last]
