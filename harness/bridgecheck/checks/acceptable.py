"""request.acceptable, request.features: whether the provider would accept the request, with which features on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.accept import Refusal, refusals
from bridgecheck.checks.bases import CHAT, GEMINI, READ
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.request_and_response_pairs import RequestPair, request_pairs
from bridgecheck.compare.rewrites import canonical_turns
from bridgecheck.compare.tool_results import count_orphan_results, pair_results
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr, canonical, obj, objs
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.normalise.tree import find_leaves
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS

_PAIRS: Final = Basis("client-breaks", "Gemini's refusal in earendil-works/pi#5528, cloudwego/eino-ext#571", READ)
_LONG_IDS: Final = Basis("convention", "vercel/ai#5171, against vercel/ai#17233", READ)
_OWN: Final = Basis("convention", "no documentation of the libraries in reports/ promises to rename", READ)
_BETAS: Final = Basis("documented", "https://docs.anthropic.com/en/api/beta-headers", READ)

REFUSED: Final = "refused by the provider"
"""What becomes of what the provider would not take; the expected side says why."""


def check_acceptable(evidence: Evidence) -> Iterator[Result]:
    """The request holds nothing that the provider is documented or recorded to refuse."""
    for pair in request_pairs(evidence):
        faults = refusals(pair.upstream_request.dialect, pair.upstream_request.body)
        disputed = [fault for fault in faults if fault.level != "MUST" or _is_callers_own(pair, fault)]
        yield _judge_faults(pair, [fault for fault in faults if fault not in disputed])
        if disputed and not _has_client_same_faults(pair, disputed):
            rules = [fault.rule for fault in disputed]
            yield Result(_fault_differences(disputed), level="SHOULD", rules=rules, turn=pair.turn)


ACCEPTABLE: Final = Check(
    "request.acceptable", "requests", "MUST", GEMINI, "The request holds nothing that the provider is known to refuse.",
    check_acceptable, "request",
    ("request.turns", "request.tools", "request.tool_choice", "request.settings", "request.thinking"),
    rules=(
        Rule("accept.documented", "MUST", "Nothing is sent that the provider documents, or is recorded, to refuse "
            "(harness/bridgecheck/accept).", GEMINI),
        Rule("accept.results", "MUST",
            "Gemini gets the results of one response in one content, as many as the calls and in their order.", _PAIRS),
        Rule("accept.stream", "MUST", "Where a member of the body requests a stream, it is sent.", CHAT),
        Rule("accept.callers_own", "SHOULD", "A library that has no wire format of its own may pass on the names, ids, "
            "texts, limits and schemas of its caller as they are.", _OWN),
        Rule("accept.disputed", "SHOULD", "What a provider is reported to refuse, against other reports, is better "
            "avoided: ids over 40 characters.", _LONG_IDS),
    ),
)  # fmt: skip


def _fault_differences(faults: Sequence[Refusal]) -> list[Difference]:
    return [Difference(fault.path, fault.why, REFUSED, f"{fault.rule}, {fault.basis}") for fault in faults]


def _judge_faults(pair: RequestPair, faults: list[Refusal]) -> Result:
    rows = [_name_own_limit(pair, row) for row in _fault_differences(faults)]
    rules = [fault.rule for fault in faults]
    if _has_adapter_dropped_stream_member(pair):
        rows.append(Difference("stream", "true", "(absent)", "the provider would answer with one document"))
        return Result(rows, rules=rules, turn=pair.turn)
    inherited = rows and _has_client_same_faults(pair, faults)
    return Result(rows, "INHERITED" if inherited else None, rules=rules, turn=pair.turn)


def _name_own_limit(pair: RequestPair, row: Difference) -> Difference:
    """Return the row of a budget with the limit that the adapter sent beside it, where the client sent none."""
    limit = pair.upstream_request.body.get("max_tokens")
    is_own = limit is not None and "max_tokens" not in dict(pair.expected.settings)
    if row.path != "thinking.budget_tokens" or not is_own:
        return row
    return replace(row, expected=f"{row.expected}, here the adapter's own {canonical(limit)}")


CALLERS_OWN: Final = frozenset({
    "chat.tool_name", "chat.call_name", "gemini.tool_name", "anthropic.tool_name", "anthropic.ids",
    "anthropic.ids_once", "chat.ids", "anthropic.blank_text", "anthropic.prefill_end", "anthropic.stops",
    "anthropic.image_type", "anthropic.budget", "anthropic.input_schema", "anthropic.format",
})  # fmt: skip
"""Rules about what a caller writes freely: names, ids, texts, limits, schemas without a type or open to more."""
_STEP: Final = re.compile(r"[^.\[\]]+")


def _is_callers_own(pair: RequestPair, fault: Refusal) -> bool:
    """Return whether what is refused stands so in the call of a library: its caller chose the provider, and wrote it
    for that provider. A dialect has rules of its own, which a client's request keeps; a caller's types have none."""
    if pair.client_request.dialect != "outcome" or fault.rule not in CALLERS_OWN:
        return False
    found = _value_at(pair.upstream_request.body, fault.path)
    if fault.rule == "anthropic.input_schema":
        name = _value_at(pair.upstream_request.body, fault.path.replace(".input_schema", ".name"))
        tools = objs(pair.client_request.body.get("tools"))
        return isinstance(found, dict) and (name, found) in (
            (tool.get("name"), tool.get("parameters")) for tool in tools
        )
    if fault.rule == "anthropic.format":
        return isinstance(found, dict) and found == obj(pair.client_request.body.get("response_format")).get("schema")
    stated = {leaf for _, leaf in find_leaves(pair.client_request.body)}
    if fault.rule == "anthropic.budget" and canonical(pair.upstream_request.body.get("max_tokens")) not in stated:
        return False
    values = [value for name, value in found.items() if name != "type"] if isinstance(found, dict) else [found]
    return any(canonical(value) in stated for value in values)


def _value_at(body: JsonObject, path: str) -> object:
    value: object = body
    for step in _STEP.findall(path):
        value = obj(value).get(step) if isinstance(value, dict) else arr(value)[int(step)]
    return value


def _has_adapter_dropped_stream_member(pair: RequestPair) -> bool:
    """Return whether a stream was requested of a dialect whose body has a member for it, and the adapter left that
    member out although the client's request had it."""
    upstream, client = pair.upstream_request, pair.client_request
    if upstream.mode != "stream" or not RECORDS[upstream.dialect].stream_members or upstream.body.get("stream") is True:
        return False
    return not RECORDS[client.dialect].stream_members or client.body.get("stream") is True


