"""What holds for prompts of any texts and budgets."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck_reference.context import (
    AssemblyInput,
    ClaudeContextAssembler,
    CodexContextAssembler,
    ContextAssembler,
    ContextMessage,
    GeminiContextAssembler,
)
from bridgecheck_reference.context.text import byte_size, trim

ASSEMBLERS = [GeminiContextAssembler(), CodexContextAssembler(), ClaudeContextAssembler()]
HEADERS = ["Instructions:", "Team Task:", "Conversation so far:", "Your task:", "[MESSAGE]", "[CONTEXT]", "- a: b"]
TEXT = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from([*HEADERS, "\n", "\n\n", "A", "\ufeff", "\x1c", "é", "𝒜", "\r\n"]), max_size=6).map(
        "".join
    ),
)
MAYBE = st.one_of(st.none(), TEXT)
MESSAGES = st.lists(st.builds(ContextMessage, TEXT, TEXT, MAYBE), max_size=6)
INPUTS = st.builds(AssemblyInput, MESSAGES, MAYBE, MAYBE, MAYBE, MAYBE, st.integers(-5, 400))
BOTH = pytest.mark.parametrize("assembler", ASSEMBLERS, ids=[found.get_agent_type() for found in ASSEMBLERS])
MANY = settings(max_examples=200)


def bodies(assembler: ContextAssembler, source: AssemblyInput) -> dict[str, str]:
    result = assembler.assemble(source)
    return {span.name: result.prompt[span.body_start : span.end] for span in result.spans}


def without_limit(source: AssemblyInput) -> AssemblyInput:
    return replace(source, max_bytes=10**9)


@BOTH
@MANY
@given(source=INPUTS)
def test_over_budget_only_where_the_fixed_sections_are(assembler: ContextAssembler, source: AssemblyInput) -> None:
    result = assembler.assemble(source)
    fixed = assembler.assemble(replace(without_limit(source), context_messages=[], current_message=None)).prompt
    assert result.over_budget == (byte_size(result.prompt) > source.max_bytes)
    assert result.over_budget == (byte_size(fixed) > source.max_bytes)
    if result.over_budget:
        assert result.prompt == fixed


@BOTH
@MANY
@given(source=INPUTS)
def test_only_whole_messages_and_the_end_of_the_task_are_trimmed(
    assembler: ContextAssembler, source: AssemblyInput
) -> None:
    whole, found = bodies(assembler, without_limit(source)), bodies(assembler, source)
    for name in ("instructions", "team_task"):
        assert found.get(name) == whole.get(name)
    task = trim(source.current_message)
    assert task.startswith(found.get("task", ""))
    count = len(source.context_messages)
    suffixes = [
        bodies(assembler, without_limit(replace(source, context_messages=source.context_messages[at:])))
        for at in range(count + 1)
    ]
    assert found.get("conversation") in [suffix.get("conversation") for suffix in suffixes]
    if "conversation" in found:
        assert found.get("task", "") == task, "the task is trimmed last"


@BOTH
@MANY
@given(source=INPUTS)
def test_no_more_is_trimmed_than_must_be(assembler: ContextAssembler, source: AssemblyInput) -> None:
    count, task = len(source.context_messages), trim(source.current_message)
    candidates = [
        replace(without_limit(source), context_messages=source.context_messages[at:]) for at in range(count + 1)
    ]
    candidates += [replace(candidates[-1], current_message=task[:end]) for end in range(len(task), -1, -1)]
    # A shorter task may end in white space, which another trimming would take away.
    fitting = [item for item in candidates if byte_size(assembler.assemble(item).prompt) <= source.max_bytes]
    if fitting:
        expected = assembler.assemble(fitting[0]).prompt
        actual = assembler.assemble(source).prompt
        assert actual.startswith(expected) and trim(actual) == trim(expected)


@BOTH
@MANY
@given(source=INPUTS, letter=st.sampled_from("xé€𝒜"))
def test_no_text_changes_what_is_trimmed(assembler: ContextAssembler, source: AssemblyInput, letter: str) -> None:
    """Texts of the same sizes lose the same messages, and as much of the task but for a character at its end."""

    def blank(text: str) -> str:
        size = byte_size(text)
        return letter * (size // byte_size(letter)) + "x" * (size % byte_size(letter))

    def blank_or_none(text: str | None) -> str | None:
        return blank(trim(text))

    plain = replace(
        source,
        context_messages=[
            ContextMessage(blank(message.from_), blank(message.content), message.to and blank(message.to))
            for message in source.context_messages
        ],
        **{name: blank_or_none(getattr(source, name)) for name in ("current_message", "team_task", "system_instruction", "instruction_file_text")},
    )  # fmt: skip
    actual, expected = bodies(assembler, source), bodies(assembler, plain)
    assert byte_size(actual.get("conversation", "")) == byte_size(expected.get("conversation", ""))
    assert abs(byte_size(actual.get("task", "")) - byte_size(expected.get("task", ""))) < 4


@BOTH
@MANY
@given(source=INPUTS)
def test_spans_cover_the_prompt_and_texts_survive(assembler: ContextAssembler, source: AssemblyInput) -> None:
    result = assembler.assemble(without_limit(source))
    assert "\n\n".join(result.prompt[span.start : span.end] for span in result.spans) == result.prompt
    assert all(span.start < span.body_start <= span.end for span in result.spans)
    found = bodies(assembler, without_limit(source))
    assert found.get("task", "") == trim(source.current_message)
    assert found.get("team_task", "") == trim(source.team_task)
    for message in source.context_messages:
        assert f"{message.from_}" in found["conversation"] and f": {message.content}" in found["conversation"]


@pytest.mark.parametrize("count", [50_000, pytest.param(500_000, marks=pytest.mark.slow)])
def test_a_long_history_takes_linear_time(count: int) -> None:
    """A trimmer that assembles the prompt anew for each dropped message would take minutes, or hours."""
    messages = [ContextMessage("a", str(number)) for number in range(count)]
    result = GeminiContextAssembler().assemble(AssemblyInput(messages, "go", max_bytes=1000))
    assert len(result.prompt) > 980 and result.prompt.endswith(f"- a: {count - 1}\n\nYour task:\ngo")
