"""request.settings, request.thinking, request.response_format, request.added: how the model is to respond."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bridgecheck.checks.bases import CHAT, MEASURED, MESSAGES, SCHEMA
from bridgecheck.checks.bases import THINKING as THINKING_DOC
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.documents import is_empty_leaf
from bridgecheck.checks.request_and_response_pairs import RequestPair, request_pairs
from bridgecheck.checks.tools import find_answer_tool, fold_name
from bridgecheck.compare.allowances import (
    CLOSED_SCHEMAS,
    find_addition,
    is_effort_level_that_max_tokens_allows,
    is_off_by_default,
    is_stated_default,
    narrowed_setting_rule,
    setting_exclusion_rule,
    thinking_exclusion_rule,
)
from bridgecheck.compare.classes import (
    CAN_BE_SILENCED,
    CAN_BE_SILENCED_AT_OPENAI,
    CANNOT_BE_SILENCED,
    WITHOUT_LEVELS,
    effort_level,
    is_close_effort,
    is_high_budget,
)
from bridgecheck.compare.diff import ABSENT, differences, shorten
from bridgecheck.compare.schema import compare_schemas
from bridgecheck.compare.text import contains_in_order
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.prompt import Prompt, ResponseFormat, Thinking
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference, Level
from bridgecheck.wire import Dialect

Settings: TypeAlias = Mapping[str, object]
_SAFETY: Final = "safetySettings"
"""Where Gemini's thresholds stand: what they let pass is the client's choice."""
_AI_SDK: Final = Basis("convention", "@ai-sdk/anthropic 4.0.105: maxOutputTokens + thinkingBudget", MEASURED)
_VERTEX_FLASH: Final = "https://cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/2-5-flash"
_LIMITS: Final = Basis("documented", _VERTEX_FLASH, "2026-11-23")
_IGNORED: Final = Basis("documented", "https://docs.anthropic.com/en/api/openai-sdk", "2026-11-23")
_HOUSE: Final = Basis("house", "what is added to a request in silence is a choice the client did not make", MEASURED)


def check_settings(evidence: Evidence) -> Iterator[Result]:
    """Every setting that the provider's dialect can express arrives with its value; an explicit 0 is a value."""
    for pair in request_pairs(evidence):
        expected, actual = dict(pair.expected_canonical[0].settings), dict(pair.actual_canonical[0].settings)
        if not expected:
            continue
        wrong, rules = _changes_and_rules(pair, expected, actual)
        changed = [name for name in expected if _is_inexpressible_and_changed(pair, name, expected, actual)]
        missing = [name for name in expected if name not in actual or name in changed]
        excluded = {
            name: rule
            for name in missing
            if (rule := setting_exclusion_rule(pair.actual, pair.ends.dialects, name, expected[name]))
        }
        losses, unlisted = pair.ends.split_losses([f"settings.{name}" for name in missing if name not in excluded])
        lost = silent_losses(unlisted, {f"settings.{name}": shorten(value) for name, value in expected.items()})
        rules += excluded.values()
        rules += ["alias"] if pair.expected.settings != pair.actual.settings and not wrong and not lost else []
        raised = [row for row in wrong if _is_limit_raised_by_budget(pair, row.path, expected)]
        capped = [row for row in wrong if _is_limit_that_of_model(pair, row.path, expected)]
        wrong = [row for row in wrong if row not in (*raised, *capped)]
        yield Result((*wrong, *lost), rules=rules, losses=losses, turn=pair.turn)
        if raised:
            yield Result(raised, level="SHOULD", rules=["settings.limit_beside_thinking"], turn=pair.turn)
        if capped:
            yield Result(capped, level="SHOULD", rules=["settings.limit_of_model"], turn=pair.turn)


