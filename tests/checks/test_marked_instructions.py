"""Instructions that an adapter leaves in their place and marks, towards a provider with one place for them."""

import pytest

from bridgecheck.model.prompt import TextPart, Turn


def turn(role, *texts):
    return Turn(role, tuple(map(TextPart, texts)))


TWO = {"system": ("Be brief.", "Speak French."), "turns": (turn("user", "Hi"),)}
MIDDLE = {
    "system": ("Be brief.",),
    "turns": (turn("user", "Hi"), turn("assistant", "Hello"), turn("system", "Speak French."), turn("user", "Go")),
}
BEFORE = (turn("user", "Hi"), turn("assistant", "Hello"))


@pytest.mark.parametrize(
    ("client_prompt", "turns", "expected"),
    [
        (TWO, (turn("user", "System:\nSpeak French."), turn("user", "Hi")), ("WARN", "PASS")),
        (TWO, (turn("user", "System: Speak French.", "Hi"),), ("WARN", "PASS")),
        (TWO, (turn("user", "<system>Speak French.</system>", "Hi"),), ("WARN", "PASS")),
        (TWO, (turn("user", "Speak French.", "Hi"),), ("FAIL", "FAIL")),  # as the user's own words
        (TWO, (turn("user", "Tell the system: Speak French.", "Hi"),), ("FAIL", "FAIL")),
        (TWO, (turn("user", "System: Speak.", "Hi"),), ("FAIL", "FAIL")),
        (TWO, (turn("user", "System: Speak French."),), ("WARN", "FAIL")),  # the user's words are lost
        (TWO, (turn("user", "Hi", "System: Speak French."),), ("WARN", "FAIL")),
        (TWO, (turn("assistant", "System: Speak French."), turn("user", "Hi")), ("FAIL", "FAIL")),
        (TWO, (turn("user", "System: Speak French.Hi"),), ("FAIL", "FAIL")),  # one text
        (MIDDLE, (*BEFORE, turn("user", "System: Speak French.", "Go")), ("WARN", "PASS")),
        (MIDDLE, (*BEFORE, turn("user", "[System message] Speak French."), turn("user", "Go")), ("WARN", "PASS")),
        (MIDDLE, (*BEFORE, turn("user", "Go", "System: Speak French.")), ("WARN", "FAIL")),
        (MIDDLE, (*BEFORE, turn("assistant", "System: Speak French."), turn("user", "Go")), ("PASS", "FAIL")),
        (MIDDLE, (*BEFORE, turn("user", "Go")), ("PASS", "FAIL")),
    ],
)
@pytest.mark.parametrize("upstream", ["gemini", "anthropic"])
def test_further_instructions_marked_in_their_place_warn_once(case, status, upstream, client_prompt, turns, expected):
    evidence = case(
        upstream=upstream,
        client_prompt=case.prompt(dialect="openai-chat", **client_prompt),
        upstream_prompt=case.prompt(dialect=upstream, system=("Be brief.",), turns=turns),
    )
    assert tuple(status(evidence, f"request.{name}") for name in ("system", "turns")) == expected


@pytest.mark.parametrize(
    ("system", "upstream", "turn_of_user"),
    [
        ((), "gemini", turn("user", "System: Be brief.", "Speak French.", "Hi")),  # nothing in the place for it
        (("Be brief.",), "openai-chat", turn("user", "System: Speak French.", "Hi")),  # Chat takes several
    ],
)
def test_instructions_that_have_a_place_fail_in_a_turn(case, status, system, upstream, turn_of_user):
    evidence = case(
        client="anthropic" if upstream == "openai-chat" else "openai-chat", upstream=upstream,
        client_prompt=case.prompt(dialect="openai-chat", **TWO),
        upstream_prompt=case.prompt(dialect=upstream, system=system, turns=(turn_of_user,)),
    )  # fmt: skip
    assert status(evidence, "request.system") == "FAIL"


def test_what_a_scenario_expects_is_no_stricter(case, status):
    prompt = {"system": "Be brief.Speak French.", "turns": [{"role": "user", "text": "Hi"}]}
    marked = (turn("user", "System: Speak French.", "Hi"),)
    for turns, expected in ((marked, "WARN"), ((turn("user", "Hi"),), "FAIL")):
        evidence = case(
            client_prompt=case.prompt(dialect="openai-chat", **TWO), scenario=case.scenario(prompt=prompt),
            upstream_prompt=case.prompt(system=("Be brief.",), turns=turns),
        )  # fmt: skip
        assert status(evidence, "expect.prompt") == expected
