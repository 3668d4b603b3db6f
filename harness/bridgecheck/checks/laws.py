"""Laws: what holds for any traffic, with no expectation written down. Pure functions on normal forms.

    law.fold               a stream says what the unary document folded from it says (two readings of the judge)
    law.fold_square        converting a stream and folding it = folding it and converting that
    law.request_roundtrip  a request converted to another dialect and back asks for the same

Tool call ids, response ids and model names are made up anew by either way and are not compared; pairing of ids is
another check's matter. A broken law is a contradiction of the adapter (or of the judge) with itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.verdict import STATUSES, Difference, Status, Verdict
from bridgecheck.wire import JsonObject

FOLD: Final = "law.fold"
FOLD_SQUARE: Final = "law.fold_square"
REQUEST_ROUNDTRIP: Final = "law.request_roundtrip"

_BAD: Final[frozenset[Status]] = frozenset({"ERROR", "FAIL", "WARN"})


def played_apart(evidence: Evidence) -> list[Verdict]:
    """What ``CHECKS`` runs for a law: nothing. One case shows one way, and its caller plays the other."""
    return []


def fold(streamed: Outcome, folded: Outcome) -> Verdict:
    """``streamed``: the stream normalised; ``folded``: the unary document that the judge folds from it, normalised.
    They differ only by a mistake of the judge."""
    found = differences(said(streamed), said(folded))
    return _verdict(FOLD, "ERROR", found, "the judge reads a stream and its folded document differently")


def fold_square(converted: Outcome, folded: Outcome, *, in_chat: bool = False) -> Verdict:
    """``converted``: the adapter's stream, folded by the judge; ``folded``: the adapter's conversion of the folded
    upstream document. ``in_chat``: Chat stands between, whose stream says where text was interrupted and whose message
    does not: then texts are compared joined. A Chat stream gives its usage only when asked to (stream_options), and a
    stream that ends in an error has said something before it, which the error document of the unary answer cannot."""
    if folded.error is not None and converted.error is not None and folded.error.kind == converted.error.kind:
        return Verdict(FOLD_SQUARE, "PASS")
    usage_may_be_left_out = converted.dialect == "openai-chat" and converted.usage is None
    expected = replace(folded, usage=None) if usage_may_be_left_out else folded
    if in_chat:
        expected, converted = _joined(expected), _joined(converted)
    found = differences(said(expected), said(converted))
    return _verdict(FOLD_SQUARE, "FAIL", found, "streamed, the adapter says something else than in one piece")


def request_roundtrip(compared: Sequence[Verdict]) -> Verdict:
    """``compared``: the verdicts of the request checks, with the request as what was asked, what came back as what was
    sent, and the dialect between as the pivot. The worst of them decides."""
    wrong = [verdict for verdict in compared if verdict.status in _BAD]
    worst: Status = min((verdict.status for verdict in wrong), key=STATUSES.index) if wrong else "PASS"
    return Verdict(
        REQUEST_ROUNDTRIP,
        worst,
        "converted there and back, the request asks for something else" if wrong else "",
        tuple(difference for verdict in wrong for difference in verdict.differences),
        tuple(dict.fromkeys(rule for verdict in compared for rule in verdict.rules)),
        tuple(dict.fromkeys(loss for verdict in compared for loss in verdict.losses)),
    )


def _verdict(check: str, status: Status, found: tuple[Difference, ...], message: str) -> Verdict:
    return Verdict(check, status, message, found) if found else Verdict(check, "PASS")


def _joined(outcome: Outcome) -> Outcome:
    whole = [replace(choice, text=(choice.joined_text,) if choice.text else ()) for choice in outcome.choices]
    return replace(outcome, choices=tuple(whole))


def said(outcome: Outcome) -> JsonObject:
    """What an Outcome says, apart from names and ids that either way makes up anew."""
    return {
        "choices": [_choice(choice) for choice in outcome.choices],
        "usage": outcome.usage,
        "error": outcome.error.kind if outcome.error else None,
    }


def _paired(text: str) -> str:
    """Halves of a character that came in two pieces are one, as they are to clients whose strings are UTF-16."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _choice(choice: Choice) -> JsonObject:
    return {
        "index": choice.index,
        "text": tuple(map(_paired, choice.text)),
        "reasoning": tuple(map(_paired, choice.reasoning)),
        "tool_calls": [(call.name, call.args, call.bad_args, call.signature) for call in choice.tool_calls],
        "media": choice.media,
        "code": choice.code,
        "refusal": choice.refusal,
        "finish": choice.finish.kind,
        "signatures": choice.signatures,
    }
