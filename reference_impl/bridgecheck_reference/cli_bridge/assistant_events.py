"""Bytes of stream-json in, events of pi's stream protocol out; no IO.

Events: ``start``; for each block ``text_start``, ``text_delta``, ``text_end``, and the same with ``thinking_`` and
``toolcall_``; at the end ``done`` with ``message``, or ``error`` with the message so far as ``error``. All but the last
hold a ``partial`` message. Source: pi-ai 0.73.1 (2026-11-20).

The program runs its tools itself: a ``toolCall`` block has ``executed: true``, and a ``result`` once there is one,
which comes as a ``tool_result`` event; the reason is ``stop``, and nobody has to run it again. gemini-cli 0.61.0 prints
no thoughts in this format; a ``thought`` event, its own name for them, would be a block. It does not say either that it
tried again after half an answer: the text is then half an answer and a whole one.
"""

import json
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from bridgecheck_reference.cli_bridge.exit_codes import describe_exit_code, http_status_of_exit_code
from bridgecheck_reference.context.cli_output import read_error_message, read_success
from bridgecheck_reference.context.json_lines import JsonLines

Event: TypeAlias = dict[str, object]

API: Final = "gemini-cli"
_UNKNOWN_OPTION: Final = "Unknown argument"
_TOO_OLD: Final = "it may be too old: 0.61.0 has the options used here"
_UNANSWERED: Final = (
    "gemini-cli reports success, but gave no answer and counted no token: it did not call its model, as for a prompt "
    "beyond the model's window"
)
"""Source: observed with 0.61.0 (2026-11-24), a prompt of 5 MiB."""
_NO_COST: Final = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
_FIELDS: Final = {"text": "text", "thinking": "thinking"}
"""Type of a block that grows -> its field."""


