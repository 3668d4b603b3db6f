"""Function names that not every provider accepts, and what an adapter made of them.

A name may be changed if some dialect refuses it as it is (an adapter may write every request in one form first), and
if no two functions end up under one name. The changed name is then read as the client's own, in the request and in the
response: the adapter has to change it back."""

from collections.abc import Mapping
from dataclasses import replace

from bridgecheck.model.outcome import Outcome, ToolCall
from bridgecheck.model.prompt import CallPart, Part, Prompt, ResultPart, Tool
from bridgecheck.wire import DIALECTS
from bridgecheck.wire.facts import RECORDS


def find_renamed_functions(expected: Prompt, actual: Prompt) -> dict[str, str]:
    """Return name as sent -> the client's name, of every function that had to be renamed: of those that are declared,
    and of those that only the history calls."""
    renamed = _find_renamed_declarations(expected, actual)
    return {**_find_renamed_calls(expected, actual, renamed), **renamed}


def _find_renamed_declarations(expected: Prompt, actual: Prompt) -> dict[str, str]:
    """Functions are a set: those with a name of their own on each side are paired by description, or else in order."""
    client_tools, sent_tools = _functions(expected), _functions(actual)
    sent_names = {tool.name for tool in sent_tools}
    if len(client_tools) != len(sent_tools) or len(sent_names) < len(sent_tools):
        return {}
    is_accepted = RECORDS[actual.dialect].function_name.fullmatch
    client_names = {tool.name for tool in client_tools}
    rest = [tool for tool in sent_tools if tool.name not in client_names]
    renamed: dict[str, str] = {}
    for tool in (tool for tool in client_tools if tool.name not in sent_names):
        sent = next((candidate for candidate in rest if candidate.description == tool.description), rest[0])
        rest.remove(sent)
        if _is_illegal_somewhere(tool.name) and is_accepted(sent.name):
            renamed[sent.name] = tool.name
    return renamed


def _find_renamed_calls(expected: Prompt, actual: Prompt, declared: Mapping[str, str]) -> dict[str, str]:
    """Functions that no tool declares any more are paired by the order of their calls. Two of them under one name, or
    one under a name that is declared, are not renamed but mixed up."""
    client_calls, sent_calls = _called_names(expected), _called_names(actual)
    if len(client_calls) != len(sent_calls):
        return {}
    is_accepted = RECORDS[actual.dialect].function_name.fullmatch
    taken = {tool.name for prompt in (expected, actual) for tool in _functions(prompt)} | {*client_calls, *declared}
    renamed: dict[str, str] = {}
    for name, sent in zip(client_calls, sent_calls, strict=True):
        if name != sent and sent not in taken and _is_illegal_somewhere(name) and is_accepted(sent):
            renamed.setdefault(sent, name)
    return renamed


def _called_names(prompt: Prompt) -> list[str]:
    return [part.call.name for turn in prompt.turns for part in turn.parts if isinstance(part, CallPart)]


def _is_illegal_somewhere(name: str) -> bool:
    return not all(RECORDS[dialect].function_name.fullmatch(name) for dialect in DIALECTS)


def _functions(prompt: Prompt) -> list[Tool]:
    return [tool for tool in prompt.tools or () if not tool.builtin]


def restore_names_in_prompt(prompt: Prompt, names: Mapping[str, str]) -> Prompt:
    """Return the request with the client's names."""
    if not names:
        return prompt
    choice = prompt.tool_choice
    return replace(
        prompt,
        tools=tuple(replace(tool, name=names.get(tool.name, tool.name)) for tool in prompt.tools or ()),
        tool_choice=replace(choice, names=tuple(names.get(name, name) for name in choice.names)),
        turns=tuple(
            replace(turn, parts=tuple(_restore_part_name(part, names) for part in turn.parts)) for turn in prompt.turns
        ),
    )


def restore_names_in_outcome(outcome: Outcome, names: Mapping[str, str]) -> Outcome:
    """Return the provider's response with the client's names."""
    if not names:
        return outcome
    choices = (
        replace(choice, tool_calls=tuple(_restore_call_name(call, names) for call in choice.tool_calls))
        for choice in outcome.choices
    )
    return replace(outcome, choices=tuple(choices))


def _restore_part_name(part: Part, names: Mapping[str, str]) -> Part:
    if isinstance(part, CallPart):
        return CallPart(_restore_call_name(part.call, names))
    return replace(part, name=names.get(part.name, part.name)) if isinstance(part, ResultPart) else part


def _restore_call_name(call: ToolCall, names: Mapping[str, str]) -> ToolCall:
    return replace(call, name=names.get(call.name, call.name))
