"""The control: recorded answers and requests passed on untouched have nothing to be found."""

from collections import Counter

import pytest

from bridgecheck import normalise
from bridgecheck.cassette import traffic
from bridgecheck.checks import judge
from bridgecheck.errors import BadTraffic
from bridgecheck.model.evidence import Evidence, Transcript
from bridgecheck.model.verdict import CaseKey

EVERY = 4
"""One interaction of so many is judged here; a run over the traffic judges all."""

pytestmark = pytest.mark.traffic


def _identity(item):
    seen = item.interaction
    dialect, mode = seen.response.dialect, seen.response.mode
    asked = normalise.request(seen.request) if seen.request else None
    said = normalise.response(seen.response)
    key = CaseKey(item.id, "native", dialect, dialect, mode, "wire")
    return Evidence(key, Transcript((seen,), (seen,)), None, (asked,), (asked,), (said,), (said,), answered_by=(0,))


def test_identity_is_clean(traffic_folder):
    items = [item for path in sorted(traffic_folder.glob("*.jsonl")) for item in traffic.read_traffic(path)][::EVERY]
    found = Counter()
    for item in items:
        assert not isinstance(item, BadTraffic)
        for verdict in judge(_identity(item)):
            found[verdict.status] += 1
            assert verdict.status in ("PASS", "INHERITED"), f"{item.id}: {verdict.check}: {verdict.message}"
    assert found["PASS"] > 100 * found["INHERITED"]
