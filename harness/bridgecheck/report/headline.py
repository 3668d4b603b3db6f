"""What became of what, in words: the headline of a finding."""

import re
from collections.abc import Sequence
from typing import Final

from bridgecheck.checks.acceptable import REFUSED
from bridgecheck.checks.documents import DOCUMENT
from bridgecheck.checks.errors import NAMED_STOP, NO_CREDENTIAL
from bridgecheck.checks.stable import SAME_BYTES
from bridgecheck.checks.tool_calls import EVERY_ARGUMENT
from bridgecheck.checks.tools import NO_CHOICE_SENT, RUN_BY_PROVIDER, SENT_AS
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report.fingerprint import (
    ABSENT,
    SYSTEM_IN_A_TURN,
    SYSTEM_OF_MODEL,
    describe_finish_or_error_change,
    is_system_in_a_turn,
    is_system_said_by_model,
    lost_added_or_differs,
    part_kind,
    path_shape,
    rows_of_turn,
)
from bridgecheck.report.turn_changes import MEDIA_IN_RESULT, describe_turns

_NOUNS: Final = (
    (r"settings\.(.+)", r"the setting \1"), (r"usage\.([a-z]+|cache_write)", r"the count of \1 tokens"),
    (r"(?:message\.)?usage", "usage"), (r"finish", "the reason why the answer ended"), (r"error", "an error"),
    (r"error\.retry_after", "the error's retry hint"), (r"error\.(.+)", r"the error's \1"),
    (r"text(?:\[\])?", "text of the answer"), (r"reasoning(?:\[\])?", "reasoning"), (r"refusal", "the refusal"),
    (r"media\[\]", "a file or image of the answer"), (r"order(?:\[\])?", "the order of texts, thoughts and calls"),
    (r"(id|model|created)", r"the \1 of the answer"), (r"tool_calls\[\]", "a tool call"),
    (r"type", "the document's own type"),
    (r"tool_calls\[\]\.args", "an argument of a tool call"), (r"tool_calls\[\]\.(.+)", r"the \1 of a tool call"),
    (r"choices\[\]", "a choice of the answer"), (r"upstream", "a call to the provider"), (r"turns\[\]", "a turn"),
    (r"turns\[\]\.role", "the role of a turn"), (r"turns\[\]\.parts\[\]", "a part of a turn"),
    (r"turns\[\]\.parts\[\]\.value", "the result of a tool call"),
    (r"turns\[\]\.parts\[\]\.text|turns\[\]\.text", "text in a turn"),
    (r"turns\[\]\.parts\[\]\.media.*", "a file or image in a turn"),
    (r"turns\[\]\.parts\[\]\.cited.*", "a citation in a turn"),
    (r"turns\[\]\.parts\[\]\.is_error", "the mark of a failed result"),
    (r"turns\[\]\.parts\[\]\.(id|name)", r"the \1 of a tool call or its result"),
    (r"turns\[\]\.parts\[\]\.(.+)", r"the \1 in a turn"), (r"system", "the system prompt"), (r"tools\[\]", "a tool"),
    (r"tools(?:\[\])?\.(description|strict)", r"\1 of a tool"), (r"tools\.builtin\.(.+)", r"the provider's tool \1"),
    (r"tools\.schema (.+)", r"\1 in a tool's schema"), (r"tools\.schema", "a tool's schema"),
    (r"tool_choice\.parallel", "the limit to one call at a time"),
    (r"tool_choice(?:\.(?:mode|names\[\]|validated))?", "the choice of tools"),
    (r"thinking\.budget", "the budget for thinking"),
    (r"thinking(?:\.(?:effort|off))?", "the effort of thinking"), (r"thinking\.include", "the wish to see thoughts"),
    (r"response_format", "the response format"), (r"other:(.+)", r"the member \1"),
    (r"other", "a member that is not documented"),
    (r"upstream_request\[\] ?|body", "the request"), (r"client ?", "the answer"), (r"turn N", "the request of a turn"),
    (r"signature of step N, tail", "the signature of an empty last part"),
    (r"signature of step N, (\w+) ?N?", r"the signature of a \1"), (r"step N, thinking(?:\[\])?", "a thinking block"),
    (r"step N, thinking\[\]\.(.+)", r"\1 of a thinking block"), (r"id of call N of answer N", "the id of a call"),
    (r"ids", "the ids of calls"),
)  # fmt: skip
"""Shapes of locations, and what a reader calls them."""

