"""Fingerprints: what makes two failures one and the same.

A fingerprint stands for one kind of difference: the check, the location, what became of what stood there, and the
words of the message. Indices, numbers, values, and the names of tools, arguments and members of a schema are taken
out, as is whether an answer was streamed, so that it is the same for every case and over runs. The name of a setting
stays. Where both sides are words of a closed list (why an answer ended) the words count: a cut stream that ends as
``stop`` is another defect than a filter that does. A crash is told apart by its exception, its words and the function
it came from, an error by status, class and words. What a scenario alone expects is told apart by its topic.

A verdict with differences of several kinds is several failures (``split_by_kind``), and has to be accepted for each.

The fingerprint of a verdict names the direction too: what converts Gemini to Anthropic shares nothing with what
converts Chat to Gemini, so an accepted failure of the one must not hide a new one of the other. It does not name mode
or layer, which most converters serve with the same code.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from bridgecheck.checks.check import describe_difference
from bridgecheck.model.evidence import exception_line, own_traceback
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report.message_shape import message_shape
from bridgecheck.report.turn_changes import carries_text, turn_fault

ABSENT: Final = "(absent)"
"""How a difference writes that nothing is there."""

_CLASS_PATHS: Final = frozenset({"finish", "error.kind"})
"""Places whose values are classes."""

_EXPECTATION: Final = "expect."
"""What the checks begin with that a scenario alone gives a meaning."""

RELATIONS: Final = "relation."
"""What the checks begin with that a run may leave out."""

LAWS_AND_RELATIONS: Final = ("law.", RELATIONS)
"""What the checks begin with whose message says what was done, not what came of it."""

_SCHEMA = re.compile(
    r"\btools(?:\[\d*\]|\.[^\[]+?)?(?:\.functionDeclarations\[\d*\]|\.function)?"
    r"\.(?:parameters(?:JsonSchema|_json_schema)?|input_schema|inputSchema|schema|\*)(?=\.|\[|$)(.*)"
)
_SCHEMA_WORD = re.compile(
    r"\.(type|enum|description|required|format|nullable|default|pattern|title|const|examples|anyOf|oneOf|allOf|items|"
    r"prefixItems|additionalProperties|propertyOrdering|\$ref|\$defs|\$schema|m(?:in|ax)\w+|exclusiveM\w+|multipleOf)"
    r"(?:\[\d*\])*$"
)
_TOOL = re.compile(r"^tools\..+\.(description|strict)$")
_ARGUMENT = re.compile(r"(\.args|\.input|tool_calls\[\d*\]\[\d*\])[.\[].*")
_RESULT = re.compile(r"(functionResponse\.response|\.value)\b.*")
_ANSWER = re.compile(r"^client_(?:events|response)\[\d*\] (?:\[-?\d*\]\.?)?")
_INDEX = re.compile(r"\[-?\d*\]")
_NUMBER = re.compile(r"\d+")
_CHOICE = re.compile(r"^choices\[\]\.(?!index)")
_UNION = re.compile(r"\.(?:str|int|float|bool|(?:list|dict)\[.*)$")
"""What the validation of a union puts behind a path: the member that it tried."""

_DELTA = re.compile(r"\bdelta\b")
_CONCEPTS: Final = (
    (re.compile(r"finish(?:_?[rR]eason)?$|stop_reason$"), "finish"),
    (re.compile(r"\busage(?:Metadata)?\b"), "usage"),
    (re.compile(r"\berror\b|^type$"), "error"),
    (re.compile(r"tool_calls|functionCall|tool_use|\.input\b|content(?:_block|\[\])\.(?:name|id)$"), "calls"),
    (re.compile(r"[sS]ignature"), "signatures"),
    (re.compile(r"reasoning|thinking|thought\b"), "reasoning"),
    (re.compile(r"inlineData|audio|image|\bmedia\b"), "media"),
    (re.compile(r"annotations|citations|grounding"), "citations"),
    (re.compile(r"content(?:_block|\[\])\.type$|^order\b"), "order"),
    (re.compile(r"text|content$"), "text"),
)
"""Locations in a client's documents, and what all dialects call them here."""

_REQUEST_CONCEPTS: Final = (
    (re.compile(r"[sS]ignature|reasoning|thinking|thought\b|redacted"), "thinking"),
    (re.compile(r"media|image_url|[iI]nlineData|[fF]ileData|\.source|input_audio|\.file\b"), "media"),
    (re.compile(r"functionResponse|tool_result|tool_call_id|tool_use_id|\.value$|parts\[\] value"), "results"),
    (re.compile(r"functionCall|tool_calls|\.input\b|parts\[\] call|\.args\b"), "calls"),
    (re.compile(r"tools\.schema"), "schemas"),
    (re.compile(r"tool_choice|toolConfig"), "tool choice"),
    (re.compile(r"^(?:upstream_request\[\] )?system"), "system"),
    (re.compile(r"(?:turns\[\]|contents\[\]|messages\[\]).*(?:text|content)"), "text"),
)
"""Locations in a provider's documents and in turns, and what all dialects call them here."""

