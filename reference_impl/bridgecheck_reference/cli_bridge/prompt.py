"""How a prompt reaches gemini-cli so that the model gets it unchanged, and nothing in it is a command (R-36).

The program takes a prompt from its standard input, up to 8 MiB; more is cut off in silence. A prompt that starts with
"/" is a command to it, and "@" before a word puts the file, directory or agent of that name into the prompt; both can
only be escaped by changing the prompt. Such a prompt goes into a command of our own instead, a TOML file in the
program's home whose text the program sends as it is, and the input names that command; so does one of more than a
mebibyte. Three sequences have a meaning in such a file; one of them can be written with the command's argument.
Source: @google/gemini-cli 0.61.0, read and observed (2026-11-23).
"""

import json
import re
from dataclasses import dataclass
from typing import Final

from bridgecheck_reference.context.text import byte_size

MAX_PROMPT_BYTES: Final = 8 * 1024 * 1024
_LARGE_BYTES: Final = 1024 * 1024
"""The program prints its input first, and what it has not written when it exits is lost: of 8 MiB, the result too."""
COMMAND_NAME: Final = "bridgecheck-prompt"

_PATH_REFERENCE: Final = re.compile(r'(?<!\\)@(?:"[^"]*"|\\.|[^ \t\n\r,;!?()\[\]{}.]|\.(?![ \t\n\r]|\Z))')
_ARGUMENT: Final = "{{args}}"
_TRIGGERS: Final = {
    "!{": ("!", re.compile(r"!+(?=\{)"), ""),
    "@{": ("@", re.compile(r"@+(?=\{)"), ""),
    _ARGUMENT: ("{", re.compile(re.escape(_ARGUMENT)), "{args}}"),
}
"""Sequence with a meaning in a command's file -> (argument, what to write with it, what follows the argument)."""


_SUBSTITUTION: Final = re.compile(r"\$\{(?:AgentSkills|SubAgents|AvailableTools|\w+_ToolName)\}")
"""What the program replaces in its instructions. Source: 0.61.0, ``applySubstitutions``, read (2026-11-24)."""


class PromptError(ValueError):
    """A prompt cannot reach the model as it is; nothing was started."""


@dataclass(frozen=True, slots=True)
class CarriedPrompt:
    """``stdin``: what the program gets as its input. ``command_file``: text of ``COMMAND_NAME`` among the program's own
    commands, None if there is none."""

    stdin: bytes
    command_file: str | None = None


def require_carried_instructions(text: str) -> str:
    """Return the system prompt as it is. ``PromptError``: it has half a surrogate pair, or a text that the program
    replaces by something of its own."""
    if found := _SUBSTITUTION.search(text):
        raise PromptError(f"system prompt: gemini-cli replaces {found[0]} by a text of its own: take it out")
    _encode(text, "system prompt")
    return text


def carry_prompt(text: str) -> CarriedPrompt:
    """Return how the prompt is passed on.

    ``PromptError``: it is empty, over 8 MiB, has half a surrogate pair (which UTF-8 cannot say), or has both words that
    the program would resolve and two kinds of the sequences with a meaning in a command's file.
    """
    if not text:
        raise PromptError("prompt: expected text, got an empty one")
    if (size := byte_size(text)) > MAX_PROMPT_BYTES:
        raise PromptError(
            f"prompt: expected at most {MAX_PROMPT_BYTES} bytes, got {size}: gemini-cli cuts the rest off"
        )
    data = _encode(text, "prompt")
    is_interpreted = _is_interpreted(text)
    if not is_interpreted and (len(data) <= _LARGE_BYTES or _count_triggers(text) > 0):
        return CarriedPrompt(data)
    argument, body = _write_command(text)
    return CarriedPrompt(f"/{COMMAND_NAME} {argument}".rstrip().encode(), f"prompt = {_write_toml_string(body)}\n")


def _encode(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise PromptError(f"{name}: half a surrogate pair at character {error.start} is no text") from None


def _is_interpreted(text: str) -> bool:
    is_command = text.startswith("/") and not text.startswith(("//", "/*"))
    return is_command or _PATH_REFERENCE.search(text) is not None


def _count_triggers(text: str) -> int:
    return sum(trigger in text for trigger in _TRIGGERS)


def _write_command(text: str) -> tuple[str, str]:
    """Return the command's argument and its text."""
    found = [trigger for trigger in _TRIGGERS if trigger in text]
    if not found:
        return "", text
    argument, pattern, rest = _TRIGGERS[found[0]]
    body = pattern.sub(lambda match: _ARGUMENT * (1 if rest else len(match[0])) + rest, text)
    if len(found) > 1 or "!{" in body or "@{" in body:
        raise PromptError(
            f"prompt: gemini-cli would resolve words behind '/' or '@' in it, and it has {' and '.join(found)} too, of "
            "which only one kind can be passed on: take one out"
        )
    return argument, body


def _write_toml_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
