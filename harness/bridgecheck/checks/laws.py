"""law.* and relation.*: requirements that compare two plays of one case, which ``run/`` makes.

    law.fold               a stream means the same as the unary document folded from it (two readings of the judge)
    law.fold_square        converting a stream and folding it = folding it and converting that
    law.request_roundtrip  a request converted to another dialect and back requests the same
    relation.*             a stream that the provider could have sent in another way means the same to the client

Tool call ids, response ids and model names are made anew in every play and are not compared; pairing of ids is judged
by another check. A broken law is a contradiction of the adapter (or of the judge) with itself."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import CHUNK, READ, REQUEST, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import STATUSES, Difference, Status, Verdict
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS

FOLD: Final = "law.fold"
FOLD_SQUARE: Final = "law.fold_square"
REQUEST_ROUNDTRIP: Final = "law.request_roundtrip"
_BAD: Final[frozenset[Status]] = frozenset({"ERROR", "FAIL", "WARN"})
_TEXT: Final = re.compile(r"\.text\b")
_PAIR: Final = Basis("documented", "the bases of the request checks, which compare what went there and came back", READ)


def no_results(evidence: Evidence) -> list[Result]:
    """Return no results: one case is one play, and a law needs two."""
    return []


LAWS: Final = (
    Check(FOLD, "laws", "MUST", CHUNK, "A stream means the same as the unary document folded from it.",
        no_results, "law",
        rules=(Rule("law.fold", "MUST", "A stream means the same as the document folded from it.", CHUNK),)),
    Check(FOLD_SQUARE, "laws", "MUST", CHUNK,
        "Converting a stream and folding it gives the same as folding it and converting that.", no_results, "law",
        RESPONSE, rules=(Rule("law.square", "MUST", "Converting and folding may change places.", CHUNK),)),
    Check(REQUEST_ROUNDTRIP, "laws", "MUST", _PAIR,
        "A request converted to another dialect and back requests the same.", no_results, "law", REQUEST,
        rules=(Rule("law.there_and_back", "MUST", "Converted there and back, a request means the same.", _PAIR),)),
)  # fmt: skip


def judge_harness_fold(streamed: Outcome, folded: Outcome) -> Verdict:
    """Compare a normalised stream with the document the judge folds from it: they differ by its mistakes alone."""
    rows = differences(comparable_outcome(streamed), comparable_outcome(folded))
    return _law_verdict(FOLD, "ERROR", rows, "the judge reads a stream and its folded document differently")


def judge_fold_square(converted: Outcome, folded: Outcome, *, through_chat: bool = False) -> Verdict:
    """Compare the adapter's stream, folded by the judge (``converted``), with the adapter's conversion of the folded
    upstream document (``folded``).

    ``through_chat``: a Chat stream shows where text was interrupted and its message does not, so texts are compared
    joined. A Chat stream gives its usage only when requested (stream_options), and a stream that ends in an error has
    sent something before it, which the error document of the unary response cannot."""
    if folded.error is not None and converted.error is not None and folded.error.kind == converted.error.kind:
        return Verdict(FOLD_SQUARE, "PASS")
    usage_is_optional = bool(RECORDS[converted.dialect].usage_members) and converted.usage is None
    expected = replace(folded, usage=None) if usage_is_optional else folded
    if through_chat:
        expected, converted = _join_texts(expected), _join_texts(converted)
    rows = differences(comparable_outcome(expected), comparable_outcome(converted))
    return _law_verdict(FOLD_SQUARE, "FAIL", rows, "streamed, the adapter says something else than in one piece")


def lower_where_only_texts_differ(verdict: Verdict) -> Verdict:
    """Return the verdict with WARN in place of FAIL where all that differs are texts."""
    is_text = all(_TEXT.search(row.path) for row in verdict.differences)
    return replace(verdict, status="WARN") if is_text else verdict


def judge_request_roundtrip(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of the verdicts of the request checks, made with the original request as the client's, the
    returned one as the adapter's, and the dialect between as the pivot."""
    wrong = [verdict for verdict in verdicts if verdict.status in _BAD and not _is_loss_of_dialect_between(verdict)]
    worst: Status = min((verdict.status for verdict in wrong), key=STATUSES.index) if wrong else "PASS"
    return Verdict(
        REQUEST_ROUNDTRIP,
        worst,
        "converted there and back, the request asks for something else" if wrong else "",
        tuple(difference for verdict in wrong for difference in verdict.differences),
        tuple(dict.fromkeys(rule for verdict in verdicts for rule in verdict.rules)),
        tuple(dict.fromkeys(loss for verdict in verdicts for loss in verdict.losses)),
    )