_OF_SEVERAL: Final = "of several choices"
"""Where an answer has several choices, whatever becomes of the end of each is one defect: they were mixed up."""

_COUNTS: Final = re.compile(r"^usage(?:\.(?:prompt|completion|total))?$")
_FRAME = re.compile(r'File "([^"]+)", line \d+, in (\S+)')
_SEPARATOR = re.compile(r"[/\\]")
_PART_MEMBERS: Final = ("call", "value", "media", "thinking", "text")
_NOT_THE_KIND: Final = (
    "differs from character",
    "type changed",
    "silent loss",
    "reasoning leaked",
    "sent as",
    "an error for the stop",
    "every argument",
    "of the id",
)
"""How notes begin that say nothing of the cause."""

DifferenceKind: TypeAlias = Literal["lost", "added", "differs"]


def fingerprint(case: CaseResult, verdict: Verdict) -> str:
    """Return the fingerprint of a verdict whose differences are of one kind: ten hex digits, the same on every
    machine."""
    key = case.key
    text = "\n".join((key.path, key.client, key.upstream, *defect_shape_without_direction(case, verdict)))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:10]


def fingerprints(case: CaseResult, verdict: Verdict) -> tuple[str, ...]:
    """Return the fingerprint of each kind of difference that a verdict has."""
    return tuple(dict.fromkeys(fingerprint(case, part) for part in split_by_kind(case, verdict)))


def split_by_kind(case: CaseResult, verdict: Verdict) -> tuple[Verdict, ...]:
    """Return the verdict once for each kind of difference, with the differences of that kind alone. A message of its
    own says what all differences have in common: such a verdict stays whole."""
    kinds: dict[tuple[str, ...], list[Difference]] = {}
    repeats = repeats_a_difference(verdict)
    if repeats or verdict.check.startswith(LAWS_AND_RELATIONS):
        for difference in verdict.differences:
            kinds.setdefault(_difference_shape(case, verdict, difference), []).append(difference)
    if len(kinds) < 2:
        return (verdict,)
    return tuple(
        replace(
            verdict,
            message=describe_difference(rows[0]) if repeats else verdict.message,
            differences=tuple(rows),
            losses=verdict.losses if number == 0 else (),
        )
        for number, rows in enumerate(kinds.values())
    )


def defect_shape_without_direction(case: CaseResult, verdict: Verdict) -> tuple[str, ...]:
    """Return what is wrong, without the direction: the same for every pair of dialects. All differences of the verdict
    are of one kind."""
    if verdict.check == "adapter.completes":
        return verdict.check, crash_shape(case.crash) or message_shape(verdict.message)
    if not verdict.differences:
        return verdict.check, message_shape(verdict.message)
    shape = _difference_shape(case, verdict, verdict.differences[0])
    return shape if repeats_a_difference(verdict) else (*shape, message_shape(verdict.message))


def _find_cause_in_verdict(verdict: Verdict, difference: Difference) -> Difference:
    """Return the difference of the same verdict that this one follows from, itself if there is none: where a tool lost
    members of its schema, whatever else its schema lost went with them; where a turn or a part is lost or added, all
    that comes behind it has moved; where a call is forced no more, neither is its name; an error of another kind has
    another status."""
    if verdict.check == "request.tools":
        tool = difference.path.partition(".schema")[0]
        found = [row for row in verdict.differences if row.path.startswith(f"{tool}.schema.") and _is_undeclared(row)]
    elif verdict.check == "request.turns" and (_is_text_part(difference) or not _is_whole_turn_or_part(difference)):
        turn = _turn_number(difference)
        moved = [row for row in verdict.differences if _is_whole_turn_or_part(row) and _turn_number(row) <= turn]
        found = sorted(moved, key=_is_text_part)
    elif difference.path.startswith("tool_choice.names"):
        found = [row for row in verdict.differences if row.path == "tool_choice.mode"]
    elif verdict.check == "response.error" and difference.path == "error.status":
        found = [row for row in verdict.differences if row.path == "error.kind"]
    else:
        return difference
    return next(iter(found), difference)


def _is_undeclared(difference: Difference) -> bool:
    return difference.expected == "declared" and difference.actual == ABSENT


