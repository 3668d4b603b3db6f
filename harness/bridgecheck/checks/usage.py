"""response.usage: what the answer cost."""

from typing import Final

from bridgecheck.checks.verdicts import result, silent, verdict
from bridgecheck.checks.view import ResponseView, complete_response_views
from bridgecheck.compare.diff import differences, short
from bridgecheck.compare.usage import DETAIL, MAIN, usage_differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.model.outcome import Usage
from bridgecheck.model.verdict import Difference, Verdict

CHECK: Final = "response.usage"


def usage(evidence: Evidence) -> list[Verdict]:
    """Every token count that the provider gave and the client's dialect can say arrives, in the client's way of
    counting."""
    return [verdict for view in complete_response_views(evidence) for verdict in _usage(view)]


def _usage(view: ResponseView) -> list[Verdict]:
    said, got = view.expected.usage, view.actual.usage
    if said == got:
        return [] if said is None else [result(CHECK, turn=view.turn), *_unasked(view, got)]
    if said is None:
        shown = short(got)
        rows = [Difference("usage", "(absent)", shown, "invented")] if got is not None and _counts(got) else []
        return [result(CHECK, rows, turn=view.turn)] if rows else []
    if view.ends.same_dialect:
        return [result(CHECK, differences(said, got, "usage"), turn=view.turn)]
    if got is None and _not_asked_for(view):
        return [result(CHECK, rules=["usage.not_requested"], turn=view.turn)]
    rows_, rules = usage_differences(
        said, got, view.ends.dialects, _highest(view.upstream_response), view.ends.inexpressible
    )
    gone = [f"usage.{name}" for name in _unsayable(view, said, got)]
    losses, unlisted = view.ends.split_losses(gone)
    return [
        result(CHECK, (*rows_, *silent(unlisted)), rules=rules, losses=losses, turn=view.turn),
        *_unasked(view, got),
    ]


def _counts(usage: Usage) -> bool:
    return any(getattr(usage, name) for name in MAIN)


def _unsayable(view: ResponseView, said: Usage, got: Usage | None) -> list[str]:
    """Figures that somebody on the way cannot say and that did not arrive."""
    return [
        name
        for name in (*MAIN, *DETAIL)
        if getattr(said, name) and not view.ends.can_express(f"usage.{name}") and getattr(got, name, None) is None
    ]


def _wants_usage(view: ResponseView) -> bool:
    """Whether a Chat stream was asked to end with usage. Unknown requests count as asking."""
    if view.client_prompt is None:
        return True
    found = dict(view.client_prompt.other)
    if found.get("stream_options.include_usage") == "true":
        return True
    return dict(view.client_prompt.settings).get("include_usage") is True


def _not_asked_for(view: ResponseView) -> bool:
    streamed_chat = view.ends.target == "openai-chat" and view.client_response.mode == "stream"
    return streamed_chat and view.client_prompt is not None and not _wants_usage(view)


def _unasked(view: ResponseView, got: Usage | None) -> list[Verdict]:
    """Gateways that always send usage are many; a strict client may stumble over the chunk without choices."""
    if got is None or view.ends.origin == "openai-chat" or not _not_asked_for(view):
        return []
    rows = [Difference("usage", "none without stream_options.include_usage", short(got))]
    return [verdict(CHECK, "NOTE", rows, rules=["usage.unasked"], turn=view.turn)]


def _highest(response: Response) -> Usage | None:
    """Per field the highest figure of a Gemini stream: its prompt count is recorded falling in the last chunk."""
    if response.dialect != "gemini" or len(response.documents) < 2:
        return None
    seen = [obj(obj(document).get("usageMetadata")) for document in response.documents]

    def top(name: str) -> int | None:
        return max((found for found in (integer(usage.get(name)) for usage in seen) if found is not None), default=None)

    prompt, total = top("promptTokenCount"), top("totalTokenCount")
    written, thought = top("candidatesTokenCount"), top("thoughtsTokenCount")
    completion = None if written is None and thought is None else (written or 0) + (thought or 0)
    return Usage(prompt, completion, total, top("cachedContentTokenCount"), None, thought, None)
