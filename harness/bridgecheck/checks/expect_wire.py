"""expect.wire: literal expectations on documents as they went over the wire. They pass through no normaliser, so they
hold also where judge and adapter share an error. docs/expectations.md has their paths and operators."""

from typing import Final

from bridgecheck.checks.bases import OWN, REQUEST, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.documents import is_prompt_filter
from bridgecheck.checks.expect_prompt import has_request_beyond_client_types
from bridgecheck.checks.request_and_response_pairs import is_made_of_received_answers, is_turn_answered
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.literals import find_violation, is_refusal, select, show_values
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject


def check_wire_expectations(evidence: Evidence) -> list[Result]:
    """Every literal expectation of the scenario on this case's dialects and mode holds."""
    if evidence.scenario is None:
        return []
    rows_by_kind: dict[str, list[Difference]] = {}
    bindings: dict[str, tuple[str, str]] = {}
    for predicate in evidence.scenario.expect.wire:
        if not applies(predicate, evidence) or not _is_document_known(predicate, evidence):
            continue
        rows = rows_by_kind.setdefault(f"{predicate.on} {predicate.operator}", [])
        if predicate.operator == "bind":
            rows += _compare_binding(predicate, evidence, bindings)
        else:
            rows += _test_predicate(predicate, evidence)
    level = evidence.scenario.level
    return [Result(rows, level=level, rules=[kind]) for kind, rows in rows_by_kind.items()]


EXPECT_WIRE: Final = Check(
    "expect.wire", "expectations", "MUST", OWN, "Literal expectations on the wire hold.", check_wire_expectations,
    "expectation", (*RESPONSE, *REQUEST),
    rules=(Rule("scenario.literal", "MUST", "Documents hold literally what the scenario expects.", OWN),),
)  # fmt: skip


def applies(predicate: WireDocumentPredicate, evidence: Evidence) -> bool:
    """Return whether a predicate is about the dialects and the mode of this case."""
    key = evidence.key
    dialect = key.upstream if predicate.on == "upstream_request" else key.client
    if dialect == "outcome" or has_request_beyond_client_types(evidence):  # expectations are about wire formats only
        return False
    if predicate.dialect not in (None, dialect) or predicate.mode not in (None, key.mode):
        return False
    if predicate.on == "client_events":
        return key.mode == "stream"
    return predicate.on != "client_response" or key.mode == "unary"


def _is_document_known(predicate: WireDocumentPredicate, evidence: Evidence) -> bool:
    """Return whether the document of a predicate came about. A crash, a refusal, a conversation that stops or a call
    that was not recorded keeps a response from the client; what it does to requests shows in those that were sent. A
    request with a recorded history is not the one that the predicate is about."""
    transcript = evidence.transcript
    if predicate.on != "upstream_request":
        ended_early = transcript.unanswered or transcript.misses or transcript.stopped
        return not ended_early or is_turn_answered(evidence, predicate.turn)
    if predicate.index < len(transcript.upstream) and transcript.upstream[predicate.index].request is not None:
        turns = [turn for turn, call in enumerate(evidence.answered_by) if call >= predicate.index]
        return is_made_of_received_answers(evidence, min(turns, default=0))
    ended_early = transcript.crash or transcript.refused or transcript.no_method or transcript.stopped
    return not (ended_early or transcript.misses)


def _find_documents(predicate: WireDocumentPredicate, evidence: Evidence) -> list[object]:
    """Return the document that the predicate is about; [] if it is not there. Events are one list, without the chunk by
    which Azure judges the prompt."""
    transcript = evidence.transcript
    if predicate.on == "upstream_request":
        index = predicate.index
        request = transcript.upstream[index].request if index < len(transcript.upstream) else None
        if request is None:
            return []
        is_about_empty_texts = predicate.path.endswith(".text") and "" in arr(predicate.operand)
        return [request.body if is_about_empty_texts else _drop_empty_texts(request.body)]
    if predicate.turn >= len(transcript.client):
        return []
    documents = transcript.client[predicate.turn].response.documents
    if predicate.on == "client_events":
        return [[document for document in documents if not is_prompt_filter(obj(document))]]
    return list(documents[:1])


def _drop_empty_texts(body: JsonObject) -> JsonObject:
    """Return a request to Gemini without the empty texts beside other parts, which say nothing but move those to other
    positions; any other request as it is."""
    contents = arr(body.get("contents"))
    return {**body, "contents": list(map(_drop_empty_parts, contents))} if contents else body


def _drop_empty_parts(content: object) -> object:
    parts = arr(obj(content).get("parts"))
    filled = [part for part in parts if part != {"text": ""}]
    return {**obj(content), "parts": filled} if filled else content


def _test_predicate(predicate: WireDocumentPredicate, evidence: Evidence) -> list[Difference]:
    documents = _find_documents(predicate, evidence)
    received = [turn.response.documents for turn in evidence.transcript.client]
    is_refused = is_refusal(predicate.on, predicate.turn, bool(documents), received)
    violation = find_violation(
        predicate.operator, predicate.operand, next(iter(documents), None), predicate.path, predicate.on, is_refused
    )
    if not violation:
        return []
    return [
        Difference(predicate_location(predicate), f"{predicate.operator} {canonical(predicate.operand)}", violation)
    ]


def _compare_binding(
    predicate: WireDocumentPredicate, evidence: Evidence, bindings: dict[str, tuple[str, str]]
) -> list[Difference]:
    """Bind the first value under a name; later ones have to equal it. ``bindings``: name -> (location, JSON)."""
    name, location = str(predicate.operand), predicate_location(predicate)
    document = next(iter(_find_documents(predicate, evidence)), None)
    values = select(document, predicate.path, predicate.on)
    if not values:
        return [Difference(location, f"a value for {name}", show_values(values))]
    rows: list[Difference] = []
    for value in values:
        first_location, first = bindings.setdefault(name, (location, canonical(value)))
        if canonical(value) != first:
            rows.append(Difference(location, f"{first}, as at {first_location}", canonical(value), f"bound to {name}"))
    return rows


def predicate_location(predicate: WireDocumentPredicate) -> str:
    """Return where a predicate applies, as the path of a difference: document[number] and path."""
    number = predicate.index if predicate.on == "upstream_request" else predicate.turn
    return f"{predicate.on}[{number}] {predicate.path}"
