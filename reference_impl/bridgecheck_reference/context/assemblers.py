"""The assemblers, one a kind of agent: a table of headers each.

| section | Gemini | Codex | Claude |
|---|---|---|---|
| instructions | Instructions: | [SYSTEM] | ``system_flag`` |
| team task | Team Task: | [TEAM_TASK] | [TEAM_TASK] |
| conversation | Conversation so far: | [CONTEXT] | [CONTEXT] |
| task | Your task: | [MESSAGE] | [MESSAGE] |

Sections without content are left out, an empty line stands between two of them.
"""

from typing import Final

from bridgecheck_reference.context.assembly import AssemblyInput, AssemblyResult, ContextMessage, SectionName
from bridgecheck_reference.context.layout import Layout, assemble_prompt

_MARKERS: Final[dict[SectionName, str]] = {
    "team_task": "[TEAM_TASK]",
    "conversation": "[CONTEXT]",
    "task": "[MESSAGE]",
}


def _write_sender(message: ContextMessage) -> str:
    return f"- {message.from_}: {message.content}"


def _write_sender_and_receiver(message: ContextMessage) -> str:
    return f"- {message.from_} -> {message.to or 'all'}: {message.content}"


class GeminiContextAssembler:
    """Headers in natural language; everything is in the prompt, which goes to the program's standard input."""

    _LAYOUT: Final = Layout(
        {
            "instructions": "Instructions:",
            "team_task": "Team Task:",
            "conversation": "Conversation so far:",
            "task": "Your task:",
        },
        _write_sender,
    )

    def get_agent_type(self) -> str:
        return "google-gemini"

    def assemble(self, source: AssemblyInput) -> AssemblyResult:
        return assemble_prompt(self._LAYOUT, source)


class CodexContextAssembler:
    """Headers in square brackets; everything is in the prompt."""

    _LAYOUT: Final = Layout({"instructions": "[SYSTEM]", **_MARKERS}, _write_sender_and_receiver)

    def get_agent_type(self) -> str:
        return "openai-codex"

    def assemble(self, source: AssemblyInput) -> AssemblyResult:
        return assemble_prompt(self._LAYOUT, source)


class ClaudeContextAssembler:
    """Headers in square brackets; the instructions are the ``system_flag``, and not counted in the budget."""

    _LAYOUT: Final = Layout(_MARKERS, _write_sender_and_receiver)

    def get_agent_type(self) -> str:
        return "claude-code"

    def assemble(self, source: AssemblyInput) -> AssemblyResult:
        return assemble_prompt(self._LAYOUT, source)
