"""client.no_secret: no error tells a client what it must not know."""

import json
from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import response_views
from bridgecheck.compare.secrets import UPSTREAM_KEY, kinds
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import Difference, Verdict

CHECK: Final = "client.no_secret"


def no_secret(evidence: Evidence) -> list[Verdict]:
    """The provider's key, or anything that looks like a credential, stands in no error that a client sees, and not in
    the words of a refusal. The native path is not judged: there the client has the key itself, as the caller of a
    library with types of its own does. At wire level an adapter is given no key, and cannot know one."""
    if evidence.key.path == "native" or evidence.key.client == "outcome":
        return []
    given = UPSTREAM_KEY if evidence.key.layer != "wire" else ""
    verdicts = [
        result(CHECK, list(_found(_text(view.client_response), given)), turn=view.turn)
        for view in response_views(evidence)
        if view.actual.error is not None
    ]
    refused = list(_found(evidence.transcript.refused, given))
    return [*verdicts, result(CHECK, refused)] if refused else verdicts


def _text(response: Response) -> str:
    """All that the client sees of an answer: documents, what was no document, and headers."""
    documents = (json.dumps(document, ensure_ascii=False) for document in response.documents)
    headers = (f"{name}: {value}" for name, value in response.headers)
    return "\n".join((*documents, response.text, *headers))


def _found(text: str, given: str) -> Iterator[Difference]:
    """Says what kind of thing it is, and never shows it. ``given``: the key that the adapter has, "" if none."""
    if given and given in text:
        yield Difference("error", "no credential", "the provider's key")
    for kind in kinds(text):
        yield Difference("error", "no credential", kind)
