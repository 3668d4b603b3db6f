"""Gemini contents -> OpenAI messages.

A turn of the model becomes one assistant message, also where it was split over several contents. Tool results become
tool messages right behind the calls they answer; what else stood in that content follows as a user message. A call
without a result, although the conversation went on, gets a placeholder result: OpenAI refuses the whole request
otherwise.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT, OUTPUT, error_text, looks_like_json, result_text
from bridgecheck_reference.convert.chat_calls import REPEATED_RESULT
from bridgecheck_reference.convert.gemini.media import file_to_content, inline_to_content
from bridgecheck_reference.convert.gemini.parts_to_openai import PartReader, code_part_text, plain_part_text
from bridgecheck_reference.convert.ids import CallIds, create_call_ids_for_history
from bridgecheck_reference.convert.json_values import arr, camel, dumps, google_extra, obj, text, unknown_keys
from bridgecheck_reference.convert.media import mime_of_audio_format
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

PATH: Final = "contents[].parts[]"

_CONVERTED_PART_KEYS: Final = frozenset({"text", "inlineData", "fileData", "executableCode", "codeExecutionResult"})


def convert_user_part(part: JsonObject, losses: Losses, profile: Profile) -> JsonObject | None:
    """Convert a part to a content part, None (and a loss) where OpenAI has none.

    A part that carries OpenAI's own becomes that; a profile that carries Gemini's leaves sends along whatever OpenAI
    cannot express.
    """
    openai_part = obj(obj(camel(part.get("extraContent")).get("openai")).get("part"))
    if openai_part:
        return openai_part
    carry = profile.carries_gemini
    content = _part_to_content(part, losses, profile)
    if not carry:
        for key in unknown_keys(part, _CONVERTED_PART_KEYS) if content else ():
            losses.add(f"{PATH}.{key}", "no place beside a content part", "info")
        return content
    if content is None:
        return {"type": "text", "text": "", "extra_content": {"google": {"part": part}}}
    carried = _carried_leaves(part, content)
    return {**content, "extra_content": {"google": carried}} if carried else content


def _part_to_content(part: JsonObject, losses: Losses, profile: Profile) -> JsonObject | None:
    if "text" in part:
        return {"type": "text", "text": text(part["text"])}
    if "inlineData" in part:
        return inline_to_content(part["inlineData"], f"{PATH}.inlineData", losses)
    if "fileData" in part:
        return file_to_content(part["fileData"], f"{PATH}.fileData", losses, documents=profile.extended)
    if "executableCode" in part or "codeExecutionResult" in part:
        return {"type": "text", "text": code_part_text(part)}
    if not profile.carries_gemini:
        losses.add(f"{PATH}.{min(part, default='')}", "Chat Completions has no such part")
    return None


def _carried_leaves(part: JsonObject, content: JsonObject) -> JsonObject:
    """Return what goes along beside a content part: further leaves, a MIME type that OpenAI lacks, or the whole
    part."""
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
        if sound and mime_of_audio_format(text(sound.get("format"))) != mime:
            carried["mime"] = mime
        if name:
            carried["name"] = name
    return carried


_ROLES: Final[dict[str, str]] = {"": "user", "user": "user", "function": "user", "tool": "user", "model": "model"}
"""Role of a content -> user or model. No role counts as user."""

_PLAIN_MESSAGE_KEYS: Final = frozenset({"content", "tool_calls"})
_PLAIN_RESULT_KEYS: Final = frozenset({"id", "name", "response"})
_CONVERTED_RESULT_KEYS: Final = _PLAIN_RESULT_KEYS | {"parts"}


def read_turns_in_any_sdk_form(contents: object) -> Iterator[tuple[str, list[object]]]:
    """Return (role, parts) of every turn, in any of the forms SDKs allow: text, a part, a content, or a list of these.

    ``parts`` may be a single one, as in Google's own examples. Raises ConversionError for an unknown role.
    """
    loose: list[object] = []
    for item in contents if isinstance(contents, list) else [contents]:
        if isinstance(item, dict) and ("parts" in item or "role" in item):
            if loose:
                yield "user", loose
                loose = []
            role, parts = item.get("role"), item.get("parts")
            known = role if role == "user" or role == "model" else _require_known_role(role)
            yield known, parts if isinstance(parts, list) else [parts] if isinstance(parts, dict) else []
        elif isinstance(item, str):
            loose.append({"text": item})
        elif isinstance(item, dict):
            loose.append(item)
    if loose:
        yield "user", loose


def _require_known_role(value: object) -> str:
    """Return "user" or "model" for the role of a content; none counts as user. Raises ConversionError."""
    role = value or ""
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        raise ConversionError(f"contents[].role: unknown role {role!r}", "contents[].role")
    return known


def _is_result_part(part: object) -> bool:
    return isinstance(part, dict) and ("functionResponse" in part or "function_response" in part)


class MessageWriter:
    """Writes the messages of one request. ``call_ids``: how calls get their ids, where not as usual."""

    __slots__ = (
        "_after_calls",
        "_begins_step",
        "_carries",
        "_ids",
        "_losses",
        "_profile",
        "_reader",
        "_rename",
        "messages",
    )  # fmt: skip

    def __init__(self, profile: Profile, losses: Losses, rename: Rename, call_ids: CallIds | None = None) -> None:
        self.messages: list[JsonObject] = []
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._ids = call_ids or create_call_ids_for_history(profile)
        self._reader = PartReader(
            profile, losses, PATH, self._begin_step_once_a_turn_and_assign_id, code_as_text=True, named=rename
        )
        self._carries = profile.carries_gemini
        self._after_calls = 0
        self._begins_step = False

    def write(self, contents: object) -> list[JsonObject]:
        """Write all messages, the model's split turns joined."""
        model_parts: list[object] = []
        for role, parts in read_turns_in_any_sdk_form(contents):
            if role == "model":
                model_parts += parts
                continue
            if model_parts:
                self._write_model_turn(model_parts)
                model_parts = []
            self._write_user_turn(parts)
        if model_parts:
            self._write_model_turn(model_parts)
        self._add_placeholder_results()
        return self.messages

    def _write_model_turn(self, parts: list[object]) -> None:
        """Write a turn of the model; one that is one text takes a short path.

        Results of tools that the provider ran stand in it behind their calls: the message ends there, and another
        follows. Source: https://ai.google.dev/gemini-api/docs/function-calling, read 2026-11-23.
        """
        content_text = plain_part_text(parts[0]) if len(parts) == 1 else None
        if content_text is not None:
            if content_text:
                self.messages.append({"role": "assistant", "content": content_text})
            return
        if self._carries or not any(map(_is_result_part, parts)):
            self._write_assistant_message(parts)
            return
        for holds_results, run in groupby(parts, _is_result_part):
            if holds_results:
                self._write_user_turn([*run])
            else:
                self._write_assistant_message([*run])

    def _write_assistant_message(self, parts: list[object]) -> None:
        self._begins_step = True
        fields = self._reader.read(parts, last=True)
        if (
            not _PLAIN_MESSAGE_KEYS.issuperset(fields)
            and self._profile.carry == "nothing"
            and not self._profile.extended
        ):
            self._drop_reasoning_and_images(fields)
        if not fields:
            return
        has_calls = "tool_calls" in fields
        message: JsonObject = {"role": "assistant", "content": None if has_calls else ""}
        message.update(fields)
        self.messages.append(message)
        if has_calls:
            self._after_calls = len(self.messages)

    def _begin_step_once_a_turn_and_assign_id(self, name: str, provider_id: str) -> str:
        """Return the id of a call; the first one of a turn begins a new step."""
        if self._begins_step:
            self._begins_step = False
            self._add_placeholder_results()
            self._ids.begin_step()
        return self._ids.assign_call_id(name, provider_id)

    def _drop_reasoning_and_images(self, fields: JsonObject) -> None:
        """Drop reasoning and images of the model: an OpenAI host takes neither in an assistant message."""
        if fields.pop("reasoning_content", None):
            self._losses.add(f"{PATH}.thought", "earlier reasoning is not sent to an OpenAI host", "info")
        if fields.pop("images", None):
            self._losses.add(f"{PATH}.inlineData", "an assistant message holds no images")

    def _write_user_turn(self, parts: list[object]) -> None:
        """Write a user turn; one that is one text takes a short path."""
        if len(parts) == 1:
            content_text = plain_part_text(parts[0])
            if content_text is not None:
                self.messages.append({"role": "user", "content": content_text})
                return
        content: list[JsonObject] = []
        for raw in parts:
            if not isinstance(raw, dict):
                continue
            part = camel(raw)
            if "functionResponse" in part:
                self._write_result(camel(part["functionResponse"]), content)
            elif "functionCall" in part:
                self._losses.add(f"{PATH}.functionCall", "a call in a user turn")
            else:
                converted = convert_user_part(part, self._losses, self._profile)
                content += [converted] if converted else []
        if content:
            self._append_user_message(content)

    def _append_user_message(self, content: list[JsonObject]) -> None:
        only = content[0] if len(content) == 1 else {}
        is_text = only.keys() == {"type", "text"}
        self.messages.append({"role": "user", "content": only["text"] if is_text else content})

    def _write_result(self, response: JsonObject, user_content: list[JsonObject]) -> None:
        """Write one tool message; files of the result go into ``user_content``, of the user message that follows."""
        name, provider_id = text(response.get("name")), text(response.get("id"))
        name = self._rename(name) if self._rename else name
        result = (response.get("response"), response.get("parts"))
        id = self._ids.find_result_id(name, provider_id, result)
        if not id:
            if self._ids.repeats_result(name, provider_id, result):
                self._losses.add(f"{PATH}.functionResponse", REPEATED_RESULT)
                return
            raise ConversionError(
                f"{PATH}.functionResponse: {provider_id or name!r} answers no call", f"{PATH}.functionResponse"
            )
        value = result_text(response.get("response"))
        message: JsonObject = {"role": "tool", "tool_call_id": id, "content": value}
        if self._profile.extended:
            error = error_text(response.get("response"))
            if error is not None:
                message.update({"content": error, "extra_content": {"is_error": True}})
        if self._carries and looks_like_json(value) and value is obj(response.get("response")).get(OUTPUT):
            message["extra_content"] = {"google": {"as_text": True}}
        if not _PLAIN_RESULT_KEYS.issuperset(response):
            self._add_result_leaves(response, message, user_content)
        self._insert_message(message)

    def _add_result_leaves(self, response: JsonObject, message: JsonObject, user_content: list[JsonObject]) -> None:
        """Add files of a result and its further leaves to its tool message, or to the next user message."""
        files = [camel(part) for part in arr(response.get("parts"))]
        rest = {key: item for key, item in response.items() if key not in _CONVERTED_RESULT_KEYS}
        if self._carries:
            carried = {**({"parts": files} if files else {}), **({"rest": rest} if rest else {})}
            if carried:
                message["extra_content"] = {"google": {**google_extra(message), **carried}}
            return
        for key in rest:
            self._losses.add(f"{PATH}.functionResponse.{key}", "a tool message has no place for it", "info")
        shown = [part for file in files if (part := convert_user_part(file, self._losses, self._profile))]
        inside = [part for part in shown if self._profile.extended and part["type"] != "text"]
        if inside:
            content_text = text(message["content"])
            message["content"] = [*([{"type": "text", "text": content_text}] if content_text else []), *inside]
            shown = [part for part in shown if part["type"] == "text"]
        user_content += shown

    def _insert_message(self, message: JsonObject) -> None:
        position = self._after_calls or len(self.messages)
        self.messages.insert(position, message)
        if self._after_calls:
            self._after_calls += 1

    def _add_placeholder_results(self) -> None:
        """Add placeholders for calls without result, if anything follows them."""
        if not self._profile.result_placeholder or self._after_calls >= len(self.messages):
            return
        for id, _ in self._ids.unanswered_ids_and_names:
            self._losses.add(f"{PATH}.functionCall", "a call without result: a placeholder was added")
            self._insert_message({"role": "tool", "tool_call_id": id, "content": dumps({ERROR: NO_RESULT})})
        self._ids.begin_step()
