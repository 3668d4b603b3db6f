"""OpenAI messages -> Anthropic messages and system prompt (mapping row R-49).

System and developer messages at the head become the system prompt; a later one keeps its position, as the user's.
Neighbours of one role are joined. The results of a step stand at the head of the user message that follows the calls,
and every call gets one: Anthropic refuses anything else, and empty texts, and an empty conversation, and an assistant
message that ends with thinking (tailcallhq/forgecode#2107, tailcallhq/forgecode#3071).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.blocks import (
    drop_empty_or_solely_blank_texts,
    legal_anthropic_id_cut_if_long,
    message_to_blocks,
    trim_last_text,
)
from bridgecheck_reference.convert.anthropic.media import part_to_block
from bridgecheck_reference.convert.arguments import NO_RESULT
from bridgecheck_reference.convert.chat_calls import REPEATED_RESULT, answers_dropped_call
from bridgecheck_reference.convert.chat_messages import CONVERTED_MESSAGE_KEYS, inexpressible_message_keys
from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.convert.json_values import anthropic_extra, arr, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

PATH: Final = "messages[]"
FILLER: Final = "."
"""The text of a user turn in an empty conversation: Anthropic refuses white space."""

_SYSTEM_ROLES: Final = ("system", "developer")
_THINKING_TYPES: Final = ("thinking", "redacted_thinking")


class HistoryWriter:
    """Writes the messages of one request."""

    __slots__ = ("_all_messages", "_ids", "_keeps", "_losses", "_profile", "_rename", "_results", "messages", "system")

    def __init__(self, profile: Profile, losses: Losses, rename: Rename) -> None:
        self.messages: list[JsonObject] = []
        self.system: str | list[JsonObject] = ""
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._keeps = profile.carries_anthropic
        self._ids = CallIds(None if self._keeps else legal_anthropic_id_cut_if_long)
        self._results = 0
        self._all_messages: object = None

    def write(self, messages: object) -> list[JsonObject]:
        """Write all messages; ``system`` then holds the system prompt. Raises ConversionError."""
        self._all_messages = messages
        for message in objs(messages):
            role = message.get("role")
            if not CONVERTED_MESSAGE_KEYS.issuperset(message):
                self._record_inexpressible_keys(message)
            if role == "assistant":
                self._write_assistant(message)
            elif role == "tool" or role == "function":
                self._write_result(message)
            elif role in _SYSTEM_ROLES:
                self._write_system(message)
            elif role == "user":
                self._append_turn("user", self._convert_content(message.get("content")), message)
            else:
                raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")
        if not self._keeps:
            self._add_placeholder_results()
            self._drop_final_thinking()
            self._add_filler_turn_if_none_written(bool(messages))
            self._trim_last_turn()
        return self.messages

    def _write_system(self, message: JsonObject) -> None:
        content = self._convert_content(message.get("content"))
        if not content:
            return
        if self._keeps and self.messages:
            self.messages.append({"role": "system", "content": content})
        elif self.messages:
            self._losses.add("messages[].role", "a later system message becomes a user turn", "info")
            self._append_turn("user", content, {})
        elif self.system:
            self.system = [*_anthropic_content_as_blocks(self.system), *_anthropic_content_as_blocks(content)]
        else:
            self.system = content

    def _convert_content(self, content: object) -> str | list[JsonObject]:
        """Return content in Anthropic's form: a string for one plain text, "" or [] for nothing."""
        if isinstance(content, str):
            return content if content.strip() or self._keeps else ""
        made = (part_to_block(part, PATH, self._losses) for part in objs(content))
        blocks = [block for block in made if block]
        blocks = blocks if self._keeps else drop_empty_or_solely_blank_texts(blocks, PATH, self._losses)
        if not self._keeps and len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            return text(blocks[0]["text"])
        return blocks

    def _write_assistant(self, message: JsonObject) -> None:
        if not self._keeps and self.messages and self.messages[-1]["role"] == "user":
            self._add_placeholder_results()
        content = message.get("content")
        if len(message) == 2 and isinstance(content, str) and content.strip():
            self._append_turn("assistant", content, message)
            return
        blocks = message_to_blocks(message, self._profile, self._losses, PATH, self._ids.assign_call_id, self._rename)
        plain = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
        listed = anthropic_extra(message).get("content") == "blocks"
        if plain and not listed:
            self._append_turn("assistant", text(blocks[0]["text"]), message)
        elif blocks or not self._keeps:
            self._append_turn("assistant", blocks, message)
        else:
            self._append_turn("assistant", [] if listed else "", message)

    def _append_turn(self, role: str, content: str | list[JsonObject], message: JsonObject) -> None:
        """Append a turn, joined with the one before if that is of the same role."""
        if not content and not self._keeps:
            return
        if self._keeps:
            joins = bool(anthropic_extra(message).get("joined"))
        else:
            # What was sent before a dropped answer is sent again unchanged, for the cache; the API joins the turns.
            joins = role != "user" or not self._drop_final_thinking()
        last = self.messages[-1] if self.messages else {}
        if joins and last.get("role") == role:
            _turn_content_into_list(last).extend(_anthropic_content_as_blocks(content))
            return
        self.messages.append({"role": role, "content": content})
        self._results = 0

    def _drop_final_thinking(self) -> bool:
        """Drop the thinking at the end of an answer; return whether it was the whole answer."""
        if not self.messages or self.messages[-1]["role"] != "assistant":
            return False
        blocks = self.messages[-1]["content"]
        if not isinstance(blocks, list):
            return False
        while blocks and blocks[-1].get("type") in _THINKING_TYPES:
            self._losses.add("messages[].reasoning_content", "an assistant message cannot end with thinking")
            blocks.pop()
        if not blocks:
            self.messages.pop()
        return not blocks

    def _write_result(self, message: JsonObject) -> None:
        call_id = text(message.get("tool_call_id"))
        name, result = text(message.get("name")), (message.get("content"),)
        id = self._ids.find_result_id(name, call_id, result)
        if not id and self._keeps:
            id = call_id
        if not id:
            reference = call_id or text(message.get("name"))
            if answers_dropped_call(self._all_messages, reference):
                self._losses.add("messages[].tool_call_id", "the result of a call that was left out")
                return
            if self._ids.repeats_result(name, call_id, result):
                self._losses.add("messages[].tool_call_id", REPEATED_RESULT)
                return
            raise ConversionError(f"messages[].tool_call_id: {reference!r} answers no call", "messages[].tool_call_id")
        block: JsonObject = {"type": "tool_result", "tool_use_id": id}
        content = self._convert_content(message.get("content"))
        carried = anthropic_extra(message)
        if (content or self._keeps) and carried.get("content") != "none":
            block["content"] = content
        if obj(message.get("extra_content")).get("is_error") is True:
            block["is_error"] = True
        block.update(obj(carried.get("rest")))
        self._insert_result_behind_earlier_ones(block, message)

    def _insert_result_behind_earlier_ones(self, block: JsonObject, message: JsonObject) -> None:
        """Insert a result behind those before it, at the head of the user message that follows the calls."""
        if self._keeps:
            self._append_turn("user", [block], message)
            return
        if self.messages[-1]["role"] != "user" and not self._drop_final_thinking():
            self.messages.append({"role": "user", "content": []})
            self._results = 0
        _turn_content_into_list(self.messages[-1]).insert(self._results, block)
        self._results += 1

    def _add_placeholder_results(self) -> None:
        """Add placeholders for calls without result, also at the end: Anthropic refuses such a call anywhere."""
        for id, _ in self._ids.unanswered_ids_and_names if self._profile.result_placeholder else ():
            self._losses.add("messages[].tool_calls[]", "a call without result: a placeholder was added")
            block: JsonObject = {"type": "tool_result", "tool_use_id": id, "content": NO_RESULT, "is_error": True}
            self._insert_result_behind_earlier_ones(block, {})
        self._ids.begin_step()

    def _add_filler_turn_if_none_written(self, had_messages: bool) -> None:
        if had_messages and not self.messages:
            self._losses.add("messages", "no user turn: one was added", "info")
            self.messages.append({"role": "user", "content": FILLER})

    def _trim_last_turn(self) -> None:
        """Remove white space at the end of a prefilled answer, which Anthropic refuses."""
        last = self.messages[-1] if self.messages else {}
        if last.get("role") != "assistant":
            return
        blocks = _anthropic_content_as_blocks(last["content"])
        trimmed = trim_last_text(blocks)
        if trimmed != blocks:
            self._losses.add("messages[].content", "white space at the end of a prefilled answer", "info")
            last["content"] = text(trimmed[0]["text"]) if isinstance(last["content"], str) else trimmed

    def _record_inexpressible_keys(self, message: JsonObject) -> None:
        for key in inexpressible_message_keys(message):
            self._losses.add(f"messages[].{key}", "an Anthropic message has no place for it", "info")


def _anthropic_content_as_blocks(content: object) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [obj(block) for block in arr(content)]


def _turn_content_into_list(message: JsonObject) -> list[object]:
    """Turn the content of a message that was written here into a list that can grow, in place, and return the list."""
    if isinstance(message["content"], str):
        message["content"] = _anthropic_content_as_blocks(message["content"])
    return arr(message["content"])
