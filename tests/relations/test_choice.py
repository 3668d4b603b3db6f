"""Which relations a case is tried on."""

from pathlib import Path

import pytest

from bridgecheck.cassette import traffic
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.model.verdict import CaseKey
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.relations.choice import FAST_COUNT, RelationChoice
from bridgecheck.wire import DIALECTS

BRIDGED = CaseKey("a/b", "bridged", "openai-chat", "gemini", "stream", "wire")


def ids(relation_choice: RelationChoice, key: CaseKey = BRIDGED) -> list[str]:
    return [relation.id for relation in relation_choice.relations_to_try(key)]


def test_the_choice_none_selects_no_relation() -> None:
    assert ids(RelationChoice()) == []


def test_the_choice_all_selects_every_relation_in_order() -> None:
    assert ids(RelationChoice("all", 3)) == [relation.id for relation in RELATIONS]
    assert RelationChoice("all").needed_changing_relation_count("sdk") >= len(RELATIONS)


def test_relations_are_limited_to_what_a_provider_sends() -> None:
    native = CaseKey("a/b", "native", "gemini", "gemini", "stream", "sdk")
    assert set(ids(RelationChoice("all"))) - set(ids(RelationChoice("all"), native)) == {"heartbeats", "usage_alone"}


def test_the_choice_fast_selects_realistic_relations_in_seeded_order() -> None:
    drawn = ids(RelationChoice("fast", 1))
    assert set(drawn) == {relation.id for relation in RELATIONS if "gemini" in relation.realistic}
    assert drawn == ids(RelationChoice("fast", 1))
    assert drawn != ids(RelationChoice("fast", 2))
    assert drawn != ids(RelationChoice("fast", 1), CaseKey("a/c", "bridged", "openai-chat", "gemini", "stream", "wire"))
    assert RelationChoice("fast").needed_changing_relation_count("wire") == FAST_COUNT["wire"]


def test_every_relation_comes_first_for_some_seed() -> None:
    first = {ids(RelationChoice("fast", seed))[0] for seed in range(200)}
    assert first == set(ids(RelationChoice("fast")))


@pytest.mark.parametrize("relation", RELATIONS, ids=[relation.id for relation in RELATIONS])
def test_every_relation_cites_who_sends_such_streams(relation: Relation) -> None:
    assert relation.realistic
    assert set(relation.realistic) <= set(DIALECTS)
    assert all(relation.realistic.values())
    assert not (relation.documents.keys() & relation.chunks.keys())
    assert relation.rule.endswith(".")


def test_the_recordings_that_are_cited_are_streams_of_that_dialect(traffic_folder: Path) -> None:
    cited = {
        (dialect, name)
        for relation in RELATIONS
        for dialect, names in relation.realistic.items()
        for name in names.split(", ")
        if not name.startswith("https://")
    }
    files = {name.partition("/")[0] for _, name in cited}
    items = [item for file in files for item in traffic.read_traffic(traffic_folder / f"{file}.jsonl")]
    recorded = {
        (item.interaction.response.dialect, item.id)
        for item in items
        if isinstance(item, TrafficItem) and item.interaction.response.mode == "stream"
    }
    assert cited <= recorded