def _is_loss_of_dialect_between(verdict: Verdict) -> bool:
    """Return whether only leaves are lost that the dialect between cannot express: there and back it keeps none."""
    return verdict.check == "request.other" and verdict.status == "WARN"


def _law_verdict(check: str, status: Status, rows: tuple[Difference, ...], message: str) -> Verdict:
    return Verdict(check, status, message, rows) if rows else Verdict(check, "PASS")


def _join_texts(outcome: Outcome) -> Outcome:
    choices = [replace(choice, text=(choice.joined_text,) if choice.text else ()) for choice in outcome.choices]
    return replace(outcome, choices=tuple(choices))


def comparable_outcome(outcome: Outcome) -> JsonObject:
    """Return what an Outcome holds without names and ids that are made anew in every play."""
    return {
        "choices": [_comparable_choice(choice) for choice in outcome.choices],
        "usage": outcome.usage,
        "error": outcome.error.kind if outcome.error else None,
    }


def _comparable_choice(choice: Choice) -> JsonObject:
    return {
        "index": choice.index, "text": tuple(map(_pair_surrogates, choice.text)),
        "reasoning": tuple(map(_pair_surrogates, choice.reasoning)),
        "tool_calls": [(call.name, call.args, call.bad_args, call.signature) for call in choice.tool_calls],
        "media": choice.media, "code": choice.code, "refusal": choice.refusal, "finish": choice.finish.kind,
        "signatures": choice.signatures,
    }  # fmt: skip


def _pair_surrogates(text: str) -> str:
    """Join halves of a character that came in two pieces, as clients do whose strings are UTF-16."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _relation_check(relation: Relation) -> Check:
    """Return the check of a relation, which is its own rule. A failure without any variation explains one with it."""
    basis = _relation_basis(relation)
    rule = Rule(relation.check, "MUST", relation.rule, basis)
    return Check(relation.check, "relations", "MUST", basis, relation.rule, no_results, "relation", RESPONSE, (rule,))


def _relation_basis(relation: Relation) -> Basis:
    """Return where such streams were recorded; of intermediaries and second clients, where it is documented."""
    if len(set(relation.realistic.values())) == 1:
        refs = next(iter(relation.realistic.values()))
    else:
        refs = "; ".join(f"{dialect}: {source}" for dialect, source in relation.realistic.items())
    if refs.startswith("https://github.com/"):
        return Basis("client-breaks", refs, READ)
    return Basis("documented" if refs.startswith("https://") else "recorded", refs, READ)


RELATION_CHECKS: Final = tuple(map(_relation_check, RELATIONS))


def judge_relation(
    relation: Relation, plain: Evidence, varied: Mapping[int, Outcome], broken_off: str, *, is_identity: bool
) -> Verdict:
    """Compare a case as it was played (``plain``) with ``varied``: turn -> what the client received of the varied
    stream. ``broken_off``: what ended the varied play early, "" if nothing did. The identity adapter has no conversion
    that could be wrong: a difference there is a mistake of the judge."""
    status: Status = "ERROR" if is_identity else "FAIL"
    if plain.key.upstream not in relation.realistic:
        status = "NOTE"
    if broken_off:
        return Verdict(relation.check, status, f"{relation.variation}, the adapter breaks off:\n{broken_off}")
    for turn, outcome in varied.items():
        rows = differences(*_comparable_pair_without_usage_of_errors(plain.client_outcomes[turn], outcome))
        if rows:
            message = f"{relation.variation}, the client receives something else"
            return Verdict(relation.check, status, message, rows, turn=turn)
    return Verdict(relation.check, "PASS")


def _comparable_pair_without_usage_of_errors(plain: Outcome, varied: Outcome) -> tuple[JsonObject, JsonObject]:
    """Return both outcomes in comparable form. Counts of a response that ended in an error are those that happened to
    come before it, so they are dropped."""
    if plain.error is not None and varied.error is not None:
        plain, varied = replace(plain, usage=None), replace(varied, usage=None)
    return comparable_outcome(plain), comparable_outcome(varied)
