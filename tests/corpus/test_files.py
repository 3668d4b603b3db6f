"""What every scenario file has to be, read as plain JSON: no loader stands between the file and these tests."""

import json
import re
from pathlib import Path

import pytest

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.model.scenario import STRONG_BASES
from bridgecheck.wire import JsonObject

from .conftest import files, raw

REQUIRED = {
    "id", "title", "description", "why", "level", "basis", "sources", "evidence", "tags", "requires", "since", "modes",
    "client", "upstream", "expect",
}  # fmt: skip
RELEASES = {"0.1.0", "0.2.0"}
DATED = {"recorded", "client-breaks"}
"""What was seen has a date; a page that is cited and was not read has none."""
RECORDED_ID = re.compile(r"[a-z0-9_-]+/\d{4}")


def ids() -> list[str]:
    return list(raw())


def test_there_are_at_least_sixty_two() -> None:
    assert len(files()) >= 62


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_file_is_unicode_json_and_its_id_is_its_path(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    scenario = json.loads(content)
    assert scenario["id"] == f"{path.parent.name}/{path.stem}"
    assert content.endswith("}\n")
    assert not any(mark in content for mark in ("\u2028", "\u0085", "\r")), (
        "written as an escape, so that editors keep it"
    )


@pytest.mark.parametrize("scenario_id", ids())
def test_it_says_what_it_is_and_why(corpus: dict[str, JsonObject], scenario_id: str) -> None:
    scenario = corpus[scenario_id]
    assert set(scenario) >= REQUIRED
    assert text(scenario["description"]).rstrip().endswith(".")
    assert text(scenario["why"]).strip()
    assert scenario["since"] in RELEASES
    assert arr(scenario["tags"])
    assert set(map(str, arr(scenario["requires"]))) <= set(CAPABILITIES)
    assert all(text(source.get("url")).startswith("https://") for source in objs(scenario["sources"]))


@pytest.mark.parametrize("scenario_id", ids())
def test_a_must_rests_on_something_and_has_a_literal_expectation(
    corpus: dict[str, JsonObject], scenario_id: str
) -> None:
    scenario = corpus[scenario_id]
    basis = obj(scenario["basis"])
    assert text(basis["ref"]).strip()
    date = text(basis.get("date"))
    if basis["kind"] in DATED:
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", date)
    assert date == "" or re.fullmatch(r"\d{4}-\d{2}-\d{2}", date)
    if basis["kind"] == "documented":
        assert text(basis["ref"]).startswith("https://")
    if basis["kind"] == "recorded":
        assert RECORDED_ID.fullmatch(text(basis["ref"]))
    if scenario["level"] == "MUST":
        assert basis["kind"] in STRONG_BASES
        assert arr(obj(scenario["expect"]).get("wire"))


@pytest.mark.parametrize("scenario_id", ids())
def test_every_mode_is_scripted_and_every_literal_expectation_can_apply(
    corpus: dict[str, JsonObject], scenario_id: str
) -> None:
    scenario = corpus[scenario_id]
    modes, clients, upstreams = arr(scenario["modes"]), set(obj(scenario["client"])), obj(scenario["upstream"])
    scripted = {mode for scripts in upstreams.values() for mode in obj(scripts)}
    assert set(modes) == scripted
    for predicate in objs(obj(scenario["expect"]).get("wire")):
        sides = set(upstreams) if text(predicate["on"]).startswith("upstream_request") else clients
        assert predicate.get("dialect") in {None, *sides}
        assert predicate.get("mode") in {None, *modes}


@pytest.mark.parametrize("scenario_id", ids())
def test_evidence_names_recorded_interactions(corpus: dict[str, JsonObject], scenario_id: str) -> None:
    evidence = arr(corpus[scenario_id]["evidence"])
    assert all(RECORDED_ID.fullmatch(text(one)) for one in evidence)
    assert len(set(map(str, evidence))) == len(evidence)


def test_response_ids_are_distinct(corpus: dict[str, JsonObject]) -> None:
    """Distinct values everywhere, so that an answer mixed up between scenarios shows."""
    seen: dict[str, str] = {}
    for scenario_id, scenario in corpus.items():
        found = set(re.findall(r"chatcmpl-[A-Za-z0-9]{29}|msg_01[A-Za-z0-9]{22}", json.dumps(scenario)))
        assert not {one for one in found if seen.setdefault(one, scenario_id) != scenario_id}
