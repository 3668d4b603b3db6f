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
from bridgecheck_reference.convert.anthropic.blocks import message_of
from bridgecheck_reference.convert.anthropic.media import block_to_parts
from bridgecheck_reference.convert.anthropic.thinking_blocks import give_back
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT
from bridgecheck_reference.convert.ids import CallIds, openai_id
from bridgecheck_reference.convert.json_values import anthropic, dumps, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

PATH: Final = "messages[].content[]"
ROLES: Final = frozenset({"user", "assistant", "system"})
_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def system_message(system: object, profile: Profile, losses: Losses) -> list[JsonObject]:
    """The system prompt as a message; none if there is no text."""
    content = _content(_parts(system, "system[]", profile, losses), isinstance(system, list), profile)
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
        self._ids = CallIds(None if self._keeps else openai_id)
        self._after_calls = 0

    def write(self, messages: object) -> list[JsonObject]:
        """All messages. Raises ConversionError for a role nobody knows, and for a result that answers no call."""
        for role, content in self._turns(messages):
            if role == "assistant":
                self._assistant(content)
            elif role == "system":
                self.messages += system_message(content, self._profile, self._losses)
            else:
                self._user(content)
        self._answer_open_calls()
        return self.messages

    def _turns(self, messages: object) -> Iterator[tuple[str, object]]:
        """(role, content) of every message, without empty texts, neighbouring assistant messages joined."""
        said: list[JsonObject] = []
        for message in objs(messages):
            role, content = message.get("role"), message.get("content")
            if not isinstance(role, str) or role not in ROLES:
                raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")
            if role == "assistant" and not self._keeps:
                said += filter(_speaks, _blocks(content))
                continue
            if said:
                yield "assistant", said
                said = []
            yield role, content if self._keeps else _spoken(content)
        if said:
            yield "assistant", said

    def _assistant(self, content: object) -> None:
        blocks = _blocks(content)
        if any(block.get("type") == "tool_use" for block in blocks):
            self._answer_open_calls()
            self._ids.step()
        said = message_of(blocks, self._profile, self._losses, PATH, self._ids.call, self._rename)
        if not (self._keeps or self._profile.extended):
            if self._profile.signatures == "carry":
                give_back(said, blocks)
            self._drop_unsigned(said)
        form = "blocks" if isinstance(content, list) and _is_plain(blocks) else ""
        if not said and not self._keeps:
            return
        has_calls = "tool_calls" in said
        message: JsonObject = {"role": "assistant", "content": None if has_calls else "", **said}
        self.messages.append(self._marked(message, form))
        if has_calls:
            self._after_calls = len(self.messages)

    def _drop_unsigned(self, said: JsonObject) -> None:
        """Reasoning goes back to the host that signed it, and to no other."""
        reasoning = said.pop("reasoning_content", None)
        details = [detail for detail in objs(said.pop("reasoning_details", None)) if _is_signed(detail)]
        if details and self._profile.signatures == "carry":
            said["reasoning_details"] = details
        elif reasoning or details:
            self._losses.add(f"{PATH}.thinking", "earlier reasoning is not sent to an OpenAI host", "info")

    def _user(self, content: object) -> None:
        if isinstance(content, str):
            self.messages.append({"role": "user", "content": content})
            return
        parts: list[JsonObject] = []
        first = len(self.messages)
        for block in _blocks(content):
            if block.get("type") != "tool_result":
                parts += block_to_parts(block, self._profile, PATH, self._losses)
                continue
            if self._keeps and parts:
                self._say(parts, first)
                parts = []
            self._result(block, parts, first)
        if parts or (self._keeps and first == len(self.messages)):
            self._say(parts, first)

    def _say(self, parts: list[JsonObject], first: int) -> None:
        """A user message; ``first``: where the Anthropic message it belongs to began."""
        message: JsonObject = {"role": "user", "content": _content(parts, True, self._profile)}
        self.messages.append(self._joined(message, first))

    def _joined(self, message: JsonObject, first: int) -> JsonObject:
        if self._keeps and len(self.messages) > first:
            return _beside(message, {"joined": True})
        return message

    def _result(self, block: JsonObject, parts: list[JsonObject], first: int) -> None:
        """One tool message; unless they may stand in it, its images go into the user message that follows."""
        given = text(block.get("tool_use_id"))
        id = self._ids.result("", given)
        if not id:
            if not self._keeps:
                field = f"{PATH}.tool_use_id"
                raise ConversionError(f"{field}: {given!r} answers no call", field)
            id = given
        content = block.get("content")
        made = _parts(content, f"{PATH}.tool_result.content[]", self._profile, self._losses)
        inside = self._keeps or self._profile.extended
        words = made if inside else [part for part in made if part["type"] == "text"]
        if len(words) < len(made):
            self._losses.add(f"{PATH}.tool_result.content[]", "said in a user message behind the result", "info")
            parts += [part for part in made if part["type"] != "text"]
        said = _content(words, isinstance(content, list), self._profile)
        message: JsonObject = {"role": "tool", "tool_call_id": id, "content": said}
        self._insert(self._joined(self._result_leaves(block, message), first))

    def _result_leaves(self, block: JsonObject, message: JsonObject) -> JsonObject:
        """Whether it is an error, and further leaves."""
        inside = self._keeps or self._profile.extended
        if block.get("is_error") is True and inside:
            message["extra_content"] = {"is_error": True}
        elif block.get("is_error"):
            self._losses.add(f"{PATH}.tool_result.is_error", "a tool message cannot be marked as an error", "info")
        rest = {key: value for key, value in block.items() if key not in _RESULT}
        if not self._keeps:
            for key in rest:
                self._losses.add(f"{PATH}.tool_result.{key}", "a tool message has no place for it", "info")
            return message
        if "is_error" in block and block["is_error"] is not True:
            rest["is_error"] = block["is_error"]
        message = _beside(message, {"rest": rest}) if rest else message
        return message if "content" in block else _beside(message, {"content": "none"})

    def _insert(self, message: JsonObject) -> None:
        """Behind the calls and the results before it, wherever the user message stands."""
        if self._keeps or not self._after_calls:
            self.messages.append(message)
            return
        self.messages.insert(self._after_calls, message)
        self._after_calls += 1

    def _answer_open_calls(self) -> None:
        """Placeholders for calls without result, if anything follows them."""
        if not self._profile.result_placeholder or self._after_calls >= len(self.messages):
            return
        for id, _ in self._ids.unanswered:
            self._losses.add(f"{PATH}.tool_use", "a call without result: a placeholder was added")
            self._insert({"role": "tool", "tool_call_id": id, "content": dumps({ERROR: NO_RESULT})})
        self._ids.step()

    def _marked(self, message: JsonObject, form: str) -> JsonObject:
        return _beside(message, {"content": form}) if form and self._keeps else message