def _is_whole_turn_or_part(difference: Difference) -> bool:
    return difference.path.endswith("]") and lost_added_or_differs(difference) != "differs"


def _is_text_part(difference: Difference) -> bool:
    """Return whether it is a part of text alone, which merges with its neighbours when one between them is lost."""
    value = difference.expected if difference.actual == ABSENT else difference.actual
    return difference.path.endswith("]") and part_kind(value) == "text"


def _turn_number(difference: Difference) -> int:
    found = _NUMBER.search(difference.path)
    return int(found[0]) if found else 0


def _difference_shape(case: CaseResult, verdict: Verdict, shown: Difference) -> tuple[str, ...]:
    check = verdict.check
    if check.startswith(RELATIONS):
        return (check,)
    if check in ("request.turns", "request.system") and (fault := _turn_or_system_fault(case, verdict, shown)):
        return check, fault
    difference = _find_cause_in_verdict(verdict, shown)
    path = path_shape(difference.path)
    if check.startswith(_EXPECTATION):
        side = "request" if check == "expect.prompt" or difference.path.startswith("upstream") else "response"
        topic = case.key.scenario.partition("/")[0]
        return f"{_EXPECTATION}{side}", topic, response_concept(path) if side == "response" else path
    if check.startswith(LAWS_AND_RELATIONS):
        return check, response_concept(path)
    if check == "request.tools" and ".schema." in difference.path and _is_undeclared(difference):
        return check, "tools.schema", "lost"
    if path.startswith(("tool_calls[].args", "tool_calls[].bad_args")):
        return check, "tool_calls[].args"
    change = lost_added_or_differs(difference)
    if check == "request.added" and not path.startswith("settings."):
        return check, path.partition(".")[0]
    if check == "request.thinking" and change == "lost" and path != "thinking.include":
        return check, "thinking", change
    if path.startswith("turns[].parts[].") and change != "differs":
        return check, "turns[].parts[]", "of another kind"
    if path == "turns[]" and change == "lost" and (kind := _only_kind(_first_lost_turn(verdict, difference))):
        return check, f"turns[].parts[] {kind}", change, "", ""
    if path.endswith("parts[]") and change != "differs":
        path = f"{path} {part_kind(difference.expected if change == 'lost' else difference.actual)}"
    if check == "relay.signatures":
        return check, path
    if check in ("request.deterministic", "request.prefix_stable"):
        return check, "ids" if path.endswith("id") else ""
    if check == "relay.thinking":
        return check, "a redacted block" if path.endswith(".data") else "a block", change
    if path == "error" and change == "added":
        return check, path, change, message_shape(difference.actual)
    if _COUNTS.match(path) and not (path == "usage" and change != "differs"):
        path, change = "usage.prompt, completion or total", "differs"
    elif check.endswith("wire_shape"):
        path = _DELTA.sub("message", path_shape(_UNION.sub("", difference.path)))
    note = "" if difference.note.startswith(_NOT_THE_KIND) else message_shape(difference.note)
    if check == "request.acceptable":
        note = difference.note.partition(",")[0]  # the rule, without its source
    is_of_several = difference.path.startswith("choices[") and path == "finish"
    return check, path, change, _OF_SEVERAL if is_of_several else describe_finish_or_error_change(difference), note


SYSTEM_IN_A_TURN: Final = "the system prompt is sent as text of a turn"
SYSTEM_OF_MODEL: Final = "the system prompt is sent as words of the assistant"


def _turn_or_system_fault(case: CaseResult, verdict: Verdict, shown: Difference) -> str:
    """Return what several differences of turns and the system prompt make together; "" for one that stands alone."""
    of_system, of_turns = (rows_of_turn(case, check, verdict.turn) for check in ("request.system", "request.turns"))
    if is_system_in_a_turn(shown, of_system, of_turns):
        return SYSTEM_IN_A_TURN
    whole = of_turns if set(verdict.differences) <= set(of_turns) else verdict.differences
    return turn_fault(shown, whole) if verdict.check == "request.turns" else ""


def rows_of_turn(case: CaseResult, check: str, turn: int) -> list[Difference]:
    """Return the differences that a check found in one turn of a case."""
    return [row for item in case.verdicts if (item.check, item.turn) == (check, turn) for row in item.differences]


def is_system_in_a_turn(shown: Difference, of_system: Sequence[Difference], of_turns: Sequence[Difference]) -> bool:
    """Return whether a difference is of a system prompt that is sent in a turn: of the prompt, or of that turn."""
    lost, held = _find_system_in_turns(of_system, of_turns)
    is_turn_beside = shown in of_turns and shown.path.endswith("]") and ".parts" not in shown.path
    return bool(held) and (shown in lost or shown in held or (is_turn_beside and shown.expected == ABSENT))


