"""A normal form as a flat table, path -> value, in the words of ``compare/losses``: what of it differs can be named.

Paths: ``settings.top_k``, ``turns.media.image.png``, ``usage.cached``, ``other:`` and a path in the document. Values:
canonical JSON of all that stands under the path, in order.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Final, TypeAlias

from bridgecheck.compare.classes import effort_level
from bridgecheck.compare.diff import to_plain_json
from bridgecheck.compare.rewrites import media_with_canonical_mime
from bridgecheck.compare.signature_positions import request_signatures, response_signatures
from bridgecheck.compare.turns import KINDS, detail_members
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.prompt import CallPart, MediaPart, Part, Prompt, ReasoningPart, ResultPart, TextPart, ToolChoice

Features: TypeAlias = dict[str, str]
_Values: TypeAlias = defaultdict[str, list[object]]

FREE_PATHS: Final[frozenset[str]] = frozenset(
    {"turns.calls.id", "turns.results.id", "turns.results.name", "tool_calls.id", "response_id"}
)
"""What an adapter may say in words of its own, or not at all: ids only have to pair, and they name the result."""

CLASS_RULES: Final[dict[str, str]] = {
    "finish": "finish.class", "error.native": "error.class", "error.kind": "error.class", "error.status": "error.class",
}  # fmt: skip
"""What is compared by class tables (``compare/classes``), which a check does, and the rule's name:
the words are each dialect's own."""

NOT_IN_CANONICAL: Final[frozenset[str]] = frozenset({"turns.signatures"})
"""What canonical rewrites leave out."""

_CANONICAL_REWRITES: Final[tuple[tuple[str, str], ...]] = (
    ("system", "system_join"), ("turns.role", "role_merge"), ("turns.media", "media_bytes"),
    ("turns.results", "result_wrap"), ("turns", "adjacent_text"), ("tools", "schema_equiv"),
    ("tool_choice", "tool_choice_class"), ("thinking", "effort_bucket"), ("response_format", "schema_equiv"),
    ("settings", "alias"), ("media", "media_bytes"),
)  # fmt: skip
"""Beginning of a path -> the rewrite that levels what stands there, the first that fits."""


def rewrite_name_or_default_fill(path: str) -> str:
    """Return the name of the rewrite of ``compare/rewrites`` that levels this path; default_fill for any other."""
    return next((name for start, name in _CANONICAL_REWRITES if path.startswith(start)), "default_fill")


def prompt_features(prompt: Prompt) -> Features:
    found: _Values = defaultdict(list)
    found["model"].append(prompt.model)
    found["system"] += prompt.system
    for turn in prompt.turns:
        found["turns.role"].append(turn.role)
        found["turns.name"] += [turn.name] if turn.name else []
        for part in turn.parts:
            _add_part(found, part)
    for location, signature in request_signatures(prompt).items():
        found["turns.signatures"].append([location, signature])
    _add_tools_and_tool_choice(found, prompt)
    for name, value in prompt.settings:
        found[f"settings.{name}"].append(value)
    _add_thinking_and_format(found, prompt)
    found["features"] += prompt.features
    return _values_as_canonical_json(found, prompt.other)


def outcome_features(outcome: Outcome) -> Features:
    found: _Values = defaultdict(list)
    found["model"].append(outcome.model)
    found["response_id"].append(outcome.response_id)
    for choice in outcome.choices:
        _add_choice(found, choice)
    if outcome.usage is not None:
        for name, count in dict(_top_level_field_items(outcome.usage)).items():
            found[f"usage.{name}"] += [count] if count is not None else []
    if outcome.error is not None:
        for name, value in _top_level_field_items(outcome.error):
            found[f"error.{name}"].append(value)
    return _values_as_canonical_json(found, outcome.other)


def canonical_features_without_error_and_ids(outcome: Outcome) -> Features:
    """Return the features of an answer, with classes in place of each dialect's own names, and media by content."""
    alike = tuple(
        replace(choice, media=tuple(map(media_with_canonical_mime, choice.media))) for choice in outcome.choices
    )
    found = outcome_features(replace(outcome, choices=alike, error=None))
    kinds = [choice.finish.kind for choice in outcome.choices]
    left = {path: value for path, value in found.items() if path not in FREE_PATHS}
    return left | {"finish": canonical(kinds)}


