"""OpenAI messages -> Gemini contents and system instruction.

System and developer messages at the head become the system instruction; a later one keeps its position, as a user
turn, so that a longer history keeps its prefix. Neighbours of one role are joined (mapping row R-42). The results of
one step stand in one content, in the order of the calls, and every call gets a result: Gemini refuses anything else.
"""

from collections.abc import Iterable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.arguments import ERROR, NO_RESULT, OUTPUT, result_object
from bridgecheck_reference.convert.chat_calls import REPEATED_RESULT, answers_dropped_call, find_repeated_results
from bridgecheck_reference.convert.chat_messages import (
    CONVERTED_MESSAGE_KEYS,
    CONVERTED_PART_KEYS,
    inexpressible_message_keys,
)
from bridgecheck_reference.convert.gemini.parts_from_openai import (
    convert_assistant_message,
    convert_content_part,
    convert_tool_call,
)
from bridgecheck_reference.convert.ids import ID, NAME, CallIndex
from bridgecheck_reference.convert.json_values import NOTHING, arr, google_extra, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import (
    PLACEHOLDER,
    attach_signatures_to_calls_or_empty_tail,
    gemini_signatures_in_details,
)
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses


class ToolStep:
    """The calls of one assistant turn, as ids and parts, and their results, as parts by the position of the call.

    ``files``: media of the results, by the same position; they follow all results. ``index``: there once a result came
    out of order.
    """

    __slots__ = ("calls", "files", "ids", "index", "results")

    def __init__(self, ids: list[str], calls: list[JsonObject]) -> None:
        self.ids = ids
        self.calls = calls
        self.results: dict[int, JsonObject] = {}
        self.files: dict[int, list[JsonObject]] = {}
        self.index: CallIndex | None = None

    def find_call_position(self, message: JsonObject) -> int | None:
        """Return which call a result answers: by id, else the first open one of that name. Mostly the next one in
        order."""
        id, expected = message.get("tool_call_id"), len(self.results)
        if id and self.index is None and expected < len(self.ids) and self.ids[expected] == id:
            return expected
        self.index = self.index or CallIndex()
        for number in range(self.index.size, len(self.calls)):
            self.index.add(self.ids[number], text(obj(self.calls[number]["functionCall"])["name"]))
        kind, key = (ID, text(id)) if text(id) else (NAME, text(message.get("name")))
        return self.index.pop_first_free_position(kind, key, self.results) if key else None

    def results_if_complete_and_in_order(self) -> list[JsonObject] | None:
        """Return the results, if every call has one and they came in order."""
        return [*self.results.values()] if self.index is None and len(self.results) == len(self.calls) else None


_SYSTEM_ROLES: Final = ("system", "developer")
_UNREADABLE_REASON: Final = {"kept": "no JSON object; kept as text under _raw", "empty": "no JSON object; dropped"}
_TEXT_AND_CALL_KEYS: Final = frozenset({"role", "content", "tool_calls"})


