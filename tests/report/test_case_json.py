"""Case results round-trip through JSON, and invalid JSON is refused with the wrong key."""

import json

import pytest

from bridgecheck.model.case_json import case_from_dict, case_to_dict
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report import Report


def test_every_kind_of_case_survives_json(report: Report) -> None:
    for case in report.cases:
        assert case_from_dict(json.loads(json.dumps(case_to_dict(case)))) == case


def test_empty_fields_are_not_written(passing) -> None:
    data = case_to_dict(passing("tools/single-call"))
    assert data["verdicts"] == [
        {"check": "response.text", "status": "PASS", "rules": ["text.segments"]},
        {"check": "response.usage", "status": "PASS"},
    ]
    assert "crash" not in data and "views" not in data


def test_the_status_is_written_but_recomputed(passing) -> None:
    data = case_to_dict(passing("tools/single-call"))
    assert data["status"] == "PASS"
    assert case_from_dict({**data, "status": "FAIL"}).status == "PASS"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": {"scenario": "a/b", "path": "sideways"}}, "path: expected one of native, bridged, got 'sideways'"),
        ({"verdicts": {}}, "verdicts: expected a list, got dict"),
        ({"verdicts": [{"check": "x", "status": "GOOD"}]}, "status: expected one of PASS, FAIL"),
        ({"seconds": "1"}, "seconds: expected a number, got str"),
        ({"views": {"a": 1}}, "a: expected a string, got int"),
        ({"title": None}, "title: expected a string, got NoneType"),
    ],
)
def test_a_wrong_shape_is_refused_by_name(passing, change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        case_from_dict({**case_to_dict(passing("tools/single-call")), **change})
    assert message in str(refusal.value)


def test_anything_but_an_object_is_refused() -> None:
    with pytest.raises(ValueError, match="case: expected an object, got list"):
        case_from_dict([])


def test_a_case_without_verdicts_is_inconclusive(passing) -> None:
    data = {**case_to_dict(passing("tools/single-call")), "verdicts": []}
    case: CaseResult = case_from_dict(data)
    assert case.status == "INCONCLUSIVE"
