"""The control: recorded requests and responses that are passed on unchanged have no findings."""

from collections import Counter

import pytest

from bridgecheck import normalise
from bridgecheck.cassette import traffic
from bridgecheck.checks import judge
from bridgecheck.errors import BadTraffic
from bridgecheck.model.evidence import CaseTranscript, Evidence
from bridgecheck.model.verdict import CaseKey

SAMPLE_STEP = 4
"""One interaction of so many is judged here; a run over the traffic judges all."""

pytestmark = pytest.mark.traffic


def _identity(item):
    transcript = item.interaction
    dialect, mode = transcript.response.dialect, transcript.response.mode
    client_prompt = normalise.request(transcript.request) if transcript.request else None
    upstream_outcome = normalise.response(transcript.response)
    key = CaseKey(item.id, "native", dialect, dialect, mode, "wire")
    return Evidence(
        key,
        CaseTranscript((transcript,), (transcript,)),
        None,
        (client_prompt,),
        (client_prompt,),
        (upstream_outcome,),
        (upstream_outcome,),
        answered_by=(0,),
    )


def test_recorded_traffic_passed_on_unchanged_has_no_findings(traffic_folder):
    items = [item for path in sorted(traffic_folder.glob("*.jsonl")) for item in traffic.read_traffic(path)][
        ::SAMPLE_STEP
    ]
    found = Counter()
    for item in items:
        assert not isinstance(item, BadTraffic)
        for verdict in judge(_identity(item)):
            found[verdict.status] += 1
            assert verdict.status in ("PASS", "INHERITED"), f"{item.id}: {verdict.check}: {verdict.message}"
    assert found["PASS"] > 100 * found["INHERITED"]