_EMPTY_TEXT: Final = '""'
_NULL: Final = "null"
_NOTHING: Final = "nothing is there"
_LONGEST_VALUE: Final = 60
"""Characters of a value that a headline holds."""

MOST_CHANGES: Final = 3
"""How many changes a headline names."""

_IDENTITY: Final = ("id", "object", "created", "model")
_LOST: Final = (ABSENT, _EMPTY_TEXT)
_VALUES_SHOWN: Final = ("settings.", "usage.", "thinking", "response_format", "tool_choice.mode")
"""Locations whose value a headline names where it is lost."""

_NO_VALUE: Final = ("kept", "declared")
"""What stands for an expected value that is not shown."""

_INSIGNIFICANT: Final = re.compile(r"\.(?:media|signature|detail|cited|is_error)$")
"""Members of a part that are empty in most."""

_ENDS: Final = re.compile(r"(?:upstream_request\[\] |body\.|(client )).")
"""How the location in a request, or in the client's answer, begins."""

_PARTS: Final = {
    "media": "a file or image", "call": "a tool call", "value": "the result of a tool call", "text": "text",
}  # fmt: skip


def describe_changes(case: CaseResult, verdict: Verdict) -> list[str]:
    """Return what became of what in one case, each once, what matters most first. ``verdict``: with the differences of
    the finding. All that its check found in the case says whether the whole is lost."""
    check, own = verdict.check, list(verdict.differences)
    every = rows_of_turn(case, check, verdict.turn)
    of_system, of_turns = (rows_of_turn(case, name, verdict.turn) for name in ("request.system", "request.turns"))
    if any(is_system_in_a_turn(row, of_system, of_turns) for row in own):
        return [SYSTEM_OF_MODEL if is_system_said_by_model(of_system, of_turns) else SYSTEM_IN_A_TURN]
    if check == "response.usage":
        return _describe_usage(own, every)
    if check == "request.turns" and (changes := describe_turns(own, every)):
        return [*changes, *(describe_change(row) for row in own if _is_own_change(row, changes))]
    missing = [row.path for row in every if row.path in _IDENTITY and _is_missing(row)]
    if check == "response.identity" and len(missing) > 1:
        own = [row for row in own if row.path not in missing]
        return [f"the answer has no {_join_names(missing)}", *map(describe_change, own)]
    if check == "request.tool_choice" and any(row.note.endswith(NO_CHOICE_SENT) for row in own):
        return [f"the choice of tools is missing altogether, expected {_expected_choice(own)}"]
    if any(row.path == "tool_choice.mode" for row in own):
        own = [row for row in own if not row.path.startswith("tool_choice.names")]
    rows = [row for row in own if not _INSIGNIFICANT.search(row.path) or row.expected not in ("[]", _EMPTY_TEXT, _NULL)]
    return list(dict.fromkeys(map(describe_change, rows or own)))


def _is_own_change(difference: Difference, changes: Sequence[str]) -> bool:
    """Return whether a difference of turns is of a member that stays what it was: an id, a name, a result. ``changes``:
    what is said of the rest; a file in a result changes that."""
    if difference.path.endswith(".value") and MEDIA_IN_RESULT in changes:
        return False
    stays = lost_added_or_differs(difference) == "differs"
    return stays and difference.path.endswith((".id", ".name", ".value", ".is_error", ".role"))


def describe_consequences(check: str, rest: Sequence[Difference]) -> list[str]:
    """Return what is worse than the form of an answer, in what the form explains. ``rest``: the differences that follow
    from those of ``check``."""
    if check == "response.choices" and any(row.path.startswith("text") and row.actual in _LOST for row in rest):
        return ["the answer arrives empty"]
    is_lost = any(
        (row.path == "error" and row.actual == ABSENT) or (row.path == "finish" and "error" in row.expected.split())
        for row in rest
    )
    return ["a failure is told as an answer"] if is_lost and check.startswith(("stream.", "client.wire_shape")) else []