SETTINGS: Final = Check(
    "request.settings", "settings", "MUST", CHAT, "Settings arrive with their values.", check_settings, "request",
    rules=(
        Rule("settings.value", "MUST", "A setting arrives with its value; an explicit 0 is one.", CHAT),
        Rule("settings.alias", "MUST", "Where a provider has another name for it, that is used.", CHAT),
        Rule("settings.limit_beside_thinking", "SHOULD", "A limit holds for thinking and answer together; to some "
            "libraries it is that of the answer alone, and they send limit and budget as one sum.", _AI_SDK),
        Rule("settings.limit_of_model", "SHOULD", "A limit above what the requested model can write is passed on, or "
            "refused, rather than lowered to the model's own.", _LIMITS),
    ),
)  # fmt: skip


def _changes_and_rules(pair: RequestPair, expected: Settings, actual: Settings) -> tuple[list[Difference], list[str]]:
    """Return settings that arrived with another value, and the rules by which another value is right."""
    rows: list[Difference] = []
    rules: list[str] = []
    for name, value in expected.items():
        if name not in actual or not differences(value, actual[name]):
            continue
        if _is_inexpressible_and_changed(pair, name, expected, actual):
            continue
        rule = "" if pair.ends.unconverted else narrowed_setting_rule(pair.ends.dialects, name, value, actual[name])
        if rule:
            rules.append(rule)
        else:
            rows.append(Difference(f"settings.{name}", shorten(value), shorten(actual[name])))
    return rows, rules


def _is_limit_raised_by_budget(pair: RequestPair, path: str, expected: Settings) -> bool:
    """Return whether the limit that was sent is the client's and the budget for thinking that was sent beside it."""
    limit, thinking = expected.get("max_tokens"), pair.actual.thinking
    if path != "settings.max_tokens" or pair.ends.unconverted or thinking is None or not thinking.budget:
        return False
    return isinstance(limit, int) and dict(pair.actual.settings)["max_tokens"] == limit + thinking.budget


def _is_limit_that_of_model(pair: RequestPair, path: str, expected: Settings) -> bool:
    """Return whether the client's limit was lowered to the most that the model in the sent request can write."""
    limit, sent = expected.get("max_tokens"), dict(pair.actual.settings).get("max_tokens")
    if path != "settings.max_tokens" or not isinstance(limit, int) or not isinstance(sent, int):
        return False
    own = next((most for name, most in _MOST_TOKENS if name.search(pair.actual.model)), ())
    return sent in own and limit > sent


_MOST_TOKENS: Final = (
    (re.compile(r"(?:^|/)gpt-4o"), (16_384,)),
    (re.compile(r"(?:^|/)gpt-4\.1"), (32_768,)),
    (re.compile(r"(?:^|/)gemini-2\.5"), (65_535, 65_536)),
)
"""The most tokens of one answer, of models that take fewer than clients ask for. Sources, read 2026-11-23: of Gemini
Vertex AI's page (65,535; other hosts say one more), of GPT-4.1
https://community.openai.com/t/default-value-of-max-output-tokens-of-responses-create-for-gpt-4-1-2025-04-14/1281423,
of GPT-4o what others repeat of OpenAI's page."""


def _is_inexpressible_and_changed(pair: RequestPair, name: str, expected: Settings, actual: Settings) -> bool:
    """Return whether the client's own types have no place for a setting, and the value sent is the adapter's."""
    return f"settings.{name}" in pair.ends.inexpressible and bool(differences(expected[name], actual.get(name)))


def check_thinking(evidence: Evidence) -> list[Result]:
    """Thinking that was turned off stays off, more effort never becomes less. Token numbers are not judged."""
    return [
        _judge_thinking(pair, pair.expected.thinking, claims_thinking="thinking" not in evidence.unclaimed)
        for pair in request_pairs(evidence)
        if pair.expected.thinking is not None
    ]


THINKING: Final = Check(
    "request.thinking", "thinking", "MUST", THINKING_DOC, "Thinking turned off stays off; effort keeps its level.",
    check_thinking, "request",
    rules=(
        Rule("thinking.effort", "MUST", "More effort never becomes less; numbers are not judged.", THINKING_DOC),
        Rule("thinking.off", "MUST", "Thinking that was turned off stays off, or at its least.", THINKING_DOC),
        Rule("thinking.elsewhere", "SHOULD", "A library passes on an effort, or off, also for a model that is not its "
            "host's.", THINKING_DOC),
        Rule("thinking.effort_without", "SHOULD", "An effort for a model that does not think is passed on, or refused.",
            THINKING_DOC),
        Rule("thinking.effort_ignored", "SHOULD", "Chat's effort reaches Anthropic, whose own page on Chat ignores it, "
            "also through an adapter that does not claim thinking.", _IGNORED),
        Rule("thinking.one_setting", "MUST", "A budget or a level is sent, never both.", THINKING_DOC),
    ),
)  # fmt: skip


