"""request.acceptable: would the provider take the request?"""

from typing import Final

from bridgecheck.accept import Refusal, refusals
from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.pairing import orphans, paired
from bridgecheck.compare.rewrites import canonical_turns
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart
from bridgecheck.model.verdict import Difference, Verdict

SAID_IN_BODY: Final = frozenset({"openai-chat", "anthropic"})
"""Dialects whose body says whether the answer is a stream; Gemini's method does."""


def acceptable(evidence: Evidence) -> list[Verdict]:
    """The request holds nothing that the provider is documented or recorded to refuse."""
    return [found for view in request_views(evidence) for found in _acceptable(view)]


def _acceptable(view: RequestView) -> list[Verdict]:
    found = refusals(view.upstream_request.dialect, view.upstream_request.body)
    disputed = [one for one in found if one.level != "MUST"]
    verdicts = [_judged(view, [one for one in found if one.level == "MUST"])]
    if disputed and not _inherited(view, disputed):
        rules = [one.rule for one in disputed]
        verdicts.append(result("request.acceptable", _rows(disputed), level="SHOULD", rules=rules, turn=view.turn))
    return verdicts


def _rows(found: list[Refusal]) -> list[Difference]:
    return [Difference(one.path, one.why, "refused by the provider", f"{one.rule}, {one.basis}") for one in found]


def _judged(view: RequestView, found: list[Refusal]) -> Verdict:
    rows = _rows(found)
    rules = [one.rule for one in found]
    if _not_streamed(view):
        rows.append(Difference("stream", "true", "(absent)", "the provider would answer with one document"))
        return result("request.acceptable", rows, rules=rules, turn=view.turn)
    if rows and _inherited(view, found):
        return verdict("request.acceptable", "INHERITED", rows, rules=rules, turn=view.turn)
    return result("request.acceptable", rows, rules=rules, turn=view.turn)


def _not_streamed(view: RequestView) -> bool:
    """Whether a stream was wanted of a dialect that says so in the body, and the adapter did not say it."""
    wanted = view.upstream_request.mode == "stream" and view.upstream_request.dialect in SAID_IN_BODY
    own = view.client_request.dialect in SAID_IN_BODY and view.client_request.body.get("stream") is not True
    return wanted and view.upstream_request.body.get("stream") is not True and not own


def _inherited(view: RequestView, found: list[Refusal]) -> bool:
    """The client asked for the same trouble: its own request has the same fault, in its own dialect."""
    stated = view.client_request.stated
    own = {one.rule.split(".", 1)[1] for one in refusals(stated.dialect, stated.body)}
    own |= _faults(view.expected)
    return all(_KIN.get(one.rule, frozenset({one.rule.split(".", 1)[1]})) & own for one in found)


def _faults(asked: Prompt) -> set[str]:
    """Faults of a history that show in any dialect."""
    found = set[str]()
    if not canonical_turns(asked.turns):
        found.add("empty")
    if orphans(asked.turns):
        found.add("result_without_call")
    parts = [part for turn in paired(asked.turns) for part in turn.parts]
    answered = {part.id for part in parts if isinstance(part, ResultPart)}
    if any(isinstance(part, CallPart) and part.call.id not in answered for part in parts):
        found.add("call_without_result")
    if any(isinstance(part, CallPart) and part.call.bad_args is not None for part in parts):
        found.add("args_object")
    return found


_KIN: Final[dict[str, frozenset[str]]] = {
    "gemini.contents": frozenset({"empty", "messages"}),
    "chat.messages": frozenset({"empty", "contents"}),
    "gemini.response_name": frozenset({"response_name", "result_without_call"}),
    "chat.result_without_call": frozenset({"result_without_call", "response_name"}),
    "chat.arguments": frozenset({"args_object", "arguments", "input_object"}),
    "gemini.args_object": frozenset({"args_object", "arguments", "input_object"}),
    "anthropic.input_object": frozenset({"args_object", "arguments", "input_object"}),
    "anthropic.messages": frozenset({"empty", "messages", "contents"}),
    "anthropic.empty": frozenset({"empty"}),
    "anthropic.ids_once": frozenset({"ids_once", "ids"}),
    "chat.ids": frozenset({"ids_once", "ids"}),
}
"""rule -> faults of the client's request that are the same one. Rules not listed: a rule of the same name."""