def _describe_usage(own: Sequence[Difference], every: Sequence[Difference]) -> list[str]:
    counts = [row for row in every if row.path.startswith("usage.") and not row.note.startswith("silent loss")]
    lost = {row.path.removeprefix("usage.") for row in counts if row.actual == ABSENT}
    if {"prompt", "completion"} <= lost and len(lost) == len({row.path for row in counts}):
        return ["usage is missing altogether"]
    totals = [row for row in own if row.path == "usage.total"]
    causes = [row for row in every if totals and row.path in ("usage.prompt", "usage.completion")]
    rows = sorted({*own, *causes}, key=list(every).index) if set(own) <= set(every) else own
    return list(dict.fromkeys(map(describe_change, rows)))


def _expected_choice(rows: Sequence[Difference]) -> str:
    return next((row.expected for row in rows if row.path == "tool_choice.mode"), "one call at a time")


def _is_missing(difference: Difference) -> bool:
    return difference.actual in (ABSENT, _NULL, _EMPTY_TEXT, "is missing")


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def describe_change(difference: Difference) -> str:
    """Return ``the setting seed is lost``, ``the reason why the answer ended: length became stop``."""
    became = lost_added_or_differs(difference)
    noun = _name_location(difference)
    expected, actual = _clip_both(difference.expected, difference.actual)
    if difference.path.startswith(("events", "stream")):
        if expected == "an event that may stand here":
            return difference.note if actual in difference.note else f"{difference.note}: {actual}"
        what = f"{difference.note}: {actual}" if difference.note else f"the stream has {actual}"
        return f"{what}, expected {expected}"
    if difference.expected == DOCUMENT and difference.actual.startswith("is "):
        no_error = difference.path == "error" and difference.actual == "is missing"
        return "the error is not in the form of the dialect's error" if no_error else f"{noun} {difference.actual}"
    if difference.expected == DOCUMENT or difference.path == "ids":
        return f"{noun}: {difference.actual}{f' {difference.note}' if difference.path == 'ids' else ''}".rstrip()
    if difference.note == EVERY_ARGUMENT:
        return "all arguments of a tool call are lost"
    if change := _describe_class(difference, noun):
        return change
    if difference.actual == REFUSED:
        return f"{noun} is refused: {difference.expected}"
    if difference.expected == NO_CREDENTIAL:
        return f"{noun} holds {difference.actual}"
    if difference.path == "error":
        return _describe_error(difference)
    if difference.note.startswith(SENT_AS):
        return f"{noun} is {difference.note}, expected {expected}"
    if difference.path.startswith("order") and became != "lost":
        return f"{noun} differs"
    if difference.note == RUN_BY_PROVIDER:
        return f"{difference.note} is declared as a function of the client: {actual}"
    if became == "added":
        return f"{noun} is added: {actual}"
    if became == "lost" or difference.actual in (_EMPTY_TEXT, _NULL, '"absent"'):
        is_shown = difference.path.startswith(_VALUES_SHOWN) and difference.expected not in _NO_VALUE
        return f"{noun} is lost{f' (expected {expected})' if is_shown else ''}"
    return _describe_value(difference, noun)


def _describe_value(difference: Difference, noun: str) -> str:
    expected, actual = _clip_both(difference.expected, difference.actual)
    if difference.actual == "refuses it":
        return f"{noun} refuses what it has to take: {expected.removeprefix('accepts ')}"
    if difference.path.endswith(".sha256"):
        return f"{noun} has other bytes"
    if re.fullmatch(r"turns\[\d+\]\.parts\[\d+\]\.id", difference.path):
        unknown = difference.actual == '"?"'
        return f"{noun} {'is that of no call' if unknown else 'is that of another call'}"
    return f"{noun} is {actual}, expected {expected}"