def _has_client_same_faults(pair: RequestPair, faults: list[Refusal]) -> bool:
    """Return whether the client's own request has the same faults, in its own dialect."""
    stated = pair.client_request.wire_source_or_self
    of_client = {_fault_name(fault.rule) for fault in refusals(stated.dialect, stated.body)}
    of_client |= _history_faults(pair.expected)
    return all(_SAME_FAULTS.get(fault.rule, frozenset({_fault_name(fault.rule)})) & of_client for fault in faults)


def _fault_name(rule: str) -> str:
    return rule.split(".", 1)[1]


def _history_faults(prompt: Prompt) -> set[str]:
    """Return the faults of a history that show in any dialect."""
    faults = set[str]()
    if not canonical_turns(prompt.turns):
        faults.add("empty")
    if count_orphan_results(prompt.turns):
        faults.add("result_without_call")
    parts = [part for turn in pair_results(prompt.turns) for part in turn.parts]
    answered = {part.id for part in parts if isinstance(part, ResultPart)}
    if any(isinstance(part, CallPart) and part.call.id not in answered for part in parts):
        faults.add("call_without_result")
    if any(isinstance(part, CallPart) and part.call.bad_args is not None for part in parts):
        faults.add("args_object")
    return faults


_SAME_FAULTS: Final[dict[str, frozenset[str]]] = {
    "gemini.contents": frozenset({"empty", "messages"}), "chat.messages": frozenset({"empty", "contents"}),
    "gemini.response_name": frozenset({"response_name", "result_without_call"}),
    "chat.result_without_call": frozenset({"result_without_call", "response_name"}),
    "chat.arguments": frozenset({"args_object", "arguments", "input_object"}),
    "gemini.args_object": frozenset({"args_object", "arguments", "input_object"}),
    "anthropic.input_object": frozenset({"args_object", "arguments", "input_object"}),
    "anthropic.messages": frozenset({"empty", "messages", "contents"}), "anthropic.empty": frozenset({"empty"}),
    "anthropic.ids_once": frozenset({"ids_once", "ids"}), "chat.ids": frozenset({"ids_once", "ids"}),
}  # fmt: skip
"""rule -> faults of the client's request that are the same one. Rules not listed: a rule of the same name."""


def check_feature_headers_passed_on(evidence: Evidence) -> list[Result]:
    """A beta, organisation or project header reaches a provider of the client's dialect; another provider has no use
    for it, and its loss is declared. Judged at sdk level, where an adapter receives the client's headers (``Session``)
    and those it sends are recorded."""
    return [_judge_missing_feature_headers(pair) for pair in request_pairs(evidence) if pair.expected.features]


FEATURES: Final = Check(
    "request.features", "requests", "SHOULD", _BETAS, "Headers that switch a feature on reach a provider of the "
    "client's dialect.", check_feature_headers_passed_on, "request",
    rules=(
        Rule("headers.features", "SHOULD", "Headers that switch a feature on, or name who is billed, reach a provider "
            "of the client's dialect.", _BETAS),
    ),
)  # fmt: skip


def _judge_missing_feature_headers(pair: RequestPair) -> Result:
    missing = [feature for feature in pair.expected.features if feature not in pair.actual.features]
    if pair.expected.dialect == pair.actual.dialect:
        rows = [Difference("headers", name, "(absent)", "a feature that is not switched on") for name in missing]
        return Result(rows, turn=pair.turn)
    losses, unlisted = pair.ends.split_losses(["features"] if missing else [])
    return Result(silent_losses(unlisted), losses=losses, turn=pair.turn)
