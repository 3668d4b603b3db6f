"""What agent frameworks keep of an answer and send back is what ``frameworks/measured.json`` says."""

import json

import pytest

from .conftest import require
from .framework_clients import FRAMEWORKS, KINDS, is_installed
from .measure_frameworks import FILE, head, measure_all

pytestmark = pytest.mark.realclients

MEASURED = json.loads(FILE.read_text("utf-8"))


def test_every_framework_was_measured_with_every_kind_of_conversation_in_its_pinned_version() -> None:
    expected = {
        framework.name: (head(framework), [name for name, kind in KINDS.items() if kind.includes(framework)])
        for framework in FRAMEWORKS
    }
    actual = {}
    for name, row in MEASURED.items():
        actual[name] = ({key: value for key, value in row.items() if key != "measured"}, list(row["measured"]))
    assert actual == expected


@pytest.mark.slow
def test_the_frameworks_do_what_was_measured() -> None:
    require(is_installed(), "the environment of the agent frameworks", "run `make frameworks`")
    assert measure_all() == MEASURED, "write it anew: .venv/bin/python -m tests.realclients.measure_frameworks"