def _describe_class(difference: Difference, noun: str) -> str:
    """Return what a reason or the class of an error became; "" for what is neither."""
    change = describe_finish_or_error_change(difference)
    if not change:
        return ""
    expected, actual = (side.partition(" (")[0] for side in (difference.expected, difference.actual))
    if choice := re.match(r"choices\[(\d+)\]", difference.path):
        noun = f"the reason why choice {choice[1]} ended"
    if actual == "unknown":
        return f"the error has no class or status, expected {expected}"
    if actual == "incomplete" and difference.actual.endswith("(none)"):
        return f"{noun} is not told, expected {expected}"
    if expected == "error or incomplete":
        return f"an answer that broke off ends as {actual}"
    own_word = re.fullmatch(r"other (\((?!none\)|other\)).+\))", difference.actual)
    return f"{noun}: {change}{f' {own_word[1]}' if own_word else ''}"


def _describe_error(difference: Difference) -> str:
    became = lost_added_or_differs(difference)
    if became == "added":
        message = re.search(r'"message":"((?:[^"\\]|\\.)*)', difference.actual)
        shown = f": {_clip(message[1])}" if message and message[1] else ""
        if difference.note.startswith(NAMED_STOP):
            return f"the stop {difference.note.removeprefix(NAMED_STOP)} arrives as an error{shown}"
        return f"an error arrives that the provider did not send{shown}"
    if became == "lost":
        return "the provider's error is lost, and an answer takes its place"
    if difference.actual == "an end in order, without a finish":
        return "a failure in the stream becomes an end in order, without a finish"
    return f"an error is {_clip(difference.actual)}, expected {_clip(difference.expected)}"


def _clip(value: str, start: int = 0) -> str:
    before = "…" if start else ""
    end = start + _LONGEST_VALUE
    return f"{before}{value[start:end]}{'…' if len(value) > end else ''}"


def _clip_both(expected: str, actual: str) -> tuple[str, str]:
    """Return both with what they differ in, where they are too long for a headline."""
    same = next((at for at, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]), 0)
    longest = max(len(expected), len(actual))
    start = max(0, same - _LONGEST_VALUE // 3) if longest > _LONGEST_VALUE else 0
    return _clip(expected, start if start < len(expected) else 0), _clip(actual, start if start < len(actual) else 0)


def describe_broken_expectation(difference: Difference, title: str) -> str:
    """Return what is so, and what the scenario says instead: ``effort of the request is "high", expected "low". Low
    effort stays low``."""
    actual = difference.actual
    count = actual.partition(":")[0] if difference.expected.startswith("count ") else ""
    is_whole = difference.path.endswith("] ")
    if count == "0" or (not is_whole and actual in (ABSENT, _NOTHING, _EMPTY_TEXT)):
        change = "is lost"
    elif count:
        change = f"is there {count} times"
    elif difference.expected == ABSENT:
        change = "is added"
    else:
        long = "is there" if difference.expected == "absent true" else "differs"
        change = f"is {actual}{_expected_value(difference)}" if len(actual) <= _LONGEST_VALUE and not is_whole else long
    return f"{_name_location(difference)} {change}. {title}"


def _expected_value(difference: Difference) -> str:
    """Return what a literal expects instead, where it is short: ``, expected 60``."""
    if difference.expected == "absent true":
        return ", and must not be there"
    value = difference.expected.removeprefix("equals ").replace("one_of ", "one of ")
    return f", expected {value}" if len(value) <= _LONGEST_VALUE else ""


def _name_location(difference: Difference) -> str:
    shape = path_shape(difference.path)
    became = lost_added_or_differs(difference)
    if shape.endswith("parts[]") and became != "differs":
        kind = part_kind(difference.expected if became == "lost" else difference.actual)
        return f"{_PARTS.get(kind, 'a part')} in a turn"
    if shape == "tool_calls[]" and became == "lost" and '"bad_args":' in difference.expected:
        return "a tool call whose arguments are cut"
    if shape == "line N":
        return difference.path
    if shape == "body" and difference.expected != SAME_BYTES:  # as client.framing names the bytes of a response
        return "the response"
    return _name_shape(shape)


def _name_shape(shape: str) -> str:
    if end := _ENDS.match(shape):
        return f"{_name_shape(shape[end.end() - 1 :])} of the {'answer' if end[1] else 'request'}"
    for pattern, noun in _NOUNS:
        if found := re.fullmatch(pattern, shape):
            return found.expand(noun).replace("[]", "")
    return shape.replace("[]", "")