_OF_MODEL: Final = re.compile(r'"role":\s*"assistant"')


def is_system_said_by_model(of_system: Sequence[Difference], of_turns: Sequence[Difference]) -> bool:
    """Return whether a lost system prompt stands in a turn of the model's that was added."""
    _, held = _find_system_in_turns(of_system, of_turns)
    return any(_OF_MODEL.search(row.actual) for row in held)


def _find_system_in_turns(
    of_system: Sequence[Difference], of_turns: Sequence[Difference]
) -> tuple[list[Difference], list[Difference]]:
    """Return the rows of a system prompt that is lost, and those of the turns that hold it."""
    lost = [row for row in of_system if row.path == "system" and row.actual == '""']
    held = [row for row in of_turns if any(carries_text(row.actual, row.expected, item.expected) for item in lost)]
    return lost, held


def response_concept(path: str) -> str:
    """Return what all dialects call a location in a response, by its shape."""
    return next((name for pattern, name in _CONCEPTS if pattern.search(path)), _DELTA.sub("message", path))


def request_concept(path: str) -> str:
    """Return what all dialects call a location in a request, by its shape; "" for what has no such name."""
    return next((name for pattern, name in _REQUEST_CONCEPTS if pattern.search(path)), "")


def part_kind(value: str) -> str:
    """Return what a part of a turn is, by its JSON text, which may be cut off."""
    try:
        members = obj(json.loads(value))
    except ValueError:
        members = {}
    return next((name for name in _PART_MEMBERS if name in members or f'"{name}":' in value), "")


def _first_lost_turn(verdict: Verdict, difference: Difference) -> str:
    """Return the first turn of the verdict that is lost: those behind it are lost with it, or have moved."""
    rows = (row for row in verdict.differences if path_shape(row.path) == "turns[]" and row.actual == ABSENT)
    return next(rows, difference).expected


def _only_kind(turn: str) -> str:
    """Return the kind of all parts of a turn, where they are calls or results: with them nothing of it is left."""
    try:
        kinds = {part_kind(json.dumps(part)) for part in objs(obj(json.loads(turn)).get("parts"))}
    except ValueError:
        return ""
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= {"call", "media", "value"} else ""


def lost_added_or_differs(difference: Difference) -> DifferenceKind:
    if difference.actual == ABSENT:
        return "lost"
    return "added" if difference.expected == ABSENT else "differs"


def describe_finish_or_error_change(difference: Difference) -> str:
    """Return ``length became stop``, where the values are classes; "" elsewhere. What stands in brackets behind a class
    is the provider's or the client's own word for it."""
    if path_shape(difference.path) not in _CLASS_PATHS or lost_added_or_differs(difference) != "differs":
        return ""
    expected, actual = (side.partition(" (")[0] for side in (difference.expected, difference.actual))
    return f"{expected} became {actual}"


def repeats_a_difference(verdict: Verdict) -> bool:
    """Return whether the message says nothing more than one of the differences shown beside it."""
    return any(
        all(text in verdict.message for text in (row.path, row.expected, row.actual)) for row in verdict.differences
    )


def path_shape(path: str) -> str:
    """``choices[0].tool_calls[2].args.city`` -> ``choices[].tool_calls[].args``: the tool names its arguments.
    ``tools[0].function.parameters.properties.rows.items.type`` -> ``tools.schema type``: it names them in its schema
    too. A location in the only document of a unary answer, and in each event of a stream, is the same location."""
    shape = _TOOL.sub(r"tools[].\1", _SCHEMA.sub(_schema_shape, path))
    shape = _RESULT.sub(r"\1", _ARGUMENT.sub(r"\1", shape))
    return _CHOICE.sub("", _NUMBER.sub("N", _INDEX.sub("[]", _ANSWER.sub("client ", shape))))


def _schema_shape(found: re.Match[str]) -> str:
    word = _SCHEMA_WORD.search(found[1])
    return f"tools.schema {word[1]}" if word else "tools.schema"


def crash_shape(crash: str) -> str:
    """Return ``KeyError: '_' in parts.py:convert`` of a traceback; "" if there was none."""
    text, location = message_shape(exception_line(crash)), crash_location(crash)
    return f"{text} in {location}" if location else text


def crash_location(crash: str) -> str:
    """Return ``parts.py:convert``, the last frame of a traceback; "" if there is none."""
    frames = _FRAME.findall(own_traceback(crash))
    return f"{_SEPARATOR.split(frames[-1][0])[-1]}:{frames[-1][1]}" if frames else ""
