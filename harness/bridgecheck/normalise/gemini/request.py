"""Gemini requests -> Prompt, in either spelling of the keys.

Sources: https://ai.google.dev/api/generate-content,
https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/generateContent.
"""

from typing import Final

from bridgecheck.codec.casing import camel
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.prompt import OtherPart, Part, Prompt, Role, TextPart, Turn
from bridgecheck.normalise.gemini import parts as gemini_parts
from bridgecheck.normalise.gemini.config import choice, generation, tools
from bridgecheck.normalise.settings import feature_headers
from bridgecheck.normalise.tree import Fields, other_leaves
from bridgecheck.wire import JsonObject

ROLES: Final[dict[str, Role]] = {
    "": "user",
    "user": "user",
    "model": "assistant",
    "function": "user",
    "tool": "user",
    "system": "system",
}


def prompt(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    top = Fields(camel(request.body))
    top.drop_expected("model", request.model, f"models/{request.model}")
    generated = generation(top)
    return Prompt(
        dialect="gemini",
        model=request.model,
        system=_system(top),
        turns=_turns(top),
        tools=tools(top),
        tool_choice=choice(top),
        settings=generated.settings,
        thinking=generated.thinking,
        response_format=generated.response_format,
        features=feature_headers(request.headers),
        other=other_leaves(top.rest),
    )


def _system(top: Fields) -> tuple[str, ...]:
    """The texts of the system instruction: a content, or (as SDKs take it) a plain string."""
    if plain := top.take_text("systemInstruction"):
        return (plain,)
    content = top.take_child("systemInstruction")
    content.drop_expected("role", "user", "system", "model", "")
    said: list[str] = []
    rests: list[JsonObject] = []
    for raw in _raw_parts(content):
        part, _, rest = gemini_parts.read(raw)
        if isinstance(part, TextPart):
            said += [part.text] if part.text else []
            rests.append(rest)
        elif part is not None or rest:
            rests.append(dict(raw) if isinstance(raw, dict) else {"unread": raw})
    content.put_back("parts", [rest for rest in rests if rest])
    top.put_back("systemInstruction", content.rest)
    return tuple(said)


def _turns(top: Fields) -> tuple[Turn, ...]:
    """One turn a content. ``contents`` may be a list, one content, or a string."""
    if plain := top.take_text("contents"):
        return (Turn("user", (TextPart(plain),)),)
    contents = [top.take("contents")] if isinstance(top.rest.get("contents"), dict) else top.take_items("contents")
    turns: list[Turn] = []
    rests: list[object] = []
    for raw in contents:
        if isinstance(raw, str):
            turns.append(Turn("user", (TextPart(raw),)))
            continue
        turn, rest = _turn(Fields(raw))
        turns.append(turn)
        rests += [rest] if rest else []
    top.put_back("contents", rests)
    return tuple(turns)


def _turn(content: Fields) -> tuple[Turn, JsonObject]:
    role = ROLES.get(text(content.rest.get("role")))
    if role is not None:
        content.drop_expected("role", *ROLES)
    parts: list[Part] = []
    rests: list[object] = []
    for raw in _raw_parts(content):
        part, rest = _part(raw)
        parts += [part] if part else []
        rests += [rest] if rest else []
    content.put_back("parts", rests)
    return Turn(role or "user", tuple(parts)), content.rest


def _raw_parts(content: Fields) -> list[object]:
    """A content's parts; a single one may stand there without a list."""
    return content.take_items("parts") or (
        [content.take("parts")] if isinstance(content.rest.get("parts"), dict) else []
    )


def _part(raw: object) -> tuple[Part | None, JsonObject]:
    """A part and what it left; a part of a kind without a type of its own is kept whole, signature and all."""
    if isinstance(raw, str):
        return TextPart(raw), {}
    part, signature, rest = gemini_parts.read(raw)
    if part == TextPart(""):
        return None, rest
    if part is None and rest:
        whole = {**rest, "thoughtSignature": signature} if signature else rest
        return gemini_parts.opaque(whole), {}
    if isinstance(part, OtherPart | TextPart) or not signature:
        return part, rest
    return part, rest if _carries(part) else {**rest, "thoughtSignature": signature}


def _carries(part: Part | None) -> bool:
    """Whether the part's type has a place for its signature."""
    return hasattr(part, "signature") or hasattr(part, "call")
