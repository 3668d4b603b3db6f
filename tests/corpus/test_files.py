"""Requirements on every scenario file, read as plain JSON without the loader."""

import json
import re
from collections.abc import Callable

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.model.scenario import STRONG_BASES, names_a_section, names_an_authority
from bridgecheck.wire import JsonObject

from .conftest import files

REQUIRED = {
    "id", "title", "description", "why", "level", "basis", "sources", "evidence", "tags", "requires", "since", "modes",
    "client", "upstream", "expect",
}  # fmt: skip
RELEASES = {"0.1.0", "0.2.0"}
DATED = {"recorded", "client-breaks"}
"""A source that was read has a date; a page that is cited without being read has none."""
RECORDED_ID = re.compile(r"[a-z0-9_-]+/\d{4}")


def wrong_scenarios(
    corpus: dict[str, JsonObject], find_mistakes: Callable[[JsonObject], list[str]]
) -> dict[str, object]:
    """Return id -> what is wrong with it, of the scenarios with mistakes."""
    found = {scenario_id: find_mistakes(scenario) for scenario_id, scenario in corpus.items()}
    return {scenario_id: mistakes for scenario_id, mistakes in found.items() if mistakes}


def failing(**rules: bool) -> list[str]:
    """Return the names of the rules that do not hold."""
    return [name for name, holds in rules.items() if not holds]


def test_there_are_at_least_sixty_two() -> None:
    assert len(files()) >= 62


def test_every_file_is_unicode_json_and_its_id_is_its_path() -> None:
    """Unusual line ends are written as escapes, so that editors keep them."""
    failures = {}
    for path in files():
        content = path.read_text(encoding="utf-8")
        name = f"{path.parent.name}/{path.stem}"
        mistakes = failing(
            id_is_path=json.loads(content)["id"] == name,
            ends_with_newline=content.endswith("}\n"),
            has_plain_lines=not any(mark in content for mark in ("\u2028", "\u0085", "\r")),
        )
        if mistakes:
            failures[name] = mistakes
    assert not failures


def description_mistakes(scenario: JsonObject) -> list[str]:
    return failing(
        has_required_keys=set(scenario) >= REQUIRED,
        description_is_a_sentence=text(scenario["description"]).rstrip().endswith("."),
        has_why=bool(text(scenario["why"]).strip()),
        since_is_a_release=scenario["since"] in RELEASES,
        has_tags=bool(arr(scenario["tags"])),
        requires_capabilities=set(map(str, arr(scenario["requires"]))) <= set(CAPABILITIES),
        sources_are_urls=all(text(source.get("url")).startswith("https://") for source in objs(scenario["sources"])),
    )


def test_every_scenario_states_what_it_is_and_why(corpus: dict[str, JsonObject]) -> None:
    assert not wrong_scenarios(corpus, description_mistakes)


THREAD = re.compile(r"[\w.-]+/[\w.-]+#\d+")


def basis_mistakes(scenario: JsonObject) -> list[str]:
    basis = obj(scenario["basis"])
    kind, ref, date = basis["kind"], text(basis["ref"]), text(basis.get("date"))
    is_date = bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", date))
    is_must = scenario["level"] == "MUST"
    return failing(
        has_reference=bool(ref.strip()),
        what_was_seen_is_dated=is_date or kind not in DATED,
        date_is_iso=is_date or date == "",
        documentation_is_a_url=ref.startswith("https://") or kind != "documented",
        recording_is_named=bool(RECORDED_ID.fullmatch(ref)) or kind != "recorded",
        documentation_is_the_apis_own=not is_must or kind != "documented" or names_an_authority(ref),
        documentation_names_its_section=not is_must or kind != "documented" or names_a_section(ref),
        must_states_its_duty=not is_must or bool(re.fullmatch(r"\S.{15,}\.", text(basis.get("duty")))),
        thread_says_whose_refusal_it_reports=not is_must or not THREAD.fullmatch(ref),
        must_has_a_strong_basis=not is_must or kind in STRONG_BASES,
        must_has_a_literal_expectation=not is_must or bool(arr(obj(scenario["expect"]).get("wire"))),
    )


def test_a_must_rests_on_something_and_has_a_literal_expectation(corpus: dict[str, JsonObject]) -> None:
    assert not wrong_scenarios(corpus, basis_mistakes)


def mode_mistakes(scenario: JsonObject) -> list[str]:
    modes, clients, upstreams = arr(scenario["modes"]), set(obj(scenario["client"])), obj(scenario["upstream"])
    scripted = {mode for scripts in upstreams.values() for mode in obj(scripts)}
    mistakes = failing(modes_are_scripted=set(modes) == scripted)
    for number, predicate in enumerate(objs(obj(scenario["expect"]).get("wire"))):
        sides = set(upstreams) if text(predicate["on"]).startswith("upstream_request") else clients
        if predicate.get("dialect") not in {None, *sides} or predicate.get("mode") not in {None, *modes}:
            mistakes.append(f"expect.wire[{number}] cannot apply")
    return mistakes


def test_every_mode_is_scripted_and_every_literal_expectation_can_apply(corpus: dict[str, JsonObject]) -> None:
    assert not wrong_scenarios(corpus, mode_mistakes)


def evidence_mistakes(scenario: JsonObject) -> list[str]:
    evidence = arr(scenario["evidence"])
    return failing(
        names_recordings=all(RECORDED_ID.fullmatch(text(name)) for name in evidence),
        names_each_once=len(set(map(str, evidence))) == len(evidence),
    )


def test_evidence_names_recorded_interactions(corpus: dict[str, JsonObject]) -> None:
    assert not wrong_scenarios(corpus, evidence_mistakes)


def test_response_ids_are_distinct(corpus: dict[str, JsonObject]) -> None:
    """Distinct values everywhere, so that an answer mixed up between scenarios shows."""
    owners: dict[str, str] = {}
    for scenario_id, scenario in corpus.items():
        found = set(re.findall(r"chatcmpl-[A-Za-z0-9]{29}|msg_01[A-Za-z0-9]{22}", json.dumps(scenario)))
        assert not {response_id for response_id in found if owners.setdefault(response_id, scenario_id) != scenario_id}
