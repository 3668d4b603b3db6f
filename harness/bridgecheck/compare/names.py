"""Function names that not every provider takes, and what an adapter made of them.

A name may be changed if some dialect refuses it as it is (an adapter may write every request in one form first), and
if no two functions end up under one name. The changed name is then read as the client's own, in the request and in the
answer: the adapter has to change it back.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.model.outcome import Choice, Outcome, ToolCall
from bridgecheck.model.prompt import CallPart, Part, Prompt, ResultPart
from bridgecheck.wire import Dialect

TAKEN: Final[Mapping[Dialect, re.Pattern[str]]] = {
    "gemini": re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}"),
    "openai-chat": re.compile(r"[A-Za-z0-9_-]{1,64}"),
    "anthropic": re.compile(r"[A-Za-z0-9_-]{1,128}"),
}
"""Names a provider takes. Sources: https://ai.google.dev/api/caching#FunctionDeclaration,
https://platform.openai.com/docs/api-reference/chat/create, https://docs.anthropic.com/en/api/messages."""


def find_renamed_functions(asked: Prompt, sent: Prompt) -> dict[str, str]:
    """Name as sent -> name as declared by the client, of every function that had to be renamed and rightly was."""
    ours, theirs = _functions(asked), _functions(sent)
    if len(ours) != len(theirs) or len(set(theirs)) < len(theirs):
        return {}
    takes = TAKEN[sent.dialect].fullmatch
    pairs = zip(ours, theirs, strict=True)
    return {new: old for old, new in pairs if old != new and takes(new) and not _taken_everywhere(old)}


def _taken_everywhere(name: str) -> bool:
    return all(takes.fullmatch(name) for takes in TAKEN.values())


def restore_names_in_prompt(sent: Prompt, names: Mapping[str, str]) -> Prompt:
    """The request with the client's names."""
    if not names:
        return sent
    return replace(
        sent,
        tools=tuple(replace(tool, name=names.get(tool.name, tool.name)) for tool in sent.tools or ()),
        tool_choice=replace(sent.tool_choice, names=tuple(names.get(name, name) for name in sent.tool_choice.names)),
        turns=tuple(replace(turn, parts=tuple(_part(part, names) for part in turn.parts)) for turn in sent.turns),
    )


def restore_names_in_outcome(said: Outcome, names: Mapping[str, str]) -> Outcome:
    """The provider's answer with the client's names."""
    if not names:
        return said
    return replace(said, choices=tuple(_choice(choice, names) for choice in said.choices))


def _functions(prompt: Prompt) -> Sequence[str]:
    return [tool.name for tool in prompt.tools or () if not tool.builtin]


def _part(part: Part, names: Mapping[str, str]) -> Part:
    if isinstance(part, CallPart):
        return CallPart(_call(part.call, names))
    return replace(part, name=names.get(part.name, part.name)) if isinstance(part, ResultPart) else part


def _choice(choice: Choice, names: Mapping[str, str]) -> Choice:
    return replace(choice, tool_calls=tuple(_call(call, names) for call in choice.tool_calls))


def _call(call: ToolCall, names: Mapping[str, str]) -> ToolCall:
    return replace(call, name=names.get(call.name, call.name))
