"""Gemini contents -> OpenAI messages.

A turn of the model becomes one assistant message, also where it was split over several contents. Tool results become
tool messages right behind the calls they answer; what else stood in that content follows as a user message. A call
without a result, although the conversation went on, gets a placeholder result: OpenAI refuses the whole request
otherwise.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT, OUTPUT, error_text, looks_like_json, result_text
from bridgecheck_reference.convert.gemini.media import AUDIO_MIMES, file_to_content, inline_to_content
from bridgecheck_reference.convert.gemini.parts_to_openai import PartReader, code_text, plain_text
from bridgecheck_reference.convert.ids import call_ids
from bridgecheck_reference.convert.json_values import arr, camel, dumps, google, obj, text, unknown
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
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


_ROLES: Final[dict[str, str]] = {"": "user", "user": "user", "function": "user", "tool": "user", "model": "model"}
"""Role of a content -> who speaks. No role counts as user."""

_PLAIN_MESSAGE: Final = frozenset({"content", "tool_calls"})
_PLAIN_RESULT: Final = frozenset({"id", "name", "response"})
_RESULT_SAID: Final = _PLAIN_RESULT | {"parts"}


def contents_of(contents: object) -> Iterator[tuple[str, list[object]]]:
    """(role, parts) of every turn, in any of the forms SDKs allow: text, a part, a content, or a list of these.

    ``parts`` may be a single one, as in Google's own examples. Raises ConversionError for a role nobody knows.
    """
    loose: list[object] = []
    for item in contents if isinstance(contents, list) else [contents]:
        if isinstance(item, dict) and ("parts" in item or "role" in item):
            if loose:
                yield "user", loose
                loose = []
            role, parts = item.get("role"), item.get("parts")
            known = role if role == "user" or role == "model" else _role(role)
            yield known, parts if isinstance(parts, list) else [parts] if isinstance(parts, dict) else []
        elif isinstance(item, str):
            loose.append({"text": item})
        elif isinstance(item, dict):
            loose.append(item)
    if loose:
        yield "user", loose


def _role(given: object) -> str:
    role = given or ""
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        raise ConversionError(f"contents[].role: unknown role {role!r}", "contents[].role")
    return known


class MessageWriter:
    """Writes the messages of one request."""

    __slots__ = ("_after_calls", "_carries", "_fresh", "_ids", "_losses", "_profile", "_reader", "_rename", "messages")

    def __init__(self, profile: Profile, losses: Losses, rename: Rename, contents: object) -> None:
        self.messages: list[JsonObject] = []
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._ids = call_ids(profile, contents)
        self._reader = PartReader(profile, losses, PATH, self._call_id, code_as_text=True, named=rename)
        self._carries = profile.carries_gemini
        self._after_calls = 0
        self._fresh = False

    def write(self, contents: object) -> list[JsonObject]:
        """All messages, the model's split turns joined."""
        said: list[object] = []
        for role, parts in contents_of(contents):
            if role == "model":
                said += parts
                continue
            if said:
                self._model(said)
                said = []
            self._user(parts)
        if said:
            self._model(said)
        self._answer_open_calls()
        return self.messages

    def _model(self, parts: list[object]) -> None:
        """A turn of the model; one that is one text takes the short way."""
        words = plain_text(parts[0]) if len(parts) == 1 else None
        if words is not None:
            if words:
                self.messages.append({"role": "assistant", "content": words})
            return
        self._fresh = True
        said = self._reader.read(parts, last=True)
        if not _PLAIN_MESSAGE.issuperset(said) and self._profile.carry == "nothing" and not self._profile.extended:
            self._drop_unspeakable(said)
        if not said:
            return
        has_calls = "tool_calls" in said
        message: JsonObject = {"role": "assistant", "content": None if has_calls else ""}
        message.update(said)
        self.messages.append(message)
        if has_calls:
            self._after_calls = len(self.messages)

    def _call_id(self, name: str, given: str) -> str:
        """The id of a call; the first one of a turn begins a new step."""
        if self._fresh:
            self._fresh = False
            self._answer_open_calls()
            self._ids.step()
        return self._ids.call(name, given)

    def _drop_unspeakable(self, said: JsonObject) -> None:
        """Reasoning and images of the model: an OpenAI host takes neither in an assistant message."""
        if said.pop("reasoning_content", None):
            self._losses.add(f"{PATH}.thought", "earlier reasoning is not sent to an OpenAI host", "info")
        if said.pop("images", None):
            self._losses.add(f"{PATH}.inlineData", "an assistant message holds no images")

    def _user(self, parts: list[object]) -> None:
        """A user turn; one that is one text takes the short way."""
        if len(parts) == 1:
            words = plain_text(parts[0])
            if words is not None:
                self.messages.append({"role": "user", "content": words})
                return
        content: list[JsonObject] = []
        for raw in parts:
            if not isinstance(raw, dict):
                continue
            part = camel(raw)
            if "functionResponse" in part:
                self._result(camel(part["functionResponse"]), content)
            elif "functionCall" in part:
                self._losses.add(f"{PATH}.functionCall", "a call in a user turn")
            else:
                converted = user_part(part, self._losses, self._profile)
                content += [converted] if converted else []
        if content:
            self._append_user(content)

    def _append_user(self, content: list[JsonObject]) -> None:
        only = content[0] if len(content) == 1 else {}
        plain = only.get("type") == "text" and "extra_content" not in only
        self.messages.append({"role": "user", "content": only["text"] if plain else content})

    def _result(self, response: JsonObject, content: list[JsonObject]) -> None:
        """One tool message; files of the result go into the user message that follows."""
        name, given = text(response.get("name")), text(response.get("id"))
        name = self._rename(name) if self._rename else name
        id = self._ids.result(name, given)
        if not id and self._profile.pairing == "step":
            raise ConversionError(
                f"{PATH}.functionResponse: {given or name!r} answers no call", f"{PATH}.functionResponse"
            )
        if not id:
            self._losses.add(f"{PATH}.functionResponse", "a result that answers no call")
        value = result_text(response.get("response"), self._profile.tool_text)
        message: JsonObject = {"role": "tool", "tool_call_id": id or None, "content": value}
        if self._profile.extended:
            said = error_text(response.get("response"))
            if said is not None:
                message.update({"content": said, "extra_content": {"is_error": True}})
        if self._carries and looks_like_json(value) and value is obj(response.get("response")).get(OUTPUT):
            message["extra_content"] = {"google": {"as_text": True}}
        if not _PLAIN_RESULT.issuperset(response):
            self._result_leaves(response, message, content)
        self._insert(message)

    def _result_leaves(self, response: JsonObject, message: JsonObject, content: list[JsonObject]) -> None:
        """Files of a result and its further leaves, carried in the message or said in the next one."""
        files = [camel(part) for part in arr(response.get("parts"))]
        rest = {key: item for key, item in response.items() if key not in _RESULT_SAID}
        if self._carries:
            carried = {**({"parts": files} if files else {}), **({"rest": rest} if rest else {})}
            if carried:
                message["extra_content"] = {"google": {**google(message), **carried}}
            return
        for key in rest:
            self._losses.add(f"{PATH}.functionResponse.{key}", "a tool message has no place for it", "info")
        shown = [part for file in files if (part := user_part(file, self._losses, self._profile))]
        inside = [part for part in shown if self._profile.extended and part["type"] != "text"]
        if inside:
            words = text(message["content"])
            message["content"] = [*([{"type": "text", "text": words}] if words else []), *inside]
            shown = [part for part in shown if part["type"] == "text"]
        content += shown

    def _insert(self, message: JsonObject) -> None:
        at = self._after_calls or len(self.messages)
        self.messages.insert(at, message)
        if self._after_calls:
            self._after_calls += 1

    def _answer_open_calls(self) -> None:
        """Placeholders for calls without result, if anything follows them."""
        if not self._profile.result_placeholder or self._after_calls >= len(self.messages):
            return
        for id, _ in self._ids.unanswered:
            self._losses.add(f"{PATH}.functionCall", "a call without result: a placeholder was added")
            self._insert({"role": "tool", "tool_call_id": id, "content": dumps({ERROR: NO_RESULT})})
        self._ids.step()
