"""Reading Gemini documents that may lack anything."""

from bridgecheck.wire import JsonObject


def candidate(response: JsonObject) -> JsonObject:
    """Return the first candidate, ``{}`` without one."""
    found = response.get("candidates")
    return found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}


def parts(content: object) -> list[JsonObject]:
    """Return the parts of a content; ``[]`` where it has none or is none."""
    found = content.get("parts") if isinstance(content, dict) else None
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def calls(response: JsonObject) -> list[JsonObject]:
    """Return the function calls of the first candidate, each the object that stands in its part."""
    found = (part.get("functionCall") for part in parts(candidate(response).get("content")))
    return [call for call in found if isinstance(call, dict)]


def visible_text(response: JsonObject) -> str:
    """Return the texts of the first candidate that are no thoughts, joined with nothing."""
    return "".join(text_of(part) for part in parts(candidate(response).get("content")) if not part.get("thought"))


def text_of(part: JsonObject) -> str:
    """Return the text of a part, "" for a part without one."""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def child(document: JsonObject, key: str) -> JsonObject:
    """Return the object under ``key``, ``{}`` where there is none."""
    found = document.get(key)
    return found if isinstance(found, dict) else {}


def tool_name(call: JsonObject) -> str:
    """Return the trimmed name of a call or a result; a blank one is called ``generic_tool``."""
    name = call.get("name")
    return (name.strip() if isinstance(name, str) else "") or "generic_tool"


def has_result(content: JsonObject) -> bool:
    """Return whether this is a user's content with the result of a tool."""
    return content.get("role") == "user" and any(part.get("functionResponse") for part in parts(content))
