"""What a scenario rests on, read off its cassettes."""

from datetime import date
from pathlib import Path

import pytest

from bridgecheck.cassette.load_provenance import load_provenances
from bridgecheck.cassette.provenance import Provenance, age_in_days, describe, provenance_of, summarise
from bridgecheck.cassette.store import cassette_path, load_cassette, load_metadata
from bridgecheck.errors import BadCassette
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.provenance import Recording
from bridgecheck.wire import JsonObject

TODAY = date(2026, 11, 24)
LIVE: JsonObject = {
    "source": "live", "recorded_at": "2026-11-20T10:11:12Z", "model": "gemini-2.5-flash", "api_version": "v1beta",
}  # fmt: skip


def provenance(metadata: JsonObject) -> Provenance:
    return provenance_of("tools/parallel@gemini-cli", "gemini", "stream", metadata)


def test_a_live_cassette_tells_model_version_day_and_age() -> None:
    found = provenance(LIVE)
    assert found.scenario == "tools/parallel"
    assert found.recording == Recording("2026-11-20T10:11:12Z", "gemini-2.5-flash", "v1beta")
    assert describe(found, TODAY) == "live, gemini-2.5-flash, v1beta, 2026-11-20, 4 days old"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"source": "scripted", "model": "gemini-2.5-flash"}, "scripted"),
        ({"source": "live", "model": "m"}, "live, m, of unknown age"),
        ({}, "imported"),
        ({"source": "imported", "imported_from": {"format": "har", "file": "a.har"}}, "imported from har a.har"),
        ({"source": "edited", "recorded_at": "2026-11-23"}, "edited, 2026-11-23, 1 day old"),
    ],
)
def test_each_source_is_told_in_words(metadata: JsonObject, expected: str) -> None:
    assert describe(provenance(metadata), TODAY) == expected


@pytest.mark.parametrize(
    ("recorded_at", "age"),
    [
        ("2026-11-24T23:59:59Z", 0), ("2026-11-25T00:30:00+09:00", 0), ("2026-09-25", 60), ("2026-11-20 10:00:00+00:00", 4),
        ("2027-01-01", None), ("last week", None), ("", None),
    ],
)  # fmt: skip
def test_age_counts_days_and_takes_no_date_of_the_future(recorded_at: str, age: int | None) -> None:
    assert age_in_days(recorded_at, TODAY) == age


def test_only_live_recordings_grow_too_old_and_one_without_a_date_is() -> None:
    assert not provenance(LIVE).is_older(4, TODAY)
    assert provenance(LIVE).is_older(3, TODAY)
    assert provenance({"source": "live"}).is_older(1000, TODAY)
    assert not provenance({**LIVE, "source": "imported"}).is_older(3, TODAY)


def test_several_are_summarised_by_source_live_first() -> None:
    rows = [provenance(item) for item in ({"source": "scripted"}, LIVE, {**LIVE, "recorded_at": "2026-11-12"})]
    assert summarise(rows, TODAY) == "live (4 to 12 days old), scripted"
    assert summarise(rows[:2], TODAY) == "live (4 days old), scripted"
    assert summarise([rows[1], provenance({"source": "live"})], TODAY) == "live (4 days old, 1 of unknown age)"
    assert summarise([], TODAY) == ""


@pytest.mark.parametrize(
    "content",
    [
        "version: 1\nmetadata:\n  source: live\n  model: m\ninteractions: []\n",
        (
            "interactions:\n- request:\n    body: |-\n      metadata:\n        source: scripted\nversion: 1\n"
            "metadata:\n  source: live\n\n  # why\n  model: m"
        ),
        "interactions: []\nmetadata: {source: live, model: m}\n",
        "interactions: []\nmetadata: {source: live,\nmodel: m}\n",
        '{"interactions": [], "metadata": {"source": "live", "model": "m"}}',
    ],
)
def test_metadata_are_found_wherever_they_stand(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(content)
    assert load_metadata(path) == {"source": "live", "model": "m"}


def test_a_cassette_without_metadata_has_none_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("interactions: []\nversion: 1\n")
    assert load_metadata(path) == {}
    with pytest.raises(BadCassette, match="not there"):
        load_metadata(tmp_path / "b.yaml")
    path.write_text("metadata: [\n")
    with pytest.raises(BadCassette, match="broken YAML"):
        load_metadata(path)


def test_metadata_alone_are_those_of_the_whole_cassette() -> None:
    some = [path for number, path in enumerate(sorted(cassettes_root().rglob("*.yaml"))) if number % 60 == 0]
    assert len(some) > 20
    for path in some:
        assert load_metadata(path) == load_cassette(path).metadata


def test_the_built_in_corpus_rests_on_scripts(tmp_path: Path) -> None:
    (scenario,) = scenarios(scenarios_root(), ["messages/plain-text"])
    rows = load_provenances([cassettes_root()], scenario)
    assert {row.source for row in rows} == {"scripted"}
    assert load_provenances([tmp_path], scenario) == ()
    first = rows[0]
    path = cassette_path(tmp_path, scenario.id, first.dialect, first.mode)
    path.parent.mkdir(parents=True)
    path.write_text("metadata: {source: live, recorded_at: 2026-11-20T10:11:12Z}\ninteractions: []\n")
    (row,) = load_provenances([tmp_path], scenario)
    assert (row.source, row.age_in_days(TODAY)) == ("live", 4)
