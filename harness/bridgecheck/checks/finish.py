"""response.finish: why the answer ended."""

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.compare.finish import SUCCESS, FinishContext, right_finishes, rule_name
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, FinishClass
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.verdict import Difference, Verdict


def finish(evidence: Evidence) -> list[Verdict]:
    """The client learns why the answer ended, in a class that is right for what the provider said: calls are promoted,
    truncation and filters are not, and nothing that went wrong ends in a clean stop."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        if view.expected.error is not None or (view.is_broken and not view.allows_error):
            continue
        if not view.expected.choices and not view.actual.choices:
            continue
        rows: list[Difference] = []
        rules: list[str] = []
        for said, got in view.choice_pairs:
            found, rule = _finish(view, said, got)
            rows += found
            rules.append(rule)
        verdicts.append(result("response.finish", rows, rules=rules, turn=view.turn))
    return verdicts


def clean_end(evidence: Evidence) -> list[Verdict]:
    """After an error in the provider's answer the client is not told that all went well."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        if view.expected.error is None:
            continue
        rows = [
            Difference(
                "finish", "an error, or no finish", got.finish.native or got.finish.kind, "a clean end was invented"
            )
            for got in view.actual.choices
            if got.finish.kind in SUCCESS and not _said_so(view, got)
        ]
        verdicts.append(result("response.finish", rows, turn=view.turn))
    return verdicts


def forced(asked: Prompt | None) -> bool:
    """Whether the request named or required a tool. A request that is not known may have."""
    return asked is None or asked.tool_choice.mode in ("named", "required", "allowed")


def _said_so(view: ResponseView, got: Choice) -> bool:
    return any(said.index == got.index and said.finish.kind in SUCCESS for said in view.expected.choices)


def _finish(view: ResponseView, said: Choice, got: Choice) -> tuple[list[Difference], str]:
    context = FinishContext(view.ends.origin, view.ends.target, not view.ends.same_dialect, forced(view.client_prompt))
    right = right_finishes(said, context)
    seen: FinishClass = got.finish.kind
    if view.actual.error is not None and seen == "incomplete":
        seen = "error"
    if seen in right or (not view.expected.choices and seen in ("incomplete", "error")):
        return [], rule_name(said, context) if seen != said.finish.kind else ""
    place = "finish" if len(view.expected.choices) <= 1 else f"choices[{said.index}].finish"
    wanted = f"{' or '.join(sorted(right))} (provider: {said.finish.native or 'none'})"
    return [Difference(place, wanted, f"{seen} ({got.finish.native or 'none'})")], ""
