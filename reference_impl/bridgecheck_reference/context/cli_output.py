"""The text of an answer in what gemini-cli prints.

With ``-o stream-json`` it prints one JSON object a line: ``init``, the prompt as a ``message`` of role ``user``, the
answer as ``message`` of role ``assistant`` in pieces (``"delta": true``), ``tool_use``, ``tool_result``, ``error`` and
at the end ``result`` with a ``status``. Source: @google/gemini-cli 0.61.0, observed (2026-11-23). Nothing relies on the
order of lines. Older descriptions call the format ``jsonl``, which the program refuses, and end it with
``{"type": "result", "success": true}``, which is read too.
"""

import json
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from bridgecheck_reference.context.json_lines import JsonLines

OutputFormat: TypeAlias = Literal["stream-json", "json", "text"]
OUTPUT_FORMATS: Final[tuple[OutputFormat, ...]] = get_args(OutputFormat)

_ANSI: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: titles, links
    r"|\x1b[ -/]*[0-~]"  # the rest
)
"""Source: ECMA-48, 5.3 to 5.5; xterm's control sequences for commands that end with BEL."""


class CliOutputError(ValueError):
    """The output cannot be read, or no such format exists."""


@dataclass(frozen=True, slots=True)
class CliOutput:
    """``text``: of the answer, without terminal escape sequences; "" for none. ``succeeded``: as the program says at
    its end, None where it did not. ``error``: its message, "" for none. ``foreign_lines``: how many were no events."""

    text: str
    succeeded: bool | None = None
    error: str = ""
    foreign_lines: int = 0


def strip_ansi(text: str) -> str:
    """Return the text without terminal escape sequences."""
    return _ANSI.sub("", text)


def require_output_format(name: str) -> OutputFormat:
    """Return the format of that name. ``CliOutputError`` for one that gemini-cli does not have."""
    if name not in OUTPUT_FORMATS:
        raise CliOutputError(f"output format: expected one of {', '.join(OUTPUT_FORMATS)}, got {name!r}")
    return name


class CliOutputReader:
    """Reads stream-json in pieces of any size: ``feed`` bytes, then ``close``."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._texts: list[str] = []
        self._succeeded: bool | None = None
        self._error = ""

    def feed(self, data: bytes) -> None:
        for event in self._lines.feed(data):
            self._read_event(event)

    def close(self) -> CliOutput:
        """Return what was printed. ``CliOutputError`` if a line was too long to be read."""
        for event in self._lines.close():
            self._read_event(event)
        if self._lines.oversized_lines:
            raise CliOutputError(f"{self._lines.oversized_lines} lines were too long to be read")
        # At the end, because a sequence may be cut in two by the pieces of the answer.
        text = strip_ansi("".join(self._texts))
        return CliOutput(text, self._succeeded, self._error, self._lines.foreign_lines)

    def _read_event(self, event: dict[str, object]) -> None:
        content = event.get("content")
        if event.get("type") == "message" and event.get("role") == "assistant" and isinstance(content, str):
            self._texts.append(content)
        elif event.get("type") == "result":
            self._succeeded = read_success(event)
            self._error = read_error_message(event)


def read_success(result: dict[str, object]) -> bool:
    """Whether a ``result`` event tells of success: ``status`` if it has one, else ``success``."""
    return result["status"] == "success" if "status" in result else result.get("success") is True


def read_error_message(document: dict[str, object]) -> str:
    """Return ``error.message``, "" where there is none."""
    error = document.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) else ""


def parse_cli_output(data: bytes, output_format: str = "stream-json") -> CliOutput:
    """Return the answer in the whole output of a run. ``CliOutputError``: no such format, or no such document.

    ``json`` is one document with ``response`` or ``error``; ``text`` is the answer alone and tells nothing of success.
    """
    match require_output_format(output_format):
        case "stream-json":
            reader = CliOutputReader()
            reader.feed(data)
            return reader.close()
        case "json":
            return _parse_document(data)
        case "text":
            return CliOutput(strip_ansi(data.decode("utf-8", "replace")))


def _parse_document(data: bytes) -> CliOutput:
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CliOutputError(f"output: expected one JSON object, got something else ({error})") from None
    if not isinstance(document, dict):
        raise CliOutputError(f"output: expected one JSON object, got {type(document).__name__}")
    response = document.get("response")
    text = strip_ansi(response) if isinstance(response, str) else ""
    return CliOutput(text, document.get("error") is None, read_error_message(document))