def differing_paths(expected: Features, actual: Features) -> tuple[str, ...]:
    """Return the paths whose values differ, sorted."""
    return tuple(sorted(path for path in {*expected, *actual} if expected.get(path) != actual.get(path)))


def _values_as_canonical_json(found: _Values, unplaced: tuple[tuple[str, str], ...]) -> Features:
    for path, value in unplaced:
        found[f"other:{path}"].append(value)
    return {path: canonical(to_plain_json(values)) for path, values in found.items() if values and values != [""]}


def _top_level_field_items(value: object) -> list[tuple[str, object]]:
    fields = to_plain_json(value)
    return list(fields.items()) if isinstance(fields, dict) else []


def _add_part(found: _Values, part: Part) -> None:
    for kind in KINDS:
        path = kind.path(part)
        if path:
            found[path].append(_part_value(part, path))
    if isinstance(part, TextPart):
        found["turns.text"].append(part.text)
    elif isinstance(part, CallPart):
        found["turns.calls"].append([part.call.name, part.call.args, part.call.bad_args])
        found["turns.calls.id"].append(part.call.id)
    elif isinstance(part, ResultPart):
        found["turns.results"].append(part.value)
        found["turns.results.id"].append(part.id)
        found["turns.results.name"].append(part.name)
        for item in part.media:
            _add_part(found, MediaPart(item))


def _part_value(part: Part, path: str) -> object:
    """Return what of a part a path of ``KINDS`` stands for."""
    if path.startswith("turns.media.detail"):
        return detail_members(part, named=path != "turns.media.detail")
    if path == "turns.results.is_error":
        return True
    if isinstance(part, ReasoningPart):
        return [part.text, part.redacted]
    return part.media if isinstance(part, MediaPart) else part


def _add_tools_and_tool_choice(found: _Values, prompt: Prompt) -> None:
    for tool in prompt.tools or ():
        if tool.builtin:
            found[f"tools.builtin.{tool.name}"].append(tool.builtin)
            continue
        found["tools"].append([tool.name, tool.description, tool.schema])
        found["tools.strict"] += [tool.strict] if tool.strict else []
    choice: ToolChoice = prompt.tool_choice
    path = f"tool_choice.{choice.mode}" if choice.mode in ("validated", "allowed") else "tool_choice"
    found[path] += [choice.mode, *choice.names] if choice.mode != "absent" else []
    found["tool_choice.parallel"] += [choice.parallel] if choice.parallel is not None else []


def _add_thinking_and_format(found: _Values, prompt: Prompt) -> None:
    """Add what the request requires of thinking, and of the answer's form."""
    rung = effort_level(prompt.thinking)
    if prompt.thinking is not None:
        amount = [prompt.thinking.budget, prompt.thinking.level]
        found["thinking.off" if rung == "off" else "thinking.effort"] += amount if rung else []
        found["thinking.include"] += [True] if prompt.thinking.include else []
    requested = prompt.response_format
    if requested is not None and requested.kind != "text":
        found[f"response_format.{requested.kind}"].append(requested.schema)
        found["response_format.name"] += [requested.name] if requested.name else []
        found["response_format.strict"] += [requested.strict] if requested.strict else []


def _add_choice(found: _Values, choice: Choice) -> None:
    found["choices"].append(choice.index)
    found["text"] += choice.text
    found["reasoning"] += choice.reasoning
    for call in choice.tool_calls:
        found["tool_calls"].append([call.name, call.args, call.bad_args])
        found["tool_calls.id"].append(call.id)
    for item in choice.media:
        kind = item.mime.replace(".", "_").replace("/", ".") if item.sha256 or not item.uri else "uri"
        found[f"media.{kind}"].append(item)
    found["code"] += choice.code
    found["citations"] += choice.citations
    found["refusal"].append(choice.refusal)
    found["finish"].append(choice.finish.native)
    for location, signature in response_signatures(choice).items():
        found["signatures"].append([location, signature])
