"""What a prompt is assembled from, and what comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

DEFAULT_MAX_BYTES: Final = 768 * 1024

SectionName: TypeAlias = Literal["instructions", "team_task", "conversation", "task"]


class AssemblyInputError(ValueError):
    """An input has a value that no prompt can be made of. ``field``: its path, as in ``context_messages[2]``."""

    def __init__(self, field: str, expected: str, actual: object) -> None:
        super().__init__(f"{field}: expected {expected}, got {type(actual).__name__}")
        self.field = field


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """One message of the conversation so far. Its texts go into the prompt untouched, empty ones too.

    ``to``: whom it was for, None or "" for everybody; Gemini's prompt does not say. ``AssemblyInputError`` where a
    field is no text.
    """

    from_: str
    content: str
    to: str | None = None

    def __post_init__(self) -> None:
        _require_text("from_", self.from_)
        _require_text("content", self.content)
        if self.to is not None:
            _require_text("to", self.to)


@dataclass(frozen=True, slots=True)
class AssemblyInput:
    """What one prompt is made of.

    ``context_messages``: oldest first. ``current_message``, ``team_task``, ``system_instruction``,
    ``instruction_file_text``: trimmed; None and blank make no section. ``max_bytes``: size of the prompt as UTF-8 that
    it should not exceed; 0 and less is a budget that no text fits in. ``AssemblyInputError`` where a field has another
    type.
    """

    context_messages: Sequence[ContextMessage]
    current_message: str | None
    team_task: str | None = None
    system_instruction: str | None = None
    instruction_file_text: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES

    def __post_init__(self) -> None:
        if not isinstance(self.context_messages, list | tuple):
            raise AssemblyInputError("context_messages", "a list or tuple", self.context_messages)
        for position, message in enumerate(self.context_messages):
            if not isinstance(message, ContextMessage):
                raise AssemblyInputError(f"context_messages[{position}]", "a ContextMessage", message)
        for name in ("current_message", "team_task", "system_instruction", "instruction_file_text"):
            if (value := getattr(self, name)) is not None:
                _require_text(name, value)
        if not isinstance(self.max_bytes, int) or isinstance(self.max_bytes, bool):
            raise AssemblyInputError("max_bytes", "a whole number", self.max_bytes)


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """Where a section stands: ``prompt[start:end]``, and ``prompt[body_start:end]`` without its header.

    Nothing in a prompt is escaped, so a message may hold a line that looks like a header. Spans tell which one is.
    """

    name: SectionName
    start: int
    body_start: int
    end: int


@dataclass(frozen=True, slots=True)
class AssemblyResult:
    """``prompt``: "" where there is nothing to say. ``system_flag``: what goes to the program apart from the prompt,
    None where nothing does. ``over_budget``: the prompt is larger than the budget, because the sections that are never
    trimmed are. ``spans``: the prompt's sections in order."""

    prompt: str
    system_flag: str | None
    over_budget: bool
    spans: tuple[SectionSpan, ...]


@runtime_checkable
class ContextAssembler(Protocol):
    """Makes prompts for one kind of agent."""

    def get_agent_type(self) -> str:
        """Return the name of the kind, such as ``google-gemini``."""
        ...

    def assemble(self, source: AssemblyInput) -> AssemblyResult:
        """Return the prompt. Never raises: an ``AssemblyInput`` was checked when it was made."""
        ...


def _require_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise AssemblyInputError(name, "text", value)