_OF_OPENAI: Final = re.compile(r"(?:^|/)(?:gpt-|o\d)")
_DOES_NOT_THINK: Final = re.compile(
    r"gpt-(?:3|4)|gemini-(?:1|2\.0(?!.*thinking))|claude-(?:2|3-(?:5|haiku|opus|sonnet))"
)
"""Models without reasoning: https://developers.openai.com/docs/guides/reasoning,
https://ai.google.dev/gemini-api/docs/thinking and
https://platform.claude.com/docs/en/build-with-claude/extended-thinking list those that have it (read 2026-11-23)."""


def _judge_thinking(pair: RequestPair, expected: Thinking, *, claims_thinking: bool) -> Result:
    actual = pair.actual.thinking
    if pair.ends.unconverted or expected == actual:
        return Result(differences(expected, actual, "thinking"), turn=pair.turn)
    expected_level, actual_level = effort_level(expected), effort_level(actual)
    excluded = thinking_exclusion_rule(pair.actual, pair.ends.dialects)
    rows = _find_effort_faults(pair, expected_level, actual_level, excluded)
    lost: list[str] = []
    always_thinks = pair.ends.target == "gemini" and CANNOT_BE_SILENCED.search(pair.actual.model) is not None
    is_off_unsaid = expected_level == "off" and (
        always_thinks or is_off_by_default(pair.actual, "off", (pair.actual.dialect,))
    )
    if not rows and not actual_level and expected_level == "off":
        lost += [] if is_off_unsaid else ["thinking.off"]
    elif not rows and not actual_level and expected_level not in ("", "dynamic") and not excluded:
        lost.append("thinking.effort")
    if expected.include and not (actual is not None and actual.include):
        lost.append("thinking.include")
    rows += _find_encoding_faults(pair.actual.dialect, pair.actual.model, actual)
    losses, unlisted = pair.ends.split_losses(lost)
    is_elsewhere = _is_model_of_another_host(pair, expected_level)
    does_not_think = any(_DOES_NOT_THINK.match(prompt.model) for prompt in (pair.actual, pair.expected))
    is_ignored = not claims_thinking and (pair.ends.origin, pair.ends.target) == ("openai-chat", "anthropic")
    level: Level | None = "SHOULD" if is_elsewhere or does_not_think or is_ignored else None
    is_off_by_rule = bool(excluded) and actual_level == "off"
    rule = "thinking.off_unsaid" if is_off_unsaid and not actual_level else excluded
    rule = "effort_bucket" if actual_level and not is_off_by_rule else rule
    rules = [rule] if expected_level else []
    rows = [*rows, *(_show_lost_effort(row, expected) for row in silent_losses(unlisted))]
    is_unsaid = bool(rows) and not actual_level
    rules += ["thinking.effort_without"] if is_unsaid and does_not_think else []
    rules += ["thinking.effort_ignored"] if is_unsaid and is_ignored else []
    return Result(rows, level=level if is_unsaid else None, rules=rules, losses=losses, turn=pair.turn)


def _show_lost_effort(row: Difference, expected: Thinking) -> Difference:
    """Return the row of a lost effort with what the client sent: a budget in tokens, or a level."""
    if row.path != "thinking.effort":
        return row
    if expected.level is None:
        return replace(row, path="thinking.budget", expected=str(expected.budget))
    return replace(row, expected=shorten(expected.level))


