"""The text of a Gemini part, by itself."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.read import text


def plain_text(part: object) -> str | None:
    """The text of a part that is nothing but text; None for any other."""
    if isinstance(part, dict) and len(part) == 1:
        words = part.get("text")
        return words if isinstance(words, str) else None
    return None


def plain_message(part: JsonObject) -> JsonObject | None:
    """The message of a part that is nothing but text or a thought; None for any other."""
    words = part.get("text")
    if type(words) is not str:
        return None
    if len(part) == 1:
        return {"content": words} if words else {}
    if len(part) == 2 and part.get("thought") is True:
        return {"reasoning_content": words} if words else {}
    return None


def code_text(part: JsonObject) -> str:
    """A code part as the text a reader would see."""
    if "executableCode" in part:
        code = camel(part["executableCode"])
        language = text(code.get("language")).lower()
        language = "python" if language in ("", "language_unspecified") else language
        return f"```{language}\n{text(code.get('code'))}\n```"
    result = camel(part["codeExecutionResult"])
    return f"[code_execution_result]\noutcome: {text(result.get('outcome'))}\noutput:\n{text(result.get('output'))}"
