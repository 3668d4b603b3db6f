"""expect.prompt: what the scenario expects the provider to receive."""

from collections.abc import Callable, Iterator
from typing import Final, TypeGuard

from bridgecheck.checks.bases import OWN, REQUEST
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import is_made_of_received_answers, last_turn
from bridgecheck.compare.allowances import is_stated_default
from bridgecheck.compare.diff import differences
from bridgecheck.compare.rewrites import canonical
from bridgecheck.compare.text import is_joined_from
from bridgecheck.compare.tool_results import unwrap_result, unwrap_to_expected_value
from bridgecheck.compare.turns import KINDS, find_parts_of_kind
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import feature_of_path, request_can_express
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.model.prompt import CallPart, MediaPart, Part, Prompt, ResultPart, TextPart, Turn
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject


def check_expected_prompt(evidence: Evidence) -> list[Result]:
    """Everything that the scenario expects of the request is so, in whatever encoding."""
    scenario = evidence.scenario
    if scenario is None or not scenario.expect.prompt or has_request_beyond_client_types(evidence):
        return []
    turn = integer(scenario.expect.prompt.get("turn"))
    at = last_turn(evidence) if turn is None else turn
    call = evidence.answering_call_index(at)
    actual = evidence.upstream_prompts[call] if 0 <= call < len(evidence.upstream_prompts) else None
    if actual is None or not is_made_of_received_answers(evidence, at):
        return []
    rows = _compare_prompt(evidence, canonical(actual), scenario.expect.prompt)
    return [Result(rows, level=scenario.level, turn=max(at, 0))]


EXPECT_PROMPT: Final = Check(
    "expect.prompt", "expectations", "MUST", OWN, "The request is what the scenario expects.", check_expected_prompt,
    "expectation", REQUEST, rules=(Rule("scenario.request", "MUST", "The request is what the scenario expects.", OWN),),
)  # fmt: skip


def _compare_prompt(evidence: Evidence, actual: Prompt, expectations: JsonObject) -> list[Difference]:
    rows: list[Difference] = []
    for key, expected in expectations.items():
        if key in _COMPARERS:
            rows += _COMPARERS[key](evidence, actual, expected)
    return rows


def _compare_system(_: Evidence, actual: Prompt, expected: object) -> list[Difference]:
    """Compare a text, or a list of pieces with nothing but white space between them."""
    text = "".join(actual.system)
    pieces = [str(piece) for piece in arr(expected)] or [str(expected)]
    same = "".join("".join(pieces).split()) == "".join(text.split()) and all(piece.strip() in text for piece in pieces)
    return [] if same else list(differences(expected, text, "system"))


def _compare_turns(_: Evidence, actual: Prompt, expected: object) -> list[Difference]:
    """Compare the number of turns, and of each turn the keys that the expected one has."""
    turns = arr(expected)
    if len(turns) != len(actual.turns):
        shown = f"{len(actual.turns)}: {[turn.role for turn in actual.turns]}"
        return [Difference("turns", f"{len(turns)} turns", shown)]
    return [
        row
        for at, (members, turn) in enumerate(zip(turns, actual.turns, strict=True))
        for key, value in obj(members).items()
        if key in _TURN_READERS
        for actual_member in (_TURN_READERS[key](turn),)
        for expected_member in (_normalise_expected_turn_member(key, value, actual_member),)
        for row in differences(
            expected_member, _actual_like_expected(key, actual_member, expected_member), f"turns[{at}].{key}"
        )
    ]


def _normalise_expected_turn_member(key: str, value: object, actual: object) -> object:
    """Return an expected member in the form of the actual one. Results written as values are compared as text; between
    the pieces of a text there may be white space."""
    if key == "results":
        pairs = [arr(item) for item in arr(value)]
        return [[pair[0], unwrap_result(pair[1], None)[0]] if len(pair) == 2 else pair for pair in pairs]
    if key != "text" or not isinstance(value, list):
        return value
    pieces = [str(piece) for piece in value]
    return actual if is_joined_from(pieces, str(actual)) else "".join(pieces)


def _actual_like_expected(key: str, actual: object, expected: object) -> object:
    """Return results out of the object with one key that any of them may stand in."""
    pairs = zip(arr(actual), arr(expected), strict=False) if key == "results" else ()
    unwrapped: list[object] = [[arr(a)[0], unwrap_to_expected_value(arr(a)[1], arr(e)[1])] for a, e in pairs]
    return [*unwrapped, *arr(actual)[len(unwrapped) :]] if unwrapped else actual


