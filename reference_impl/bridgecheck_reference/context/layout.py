"""One prompt of several sections, within a budget of bytes.

R-30: what does not fit is taken away before the sections are put together, never by looking for headers in the prompt:
the oldest messages first, then the end of the task. Instructions and team task are never trimmed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bridgecheck_reference.context.assembly import (
    AssemblyInput,
    AssemblyResult,
    ContextMessage,
    SectionName,
    SectionSpan,
)
from bridgecheck_reference.context.text import byte_size, cut_to_bytes, trim

_BETWEEN_SECTIONS: Final = "\n\n"
_BETWEEN_MESSAGES: Final = "\n"


@dataclass(frozen=True, slots=True)
class Layout:
    """How one kind of agent wants its prompt. ``headers``: the line above each section; instructions without one are
    passed apart from the prompt, as ``system_flag``. ``write_message``: a message as it stands in the conversation."""

    headers: Mapping[SectionName, str]
    write_message: Callable[[ContextMessage], str]

    def section(self, name: SectionName, body: str) -> "_Section":
        return _Section(name, f"{self.headers[name]}\n", body)


@dataclass(frozen=True, slots=True)
class _Section:
    name: SectionName
    header: str
    body: str

    @property
    def text(self) -> str:
        return self.header + self.body


def assemble_prompt(layout: Layout, source: AssemblyInput) -> AssemblyResult:
    """Return the prompt of ``source`` in this layout."""
    instructions = _join_instructions(source)
    has_flag = "instructions" not in layout.headers
    fixed = [] if has_flag or not instructions else [layout.section("instructions", instructions)]
    if team_task := trim(source.team_task):
        fixed.append(layout.section("team_task", team_task))
    sections = [*fixed, *_fit_rest(layout, source, _size(fixed))]
    prompt = _BETWEEN_SECTIONS.join(section.text for section in sections)
    return AssemblyResult(
        prompt, (instructions or None) if has_flag else None, byte_size(prompt) > source.max_bytes, _spans(sections)
    )


def _join_instructions(source: AssemblyInput) -> str:
    texts = (trim(source.system_instruction), trim(source.instruction_file_text))
    return "\n\n".join(text for text in texts if text)


def _fit_rest(layout: Layout, source: AssemblyInput, fixed_size: int) -> list[_Section]:
    """Return conversation and task, as much of them as fits behind sections of ``fixed_size`` bytes."""
    room = source.max_bytes - (fixed_size + len(_BETWEEN_SECTIONS) if fixed_size else 0)
    text = trim(source.current_message)
    task = [layout.section("task", text)] if text else []
    if task and _size(task) > room:
        cut = cut_to_bytes(text, room - byte_size(task[0].header))
        return [layout.section("task", cut)] if cut else []
    if task:
        room -= _size(task) + len(_BETWEEN_SECTIONS)
    lines = [layout.write_message(message) for message in source.context_messages]
    remaining = _newest_that_fit(lines, room - byte_size(layout.section("conversation", "").text))
    if not remaining:
        return task
    return [layout.section("conversation", _BETWEEN_MESSAGES.join(remaining)), *task]


def _newest_that_fit(lines: Sequence[str], room: int) -> Sequence[str]:
    first, used = len(lines), 0
    while first:
        used += byte_size(lines[first - 1]) + (len(_BETWEEN_MESSAGES) if first < len(lines) else 0)
        if used > room:
            break
        first -= 1
    return lines[first:]


def _size(sections: Sequence[_Section]) -> int:
    return byte_size(_BETWEEN_SECTIONS.join(section.text for section in sections))


def _spans(sections: Sequence[_Section]) -> tuple[SectionSpan, ...]:
    spans, start = [], 0
    for section in sections:
        end = start + len(section.text)
        spans.append(SectionSpan(section.name, start, start + len(section.header), end))
        start = end + len(_BETWEEN_SECTIONS)
    return tuple(spans)
