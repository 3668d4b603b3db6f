"""response.choices: how many answers there are, and which."""

from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import ResponseView, complete_response_views
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice
from bridgecheck.model.verdict import Verdict


def choices(evidence: Evidence) -> list[Verdict]:
    """Every candidate arrives under its index, also one without content; none is invented."""
    return [_choices(view) for view in complete_response_views(evidence)]


def _choices(view: ResponseView) -> Verdict:
    ours = sorted(choice.index for choice in view.expected.choices)
    theirs = sorted(choice.index for choice in view.actual.choices)
    if ours == theirs:
        return result("response.choices", turn=view.turn)
    if not ours and theirs == [0] and _says_nothing(view.actual.first):
        return result("response.choices", rules=["choices.empty"], turn=view.turn)
    if len(ours) > 1 and len(theirs) == 1 and not view.ends.can_express("choices"):
        losses, unlisted = view.ends.split_losses(["choices"])
        return result("response.choices", silent(unlisted), losses=losses, turn=view.turn)
    return result("response.choices", differences(ours, theirs, "choices"), turn=view.turn)


def _says_nothing(choice: Choice) -> bool:
    said = (*choice.text, *choice.reasoning, *choice.tool_calls, *choice.media)
    return not said and choice.finish.kind not in ("stop", "tool_calls")
