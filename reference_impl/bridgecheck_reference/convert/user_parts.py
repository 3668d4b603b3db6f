"""One part of a Gemini user turn -> an OpenAI content part."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.media import AUDIO_MIMES, file_to_content, inline_to_content
from bridgecheck_reference.convert.part_words import code_text
from bridgecheck_reference.convert.read import obj, text, unknown
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

PATH: Final = "contents[].parts[]"

_SAID: Final = frozenset({"text", "inlineData", "fileData", "executableCode", "codeExecutionResult"})


def user_part(part: JsonObject, losses: Losses, profile: Profile) -> JsonObject | None:
    """The content part, None (and a loss) where OpenAI has none. A part that carries OpenAI's own becomes that; a
    profile that carries Gemini's leaves sends along whatever OpenAI cannot say."""
    own = obj(obj(camel(part.get("extraContent")).get("openai")).get("part"))
    if own:
        return own
    carry = profile.carries_gemini
    content = _content(part, losses, profile)
    if not carry:
        for key in unknown(part, _SAID) if content else ():
            losses.add(f"{PATH}.{key}", "no place beside a content part", "info")
        return content
    if content is None:
        return {"type": "text", "text": "", "extra_content": {"google": {"part": part}}}
    carried = _carried(part, content)
    return {**content, "extra_content": {"google": carried}} if carried else content


def _content(part: JsonObject, losses: Losses, profile: Profile) -> JsonObject | None:
    if "text" in part:
        return {"type": "text", "text": text(part["text"])}
    if "inlineData" in part:
        return inline_to_content(part["inlineData"], f"{PATH}.inlineData", losses)
    if "fileData" in part:
        return file_to_content(part["fileData"], f"{PATH}.fileData", losses, documents=profile.extended)
    if "executableCode" in part or "codeExecutionResult" in part:
        return {"type": "text", "text": code_text(part)}
    if not profile.carries_gemini:
        losses.add(f"{PATH}.{min(part, default='')}", "Chat Completions has no such part")
    return None


def _carried(part: JsonObject, content: JsonObject) -> JsonObject:
    """What goes along beside a content part: further leaves, a MIME type OpenAI has no word for, or the whole part."""
    kind = next((key for key in ("text", "inlineData", "fileData") if key in part), "")
    if kind != "text" and content["type"] == "text":
        return {"part": part}
    carried: JsonObject = {}
    rest = {key: value for key, value in part.items() if key != kind}
    if rest:
        carried["rest"] = rest
    if kind == "fileData":
        carried["part"] = part
    elif kind == "inlineData":
        blob = camel(part["inlineData"])
        mime, name = text(blob.get("mimeType")), text(blob.get("displayName"))
        sound = obj(content.get("input_audio"))
        if sound and AUDIO_MIMES.get(text(sound.get("format"))) != mime:
            carried["mime"] = mime
        if name:
            carried["name"] = name
    return carried
