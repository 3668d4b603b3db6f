"""``list``, ``show``, ``lint`` and ``regenerate``: the commands about the corpus."""

import sys
from pathlib import Path
from typing import Final

from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.files.corpus import recordings
from bridgecheck.files.jsonfile import dump_json
from bridgecheck.model.scenario import Scenario
from bridgecheck.wire import JsonObject

INVALID: Final = 2


def print_list(as_json: bool) -> None:
    """One line a scenario, or one JSON object each."""
    found = scenarios(scenarios_root())
    if as_json:
        _say(dump_json([_summary(scenario) for scenario in found]).rstrip())
        return
    width = max((len(scenario.id) for scenario in found), default=0)
    for scenario in found:
        _say(f"{scenario.id:{width}}  {scenario.level:6}  {scenario.title}")


def print_scenario(scenario_id: str) -> None:
    """Raises UnknownScenario."""
    for scenario in scenarios(scenarios_root(), [scenario_id]):
        _say("\n".join(_described(scenario)))


def print_lint() -> int:
    """The exit code: 2 if anything is wrong with the corpus, or with what ``reports/`` of this folder publishes."""
    from bridgecheck.lint import lint_corpus
    from bridgecheck.report.published import lint_published

    checked, problems = lint_corpus(scenarios_root(), cassettes_root())
    published, wrong = lint_published()
    checked, problems = ", ".join(filter(None, (checked, published))), [*problems, *wrong]
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    _say(f"{checked}: {f'{len(problems)} problems' if problems else 'no problem'}")
    return INVALID if problems else 0


def print_regenerated(scenario_ids: tuple[str, ...]) -> None:
    """Raises UnknownScenario; SecretFound before a byte is written."""
    from bridgecheck.regenerate import regenerate

    chosen = scenarios(scenarios_root(), scenario_ids)
    changed = regenerate(chosen, cassettes_root(), _progress)
    _say(f"{len(chosen)} scenarios, {len(changed)} cassettes changed")


def _progress(path: Path, wrote: bool) -> None:
    if wrote:
        _say(f"written: {path}")


def _summary(scenario: Scenario) -> JsonObject:
    return {
        "id": scenario.id,
        "title": scenario.title,
        "topic": scenario.topic,
        "level": scenario.level,
        "basis": {"kind": scenario.basis.kind, "ref": scenario.basis.ref},
        "description": scenario.description,
        "modes": list(scenario.modes),
        "clients": list(scenario.turns[0].client),
        "upstreams": list(scenario.turns[0].upstream),
        "turns": len(scenario.turns),
        "tags": list(scenario.tags),
        "requires": list(scenario.requires),
        "since": scenario.since,
    }


def _described(scenario: Scenario) -> list[str]:
    cited = [f"  {source.ref}  {source.url}".rstrip() for source in scenario.sources]
    recorded = [f"  cassettes/{scenario.id}/{dialect}.{mode}.yaml" for dialect, mode in recordings(scenario)]
    return [
        f"{scenario.id}  ({scenario.level})",
        f"  {scenario.title}",
        "",
        scenario.description,
        f"Why: {scenario.why}",
        f"Basis: {scenario.basis.kind}, {scenario.basis.ref}",
        *(["Sources:", *cited] if cited else []),
        f"Clients: {', '.join(scenario.turns[0].client)}; turns: {len(scenario.turns)}",
        f"Modes: {', '.join(scenario.modes)}; tags: {', '.join(scenario.tags) or '-'}",
        "Recordings:",
        *recorded,
        f"Run it: bridgecheck run --scenario {scenario.id}",
        "",
    ]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
