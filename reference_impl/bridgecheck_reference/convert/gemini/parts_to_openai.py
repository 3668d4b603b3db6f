"""Gemini parts of the model -> the fields of an OpenAI message or delta. The same code reads history, responses and
streams.

Thoughts never reach ``content``. Adjacent texts join with nothing. A call is passed on whole: pieces (partialArgs,
willContinue) are gathered, and a call without arguments is held for one event, because some hosts send its arguments
in a second, nameless part.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert import signatures
from bridgecheck_reference.convert.arguments import write_arguments
from bridgecheck_reference.convert.gemini.calls_to_openai import PartialCall, ToolCallWriter
from bridgecheck_reference.convert.gemini.media import file_to_content, inline_to_content
from bridgecheck_reference.convert.gemini.part_order import (
    MessageFields,
    insert_carried_reasoning,
    sign_last_reasoning_or_add_empty,
)
from bridgecheck_reference.convert.json_values import camel, compact_json, dumps, obj, text
from bridgecheck_reference.convert.media import standard_base64
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import PLACEHOLDER
from bridgecheck_reference.loss import Losses


def plain_part_text(part: object) -> str | None:
    """Return the text of a part that is nothing but text; None for any other."""
    if isinstance(part, dict) and len(part) == 1:
        content = part.get("text")
        return content if isinstance(content, str) else None
    return None


def plain_part_to_openai_fields(part: JsonObject) -> JsonObject | None:
    """Return the message of a part that is nothing but text or a thought; None for any other."""
    content = part.get("text")
    if type(content) is not str:
        return None
    if len(part) == 1:
        return {"content": content} if content else {}
    if len(part) == 2 and part.get("thought") is True:
        return {"reasoning_content": content} if content else {}
    return None


def code_part_text(part: JsonObject) -> str:
    """Return a code part as the text that a reader would see."""
    if "executableCode" in part:
        code = camel(part["executableCode"])
        language = text(code.get("language")).lower()
        language = "python" if language in ("", "language_unspecified") else language
        return f"```{language}\n{text(code.get('code'))}\n```"
    result = camel(part["codeExecutionResult"])
    return f"[code_execution_result]\noutcome: {text(result.get('outcome'))}\noutput:\n{text(result.get('output'))}"


_TEXT_KEYS: Final[frozenset[str]] = frozenset({"text", "thought", "thoughtSignature"})
_PLAIN_CALL_KEYS: Final[frozenset[str]] = frozenset({"name", "args", "id"})
_CAMEL_KEYS: Final[frozenset[str]] = _TEXT_KEYS | {
    "functionCall",
    "inlineData",
    "executableCode",
    "codeExecutionResult",
}


class PartReader(ToolCallWriter):
    """Reads the parts of one candidate or one turn, in as many ``read`` calls as they come in; then
    ``flush_held_call``.

    ``code_as_text``: show code parts as fenced text (history); otherwise they are a loss. Further arguments as in
    ``ToolCallWriter``.
    """

    __slots__ = ("_allows_short_path", "_encode_arguments", "_held", "_keeps_order", "_open", "code_as_text")

    def __init__(
        self,
        profile: Profile,
        losses: Losses,
        path: str,
        call_id: Callable[[str, str], str],
        *,
        indexed: bool = False,
        code_as_text: bool = False,
        named: Rename = None,
    ) -> None:
        super().__init__(profile, losses, path, call_id, indexed=indexed, named=named)
        self.code_as_text = code_as_text
        self._keeps_order = profile.extended
        self._allows_short_path = not self._carries and not self._keeps_order
        self._encode_arguments = dumps if profile.arguments == "spaced" else compact_json
        self._open: PartialCall | None = None
        self._held: PartialCall | None = None

    @property
    def has_open_partial_call(self) -> bool:
        """Whether a call was begun and never ended."""
        return self._open is not None

    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:
        """Convert parts to fields: content, reasoning_content, tool_calls, images, extra_content; {} for none.

        ``last``: no further parts will come, so nothing is held back. One part that is nothing but text or a whole
        call, as in most events, takes a short path.
        """
        if len(parts) == 1 and self._held is None:
            part = parts[0]
            if type(part) is dict:
                if "functionCall" not in part:
                    short = plain_part_to_openai_fields(part)
                    if short is not None:
                        return short
                elif self._allows_short_path:
                    tool_call = self._whole_call_part_to_tool_call(part)
                    if tool_call is not None:
                        return {"tool_calls": [tool_call]}
        return self._convert_parts(parts, last)

    def _whole_call_part_to_tool_call(self, part: JsonObject) -> JsonObject | None:
        """Return the tool call for a part that is one whole call with arguments; None for any other, with nothing
        changed."""
        call = part["functionCall"]
        if type(call) is not dict:
            return None
        name, args = call.get("name"), call.get("args")
        if not name or not args or type(name) is not str or type(args) is not dict:
            return None
        id: object = ""
        signature: object = ""
        if len(call) != 2:
            id = call.get("id") if len(call) == 3 else None
        if len(part) != 1:
            signature = part.get("thoughtSignature") if len(part) == 2 else None
        if type(id) is not str or type(signature) is not str:
            return None
        return self._create_tool_call(name, id, signature, self._encode_arguments(args))

    def _convert_parts(self, parts: list[object], last: bool) -> JsonObject:
        fields = MessageFields()
        for part in parts:
            if not isinstance(part, dict):
                self.losses.add(self.path, "a part that is no object")
            elif not (
                self._allows_short_path and self._held is None and self._add_plain_text_or_whole_call(part, fields)
            ):
                self._convert_part(part if _CAMEL_KEYS.issuperset(part) else camel(part), fields)
        if last:
            self._release_held_call(fields)
        return fields.build_message(self._carries, self._keeps_order)

    def _add_plain_text_or_whole_call(self, part: JsonObject, fields: MessageFields) -> bool:
        """Read a part that is nothing but text or one whole call; False for any other, with nothing changed."""
        content = part.get("text")
        if type(content) is str and len(part) == 1:
            fields.content.append(content)
            return True
        tool_call = self._whole_call_part_to_tool_call(part) if "functionCall" in part else None
        if tool_call is None:
            return False
        fields.calls.append(tool_call)
        return True

    def flush_held_call(self) -> JsonObject:
        """Return the call that is still held, if any; an open one is dropped."""
        fields = MessageFields()
        self._release_held_call(fields)
        return fields.build_message(self._carries, self._keeps_order)

    def _convert_part(self, part: JsonObject, fields: MessageFields) -> None:
        if "functionCall" in part:
            self._read_call(camel(part["functionCall"]), text(part.get("thoughtSignature")), fields)
            return
        if self._held is not None:
            self._release_held_call(fields)
        if "text" in part or part.keys() == {"thoughtSignature"}:
            self._add_text(part, fields)
        elif "inlineData" in part:
            self._add_inline_image_or_sound(part, fields)
        elif "fileData" in part and not self._carries:
            self._add_file_as_image_url(part, fields)
        elif self.code_as_text and ("executableCode" in part or "codeExecutionResult" in part):
            self._add_code(part, fields)
        else:
            self._carry_or_record_part(part, fields)

    def _add_text(self, part: JsonObject, fields: MessageFields) -> None:
        content = text(part.get("text"))
        kind = "thought" if part.get("thought") else "text"
        (fields.reasoning if kind == "thought" else fields.content).append(content)
        if self._keeps_order:
            self._add_text_order(kind, content, text(part.get("thoughtSignature")), fields)
        if len(part) == 1 and "text" in part and not self._carries:
            return
        signature = text(part.get("thoughtSignature"))
        if signature and not self._carries and not self._keeps_order:
            self._sign_message(
                signature,
                "tail" if kind == "text" and not content else {"thought": "reasoning"}.get(kind, "text"),
                fields,
            )
        if self._carries:
            rest = {key: value for key, value in part.items() if key not in ("text", "thought")}
            fields.layout.append({kind: len(content), "rest": rest} if rest else {kind: len(content)})
        elif not _TEXT_KEYS.issuperset(part):
            self.losses.add(f"{self.path}.{min(part.keys() - _TEXT_KEYS)}", "no place beside text", "info")

    def _add_text_order(self, kind: str, content: str, signature: str, fields: MessageFields) -> None:
        """Keep the position of a text, and of its signature."""
        if kind == "thought":
            fields.layout.append({"reasoning": {"type": "reasoning.text", "text": content}})
            self._sign_or_insert_reasoning_before(signature, "thought", fields)
            return
        self._sign_or_insert_reasoning_before(signature, "text" if content else "tail", fields)
        if content:
            fields.layout.append({"text": len(content)})

    def _sign_or_insert_reasoning_before(self, signature: str, part_kind: str, fields: MessageFields) -> None:
        """Put the signature of a part on the reasoning before it; or insert the reasoning that it carries instead."""
        blocks = signatures.decode_reasoning_carrier(signature) if signature else None
        if blocks is not None:
            insert_carried_reasoning(fields.layout, blocks)
        elif signature and self._may_carry_signature_or_record(signature):
            sign_last_reasoning_or_add_empty(fields.layout, signatures.prefix_gemini_signature(signature, part_kind))

    def _sign_message(self, signature: str, signed_field: str, fields: MessageFields) -> None:
        if self.profile.signatures == "drop" or signature == PLACEHOLDER:
            self.losses.add(f"{self.path}.thoughtSignature", "not carried", "info")
        elif fields.signature:
            self.losses.add(
                f"{self.path}.thoughtSignature", "a message carries one signature beside those of its calls"
            )
        else:
            fields.signature, fields.signed_field = signature, signed_field

    def _read_call(self, call: JsonObject, signature: str, fields: MessageFields) -> None:
        name = text(call.get("name"))
        if not name:
            self._continue_open_or_held_call(call, signature, fields)
            return
        if self._held is not None:
            self._release_held_call(fields)
        id = text(call.get("id"))
        args = call.get("args")
        if not _PLAIN_CALL_KEYS.issuperset(call) and (call.get("willContinue") or call.get("partialArgs")):
            self._open_or_complete_partial_call(PartialCall(name, id, signature), call, fields)
        elif not args:
            self._held = PartialCall(name, id, signature)
        elif isinstance(args, dict):
            self._add_call(name, id, signature, self._encode_arguments(args), fields)
        else:
            self._add_call(name, id, signature, self._non_object_arguments_text(args), fields)

    def _non_object_arguments_text(self, args: object) -> str:
        """Return arguments that are no object as JSON text; record a loss where they are not the text of one either."""
        written = write_arguments(args)
        if written is not None:
            return written
        self.losses.add(f"{self.path}.functionCall.args", "arguments that are no object")
        return dumps(args)

    def _open_or_complete_partial_call(self, started: PartialCall, call: JsonObject, fields: MessageFields) -> None:
        started.feed(call)
        self._open = started
        if not call.get("willContinue"):
            self._finish_open_call(fields)

    def _continue_open_or_held_call(self, call: JsonObject, signature: str, fields: MessageFields) -> None:
        """Read a part without a name: more of the open call, or the arguments of the held one."""
        if self._open is not None:
            self._open.feed(call)
            self._open.signature = self._open.signature or signature
            if not call.get("willContinue"):
                self._finish_open_call(fields)
        elif self._held is not None:
            self._held.feed(call)
            self._held.signature = self._held.signature or signature
            if self._held.args:
                self._release_held_call(fields)
        elif call:
            self.losses.add(f"{self.path}.functionCall", "a call without a name")

    def _finish_open_call(self, fields: MessageFields) -> None:
        if self._open is not None:
            finished, self._open = self._open, None
            self._add_partial_call(finished, fields)

    def _release_held_call(self, fields: MessageFields) -> None:
        if self._held is not None:
            finished, self._held = self._held, None
            self._add_partial_call(finished, fields)

    def _add_partial_call(self, call: PartialCall, fields: MessageFields) -> None:
        self._add_call(call.name, call.id, call.signature, self._encode_arguments(call.build_arguments()), fields)

    def _add_call(self, name: str, provider_id: str, signature: str, arguments: str, fields: MessageFields) -> None:
        if self._keeps_order:
            self._sign_or_insert_reasoning_before(signature, "call", fields)
            signature = ""
        fields.calls.append(self._create_tool_call(name, provider_id, signature, arguments))
        if self._carries or self._keeps_order:
            fields.layout.append({"call": True})

    def _add_inline_image_or_sound(self, part: JsonObject, fields: MessageFields) -> None:
        blob = camel(part["inlineData"])
        mime, name = text(blob.get("mimeType")).lower(), text(blob.get("displayName"))
        content = None
        if mime.startswith("audio/"):
            self._add_sound(part, fields)
            return
        if mime.startswith("image/") and not part.get("thought"):
            content = inline_to_content(part["inlineData"], self.path, self.losses)
        if content is None:
            self._carry_or_record_part(part, fields)
            return
        self._add_image(content, {key: value for key, value in part.items() if key != "inlineData"}, name, fields)

    def _add_file_as_image_url(self, part: JsonObject, fields: MessageFields) -> None:
        """Add an image that a client can fetch by its address; any other file is a loss."""
        content = file_to_content(part["fileData"], f"{self.path}.fileData", self.losses)
        if content["type"] == "image_url" and not part.get("thought"):
            self._add_image(content, {key: value for key, value in part.items() if key != "fileData"}, "", fields)

    def _add_image(self, content: JsonObject, rest: JsonObject, name: str, fields: MessageFields) -> None:
        """Add an image beside the text, with the other members of its part (``rest``) and its display name."""
        if "thoughtSignature" in rest and not self._carries and not self._keeps_order:
            signature = text(rest.pop("thoughtSignature"))
            if self._may_carry_signature_or_record(signature):
                content = {**content, "extra_content": {"google": {"thought_signature": signature}}}
        fields.images.append({"index": len(fields.images), **content} if self.indexed else content)
        if self._keeps_order:
            self._sign_or_insert_reasoning_before(text(rest.pop("thoughtSignature", "")), "image", fields)
        entry: JsonObject = {"image": True}
        fields.layout.append(entry | ({"rest": rest} if rest else {}) | ({"name": name} if name else {}))
        if rest and not self._carries:
            self.losses.add(f"{self.path}.{min(rest)}", "no place beside an image")
        if name and not self._carries:
            self.losses.add(f"{self.path}.inlineData.displayName", "no place beside an image", "info")

    def _add_sound(self, part: JsonObject, fields: MessageFields) -> None:
        """Add spoken output.

        OpenAI does not give its type: that is in the request. A carried one stands in the layout, and beside it for
        whoever reads the message as it is.
        """
        data = standard_base64(text(camel(part["inlineData"]).get("data")))
        self.losses.add(f"{self.path}.inlineData.mimeType", "OpenAI does not give the type of spoken output", "info")
        if fields.audio or not data:
            self.losses.add(f"{self.path}.inlineData", "a message has only one sound")
            return
        members = obj(obj(obj(part.get("extraContent")).get("openai")).get("audio"))
        made: JsonObject = {"id": self.call_id("audio", ""), "expires_at": 0, "transcript": ""}
        fields.audio = {**made, **members, "data": data}
        if self._carries:
            fields.audio["extra_content"] = {"google": {"carried": True}}
            fields.layout.append({"part": part})

    def _add_code(self, part: JsonObject, fields: MessageFields) -> None:
        if self._carries:
            fields.layout.append({"part": part})
            return
        self.losses.add(self.path, "code shown as text", "info")
        content = code_part_text(part)
        fields.content.append(content)
        fields.layout.append({"text": len(content)})

    def _carry_or_record_part(self, part: JsonObject, fields: MessageFields) -> None:
        kinds = sorted(part.keys() - {"thought", "thoughtSignature"})
        if self._carries:
            fields.layout.append({"part": part})
        elif kinds:
            self.losses.add(f"{self.path}.{kinds[0]}", "Chat Completions has no such part")
