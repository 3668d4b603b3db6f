"""CHECKS: every check in order; RULES: every rule with its check; NOTICES: ids of a report that are no checks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.checks import (
    acceptable,
    adapter,
    choices,
    clients,
    conversations,
    documents,
    errors,
    expect_outcome,
    expect_prompt,
    expect_wire,
    laws,
    media,
    native_sdk,
    settings,
    signatures,
    stable,
    stream_grammar,
    streams,
    text,
    tool_calls,
    tools,
    turns,
)
from bridgecheck.checks.check import Check, Rule
from bridgecheck.checks.duties import DUTIES
from bridgecheck.model.scenario import STRONG_BASES, names_an_authority
from bridgecheck.model.verdict import Level

CHECKS: Final[tuple[Check, ...]] = (
    adapter.COMPLETES, adapter.EXPECTED_CALLS, adapter.NEXT_TURN, adapter.ONE_CALL, adapter.CANCEL,
    errors.ERROR, choices.CHOICES, text.TEXT, text.REASONING, text.ORDER, text.REFUSAL, tool_calls.TOOL_CALLS,
    tool_calls.NUMBER_TEXT, media.MEDIA, media.CODE, media.CITATIONS, choices.FINISH, choices.USAGE, documents.IDENTITY,
    documents.RESPONSE_OTHER, documents.CLIENT_SHAPE, clients.CLIENT_REMEMBERS, clients.CLIENT_SHOWS, errors.NO_SECRET,
    streams.FRAMING, streams.TERMINATES_ONCE, stream_grammar.BLOCKS, stream_grammar.CALLS_CONTIGUOUS,
    streams.INCREMENTAL,
    turns.SYSTEM, turns.TURNS, tools.TOOLS, tools.TOOL_CHOICE, settings.SETTINGS, settings.THINKING,
    settings.RESPONSE_FORMAT, documents.REQUEST_OTHER, settings.ADDED, acceptable.ACCEPTABLE, acceptable.FEATURES,
    stable.DETERMINISTIC, stable.PREFIX_STABLE, documents.UPSTREAM_SHAPE,
    signatures.SIGNATURES, signatures.THINKING_BLOCKS, signatures.IDS,
    expect_outcome.EXPECT_OUTCOME, expect_prompt.EXPECT_PROMPT, expect_wire.EXPECT_WIRE,
    native_sdk.AGREES, native_sdk.NATIVE_EQUALS_BRIDGED, *laws.LAWS, *laws.RELATION_CHECKS,
    *conversations.CHAT_CHECKS,
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = tuple(replace(rule, check=check.id) for check in CHECKS for rule in check.rules)
"""docs/rules.md is written from here; ``lint`` refuses a rule without a check and a check without a rule."""

HARNESS: Final = "harness.error"
APPLIES: Final = "case.applies"
UNCLAIMED: Final = "case.unclaimed"
NOTICES: Final[dict[str, str]] = {
    HARNESS: "The harness itself failed, or could not read what was recorded: nothing is known of the adapter.",
    APPLIES: "The case was not played, for the reason that is given.",
    UNCLAIMED: "What the adapter does not claim works here: it could claim it.",
}
"""id -> meaning, of what a case may carry beside verdicts of ``CHECKS``. A report holds no other ids."""

_LEVELS: Final[tuple[Level, ...]] = ("MUST", "SHOULD", "MAY")


def rules_of(check: str) -> tuple[Rule, ...]:
    """Return the rules that the check of this id enforces."""
    return tuple(rule for rule in RULES if rule.check == check)


def find_contradictions(rules: tuple[Rule, ...] = RULES, checks: tuple[Check, ...] = CHECKS) -> Iterator[str]:
    """Yield a sentence per mistake in the two tables: a rule or check without the other, an id that stands twice, a
    MUST that rests on too little or has no duty, a check of another level than the weightiest of its rules."""
    known = {check.id for check in checks}
    ids = set[str]()
    for rule in rules:
        if rule.check not in known:
            yield f"the rule {rule.id} is enforced by {rule.check}, which is no check"
        if rule.id in ids:
            yield f"the rule {rule.id} stands there twice"
        if not rule.basis.ref:
            yield f"the rule {rule.id} cites nothing"
        if rule.level == "MUST" and rule.basis.kind not in STRONG_BASES:
            yield f"the rule {rule.id} is a MUST and rests on {rule.basis.kind}"
        cites_other_page = rule.basis.ref.startswith("https://") and not names_an_authority(rule.basis.ref)
        if rule.level == "MUST" and rule.basis.kind == "documented" and cites_other_page:
            yield f"the rule {rule.id} is a MUST and rests on {rule.basis.ref}, which is no documentation of an API"
        if (rule.level == "MUST") != (rule.id in DUTIES):
            yield f"the rule {rule.id} is a {rule.level}, and DUTIES says what makes a MUST one: it needs just those"
        ids.add(rule.id)
    for check in checks:
        levels = [rule.level for rule in rules if rule.check == check.id]
        if not levels:
            yield f"the check {check.id} enforces no rule"
        elif check.level != min(levels, key=_LEVELS.index):
            yield f"the check {check.id} is {check.level}, its rules are {', '.join(levels)}"
