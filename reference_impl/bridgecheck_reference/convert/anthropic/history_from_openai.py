"""OpenAI messages -> Anthropic messages and system prompt (mapping row R-49).

System and developer messages at the head become the system prompt; a later one keeps its position, as the user's.
Neighbours of one role are joined. The results of a step stand at the head of the user message that follows the calls,
and every call gets one: Anthropic refuses anything else, and empty texts, and an empty conversation.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.blocks import anthropic_id, assistant_blocks, without_blanks, without_end
from bridgecheck_reference.convert.anthropic.media import part_to_block
from bridgecheck_reference.convert.arguments import NO_RESULT
from bridgecheck_reference.convert.chat_calls import answers_left_out
from bridgecheck_reference.convert.chat_messages import IN_MESSAGE, unsaid_in
from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.convert.json_values import anthropic, arr, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

PATH: Final = "messages[]"
FILLER: Final = "."
"""What the user says where nobody says anything: Anthropic refuses white space."""

_SYSTEM: Final = ("system", "developer")


class HistoryWriter:
    """Writes the messages of one request."""

    __slots__ = ("_all", "_ids", "_keeps", "_losses", "_profile", "_rename", "_results", "messages", "system")

    def __init__(self, profile: Profile, losses: Losses, rename: Rename) -> None:
        self.messages: list[JsonObject] = []
        self.system: str | list[JsonObject] = ""
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._keeps = profile.carries_anthropic
        self._ids = CallIds(None if self._keeps else anthropic_id)
        self._results = 0
        self._all: object = None

    def write(self, messages: object) -> list[JsonObject]:
        """All messages; ``system`` holds the system prompt. Raises ConversionError."""
        self._all = messages
        for message in objs(messages):
            role = message.get("role")
            if not IN_MESSAGE.issuperset(message):
                self._unsaid(message)
            if role == "assistant":
                self._assistant(message)
            elif role == "tool" or role == "function":
                self._result(message)
            elif role in _SYSTEM:
                self._system(message)
            elif role == "user":
                self._say("user", self._content(message.get("content")), message)
            else:
                raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")
        if not self._keeps:
            self._answer_open_calls()
            self._say_something(bool(messages))
            self._end()
        return self.messages

    def _system(self, message: JsonObject) -> None:
        content = self._content(message.get("content"))
        if not content:
            return
        if self._keeps and self.messages:
            self.messages.append({"role": "system", "content": content})
        elif self.messages:
            self._losses.add("messages[].role", "a system message in mid-conversation is said by the user", "info")
            self._say("user", content, {})
        elif self.system:
            self.system = [*_blocks(self.system), *_blocks(content)]
        else:
            self.system = content

    def _content(self, content: object) -> str | list[JsonObject]:
        """Content as Anthropic has it: a string for one plain text, "" or [] for nothing."""
        if isinstance(content, str):
            return content if content.strip() or self._keeps else ""
        made = (part_to_block(part, PATH, self._losses) for part in objs(content))
        blocks = [block for block in made if block]
        blocks = blocks if self._keeps else without_blanks(blocks, PATH, self._losses)
        if not self._keeps and len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            return text(blocks[0]["text"])
        return blocks

    def _assistant(self, message: JsonObject) -> None:
        if not self._keeps and self.messages and self.messages[-1]["role"] == "user":
            self._answer_open_calls()
        blocks = assistant_blocks(message, self._profile, self._losses, PATH, self._ids.call, self._rename)
        plain = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
        listed = anthropic(message).get("content") == "blocks"
        if plain and not listed:
            self._say("assistant", text(blocks[0]["text"]), message)
        elif blocks or not self._keeps:
            self._say("assistant", blocks, message)
        else:
            self._say("assistant", [] if listed else "", message)

    def _say(self, role: str, content: str | list[JsonObject], message: JsonObject) -> None:
        """A turn; joined with the one before if that is of the same role."""
        if not content and not self._keeps:
            return
        joins = bool(anthropic(message).get("joined")) if self._keeps else True
        last = self.messages[-1] if self.messages else {}
        if joins and last.get("role") == role:
            _opened(last).extend(_blocks(content))
            return
        self.messages.append({"role": role, "content": content})
        self._results = 0

    def _result(self, message: JsonObject) -> None:
        given = text(message.get("tool_call_id"))
        id = self._ids.result(text(message.get("name")), given)
        if not id and self._keeps:
            id = given
        if not id:
            said = given or text(message.get("name"))
            if answers_left_out(self._all, said):
                self._losses.add("messages[].tool_call_id", "the result of a call that was left out")
                return
            raise ConversionError(f"messages[].tool_call_id: {said!r} answers no call", "messages[].tool_call_id")
        block: JsonObject = {"type": "tool_result", "tool_use_id": id}
        content = self._content(message.get("content"))
        own = anthropic(message)
        if (content or self._keeps) and own.get("content") != "none":
            block["content"] = content
        if obj(message.get("extra_content")).get("is_error") is True:
            block["is_error"] = True
        block.update(obj(own.get("rest")))
        self._insert(block, message)

    def _insert(self, block: JsonObject, message: JsonObject) -> None:
        """Behind the results before it, at the head of the user message that follows the calls."""
        if self._keeps:
            self._say("user", [block], message)
            return
        if self.messages[-1]["role"] != "user":
            self.messages.append({"role": "user", "content": []})
            self._results = 0
        _opened(self.messages[-1]).insert(self._results, block)
        self._results += 1

    def _answer_open_calls(self) -> None:
        """Placeholders for calls without result, also at the end: Anthropic refuses such a call anywhere."""
        for id, _ in self._ids.unanswered if self._profile.result_placeholder else ():
            self._losses.add("messages[].tool_calls[]", "a call without result: a placeholder was added")
            block: JsonObject = {"type": "tool_result", "tool_use_id": id, "content": NO_RESULT, "is_error": True}
            self._insert(block, {})
        self._ids.step()

    def _say_something(self, anything: bool) -> None:
        if anything and not self.messages:
            self._losses.add("messages", "nothing said by the user: a turn was added", "info")
            self.messages.append({"role": "user", "content": FILLER})

    def _end(self) -> None:
        """A last word of the assistant, to be continued, must not end in white space."""
        last = self.messages[-1] if self.messages else {}
        if last.get("role") != "assistant":
            return
        blocks = _blocks(last["content"])
        kept = without_end(blocks)
        if kept != blocks:
            self._losses.add("messages[].content", "white space at the end of a prefilled answer", "info")
            last["content"] = text(kept[0]["text"]) if isinstance(last["content"], str) else kept

    def _unsaid(self, message: JsonObject) -> None:
        for key in unsaid_in(message):
            self._losses.add(f"messages[].{key}", "an Anthropic message has no place for it", "info")


def _blocks(content: object) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [obj(block) for block in arr(content)]


def _opened(message: JsonObject) -> list[object]:
    """The content of a message of ours as a list that can grow."""
    if isinstance(message["content"], str):
        message["content"] = _blocks(message["content"])
    return arr(message["content"])