def _compare_settings(evidence: Evidence, actual: Prompt, expected: object) -> list[Difference]:
    """Compare settings without those that a dialect on the route cannot express. null: not sent."""
    settings = dict(actual.settings)
    dialects = [evidence.key.client, evidence.key.upstream, *([evidence.pivot] if evidence.pivot else [])]
    return [
        row
        for name, value in obj(expected).items()
        if request_can_express(f"settings.{name}", dialects)
        if value is not None or not is_stated_default(dialects, f"settings.{name}", settings.get(name))
        for row in differences(value, settings.get(name), f"settings.{name}")
    ]


def _compare_tool_choice(_: Evidence, actual: Prompt, expected: object) -> list[Difference]:
    """Compare with a mode, a list of right modes, or {mode, names}; ``auto`` and ``absent`` are the same."""
    mode = "auto" if actual.tool_choice.mode == "absent" else actual.tool_choice.mode
    right = obj(expected).get("mode", expected)
    modes = ["auto" if name == "absent" else name for name in (arr(right) or [right])]
    rows = [] if mode in modes else [Difference("tool_choice", " or ".join(map(str, modes)), mode)]
    names = obj(expected).get("names")
    return rows if names is None else [*rows, *differences(names, list(actual.tool_choice.names), "tool_choice.names")]


_COMPARERS: Final[dict[str, Callable[[Evidence, Prompt, object], list[Difference]]]] = {
    "system": _compare_system,
    "turns": _compare_turns,
    "tools": lambda _, actual, expected: list(
        differences(sorted(map(str, arr(expected))), sorted(tool.name for tool in actual.tools or ()), "tools")
    ),
    "tool_choice": _compare_tool_choice,
    "settings": _compare_settings,
}

_TURN_READERS: Final[dict[str, Callable[[Turn], object]]] = {
    "role": lambda turn: turn.role,
    "text": lambda turn: "".join(part.text for part in turn.parts if _is_text_or_only_part(part, turn)),
    "calls": lambda turn: [[part.call.name, part.call.args] for part in turn.parts if isinstance(part, CallPart)],
    "results": lambda turn: [[part.name, part.value] for part in turn.parts if isinstance(part, ResultPart)],
    "media": lambda turn: [
        [part.media.mime, part.media.sha256 or part.media.uri] for part in turn.parts if isinstance(part, MediaPart)
    ],
}


def _is_text_or_only_part(part: Part, turn: Turn) -> TypeGuard[TextPart]:
    """Return whether a part is text, and not blank beside others."""
    return isinstance(part, TextPart) and (bool(part.text.strip()) or len(turn.parts) == 1)


def has_request_beyond_client_types(evidence: Evidence) -> bool:
    """Return whether any request of the case holds something that the client's own types have no place for.

    The checks that compare a request know their own paths; a scenario's expectations of a request do not name what they
    rest on, so none is held against an adapter that received something it declares it cannot express."""
    if not evidence.inexpressible:
        return False
    paths = (path for prompt in evidence.client_prompts if prompt for path in _optional_feature_paths(prompt))
    return any(feature_of_path(path, evidence.inexpressible) for path in paths)


def _optional_feature_paths(prompt: Prompt) -> Iterator[str]:
    """Yield all in a request that a library need not express, by the names of ``model/express`` or below them."""
    yield from (path for kind in KINDS for path, _ in find_parts_of_kind(prompt.turns, kind))
    yield from _optional_feature_paths_of_turns(prompt)
    yield from (f"settings.{name}" for name, _ in prompt.settings)
    yield f"tool_choice.{prompt.tool_choice.mode}"
    if prompt.tool_choice.parallel is not None:
        yield "tool_choice.parallel"
    if any(tool.strict is not None for tool in prompt.tools or ()):
        yield "tools.strict"
    if prompt.thinking is not None:
        yield "thinking.include" if prompt.thinking.include is not None else "thinking"
    if prompt.response_format is not None:
        response_format = prompt.response_format
        yield from (f"response_format.{name}" for name in ("name", "strict") if getattr(response_format, name))
        yield "response_format"


def _optional_feature_paths_of_turns(prompt: Prompt) -> Iterator[str]:
    for turn in prompt.turns:
        yield f"turns.{turn.role}"
        if turn.name:
            yield "turns.name"
        for part in turn.parts:
            if getattr(part.call if isinstance(part, CallPart) else part, "signature", ""):
                yield "turns.signatures"
            if isinstance(part, ResultPart) and part.media:
                yield "turns.results.media"