def _is_model_of_another_host(pair: RequestPair, level: str) -> bool:
    """Return whether a library sends Gemini's model, say, to whatever speaks Chat: which settings that host has it
    cannot know, and OpenAI's own models have theirs, of which not all can be silenced."""
    is_of_library = pair.ends.origin == "outcome" and pair.actual.dialect == "openai-chat"
    own_models = CAN_BE_SILENCED_AT_OPENAI if level == "off" else _OF_OPENAI
    return is_of_library and own_models.search(pair.actual.model) is None


def _find_effort_faults(pair: RequestPair, expected: str, actual: str, excluded: str) -> list[Difference]:
    """Return an effort that differs and a missing "off" for a model that thinks by default. ``excluded``: the rule by
    which thinking cannot be sent, "" if none."""
    model = pair.actual.model
    if expected == "off" and not actual:
        may_be_unsaid = pair.actual.dialect == "anthropic" or "thinking" in pair.ends.inexpressible
        needs_off = CAN_BE_SILENCED.search(model) and not may_be_unsaid
        return [Difference("thinking", "off", ABSENT, f"{model} thinks unless it is told not to")] if needs_off else []
    if not actual or not expected or is_close_effort(expected, actual):
        return []
    if expected == "off" and actual in ("low", "dynamic") and CANNOT_BE_SILENCED.search(model):
        return []
    if expected == "high" and pair.actual.thinking is not None and is_high_budget(pair.actual.thinking):
        return []
    allowed = (
        excluded if actual == "off" else is_effort_level_that_max_tokens_allows(pair.actual, pair.ends.dialects, actual)
    )
    return [] if allowed else [Difference("thinking", expected, actual)]


def _find_encoding_faults(dialect: Dialect, model: str, thinking: Thinking | None) -> Iterator[Difference]:
    """Yield what the provider does not accept: a budget beside a level, a level for a model without levels."""
    if thinking is None or thinking.level is None:
        return
    if dialect != "anthropic" and thinking.budget is not None:
        yield Difference("thinking", "a budget or a level", "both")
    if dialect == "gemini" and thinking.level and WITHOUT_LEVELS.search(model):
        yield Difference("thinking", f"a budget: {model} refuses levels", f"level {thinking.level}")


def check_response_format(evidence: Evidence) -> Iterator[Result]:
    """The response format that the client requested is requested of the provider, with an equivalent schema."""
    for pair in request_pairs(evidence):
        expected = pair.expected_canonical[0].response_format
        if expected is not None:
            yield from _judge_format(pair, expected, pair.actual_canonical[0].response_format)


RESPONSE_FORMAT: Final = Check(
    "request.response_format", "schema", "MUST", CHAT, "The response format that the client requested is requested of "
    "the provider.", check_response_format, "request",
    rules=(
        Rule("format.requested", "MUST", "The form of the response is requested of the provider.", CHAT),
        Rule("format.schema", "MUST", "Its schema allows all that the client's allows.", SCHEMA),
    ),
)  # fmt: skip


def _judge_format(pair: RequestPair, expected: ResponseFormat, actual: ResponseFormat | None) -> Iterator[Result]:
    if pair.ends.unconverted:
        formats = pair.expected.response_format, pair.actual.response_format
        yield Result(differences(*formats, "response_format"), turn=pair.turn)
        return
    if expected == actual:
        yield Result(turn=pair.turn)
        return
    if find_answer_tool(pair) is not None:
        yield Result(rules=["tools.answer"], turn=pair.turn)
        return
    if actual is None or actual.kind != expected.kind:
        losses, _ = pair.ends.split_losses([f"response_format.{expected.kind}"] if actual is None else [])
        row = Difference("response_format", expected.kind, ABSENT if actual is None else actual.kind)
        yield Result(() if losses else [row], losses=losses, turn=pair.turn)
        return
    may_close = any(dialect in CLOSED_SCHEMAS for dialect in pair.ends.dialects)
    report = compare_schemas(expected.schema, actual.schema, "response_format.schema", may_close_objects=may_close)
    missing = ["response_format.name"] if expected.name and expected.name != actual.name else []
    missing += ["response_format.strict"] if expected.strict and not actual.strict else []
    losses, unlisted = pair.ends.split_losses(missing)
    rows = (*report.narrowed, *silent_losses(unlisted))
    yield Result(rows, rules=report.rules, losses=losses, turn=pair.turn)
    if report.lost:
        yield Result(report.lost, level="SHOULD", turn=pair.turn)


