"""OpenAI messages -> Gemini contents and system instruction.

System and developer messages at the head become the system instruction; a later one stays where it was said, as a user
turn, so that a longer history keeps its prefix. Neighbours of one role are joined. The results of one step stand in
one content, in the order of the calls, and every call gets a result: Gemini refuses anything else.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT, OUTPUT, result_object
from bridgecheck_reference.convert.message_to_parts import assistant_parts, call_part, content_part, is_call
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.parts_to_message import PLACEHOLDER
from bridgecheck_reference.convert.read import arr, google, obj, objs, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

_SYSTEM: Final = frozenset({"system", "developer"})
_SAID: Final = frozenset({
    "role", "content", "tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning",
    "reasoning_details", "refusal", "images", "extra_content",
})  # fmt: skip
_TEXT_ONLY: Final = frozenset({"role", "content"})
_CALLS_ONLY: Final = _TEXT_ONLY | {"tool_calls"}


class _Step:
    """The calls of one assistant turn as (id, functionCall), and their results as parts, by the place of the call."""

    __slots__ = ("calls", "results")

    def __init__(self) -> None:
        self.calls: list[tuple[str, JsonObject]] = []
        self.results: dict[int, list[JsonObject]] = {}


class ContentWriter:
    """Writes the contents of one request."""

    __slots__ = ("_losses", "_profile", "_rename", "_step", "contents", "system")

    def __init__(self, profile: Profile, losses: Losses, rename: Rename) -> None:
        self.contents: list[JsonObject] = []
        self.system: list[str] = []
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._step: _Step | None = None

    def write(self, messages: object) -> list[JsonObject]:
        """All contents; ``system`` holds the texts of the system instruction. Raises ConversionError."""
        for message in arr(messages):
            if not isinstance(message, dict):
                continue
            role = message.get("role")
            if not message.keys() <= _SAID:
                self._unsaid(message)
            if role == "assistant":
                self._assistant(message)
            elif role == "tool" or role == "function":
                self._result(message)
            elif role in _SYSTEM:
                self._system(message)
            elif role == "user":
                self._user(message)
            else:
                raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")
        self._end_step(last=True)
        if not self.contents and messages:
            self._losses.add("messages", "nothing said by the user: an empty user turn was added", "info")
            self.contents.append({"parts": [{"text": " "}], "role": "user"})
        return self.contents

    def sign_open_calls(self) -> None:
        """The documented placeholder on the first call of each step of the running turn that has no signature."""
        for content in reversed(self.contents):
            parts = arr(content["parts"])
            if content["role"] == "user" and any("functionResponse" not in obj(part) for part in parts):
                return
            first = next((obj(part) for part in parts if "functionCall" in obj(part)), None)
            if first is not None and "thoughtSignature" not in first:
                first["thoughtSignature"] = PLACEHOLDER
                self._losses.add(
                    "messages[].tool_calls[]", "a call without its signature: the placeholder was added", "info"
                )

    def _system(self, message: JsonObject) -> None:
        words = _words(message.get("content"))
        if not words.strip():
            return
        if self.contents:
            self._losses.add("messages[].role", "a system message in mid-conversation is said by the user", "info")
            self._say("user", [{"text": words}])
        else:
            self.system.append(words)

    def _user(self, message: JsonObject) -> None:
        content = message.get("content")
        if isinstance(content, str):
            parts: list[JsonObject] = [{"text": content}]
        else:
            made = (content_part(part, "messages[]", self._losses) for part in objs(content))
            parts = [part for part in made if part]
        if parts:
            self._say("user", parts)

    def _assistant(self, message: JsonObject) -> None:
        if message.keys() == _TEXT_ONLY and isinstance(message["content"], str):
            if message["content"]:
                self._say("model", [{"text": message["content"]}])
            return
        calls = [call for call in objs(message.get("tool_calls")) if is_call(call, "messages[]", self._losses)]
        legacy = message.get("function_call")
        if isinstance(legacy, dict) and is_call({"function": legacy}, "messages[]", self._losses):
            calls.append({"function": legacy})
        made = [self._call(call) for call in calls]
        if message.keys() <= _CALLS_ONLY and not message.get("content"):
            parts = made
        else:
            parts = assistant_parts(message, made, "messages[]", self._profile, self._losses)
        if not parts:
            return
        self._say("model", parts)
        if calls:
            if self._step is None:
                self._step = _Step()
            self._step.calls += [
                (text(call.get("id")), obj(part["functionCall"])) for call, part in zip(calls, made, strict=True)
            ]

    def _call(self, call: JsonObject) -> JsonObject:
        part, readable = call_part(call, self._profile, self._rename)
        if not readable:
            self._losses.add("messages[].tool_calls[].function.arguments", "no JSON object; kept as text under _raw")
        return part

    def _result(self, message: JsonObject) -> None:
        """A tool message, kept until its step is complete."""
        step = self._step
        id, name = text(message.get("tool_call_id")), text(message.get("name"))
        place = _place(step, id, name) if step else None
        if step is None or place is None:
            raise ConversionError(f"messages[].tool_call_id: {id or name!r} answers no call", "messages[].tool_call_id")
        call = step.calls[place][1]
        content = message.get("content")
        words, files = (content, []) if isinstance(content, str) else self._result_content(message)
        response: JsonObject = {"id": call["id"]} if "id" in call else {}
        response["name"] = call["name"]
        response["response"] = result_object(words)
        if "extra_content" in message:
            carried = google(message)
            if carried.get("as_text"):
                response["response"] = {OUTPUT: words}
            response.update(obj(carried.get("rest")))
            if "parts" in carried:
                response["parts"] = carried["parts"]
        step.results[place] = [{"functionResponse": response}, *files]

    def _result_content(self, message: JsonObject) -> tuple[str, list[JsonObject]]:
        """The text of a tool message, and its media as parts."""
        content = message.get("content")
        if not isinstance(content, list):
            return _words(content), []
        others = [part for part in objs(content) if part.get("type") not in ("text", "input_text")]
        made = (content_part(part, "messages[]", self._losses) for part in others)
        return _words(content), [part for part in made if part]

    def _say(self, role: str, parts: list[JsonObject]) -> None:
        """A turn; joined with the one before if that is of the same role."""
        if (self._step is not None and role == "model" and self._step.results) or (
            self._step is not None and role == "user"
        ):
            self._end_step()
        if self.contents and self.contents[-1]["role"] == role:
            arr(self.contents[-1]["parts"]).extend(parts)
        else:
            self.contents.append({"parts": parts, "role": role})

    def _end_step(self, *, last: bool = False) -> None:
        """The results of a step in one content, in call order; a call without one gets a placeholder, unless the
        history ends with its calls."""
        step, self._step = self._step, None
        if step is None or (last and not step.results):
            return
        parts: list[JsonObject] = []
        files: list[JsonObject] = []
        for place, (_, call) in enumerate(step.calls):
            said = step.results.get(place)
            if said is None and not self._profile.result_placeholder:
                continue
            if said is None:
                self._losses.add("messages[].tool_calls[]", "a call without result: a placeholder was added")
                response: JsonObject = {key: call[key] for key in ("id", "name") if key in call}
                response["response"] = {ERROR: NO_RESULT}
                said = [{"functionResponse": response}]
            parts.append(said[0])
            files += said[1:]
        if parts:
            self.contents.append({"parts": parts + files, "role": "user"})

    def _unsaid(self, message: JsonObject) -> None:
        for key in message.keys() - _SAID:
            if message[key] not in (None, False, []) and not (
                key == "name" and message.get("role") in ("tool", "function")
            ):
                self._losses.add(f"messages[].{key}", "a Gemini content has no place for it", "info")


def _place(step: _Step, id: str, name: str) -> int | None:
    """Which call a result answers: by id, else the first open one of that name."""
    expected = len(step.results)
    if id and expected < len(step.calls) and step.calls[expected][0] == id and expected not in step.results:
        return expected
    free = [place for place in range(len(step.calls)) if place not in step.results]
    if id:
        return next((place for place in free if step.calls[place][0] == id), None)
    return next((place for place in free if step.calls[place][1]["name"] == name), None)


def _words(content: object) -> str:
    """The text of a message's content."""
    if isinstance(content, list):
        return "".join(text(part.get("text")) if isinstance(part, dict) else text(part) for part in content)
    return text(content)
