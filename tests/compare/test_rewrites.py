"""canonical is idempotent, and no legal re-encoding of a request changes it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck.compare.rewrites import REWRITES, canonical, canonical_turns, canonical_with_rules
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    Prompt,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)

TEXTS = st.sampled_from(["a", "b ", " c", "déjà vu", "\n", "42"])
NAMES = st.sampled_from(["f", "g", "h"])
VALUES = st.one_of(TEXTS, st.integers(-3, 3), st.dictionaries(NAMES, TEXTS, max_size=2), st.lists(TEXTS, max_size=2))


@st.composite
def steps(draw):
    """Draw user text, then calls and their results, then a text of the model."""
    calls = draw(st.lists(st.tuples(NAMES, VALUES), max_size=3))
    tag = draw(st.integers(0, 10**6))
    ids = [f"id{tag}_{at}" for at in range(len(calls))]
    pictures = draw(st.lists(st.sampled_from(["aa", "bb"]), max_size=2))
    user = [TextPart(draw(TEXTS)), *(MediaPart(Media("image/png", digest)) for digest in pictures)]
    user_and_call = [
        TextPart(draw(TEXTS)),
        *(CallPart(ToolCall(name, {"x": at}, ids[at])) for at, (name, _) in enumerate(calls)),
    ]
    results = [ResultPart(ids[at], name, value) for at, (name, value) in enumerate(calls)]
    return [
        Turn("user", tuple(user)),
        Turn("assistant", tuple(user_and_call)),
        *([Turn("user", tuple(results))] if results else []),
    ]


@st.composite
def prompts(draw):
    turns = [turn for step in draw(st.lists(steps(), min_size=1, max_size=3)) for turn in step]
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    mode = draw(st.sampled_from(["absent", "auto", "none", "required", "named", "validated"]))
    return Prompt(
        "gemini",
        "m",
        system=tuple(draw(st.lists(TEXTS, max_size=3))),
        turns=tuple(turns),
        tools=tuple(Tool(name, "does", schema) for name in names) or None,
        tool_choice=ToolChoice(mode, (names[0],) if mode == "named" and names else ()) if names else ToolChoice(),
        settings=tuple(draw(st.dictionaries(st.sampled_from(["temperature", "n", "seed"]), st.integers(0, 2))).items()),
        thinking=draw(st.sampled_from([None, Thinking(0), Thinking(1024), Thinking(level="high", include=True)])),
        response_format=draw(st.sampled_from([None, ResponseFormat(), ResponseFormat("json_schema", schema)])),
    )


def _parts(prompt, change):
    return replace(prompt, turns=tuple(replace(turn, parts=tuple(change(turn.parts))) for turn in prompt.turns))


def _split_text(parts):
    for part in parts:
        if isinstance(part, TextPart) and len(part.text) > 1:
            yield from (TextPart(part.text[:1]), TextPart(part.text[1:]))
        else:
            yield part


def _one_turn_a_part(prompt):
    turns = tuple(replace(turn, parts=(part,)) for turn in prompt.turns for part in turn.parts)
    return replace(prompt, turns=turns)


def _rename(parts):
    for part in parts:
        if isinstance(part, CallPart):
            yield CallPart(replace(part.call, id=f"call_{part.call.id[::-1]}" if part.call.id else ""))
        else:
            yield replace(part, id=f"call_{part.id[::-1]}") if isinstance(part, ResultPart) else part


def _wrap(parts):
    for part in parts:
        wrapped = isinstance(part, ResultPart)
        yield replace(part, value={"output": part.value}, name="") if wrapped else part


def _as_text(parts):
    for part in parts:
        if isinstance(part, ResultPart) and not isinstance(part.value, str):
            yield replace(part, value=json.dumps(part.value))
        else:
            yield part


def _reverse_results(parts):
    if all(isinstance(part, ResultPart) for part in parts):
        return reversed(parts)
    return parts


def _sign(parts):
    for part in parts:
        yield CallPart(replace(part.call, signature="s")) if isinstance(part, CallPart) else part
    yield TextPart("", "tail")


def _openapi(prompt):
    tools = prompt.tools and tuple(
        replace(
            tool,
            schema={
                "type": "OBJECT",
                "properties": {"x": {"type": "INTEGER"}},
                "required": ["x"],
                "propertyOrdering": ["x"],
            },
        )
        for tool in prompt.tools
    )
    return replace(prompt, tools=tools)


def _other_words_for_choice(prompt):
    names = tuple(tool.name for tool in prompt.tools or ())
    choice = prompt.tool_choice
    if choice.mode in ("auto", "absent"):
        return replace(prompt, tool_choice=ToolChoice("absent" if choice.mode == "auto" else "auto"))
    if choice.mode == "required":
        return replace(prompt, tool_choice=ToolChoice("allowed", names[::-1]))
    if choice.mode == "named":
        return replace(prompt, tool_choice=ToolChoice("allowed", choice.names))
    return replace(prompt, tools=None, tool_choice=ToolChoice()) if choice.mode == "none" else prompt


def _floats_and_defaults(prompt):
    settings = tuple((name, value if value is None else float(value)) for name, value in reversed(prompt.settings))
    settings = settings if "n" in dict(prompt.settings) else (*settings, ("n", 1))
    return replace(prompt, settings=(*settings, ("user", None)))


def _budget_for_level(prompt):
    thinking = prompt.thinking
    if thinking is not None and thinking.budget is not None:
        return replace(prompt, thinking=Thinking(level={0: "none", 1024: "low"}[thinking.budget]))
    return prompt


RE_ENCODINGS = {
    "system_join": lambda prompt: replace(prompt, system=("".join(prompt.system),)),
    "system_empty": lambda prompt: replace(prompt, system=("", *prompt.system)),
    "adjacent_text": lambda prompt: _parts(prompt, _split_text),
    "role_merge": _one_turn_a_part,
    "id_bijection": lambda prompt: _parts(prompt, _rename),
    "result_wrap": lambda prompt: _parts(prompt, _wrap),
    "result_text": lambda prompt: _parts(prompt, _as_text),
    "result_order": lambda prompt: _parts(prompt, _reverse_results),
    "signatures": lambda prompt: _parts(prompt, _sign),
    "schema_equiv": _openapi,
    "tool_choice_class": _other_words_for_choice,
    "alias": _floats_and_defaults,
    "effort_bucket": _budget_for_level,
    "default_fill": lambda prompt: replace(
        prompt, response_format=prompt.response_format or ResponseFormat(), turns=(*prompt.turns, Turn("user", ()))
    ),
    "media_bytes": lambda prompt: _parts(
        prompt, lambda parts: (MediaPart(replace(p.media, mime="IMAGE/PNG; q=1")) if isinstance(p, MediaPart) else p
                               for p in parts)
    ),
}  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(prompts())
def test_canonical_is_idempotent(prompt):
    assert canonical(canonical(prompt)) == canonical(prompt)


@pytest.mark.parametrize("name", RE_ENCODINGS)
@settings(max_examples=15, deadline=None)
@given(prompts(), st.sampled_from(list(RE_ENCODINGS)))
def test_canonical_is_unchanged_by_legal_re_encodings(name, prompt, re_encode):
    changed = RE_ENCODINGS[name](prompt)
    assert canonical(changed) == canonical(prompt)
    assert canonical(RE_ENCODINGS[re_encode](changed)) == canonical(prompt)


def _prompt(*turns, **fields):
    return Prompt("gemini", turns=tuple(turns), **fields)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_prompt(Turn("user", (TextPart("a"),))), _prompt(Turn("user", (TextPart("b"),)))),
        (_prompt(Turn("user", (TextPart("a"),))), _prompt(Turn("assistant", (TextPart("a"),)))),
        (_prompt(settings=(("temperature", 0),)), _prompt()),
        (_prompt(settings=(("temperature", 0),)), _prompt(settings=(("temperature", 1),))),
        (_prompt(thinking=Thinking(0)), _prompt()),
        (_prompt(system=("a", "b")), _prompt(system=("b", "a"))),
        (_prompt(Turn("assistant", (ReasoningPart("x"),))), _prompt(Turn("assistant", (TextPart("x"),)))),
        (_prompt(tools=(Tool("f"),)), _prompt(tools=(Tool("g"),))),
        (_prompt(other=(("a", "1"),)), _prompt()),
    ],
)
def test_different_requests_stay_different(first, second):
    assert canonical(first) != canonical(second)


RULE_CASES = {
    "system_join": _prompt(system=("a", "b")),
    "id_bijection": _prompt(Turn("assistant", (CallPart(ToolCall("f", {}, "x")),))),
    "result_wrap": _prompt(Turn("user", (ResultPart("?", "f", {"output": "x"}),))),
    "media_bytes": _prompt(Turn("user", (MediaPart(Media("image/jpg", "aa")),))),
    "default_fill": _prompt(settings=(("n", 1),)),
    "role_merge": _prompt(Turn("user", (TextPart("a"),)), Turn("user", (TextPart("b"),))),
    "result_order": _prompt(Turn("user", (TextPart("a"), ResultPart("?", "f", "x")))),
    "adjacent_text": _prompt(Turn("user", (TextPart("a"),)), Turn("user", (TextPart("b"),))),
    "tool_choice_class": _prompt(tools=(Tool("f"),), tool_choice=ToolChoice("absent")),
    "schema_equiv": _prompt(tools=(Tool("f", "", {"type": "OBJECT"}),)),
    "effort_bucket": _prompt(thinking=Thinking(1024)),
    "alias": _prompt(settings=(("stop", "x"),)),
}


def test_every_rewrite_has_a_case_that_fires_it():
    assert set(RULE_CASES) == set(REWRITES)
    for name, prompt in RULE_CASES.items():
        assert name in canonical_with_rules(prompt)[1]


def test_a_result_that_is_sent_twice_says_it_once() -> None:
    turns = (Turn("assistant", (CallPart(ToolCall("f", {}, "c1")),)), Turn("user", (ResultPart("c1", "f", "x"),) * 2))
    once = (turns[0], Turn("user", turns[1].parts[:1]))
    twice_unlike = (turns[0], Turn("user", (turns[1].parts[0], ResultPart("c1", "f", "y"))))
    assert canonical_turns(turns) == canonical_turns(once) != canonical_turns(twice_unlike)
