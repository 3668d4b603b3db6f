"""response.text, response.reasoning, response.order, response.refusal: what can be read in an answer."""

from typing import Final

from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import ResponseView, complete_response_views, response_views
from bridgecheck.compare.diff import differences, short
from bridgecheck.compare.text import same_text
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice
from bridgecheck.model.verdict import AppliedLoss, Difference, Level, Verdict

DECODED: Final = "choices[].message.content."


def text(evidence: Evidence) -> list[Verdict]:
    """Every byte of visible text arrives once, in order, and nothing else is added to it."""
    return [_text(view) for view in response_views(evidence) if view.allows_error or not view.is_broken]


def reasoning(evidence: Evidence) -> list[Verdict]:
    """The text of the model's reasoning arrives in the channel of reasoning."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        rows: list[Difference] = []
        losses: list[AppliedLoss] = []
        for said, got in view.choice_pairs:
            if said.reasoning and not got.reasoning and not view.ends.can_express("reasoning"):
                losses += view.ends.split_losses(["reasoning"])[0]
            elif said.reasoning and not same_text(said.reasoning, got.reasoning):
                rows += _differences(said.reasoning, got.reasoning, _place(view, said, "reasoning"))
            elif got.reasoning and not said.reasoning:
                rows.append(Difference(_place(view, said, "reasoning"), "(absent)", short("".join(got.reasoning))))
        if rows or any(said.reasoning for said, _ in view.choice_pairs):
            level: Level = "MUST" if view.ends.same_dialect else "SHOULD"
            verdicts.append(result("response.reasoning", rows, level=level, losses=losses, turn=view.turn))
    return verdicts


def order(evidence: Evidence) -> list[Verdict]:
    """Text, reasoning, calls and media arrive in the order in which the provider gave them."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        rows = [row for said, got in view.choice_pairs for row in _order(view, said, got)]
        if not rows:
            verdicts += [result("response.order", turn=view.turn)] if view.ends.can_express("order") else []
        elif view.ends.can_express("order"):
            verdicts.append(result("response.order", rows, turn=view.turn))
        else:
            losses, _ = view.ends.split_losses(["order"])
            verdicts += [result("response.order", losses=losses, turn=view.turn)] if losses else []
    return verdicts


def refusal(evidence: Evidence) -> list[Verdict]:
    """A refusal arrives as one, or as text where the client's dialect has no place for it; it never becomes silence."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        for said, got in view.choice_pairs:
            if said.refusal != got.refusal:
                verdicts.append(_refusal(view, said, got))
            elif said.refusal:
                verdicts.append(result("response.refusal", turn=view.turn))
    return verdicts


def _refusal(view: ResponseView, said: Choice, got: Choice) -> Verdict:
    if view.ends.can_express("refusal") or not said.refusal:
        rows = differences(said.refusal, got.refusal, _place(view, said, "refusal"))
        return result("response.refusal", rows, turn=view.turn)
    if said.refusal in got.joined_text or said.refusal == got.refusal:
        return result("response.refusal", rules=["refusal_as_text"], turn=view.turn)
    if got.finish.kind != "content_filter":
        row = Difference(_place(view, said, "refusal"), short(said.refusal), short(got.joined_text), "became silence")
        return result("response.refusal", [row], turn=view.turn)
    losses, unlisted = view.ends.split_losses(["refusal"])
    return result("response.refusal", silent(unlisted), losses=losses, turn=view.turn)


def _text(view: ResponseView) -> Verdict:
    rows: list[Difference] = []
    rules: list[str] = []
    losses: list[AppliedLoss] = []
    for said, got in view.choice_pairs:
        if said.text == got.text:
            continue
        found = _compare(view, said, got)
        rows += found
        if not found:
            rules.append("text.prefix" if view.is_broken else "text.segments")
            if not view.is_broken and not view.ends.can_express("text.segments") and view.ends.target != "openai-chat":
                losses += view.ends.split_losses(["text.segments"])[0]
    return result("response.text", rows, rules=rules, losses=losses, turn=view.turn)


def _compare(view: ResponseView, said: Choice, got: Choice) -> list[Difference]:
    place = _place(view, said, "text")
    if view.is_broken:
        return [] if said.joined_text.startswith(got.joined_text) else _differences(said.text, got.text, place)
    if view.ends.same_dialect:
        return list(differences(said.text, got.text, place))
    if view.ends.can_express("text.segments") and not carried(view, said):
        if said.joined_text == got.joined_text:
            return []
    elif same_text(said.text, got.text, carried(view, said)):
        return []
    return _leaked(said, got, place) or _differences(said.text, got.text, place)


def carried(view: ResponseView, said: Choice) -> tuple[str, ...]:
    """What the target can only say as text, and so may stand in its text. Some hosts put decoded JSON where the text
    of a Chat message belongs; its leaves are such too."""
    decoded = tuple(
        value.strip('"')
        for path, value in view.expected.other
        if path.startswith(DECODED) and not view.ends.same_dialect
    )
    code = () if view.ends.can_express("code") else tuple(body for _, body in said.code)
    refused = () if view.ends.can_express("refusal") or not said.refusal else (said.refusal,)
    return (*decoded, *code, *refused)


def _leaked(said: Choice, got: Choice, place: str) -> list[Difference]:
    """Reasoning that turned up in the visible text."""
    for thought in said.reasoning:
        if thought.strip() and thought in got.joined_text and thought not in said.joined_text:
            note = "reasoning leaked into visible text"
            return [Difference(place, short(said.joined_text), short(got.joined_text), note)]
    return []


def _differences(said: tuple[str, ...], got: tuple[str, ...], place: str) -> list[Difference]:
    return list(differences("".join(said), "".join(got), place)) or list(differences(said, got, place))


def _place(view: ResponseView, choice: Choice, channel: str) -> str:
    return channel if len(view.expected.choices) <= 1 else f"choices[{choice.index}].{channel}"


def _order(view: ResponseView, said: Choice, got: Choice) -> tuple[Difference, ...]:
    """Compared as channels only: how many there are of each is another check's business."""
    ours, theirs = [channel for channel, _ in said.order], [channel for channel, _ in got.order]
    if sorted(ours) != sorted(theirs) and not view.ends.same_dialect:
        return ()
    return differences(ours, theirs, _place(view, said, "order"))
