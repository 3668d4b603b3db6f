"""expect.prompt: what the scenario says the provider has to be asked."""

from collections.abc import Callable
from typing import Final

from bridgecheck.checks.unsaid import asked_unsaid
from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import is_blocked
from bridgecheck.compare.diff import differences
from bridgecheck.compare.results import level_result
from bridgecheck.compare.rewrites import canonical
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import request_can_express
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.model.prompt import CallPart, MediaPart, Prompt, ResultPart, TextPart, Turn
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject


def prompt(evidence: Evidence) -> list[Verdict]:
    """Everything that the scenario expects of the request is so, whatever its encoding."""
    scenario = evidence.scenario
    if scenario is None or not scenario.expect.prompt or is_blocked(evidence) or asked_unsaid(evidence):
        return []
    turn = integer(scenario.expect.prompt.get("turn"))
    at = len(evidence.client_outcomes) - 1 if turn is None else turn
    call = evidence.upstream_call(at)
    sent = evidence.upstream_prompts[call] if 0 <= call < len(evidence.upstream_prompts) else None
    if sent is None:
        rows = [Difference(f"turn {at}", "a request", "(absent)")]
    else:
        rows = _judge(evidence, canonical(sent), scenario.expect.prompt)
    return [result("expect.prompt", rows, level=scenario.level, turn=max(at, 0))]


def _judge(evidence: Evidence, sent: Prompt, expected: JsonObject) -> list[Difference]:
    rows: list[Difference] = []
    for key, wanted in expected.items():
        if key in JUDGES:
            rows += JUDGES[key](evidence, sent, wanted)
    return rows


def _system(_: Evidence, sent: Prompt, wanted: object) -> list[Difference]:
    """One text, or a list of pieces with nothing but white space between them."""
    whole = "".join(sent.system)
    given = [str(piece) for piece in arr(wanted)] or [str(wanted)]
    same = "".join("".join(given).split()) == "".join(whole.split()) and all(piece.strip() in whole for piece in given)
    return [] if same else list(differences(wanted, whole, "system"))


def _turns(_: Evidence, sent: Prompt, wanted: object) -> list[Difference]:
    """Only the keys given in each turn are compared; the number of turns always is."""
    turns = arr(wanted)
    if len(turns) != len(sent.turns):
        return [Difference("turns", f"{len(turns)} turns", f"{len(sent.turns)}: {[turn.role for turn in sent.turns]}")]
    return [
        row
        for at, (one, turn) in enumerate(zip(turns, sent.turns, strict=True))
        for row in _turn(obj(one), turn, f"turns[{at}]")
    ]


def _turn(wanted: JsonObject, turn: Turn, place: str) -> list[Difference]:
    return [
        row
        for key, value in wanted.items()
        if key in TURN
        for row in differences(_levelled(key, value), TURN[key](turn), f"{place}.{key}")
    ]


def _levelled(key: str, value: object) -> object:
    """Results may be given as values; they are compared as text, like everywhere."""
    if key == "results":
        return [[arr(item)[0], _as_text(arr(item)[-1])] if len(arr(item)) == 2 else item for item in arr(value)]
    return "".join(map(str, arr(value))) if key == "text" and isinstance(value, list) else value


def _as_text(value: object) -> object:
    return level_result(value, None)[0]


def _settings(evidence: Evidence, sent: Prompt, wanted: object) -> list[Difference]:
    """Settings that somebody on the way cannot say are passed over. null: not sent."""
    found = dict(sent.settings)
    ends = [evidence.key.client, evidence.key.upstream, *([evidence.pivot] if evidence.pivot else [])]
    return [
        row
        for name, value in obj(wanted).items()
        if request_can_express(f"settings.{name}", ends)
        for row in differences(value, found.get(name), f"settings.{name}")
    ]


def _tool_choice(_: Evidence, sent: Prompt, wanted: object) -> list[Difference]:
    """A mode, a list of right modes, or {mode, names}; ``auto`` and ``absent`` are the same."""
    mode = "auto" if sent.tool_choice.mode == "absent" else sent.tool_choice.mode
    asked = obj(wanted).get("mode", wanted)
    modes = ["auto" if one == "absent" else one for one in (arr(asked) or [asked])]
    rows = [] if mode in modes else [Difference("tool_choice", " or ".join(map(str, modes)), mode)]
    names = obj(wanted).get("names")
    return rows if names is None else [*rows, *differences(names, list(sent.tool_choice.names), "tool_choice.names")]


JUDGES: Final[dict[str, Callable[[Evidence, Prompt, object], list[Difference]]]] = {
    "system": _system,
    "turns": _turns,
    "tools": lambda _, sent, wanted: list(differences(wanted, [tool.name for tool in sent.tools or ()], "tools")),
    "tool_choice": _tool_choice,
    "settings": _settings,
}

TURN: Final[dict[str, Callable[[Turn], object]]] = {
    "role": lambda turn: turn.role,
    "text": lambda turn: "".join(part.text for part in turn.parts if isinstance(part, TextPart)),
    "calls": lambda turn: [[part.call.name, part.call.args] for part in turn.parts if isinstance(part, CallPart)],
    "results": lambda turn: [[part.name, part.value] for part in turn.parts if isinstance(part, ResultPart)],
    "media": lambda turn: [
        [part.media.mime, part.media.sha256 or part.media.uri] for part in turn.parts if isinstance(part, MediaPart)
    ],
}