def check_added(evidence: Evidence) -> Iterator[Result]:
    """Nothing that changes the model's behaviour is added to the request. What overrides a value of the client is
    judged by the check that compares it."""
    for pair in request_pairs(evidence):
        rows = list(_find_additions(pair))
        if rows or not pair.ends.unconverted:
            yield Result(rows, turn=pair.turn)


ADDED: Final = Check(
    "request.added", "settings", "SHOULD", _HOUSE, "Nothing that changes the model's behaviour is added.", check_added,
    "request", ("request.system", "request.settings", "request.thinking", "request.response_format"),
    rules=(
        Rule("added.nothing", "SHOULD", "Nothing is added that changes what the model does.", _HOUSE),
        Rule("added.needed", "SHOULD", "What the provider needs may be added: Anthropic's limit, the request for "
            "usage, placeholders that it documents.", MESSAGES),
    ),
)  # fmt: skip


def _find_additions(pair: RequestPair) -> Iterator[Difference]:
    expected, actual, dialects = pair.expected_canonical[0], pair.actual_canonical[0], pair.ends.dialects
    names = dict(expected.settings)
    for name, value in actual.settings:
        is_neutral = is_stated_default(dialects, f"settings.{name}", value)
        if name not in names and not is_neutral and not _is_allowed(dialects, f"settings.{name}"):
            yield Difference(f"settings.{name}", ABSENT, shorten(value))
    added = effort_level(actual.thinking)
    if added and not effort_level(expected.thinking) and not is_off_by_default(actual, added, dialects):
        yield Difference("thinking", ABSENT, added)
    yield from _find_added_system_text(expected, actual, pair.expected.system)
    if actual.response_format is not None and expected.response_format is None:
        yield Difference("response_format", ABSENT, actual.response_format.kind)
    builtin_tools = {fold_name(tool.name) for tool in expected.tools or ()}
    for tool in actual.tools or ():  # added functions are judged by request.tools
        if tool.builtin and fold_name(tool.name) not in builtin_tools:
            yield Difference(f"tools.{tool.name}", ABSENT, shorten(tool.builtin))
    yield from _find_added_leaves(expected, actual, dialects)


def _find_added_system_text(expected: Prompt, actual: Prompt, client_pieces: Sequence[str]) -> Iterator[Difference]:
    """Yield system text beyond the client's; white space does not count, nor does text where a system message of the
    history may have moved there. ``client_pieces``: the client's system texts before they were joined."""
    if any(turn.role == "system" for turn in expected.turns):
        return
    expected_text, actual_text = "".join(expected.system), "".join(actual.system)
    if actual_text.strip() and not expected_text.strip():
        yield Difference("system", ABSENT, shorten(actual_text))
    elif (
        expected.system
        and contains_in_order(client_pieces, actual_text)
        and "".join(actual_text.split()) != "".join(expected_text.split())
    ):
        yield Difference("system", shorten(expected.system), shorten(actual.system))


def _find_added_leaves(expected: Prompt, actual: Prompt, dialects: Sequence[Dialect]) -> Iterator[Difference]:
    """Yield leaves that have no field in the normal form. A value that the client sent too has only moved; thresholds
    are one thing, whatever their names."""
    values = {value for _, value in expected.other}
    paths = {path for path, _ in expected.other}
    has_safety = any(path.startswith(_SAFETY) for path in paths)
    for path, value in actual.other:
        moved = path in paths or value in values or (has_safety and path.startswith(_SAFETY))
        is_neutral = is_empty_leaf(value) or is_stated_default(dialects, f"other:{path}", value)
        if not moved and not is_neutral and not _is_allowed(dialects, f"other:{path}"):
            yield Difference(path, ABSENT, value)


def _is_allowed(dialects: Sequence[Dialect], path: str) -> bool:
    return any(find_addition(dialect, path) for dialect in dialects)