def _beside(message: JsonObject, own: JsonObject) -> JsonObject:
    """The message with more under extra_content.anthropic."""
    extra = message.get("extra_content")
    others = extra if isinstance(extra, dict) else {}
    return {**message, "extra_content": {**others, "anthropic": {**anthropic(message), **own}}}


def _blocks(content: object) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(objs(content))


def _spoken(content: object) -> object:
    """A content without the blocks that say nothing, unless there are no others."""
    kept = list(filter(_speaks, objs(content)))
    return kept if kept and isinstance(content, list) else content


def _speaks(block: JsonObject) -> bool:
    """Whether it is no empty text. Clients send those back beside thinking and calls, and Gemini refuses such a part
    (router-for-me/CLIProxyAPI#3485, 2026-05)."""
    return block.get("type") != "text" or block.get("text") != ""


def _is_plain(blocks: list[JsonObject]) -> bool:
    """Whether the way back would make a string of these blocks."""
    return not blocks or (len(blocks) == 1 and blocks[0].keys() == {"type", "text"})


def _is_signed(detail: JsonObject) -> bool:
    return bool(detail.get("signature") or detail.get("data"))


def _parts(content: object, path: str, profile: Profile, losses: Losses) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [part for block in objs(content) for part in block_to_parts(block, profile, path, losses)]


def _content(parts: list[JsonObject], listed: bool, profile: Profile) -> str | list[JsonObject]:
    """Parts as the content of a message: one plain text is a string, unless a list has to come back."""
    if profile.carries_anthropic and listed:
        return parts
    kept = [part for part in parts if part.get("text") != ""] if len(parts) > 1 else parts
    if not kept:
        return ""
    only = kept[0]
    plain = len(kept) == 1 and only["type"] == "text" and "extra_content" not in only
    return text(only["text"]) if plain else kept
