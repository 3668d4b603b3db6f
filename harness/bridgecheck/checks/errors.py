"""response.error: a failure arrives as a failure of the same class, and nothing else does."""

import re
from dataclasses import replace

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.compare.classes import error_problems
from bridgecheck.compare.diff import differences, short
from bridgecheck.compare.finish import SUCCESS
from bridgecheck.compare.secrets import UPSTREAM_KEY
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Difference, Verdict


def error(evidence: Evidence) -> list[Verdict]:
    """An error keeps its kind, a right status and its retry hint; an answer does not turn into an error, nor an error
    into an answer."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        if view.is_broken:
            rows, rule = _error(view)
            hints = [row for row in rows if row.path == "error.retry_after" and not view.ends.can_express(row.path)]
            losses, _ = view.ends.split_losses(row.path for row in hints)
            rows = [row for row in rows if row not in hints]
            verdicts.append(result("response.error", rows, rules=[rule], losses=losses, turn=view.turn))
    return verdicts


def _error(view: ResponseView) -> tuple[list[Difference], str]:
    said, got = view.expected.error, view.actual.error
    if said is None:
        if view.allows_error:
            return [], "error.from_finish"
        return [Difference("error", "(absent)", short(got), "an answer turned into an error")], ""
    if got is None:
        return _no_error(view)
    if view.ends.same_dialect:
        told = replace(got, message=said.message) if _without_key(said.message, got.message) else got
        return list(differences(said, told, "error")), "error.key_hidden" if told != got else ""
    rows = [Difference(*problem) for problem in error_problems(said, got)]
    late = [row for row in rows if row.path in ("error.status", "error.retry_after")]
    if view.expected.choices and late:  # inside a stream the status line is long gone
        return [row for row in rows if row not in late], "error.in_stream"
    return rows, "" if said == got else "error.class"


def _without_key(said: str, got: str) -> bool:
    """Whether a message is the provider's but for the key in it, which no client should be told."""
    parts = said.split(UPSTREAM_KEY)
    return (
        len(parts) > 1 and UPSTREAM_KEY not in got and re.fullmatch(".*".join(map(re.escape, parts)), got) is not None
    )


def _no_error(view: ResponseView) -> tuple[list[Difference], str]:
    """Without an error only an end that no client takes for success is right, and only after a stream has begun."""
    streaming = view.client_response.mode == "stream" and view.client_response.status < 400
    ends = [choice.finish.kind for choice in view.actual.choices]
    if streaming and ends and not any(kind in SUCCESS for kind in ends):
        return [], "error.visible_end"
    return [Difference("error", short(view.expected.error), "(absent)", "an error turned into an answer")], ""
