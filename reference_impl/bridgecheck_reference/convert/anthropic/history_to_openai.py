"""Anthropic messages -> OpenAI messages (mapping row R-49).

Tool results become tool messages right behind the calls they answer; what else stood in that user message follows as a
user message, images of the results first: a tool message holds text only. A call without a result, although the
conversation went on, gets a placeholder: OpenAI refuses the whole request otherwise. Neighbouring assistant messages
are one turn to Anthropic, and become one message.

A carried document keeps messages and blocks one by one, in their order.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.blocks import blocks_to_message
from bridgecheck_reference.convert.anthropic.media import text_or_media_block_to_parts
from bridgecheck_reference.convert.anthropic.thinking_blocks import restore_google_signatures
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT
from bridgecheck_reference.convert.chat_calls import REPEATED_RESULT
from bridgecheck_reference.convert.ids import CallIds, shorten_openai_id_if_long
from bridgecheck_reference.convert.json_values import anthropic_extra, dumps, objs, text, unknown_keys
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import prefix_gemini_signature, split_signed_id
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

PATH: Final = "messages[].content[]"
ROLES: Final = frozenset({"user", "assistant", "system"})
_CONVERTED_RESULT_KEYS: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def system_message(system: object, profile: Profile, losses: Losses) -> list[JsonObject]:
    """Return the system prompt as a message; none if there is no text."""
    content = _message_content(_convert_parts(system, "system[]", profile, losses), isinstance(system, list), profile)
    return [{"role": "system", "content": content}] if content else []


class MessageWriter:
    """Writes the messages of one request."""

    __slots__ = ("_after_calls", "_ids", "_keeps", "_losses", "_profile", "_rename", "messages")

    def __init__(self, profile: Profile, losses: Losses, rename: Rename) -> None:
        self.messages: list[JsonObject] = []
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._keeps = profile.carries_anthropic
        self._ids = CallIds(None if self._keeps else shorten_openai_id_if_long)
        self._after_calls = 0

    def write(self, messages: object) -> list[JsonObject]:
        """Write all messages. Raises ConversionError for an unknown role, and for a result that answers no call."""
        for role, content in self._join_assistant_turns(messages):
            if role == "assistant":
                self._write_assistant(content)
            elif role == "system":
                self.messages += system_message(content, self._profile, self._losses)
            else:
                self._write_user(content)
        self._add_placeholder_results()
        return self.messages

    def _join_assistant_turns(self, messages: object) -> Iterator[tuple[str, object]]:
        """Yield (role, content) of every message, without empty texts, neighbouring assistant messages joined."""
        assistant_contents: list[object] = []
        for message in objs(messages):
            role, content = message.get("role"), message.get("content")
            if not isinstance(role, str) or role not in ROLES:
                raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")
            if role == "assistant" and not self._keeps:
                assistant_contents.append(content)
                continue
            if assistant_contents:
                yield "assistant", _join_contents(assistant_contents)
                assistant_contents = []
            yield role, content if self._keeps else _without_empty_texts_unless_all_are(content)
        if assistant_contents:
            yield "assistant", _join_contents(assistant_contents)

    def _write_assistant(self, content: object) -> None:
        if isinstance(content, str) and content and not self._keeps:
            self.messages.append({"role": "assistant", "content": content})
            return
        blocks = _content_blocks(content) if self._keeps else _unwrap_signed_ids(_content_blocks(content))
        if "tool_use" in [block.get("type") for block in blocks]:
            self._add_placeholder_results()
            self._ids.begin_step()
        fields = blocks_to_message(blocks, self._profile, self._losses, PATH, self._ids.assign_call_id, self._rename)
        if not (self._keeps or self._profile.extended):
            if self._profile.signatures == "carry" and any("signature" in block for block in blocks):
                restore_google_signatures(fields, blocks)
            if "reasoning_content" in fields or "reasoning_details" in fields:
                self._drop_unsigned_reasoning(fields)
        form = "blocks" if isinstance(content, list) and _is_at_most_one_plain_text(blocks) else ""
        if not fields and not self._keeps:
            return
        has_calls = "tool_calls" in fields
        message: JsonObject = {"role": "assistant", "content": None if has_calls else "", **fields}
        self.messages.append(self._mark_content_form(message, form))
        if has_calls:
            self._after_calls = len(self.messages)

    def _drop_unsigned_reasoning(self, fields: JsonObject) -> None:
        """Drop unsigned reasoning: reasoning goes back to the host that signed it, and to no other."""
        reasoning = fields.pop("reasoning_content", None)
        details = [detail for detail in objs(fields.pop("reasoning_details", None)) if _is_signed(detail)]
        if details and self._profile.signatures == "carry":
            fields["reasoning_details"] = details
        elif reasoning or details:
            self._losses.add(f"{PATH}.thinking", "earlier reasoning is not sent to an OpenAI host", "info")

    def _write_user(self, content: object) -> None:
        if isinstance(content, str):
            self.messages.append({"role": "user", "content": content})
            return
        parts: list[JsonObject] = []
        turn_start = len(self.messages)
        for block in _content_blocks(content):
            if block.get("type") != "tool_result":
                parts += text_or_media_block_to_parts(block, self._profile, PATH, self._losses)
                continue
            if self._keeps and parts:
                self._append_user_message(parts, turn_start)
                parts = []
            self._write_result(block, parts, turn_start)
        if parts or (self._keeps and turn_start == len(self.messages)):
            self._append_user_message(parts, turn_start)

    def _append_user_message(self, parts: list[JsonObject], turn_start: int) -> None:
        """Append a user message; ``turn_start``: index of the first message that the same Anthropic turn became."""
        message: JsonObject = {"role": "user", "content": _message_content(parts, True, self._profile)}
        self.messages.append(self._mark_as_same_turn(message, turn_start))

    def _mark_as_same_turn(self, message: JsonObject, turn_start: int) -> JsonObject:
        """Return the message, marked to be joined on the way back if the same Anthropic turn became others before."""
        if self._keeps and len(self.messages) > turn_start:
            return _add_anthropic_extra(message, {"joined": True})
        return message

    def _write_result(self, block: JsonObject, user_parts: list[JsonObject], turn_start: int) -> None:
        """Write one tool message; unless they may stand in it, its images go into the next user message."""
        call_id = text(block.get("tool_use_id"))
        if not self._keeps and (signed := split_signed_id(call_id)):
            call_id = signed[0]
        result = (block.get("content"), block.get("is_error"))
        id = self._ids.find_result_id("", call_id, result)
        if not id:
            if self._ids.repeats_result("", call_id, result) and not self._keeps:
                self._losses.add(f"{PATH}.tool_use_id", REPEATED_RESULT)
                return
            if not self._keeps:
                field = f"{PATH}.tool_use_id"
                raise ConversionError(f"{field}: {call_id!r} answers no call", field)
            id = call_id
        content = block.get("content")
        plain = isinstance(content, str) and not self._keeps
        result_content = content if plain else self._convert_result(content, user_parts)
        message: JsonObject = {"role": "tool", "tool_call_id": id, "content": result_content}
        self._insert_result(self._mark_as_same_turn(self._add_result_leaves(block, message), turn_start))

    def _convert_result(self, content: object, user_parts: list[JsonObject]) -> str | list[JsonObject]:
        """Return the content of a tool message; its media are appended to ``user_parts`` unless they may stand in
        it."""
        made = _convert_parts(content, f"{PATH}.tool_result.content[]", self._profile, self._losses)
        inside = self._keeps or self._profile.extended
        result_parts = made if inside else [part for part in made if part["type"] == "text"]
        if len(result_parts) < len(made):
            self._losses.add(f"{PATH}.tool_result.content[]", "moved to a user message behind the result", "info")
            user_parts += [part for part in made if part["type"] != "text"]
        return _message_content(result_parts, isinstance(content, list), self._profile)

    def _add_result_leaves(self, block: JsonObject, message: JsonObject) -> JsonObject:
        """Add whether a result is an error, and its further leaves."""
        inside = self._keeps or self._profile.extended
        if block.get("is_error") is True and inside:
            message["extra_content"] = {"is_error": True}
        elif block.get("is_error"):
            self._losses.add(f"{PATH}.tool_result.is_error", "a tool message cannot be marked as an error", "info")
        if not self._keeps:
            for key in unknown_keys(block, _CONVERTED_RESULT_KEYS):
                self._losses.add(f"{PATH}.tool_result.{key}", "a tool message has no place for it", "info")
            return message
        rest = {key: value for key, value in block.items() if key not in _CONVERTED_RESULT_KEYS}
        if "is_error" in block and block["is_error"] is not True:
            rest["is_error"] = block["is_error"]
        message = _add_anthropic_extra(message, {"rest": rest}) if rest else message
        return message if "content" in block else _add_anthropic_extra(message, {"content": "none"})

    def _insert_result(self, message: JsonObject) -> None:
        """Insert a result behind the calls and the results before it, wherever the user message stands."""
        if self._keeps or not self._after_calls:
            self.messages.append(message)
            return
        self.messages.insert(self._after_calls, message)
        self._after_calls += 1

    def _add_placeholder_results(self) -> None:
        """Add placeholders for calls without result, if anything follows them."""
        if not self._profile.result_placeholder or self._after_calls >= len(self.messages):
            return
        for id, _ in self._ids.unanswered_ids_and_names:
            self._losses.add(f"{PATH}.tool_use", "a call without result: a placeholder was added")
            self._insert_result({"role": "tool", "tool_call_id": id, "content": dumps({ERROR: NO_RESULT})})
        self._ids.begin_step()

    def _mark_content_form(self, message: JsonObject, form: str) -> JsonObject:
        return _add_anthropic_extra(message, {"content": form}) if form and self._keeps else message


def _add_anthropic_extra(message: JsonObject, members: JsonObject) -> JsonObject:
    """Return the message with more members under extra_content.anthropic."""
    extra = message.get("extra_content")
    extra_members = extra if isinstance(extra, dict) else {}
    return {**message, "extra_content": {**extra_members, "anthropic": {**anthropic_extra(message), **members}}}


def _content_blocks(content: object) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(objs(content))


def _join_contents(contents: list[object]) -> str | list[JsonObject]:
    """Return the contents of neighbouring messages as one, without empty texts; a single text stays one."""
    if len(contents) == 1 and isinstance(contents[0], str) and contents[0]:
        return contents[0]
    return [block for content in contents for block in _content_blocks(content) if _is_not_empty_text(block)]


def _unwrap_signed_ids(blocks: list[JsonObject]) -> list[JsonObject]:
    """Return the blocks with the Gemini signatures inside ids as those of thinking before the calls."""
    unwrapped: list[JsonObject] = []
    for block in blocks:
        signed = split_signed_id(text(block.get("id"))) if block.get("type") == "tool_use" else None
        if signed is None:
            unwrapped.append(block)
            continue
        id, signature = signed
        thinking: JsonObject = {"type": "thinking", "thinking": ""}
        unwrapped.append({**thinking, "signature": prefix_gemini_signature(signature, "call")})
        unwrapped.append({**block, "id": id})
    return unwrapped


def _without_empty_texts_unless_all_are(content: object) -> object:
    """Drop the empty texts of a content, unless there is nothing else."""
    if not isinstance(content, list):
        return content
    return list(filter(_is_not_empty_text, objs(content))) or content


def _is_not_empty_text(block: JsonObject) -> bool:
    """Return whether a block is anything but an empty text.

    Clients send those back beside thinking and calls, and Gemini refuses such a part (router-for-me/CLIProxyAPI#3485,
    2026-05).
    """
    return block.get("type") != "text" or block.get("text") != ""


def _is_at_most_one_plain_text(blocks: list[JsonObject]) -> bool:
    """Return whether the conversion back would make a string of these blocks."""
    return not blocks or (len(blocks) == 1 and blocks[0].keys() == {"type", "text"})


def _is_signed(detail: JsonObject) -> bool:
    return bool(detail.get("signature") or detail.get("data"))


def _convert_parts(content: object, path: str, profile: Profile, losses: Losses) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [part for block in objs(content) for part in text_or_media_block_to_parts(block, profile, path, losses)]


def _message_content(parts: list[JsonObject], keep_list_if_carried: bool, profile: Profile) -> str | list[JsonObject]:
    """Return parts as the content of a message: one plain text is a string, unless a list has to come back."""
    if profile.carries_anthropic and keep_list_if_carried:
        return parts
    nonempty = [part for part in parts if part.get("text") != ""] if len(parts) > 1 else parts
    if not nonempty:
        return ""
    only = nonempty[0]
    plain = len(nonempty) == 1 and only["type"] == "text" and "extra_content" not in only
    return text(only["text"]) if plain else nonempty
