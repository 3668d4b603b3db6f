"""What the model may call: OpenAI's tool_choice against Gemini's functionCallingConfig (mapping row R-21)."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.read import arr, obj, objs, text
from bridgecheck_reference.loss import Losses

TO_GEMINI: Final[dict[str, str]] = {
    "auto": "AUTO",
    "none": "NONE",
    "required": "ANY",
    "any": "ANY",
    "validated": "VALIDATED",
}
TO_OPENAI: Final[dict[str, str]] = {"AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "auto"}


def tool_choice_to_openai(config: object, losses: Losses, rename: Rename) -> str | JsonObject | None:
    """functionCallingConfig -> tool_choice; None for nothing said."""
    calling = camel(config)
    mode = text(calling.get("mode")).upper()
    names = [name for name in arr(calling.get("allowedFunctionNames")) if isinstance(name, str)]
    names = [rename(name) for name in names] if rename else names
    if mode not in TO_OPENAI:
        return None
    if mode == "VALIDATED":
        losses.add("toolConfig.functionCallingConfig.mode", "VALIDATED is told as auto", "info")
    if not names or mode == "NONE":
        return TO_OPENAI[mode]
    if mode == "ANY" and len(names) == 1:
        return {"type": "function", "function": {"name": names[0]}}
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": TO_OPENAI[mode], "tools": tools}}


def tool_choice_to_gemini(choice: object, losses: Losses, rename: Rename) -> JsonObject | None:
    """tool_choice in any of its forms, and the older function_call, -> functionCallingConfig; None for nothing said."""
    if isinstance(choice, str):
        return _mode(choice, losses)
    form = obj(choice)
    kind = text(form.get("type")).strip().lower()
    if kind == "allowed_tools":
        return _allowed(obj(form.get("allowed_tools")), losses, rename)
    if kind in TO_GEMINI:
        return _mode(kind, losses)
    name = text(obj(form.get("function")).get("name")) or text(form.get("name"))
    if name:
        return {"mode": "ANY", "allowedFunctionNames": [rename(name) if rename else name]}
    if form:
        losses.add("tool_choice", "a form Gemini has no word for")
    return None


def _mode(word: str, losses: Losses) -> JsonObject | None:
    mode = TO_GEMINI.get(word.strip().lower())
    if mode is None:
        losses.add("tool_choice", f"unknown choice {word!r}")
        return None
    return {"mode": mode}


def _allowed(allowed: JsonObject, losses: Losses, rename: Rename) -> JsonObject:
    """A list of allowed functions; an empty one allows none. With ``auto`` Gemini's nearest word is VALIDATED."""
    names = [
        text(obj(tool.get("function")).get("name")) or text(tool.get("name")) for tool in objs(allowed.get("tools"))
    ]
    names = [rename(name) if rename else name for name in names if name]
    if not names:
        return {"mode": "NONE"}
    if text(allowed.get("mode")) == "required":
        return {"mode": "ANY", "allowedFunctionNames": names}
    losses.add("tool_choice.allowed_tools.mode", "auto among some functions is told as VALIDATED", "info")
    return {"mode": "VALIDATED", "allowedFunctionNames": names}
