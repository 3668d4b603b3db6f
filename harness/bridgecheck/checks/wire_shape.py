"""client.wire_shape and upstream.wire_shape: the documents an adapter writes are documents of their dialect."""

from collections.abc import Sequence

from bridgecheck import validate
from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, request_views, response_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import Difference, Status, Verdict
from bridgecheck.wire import Mode

MOST = 20
_NO_MODEL = ("model", "null")
"""The one violation that two dialects of a body with a model share."""


def client_shape(evidence: Evidence) -> list[Verdict]:
    """Every document that the client receives has the shape that the client's dialect gives it. One of ``outcome`` that
    has not is nonsense, and no answer at all."""
    return [_client(view) for view in response_views(evidence) if view.client_response.dialect != "outcome"]


def upstream_shape(evidence: Evidence) -> list[Verdict]:
    """Every request that the provider is sent has the shape that the provider's dialect gives it."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        found = validate.request(view.upstream_request.dialect, view.upstream_request.body)
        stated = view.client_request.stated
        own = validate.request(stated.dialect, stated.body) if found else []
        same = stated.dialect == view.upstream_request.dialect
        inherited = _covered(found, own) and (same or {_kind(one) for one in found} == {_NO_MODEL})
        verdicts.append(_verdict("upstream.wire_shape", found, inherited, view.turn))
    return verdicts


def _client(view: ResponseView) -> Verdict:
    found = _documents(view.client_response)
    same = view.client_response.dialect == view.upstream_response.dialect
    inherited = bool(found) and same and _covered(found, _documents(view.upstream_response))
    return _verdict("client.wire_shape", found, inherited, view.turn)


def _documents(response: Response) -> list[str]:
    """Violations of all documents, each once. An error document of a stream is a unary one."""
    mode: Mode = "unary" if response.status >= 400 else response.mode
    found: list[str] = []
    for document in response.documents:
        found += validate.response(response.dialect, mode, document)
    return list(dict.fromkeys(found))


def _covered(found: Sequence[str], own: Sequence[str]) -> bool:
    """Whether the other document of the same dialect has the same violations, at the same place or another."""
    return {_kind(one) for one in found} <= {_kind(one) for one in own}


def _kind(violation: str) -> tuple[str, str]:
    """Its place, without indices, and what stands there: null where a number belongs and nothing at all are one fault,
    a number where text belongs and a list are two."""
    path, _, what = violation.partition(": ")
    stands = "null" if what == "is missing" else what.rpartition(", is ")[2]
    return "".join(character for character in path if not character.isdigit()), stands


def _verdict(check: str, found: Sequence[str], inherited: bool, turn: int) -> Verdict:
    rows = [_row(one) for one in found[:MOST]]
    status: Status = "INHERITED"
    return verdict(check, status, rows, turn=turn) if rows and inherited else result(check, rows, turn=turn)


def _row(violation: str) -> Difference:
    path, _, what = violation.partition(": ")
    return Difference(path if what else "", "a document of this dialect", what or violation)
