"""Unary answers unfolded to streams: folding restores the documents of the corpus."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck import normalise
from bridgecheck.cassette import store
from bridgecheck.codec.rechunk import cut_at
from bridgecheck.files import cassettes_root
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import DIALECTS, Dialect

RECORDINGS = {
    dialect: sorted(path for path in cassettes_root().glob("*/*/*.unary.yaml") if path.name.startswith(dialect))
    for dialect in DIALECTS
}


def documents(dialect: Dialect) -> list[tuple[Path, dict[str, object]]]:
    return [
        (path, obj(document))
        for path in RECORDINGS[dialect]
        for recorded in store.load_cassette(path).interactions
        for document in recorded.response(dialect, "unary").documents
        if recorded.status == 200 and isinstance(document, dict) and "error" not in document
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_unfolding_and_folding_restores_the_outcome(dialect: Dialect) -> None:
    found = documents(dialect)
    assert len(found) > 100
    for path, document in found:
        events = normalise.unfold(dialect, json.loads(json.dumps(document)), cut_at([3, 7]))
        folded = normalise.fold(dialect, events)
        refolded, original = (normalise.response(Response(dialect, "unary", (doc,))) for doc in (folded, document))
        # Notes describe how a document was read: adjacent texts are already joined here.
        assert replace(refolded, notes=()) == replace(original, notes=()), path