class ContentWriter:
    """Writes the contents of one request. ``media_in_results``: media of a tool result stand in it, not beside it."""

    __slots__ = (
        "_losses", "_media_in_results", "_messages", "_profile", "_rename", "_repeated", "_speaker", "_step",
        "contents", "system", "system_name",
    )  # fmt: skip

    def __init__(self, profile: Profile, losses: Losses, rename: Rename, *, media_in_results: bool = False) -> None:
        self._media_in_results = media_in_results
        self.contents: list[JsonObject] = []
        self.system: list[str] = []
        self.system_name = ""
        self._profile = profile
        self._losses = losses
        self._rename = rename
        self._step: ToolStep | None = None
        self._speaker = ""
        self._messages: object = None
        self._repeated: set[int] | None = None

    def write(self, messages: object) -> list[JsonObject]:
        """Write all contents; ``system`` then holds the texts of the system instruction,
        ``system_name`` the first name of a speaker of it. Raises ConversionError."""
        self._messages = messages
        items, position = arr(messages), 0
        while position < len(items):
            message = items[position]
            position += 1
            if not isinstance(message, dict):
                continue
            role, content = message.get("role"), message.get("content")
            if len(message) == 2 and (role == "user" or role == "assistant") and isinstance(content, str) and content:
                self._append_turn("user" if role == "user" else "model", [{"text": content}])
                continue
            answered = (
                self._write_plain_step_and_count_results(message, items, position)
                if len(message) == 3 and role == "assistant"
                else 0
            )
            if not answered:
                self._write_message(message, role)
            position += answered
        self._end_step(last=True)
        if not self.contents and messages:
            self._losses.add("messages", "no user turn: an empty one was added", "info")
            self.contents.append(_create_blank_user_turn())
        elif self._profile.result_placeholder and self._opens_with_call():
            self._losses.add("messages", "a call before any user turn: an empty user turn was added", "info")
            self.contents.insert(0, _create_blank_user_turn())
        return self.contents

    def _write_plain_step_and_count_results(self, message: JsonObject, messages: list[object], position: int) -> int:
        """Write a turn that calls and, right behind it at ``at``, a result for each call in their order.

        Nearly every step has this form. Returns how many results that were; 0 for any other form, with nothing written.
        """
        calls, content = message.get("tool_calls"), message.get("content")
        if type(calls) is not list or "content" not in message or not (content is None or isinstance(content, str)):
            return 0
        if not calls or self._step is not None or len(messages) < position + len(calls):
            return 0
        parts: list[JsonObject] = [{"text": content}] if content else []
        results: list[JsonObject] = []
        for call, result in zip(calls, messages[position : position + len(calls)], strict=True):
            content_text = _plain_result_text(call, result)
            if content_text is None:
                return 0
            made = convert_tool_call(obj(call), "messages[]", self._profile, self._losses, self._rename)
            part, readable = made or (NOTHING, False)
            if not readable:
                return 0
            parts.append(part)
            results.append({"functionResponse": self._create_function_response(part, content_text)})
        self._append_turn("model", parts)
        self._append_turn("user", results)
        return len(results)

    def _create_function_response(self, call_part: JsonObject, content_text: str) -> JsonObject:
        """Return the functionResponse with this text to the call of a part."""
        call, carried = obj(call_part["functionCall"]), self._profile.carry != "nothing"
        response = result_object(content_text, self._profile.tool_wrap, carried=carried)
        if "id" in call:
            return {"id": call["id"], "name": call["name"], "response": response}
        return {"name": call["name"], "response": response}

    def _write_message(self, message: JsonObject, role: object) -> None:
        """Write a message of more than a role and a text."""
        if not (CONVERTED_MESSAGE_KEYS.issuperset(message) or self._profile.carries_openai):
            self._record_inexpressible_keys(message)
        if role == "assistant":
            self._write_assistant(message)
        elif role == "tool" or role == "function":
            self._store_result_or_raise_if_unmatched(message)
        elif role in _SYSTEM_ROLES:
            self._write_system(message)
        elif role == "user":
            self._write_user(message)
        else:
            raise ConversionError(f"messages[].role: unknown role {role!r}", "messages[].role")

    def _opens_with_call(self) -> bool:
        """Return whether the first turn calls: Gemini refuses a call that follows neither a user's turn nor a result
        (google-gemini/gemini-cli#11814)."""
        first = self.contents[0] if self.contents else {}
        return first.get("role") == "model" and any("functionCall" in obj(part) for part in arr(first["parts"]))

    def sign_steps_with_placeholder(self) -> None:
        """Put the documented placeholder on the first call of each step that has no signature. Gemini demands it in the
        running turn; in earlier ones it stays, so that the history of a request is the beginning of the next one's."""
        for content in self.contents:
            parts = arr(content["parts"]) if content["role"] == "model" else []
            first = next((obj(part) for part in parts if "functionCall" in obj(part)), None)
            if first is not None and "thoughtSignature" not in first:
                first["thoughtSignature"] = PLACEHOLDER
                self._losses.add(
                    "messages[].tool_calls[]", "a call without its signature: the placeholder was added", "info"
                )

    def _write_system(self, message: JsonObject) -> None:
        content_text = _content_text(message.get("content"))
        if not content_text.strip():
            return
        if self.contents:
            self._losses.add("messages[].role", "a later system message becomes a user turn", "info")
            self._append_turn("user", [{"text": content_text}])
        else:
            self.system.append(content_text)
            self.system_name = self.system_name or text(message.get("name"))

    def _write_user(self, message: JsonObject) -> None:
        content = message.get("content")
        if isinstance(content, str):
            parts: list[JsonObject] = [{"text": content}]
        else:
            made = (self._convert_user_part(part) for part in objs(content))
            parts = [part for part in made if part]
        if parts:
            self._append_turn("user", parts)

    def _convert_user_part(self, part: JsonObject) -> JsonObject | None:
        """Convert a content part; a carried document keeps a part of OpenAI's that would come back otherwise."""
        made = convert_content_part(part, "messages[]", self._losses)
        if not (made and self._profile.carries_openai):
            return made
        loses_details = "detail" in obj(part.get("image_url")) or "file_id" in obj(part.get("file"))
        if loses_details or not CONVERTED_PART_KEYS.issuperset(part):
            return {**made, "extraContent": {"openai": {"part": part}}}
        return made

    def _write_assistant(self, message: JsonObject) -> None:
        ids: list[str] = []
        calls: list[JsonObject] = []
        tool_calls: Iterable[JsonObject] = objs(message.get("tool_calls"))
        if "function_call" in message:
            legacy = message["function_call"]
            tool_calls = (*tool_calls, {"function": legacy}) if isinstance(legacy, dict) else tool_calls
        for call in tool_calls:
            made = convert_tool_call(call, "messages[]", self._profile, self._losses, self._rename)
            if made is None:
                continue
            part, readable = made
            if not readable:
                reason = _UNREADABLE_REASON[self._profile.bad_arguments]
                self._losses.add("messages[].tool_calls[].function.arguments", reason)
            id = call.get("id")
            ids.append(id if isinstance(id, str) else "")
            calls.append(part)
        parts = self._convert_assistant_parts(message, calls)
        if "reasoning_details" in message and self._profile.signatures == "carry":
            attach_signatures_to_calls_or_empty_tail(
                parts, ids, gemini_signatures_in_details(message["reasoning_details"])
            )
        if parts:
            self._append_turn("model", parts)
        if calls:
            if self._step is None:
                self._step = ToolStep(ids, [*calls])
            else:
                self._step.ids += ids
                self._step.calls += calls

    def _convert_assistant_parts(self, message: JsonObject, calls: list[JsonObject]) -> list[JsonObject]:
        """Return the parts of a message; ``calls`` are its tool calls as parts. Text and calls alone take a short
        path."""
        if _TEXT_AND_CALL_KEYS.issuperset(message):
            content = message.get("content")
            if not content:
                return calls
            if isinstance(content, str):
                return [{"text": content}, *calls]
        return convert_assistant_message(message, calls, "messages[]", self._profile, self._losses)

    def _store_result_or_raise_if_unmatched(self, message: JsonObject) -> None:
        """Keep a tool message until its step is complete."""
        step = self._step
        position = step.find_call_position(message) if step else None
        if step is None or position is None:
            reference = text(message.get("tool_call_id")) or text(message.get("name"))
            if answers_dropped_call(self._messages, reference):
                self._losses.add("messages[].tool_call_id", "the result of a call that was left out")
                return
            if self._is_repeated_result(message):
                self._losses.add("messages[].tool_call_id", REPEATED_RESULT)
                return
            raise ConversionError(f"messages[].tool_call_id: {reference!r} answers no call", "messages[].tool_call_id")
        content = message.get("content")
        content_text = content if isinstance(content, str) else _content_text(content)
        response = self._create_function_response(step.calls[position], content_text)
        if "extra_content" in message:
            _apply_carried_result_members(response, content_text, message)
        step.results[position] = {"functionResponse": response}
        files = self._convert_files(content) if isinstance(content, list) else []
        if files and self._media_in_results:
            response["parts"] = files
        elif files:
            step.files[position] = files

    def _is_repeated_result(self, message: JsonObject) -> bool:
        if self._repeated is None:
            self._repeated = find_repeated_results(self._messages)
        return id(message) in self._repeated

    def _convert_files(self, content: list[object]) -> list[JsonObject]:
        """Return the media of a tool message, as parts."""
        media_parts = [part for part in objs(content) if part.get("type") not in ("text", "input_text")]
        made = (convert_content_part(part, "messages[]", self._losses) for part in media_parts)
        return [part for part in made if part]

    def _append_turn(self, role: str, parts: list[JsonObject]) -> None:
        """Append a turn, joined with the one before if that is of the same role."""
        if self._step is not None and (role == "user" or self._step.results):
            self._end_step()
        if role == self._speaker:
            arr(self.contents[-1]["parts"]).extend(parts)
        else:
            self._speaker = role
            self.contents.append({"parts": parts, "role": role})

    def _end_step(self, *, last: bool = False) -> None:
        """Write the results of a step in one content, in call order.

        A call without one gets a placeholder, unless the history ends with its calls.
        """
        step, self._step = self._step, None
        if step is None or (last and not step.results):
            return
        parts = step.results_if_complete_and_in_order() or self._results_by_call(step)
        for position in sorted(step.files):
            parts += step.files[position]
        if parts:
            self._speaker = "user"
            self.contents.append({"parts": parts, "role": "user"})

    def _results_by_call(self, step: ToolStep) -> list[JsonObject]:
        """Return the results in the order of the calls, with placeholders where the profile has them."""
        parts: list[JsonObject] = []
        for position, call in enumerate(step.calls):
            result = step.results.get(position)
            if result is not None:
                parts.append(result)
            elif self._profile.result_placeholder:
                parts.append(self._create_placeholder_result(call))
        return parts

    def _create_placeholder_result(self, call_part: JsonObject) -> JsonObject:
        """Return the part of a result to a call that has none."""
        self._losses.add("messages[].tool_calls[]", "a call without result: a placeholder was added")
        call = obj(call_part["functionCall"])
        response: JsonObject = {key: call[key] for key in ("id", "name") if key in call}
        response["response"] = {ERROR: NO_RESULT}
        return {"functionResponse": response}

    def _record_inexpressible_keys(self, message: JsonObject) -> None:
        for key in inexpressible_message_keys(message):
            self._losses.add(f"messages[].{key}", "a Gemini content has no place for it", "info")


def _apply_carried_result_members(response: JsonObject, content_text: str, message: JsonObject) -> None:
    """Put what was carried beside a tool message back into its result."""
    carried = google_extra(message)
    if carried.get("as_text"):
        response["response"] = {OUTPUT: content_text}
    if obj(message["extra_content"]).get("is_error") is True:
        response["response"] = {ERROR: content_text}
    response.update(obj(carried.get("rest")))
    if "parts" in carried:
        response["parts"] = carried["parts"]


def _plain_result_text(call: object, message: object) -> str | None:
    """Return the text of a tool message that answers this call and holds nothing else; None for any other."""
    if type(call) is not dict or type(message) is not dict or len(message) != 3 or message.get("role") != "tool":
        return None
    content_text, id = message.get("content"), message.get("tool_call_id")
    return content_text if type(content_text) is str and id and id == call.get("id") else None


def _create_blank_user_turn() -> JsonObject:
    return {"parts": [{"text": " "}], "role": "user"}


def _content_text(content: object) -> str:
    """Return the text of a message's content."""
    if isinstance(content, list):
        return "".join(text(part.get("text")) if isinstance(part, dict) else text(part) for part in content)
    return text(content)
