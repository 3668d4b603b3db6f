"""Function names that not every provider accepts, and what an adapter made of them.

A name may be changed if some dialect refuses it as it is (an adapter may write every request in one form first), and
if no two functions end up under one name. The changed name is then read as the client's own, in the request and in the
response: the adapter has to change it back.
"""

from collections.abc import Mapping
from dataclasses import replace

from bridgecheck.model.outcome import Outcome, ToolCall
from bridgecheck.model.prompt import CallPart, Part, Prompt, ResultPart
from bridgecheck.wire import DIALECTS
from bridgecheck.wire.facts import RECORDS


def find_renamed_functions(expected: Prompt, actual: Prompt) -> dict[str, str]:
    """Return name as sent -> name as declared by the client, of every function that had to be renamed."""
    expected_names, actual_names = _function_names(expected), _function_names(actual)
    if len(expected_names) != len(actual_names) or len(set(actual_names)) < len(actual_names):
        return {}
    is_accepted = RECORDS[actual.dialect].function_name.fullmatch
    return {
        new: old
        for old, new in zip(expected_names, actual_names, strict=True)
        if old != new
        and is_accepted(new)
        and not all(RECORDS[dialect].function_name.fullmatch(old) for dialect in DIALECTS)
    }


def _function_names(prompt: Prompt) -> list[str]:
    return [tool.name for tool in prompt.tools or () if not tool.builtin]


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
