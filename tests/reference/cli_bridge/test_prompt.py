"""How a prompt is passed on: as it is, or as the text of a command where the program would read it as one."""

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bridgecheck_reference.cli_bridge.prompt import (
    COMMAND_NAME,
    MAX_PROMPT_BYTES,
    CarriedPrompt,
    PromptError,
    carry_prompt,
)


def text_for_the_model(carried: CarriedPrompt) -> str:
    """What the program makes of it: a command's text with the argument in its place, else its input."""
    if carried.command_file is None:
        return carried.stdin.decode()
    name, _, argument = carried.stdin.decode().partition(" ")
    assert name == f"/{COMMAND_NAME}"
    body = str(tomllib.loads(carried.command_file)["prompt"])
    assert "!{" not in body and "@{" not in body, "the program would run a command, or read a file"
    assert argument or "{{args}}" not in body
    return body.replace("{{args}}", argument)


@pytest.mark.row("S5.10")
@pytest.mark.parametrize(
    "text",
    ["hi", " \n", "-v", "--help", "// comment", "/* c */ x", "a /help", "!ls", "!{ls}", "@{a}", "@ a", "@", "a@", r"\@a.txt", "x @, @. y", "\x00\x1b[31m\r\n", "{{args}}", "@!x"],
)  # fmt: skip
def test_what_the_program_leaves_alone_is_its_input(text: str) -> None:
    assert carry_prompt(text) == CarriedPrompt(text.encode())


@pytest.mark.row("S5.10", "S5.24")
@pytest.mark.parametrize(
    "text",
    [
        "/help", "/", "/quit now", "/ x", "@a.txt", "mail me@example.com", "see @/etc/passwd please", '@"a b"', r"@\ x", "@./", "@.x",
        " \ufeff/help @a \x00\x1b\x7f\u2028\x85\r\n\\u0041 \"quoted\" 𝒜 end ", "/run !{rm -rf x}", "/read @{x} {", "/say {{args}}", "/x {{args}}{{args}}!", "/a !!{b}{",
    ],
)  # fmt: skip
def test_what_the_program_would_resolve_is_a_command_of_ours(text: str) -> None:
    carried = carry_prompt(text)
    assert carried.command_file is not None
    assert text_for_the_model(carried) == text


PIECES = ["/", "@", "!", "{", "}", "{{args}}", "!{", "@{", "a", " ", "\n", '"', "\\", "\x7f", "é", "."]


@given(text=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_the_model_gets_the_text_or_nothing_starts(text: str) -> None:
    try:
        carried = carry_prompt(text)
    except PromptError:
        assume("{" in text)
        kinds = [trigger for trigger in ("!{", "@{", "{{args}}") if trigger in text]
        assert len(kinds) > 1 or "@!{" in text or "!@{" in text
    else:
        assert text_for_the_model(carried) == text


@pytest.mark.row("S5.24")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected text, got an empty one"),
        ("a\ud800", "half a surrogate pair at character 1"),
        ("/x !{a} @{b}", "it has !{ and @{ too"),
        ("é" * (MAX_PROMPT_BYTES // 2) + "x", "expected at most 8388608 bytes, got 8388609"),
    ],
)
def test_what_cannot_be_passed_on_is_refused(text: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        carry_prompt(text)


def test_a_large_prompt_is_not_printed_by_the_program() -> None:
    """What it has not written when it exits is lost, and with it the result."""
    whole = "x" * MAX_PROMPT_BYTES
    carried = carry_prompt(whole)
    assert len(carried.stdin) < 100 and text_for_the_model(carried) == whole
    assert carry_prompt("x" * 2**20).command_file is None
    assert carry_prompt("{{args}}" * 2**18).command_file is None
