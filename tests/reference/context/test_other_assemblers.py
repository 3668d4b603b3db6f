"""The prompts for Claude and Codex: the same sections under other headers."""

import pytest

from bridgecheck_reference.context import (
    AssemblyInput,
    ClaudeContextAssembler,
    CodexContextAssembler,
    ContextAssembler,
    ContextMessage,
)

SOURCE = AssemblyInput(
    [ContextMessage("ida", "Which colour?", "noor"), ContextMessage("sven", "Blue"), ContextMessage("x", "y", "")],
    "Which scale?",
    "Draw a map",
    "You are Noor",
    "Use SI",
)
SHARED = """\
[TEAM_TASK]
Draw a map

[CONTEXT]
- ida -> noor: Which colour?
- sven -> all: Blue
- x -> all: y

[MESSAGE]
Which scale?"""


@pytest.mark.row("S3.28")
@pytest.mark.parametrize(
    ("assembler", "agent_type", "prompt", "flag"),
    [
        (ClaudeContextAssembler(), "claude-code", SHARED, "You are Noor\n\nUse SI"),
        (CodexContextAssembler(), "openai-codex", f"[SYSTEM]\nYou are Noor\n\nUse SI\n\n{SHARED}", None),
    ],
)
def test_prompt(assembler: ContextAssembler, agent_type: str, prompt: str, flag: str | None) -> None:
    assert isinstance(assembler, ContextAssembler)
    assert assembler.get_agent_type() == agent_type
    result = assembler.assemble(SOURCE)
    assert (result.prompt, result.system_flag) == (prompt, flag)


def test_a_flag_without_instructions_is_none() -> None:
    assert ClaudeContextAssembler().assemble(AssemblyInput([], "x", None, " ", "")).system_flag is None


def test_the_flag_is_not_counted_in_the_budget() -> None:
    result = ClaudeContextAssembler().assemble(AssemblyInput([], "x", None, "long" * 100, None, 20))
    assert (result.prompt, result.over_budget, len(result.system_flag or "")) == ("[MESSAGE]\nx", False, 400)