class AssistantEvents:
    """One answer. ``start``, then ``feed`` bytes, then one of ``close``, ``abort``, ``fail``; each returns events.

    ``model``: the id in the messages. ``timestamp``: milliseconds since 1970 in them.
    """

    def __init__(self, model: str, timestamp: int) -> None:
        self._lines = JsonLines()
        self._blocks: list[Event] = []
        self._is_open = False
        self._result: Event | None = None
        self._printed_error = ""
        self._head: Event = {"role": "assistant", "api": API, "provider": API, "model": model, "timestamp": timestamp}
        self._usage: Event = _read_usage({})

    @property
    def foreign_lines(self) -> int:
        """How many lines were no events."""
        return self._lines.foreign_lines

    @property
    def has_content(self) -> bool:
        """Whether any block was begun."""
        return bool(self._blocks)

    def start(self) -> list[Event]:
        return [self._event("start")]

    def feed(self, data: bytes) -> list[Event]:
        return [event for line in self._lines.feed(data) for event in self._read(line)]

    def close(self, exit_code: int, stderr: str = "") -> list[Event]:
        """Return the last events. The ``result`` that was printed says how it ended, whatever the exit code; without
        one it failed, whatever the exit code."""
        found = [event for line in self._lines.close() for event in self._read(line)]
        if self._lines.oversized_lines:
            return [*found, *self.fail("gemini-cli printed a line that is too long to be read")]
        if self._result is not None and read_success(self._result):
            if self._is_unanswered:
                return [*found, *self.fail(_UNANSWERED)]
            message = self._message("stop")
            return [*found, *self._end_block(), {"type": "done", "reason": "stop", "message": message}]
        reasons = [
            read_error_message(self._result) if self._result else "gemini-cli ended without a result",
            self._printed_error,
            describe_exit_code(exit_code) if exit_code else "",
            "" if self._result else stderr.strip(),
            _TOO_OLD if not self._result and _UNKNOWN_OPTION in stderr else "",
        ]
        return [*found, *self.fail("; ".join(filter(None, reasons)), http_status_of_exit_code(exit_code))]

    @property
    def _is_unanswered(self) -> bool:
        """Whether nothing came, and by its own counts the model was not called."""
        has_counts = self._result is not None and isinstance(self._result.get("stats"), dict)
        return has_counts and not self._blocks and not (self._usage["input"] or self._usage["totalTokens"])

    def abort(self, reason: str) -> list[Event]:
        """Return the end of an answer that the caller does not wait for."""
        return self._fail("aborted", reason, None)

    def fail(self, reason: str, status: int | None = None) -> list[Event]:
        """Return the end of an answer that failed. ``status``: of HTTP, None if it is not known."""
        return self._fail("error", reason or "gemini-cli failed", status)

    def _fail(self, kind: str, reason: str, status: int | None) -> list[Event]:
        error = {**self._message(kind), "errorMessage": reason, "errorStatus": status}
        return [{"type": "error", "reason": kind, "error": error}]

    def _read(self, line: Event) -> list[Event]:
        kind = line.get("type")
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        return handler(self, line) if handler else []

    def _read_message(self, line: Event) -> list[Event]:
        content = line.get("content")
        is_answer = line.get("role") == "assistant" and isinstance(content, str) and content
        return self._grow("text", str(content)) if is_answer else []

    def _read_thought(self, line: Event) -> list[Event]:
        value = line.get("value", line)
        texts = [value.get(name) for name in ("subject", "description")] if isinstance(value, dict) else []
        text = "\n".join(text for text in texts if isinstance(text, str) and text)
        return self._grow("thinking", text) if text else []

    def _read_tool_use(self, line: Event) -> list[Event]:
        arguments = line.get("parameters")
        call: Event = {
            "type": "toolCall", "id": str(line.get("tool_id", "")), "name": str(line.get("tool_name", "")),
            "arguments": arguments if isinstance(arguments, dict) else {}, "executed": True,
        }  # fmt: skip
        found = self._end_block()
        self._blocks.append(call)
        at, delta = len(self._blocks) - 1, json.dumps(call["arguments"], ensure_ascii=False)
        found.append(self._event("toolcall_start", contentIndex=at))
        found.append(self._event("toolcall_delta", contentIndex=at, delta=delta))
        found.append(self._event("toolcall_end", contentIndex=at, toolCall=dict(call)))
        return found

    def _read_tool_result(self, line: Event) -> list[Event]:
        tool_id, output = str(line.get("tool_id", "")), line.get("output")
        text = output if isinstance(output, str) else read_error_message(line)
        result = {"content": text, "isError": line.get("status") != "success"}
        for block in self._blocks:
            if block["type"] == "toolCall" and block["id"] == tool_id and "result" not in block:
                block["result"] = result
                break
        return [self._event("tool_result", toolCallId=tool_id, **result)]

    def _read_error(self, line: Event) -> list[Event]:
        message = line.get("message")
        if line.get("severity") == "error" and isinstance(message, str):
            self._printed_error = message
        return []

    def _read_result(self, line: Event) -> list[Event]:
        self._result = line
        self._usage = _read_usage(line.get("stats"))
        return []

    def _grow(self, kind: str, delta: str) -> list[Event]:
        """Return the events of more text, in the open block if it is of this kind."""
        field, found = _FIELDS[kind], []
        if not self._is_open or self._blocks[-1]["type"] != kind:
            found = self._end_block()
            self._blocks.append({"type": kind, field: ""})
            self._is_open = True
            found.append(self._event(f"{kind}_start", contentIndex=len(self._blocks) - 1))
        block = self._blocks[-1]
        block[field] = f"{block[field]}{delta}"
        found.append(self._event(f"{kind}_delta", contentIndex=len(self._blocks) - 1, delta=delta))
        return found

    def _end_block(self) -> list[Event]:
        if not self._is_open:
            return []
        self._is_open = False
        block, at = self._blocks[-1], len(self._blocks) - 1
        kind = str(block["type"])
        return [self._event(f"{kind}_end", contentIndex=at, content=block[_FIELDS[kind]])]

    def _event(self, kind: str, **members: object) -> Event:
        return {"type": kind, **members, "partial": self._message("stop")}

    def _message(self, stop_reason: str) -> Event:
        content = [dict(block) for block in self._blocks]
        return {**self._head, "content": content, "usage": dict(self._usage), "stopReason": stop_reason}


_HANDLERS: Final[Mapping[str, Callable[[AssistantEvents, Event], list[Event]]]] = {
    "message": AssistantEvents._read_message,
    "thought": AssistantEvents._read_thought,
    "tool_use": AssistantEvents._read_tool_use,
    "tool_result": AssistantEvents._read_tool_result,
    "error": AssistantEvents._read_error,
    "result": AssistantEvents._read_result,
}


def _read_usage(stats: object) -> Event:
    """Return the tokens: ``input`` without those from the cache. What is no count is 0."""
    found = stats if isinstance(stats, dict) else {}

    def count(name: str) -> int:
        value = found.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

    cached = count("cached")
    uncached = count("input") if "input" in found else max(count("input_tokens") - cached, 0)
    return {
        "input": uncached, "output": count("output_tokens"), "cacheRead": cached, "cacheWrite": 0,
        "totalTokens": count("total_tokens"), "cost": dict(_NO_COST),
    }  # fmt: skip
