"""``make docs``: writes docs/catalogue.md anew: every scenario by topic, with level, directions and sources."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import Scenario, Source
from bridgecheck.wire import DIALECTS, Dialect

PAGE: Final = Path(__file__).resolve().parent / "catalogue.md"

LETTERS: Final[dict[Dialect, str]] = {"gemini": "G", "openai-chat": "O", "anthropic": "A"}

_HEAD: Final = """# The corpus, scenario by scenario

Written by `docs/write_catalogue.py` from `scenarios/`: `make docs`. {count}

*Played*: client dialects > upstream dialects (G Gemini, O OpenAI Chat, A Anthropic), u unary, s stream, and the number
of turns where there are several; *as clients go on*: once more for each [client](clients.md). *Rests on*: what
the level rests on; then the public reports and, counted, the recorded traffic that shows such bytes.
`bridgecheck run --scenario ID` plays one.

| Topic | Scenarios | MUST | SHOULD | MAY |
| --- | --- | --- | --- | --- |
"""
_TABLE: Final = "| Scenario | Level | What is kept | Played | Rests on |\n| --- | --- | --- | --- | --- |\n"


def catalogue_page(found: Iterable[Scenario]) -> str:
    ordered = sorted((scenario for scenario in found if not scenario.client_model), key=lambda scenario: scenario.id)
    topics = [(topic, list(group)) for topic, group in groupby(ordered, key=lambda scenario: scenario.topic)]
    count = f"{plural(len(ordered), 'scenario')} over {plural(len(topics), 'topic')}."
    totals = "".join(map(_topic_row, topics))
    sections = (f"\n## {topic}\n\n{_TABLE}{''.join(map(_scenario_row, group))}" for topic, group in topics)
    return _HEAD.format(count=count) + totals + "".join(sections)


def _topic_row(topic: tuple[str, Sequence[Scenario]]) -> str:
    name, group = topic
    levels = [scenario.level for scenario in group]
    counts = " | ".join(str(levels.count(level)) for level in ("MUST", "SHOULD", "MAY"))
    return f"| [{name}](#{name}) | {len(group)} | {counts} |\n"


def _scenario_row(scenario: Scenario) -> str:
    basis = _escape_cell(_describe_basis(scenario))
    cells = (f"`{scenario.slug}`", scenario.level, _escape_cell(scenario.description), _describe_play(scenario), basis)
    return f"| {' | '.join(cells)} |\n"


def _describe_play(scenario: Scenario) -> str:
    first = scenario.turns[0]
    clients = "".join(LETTERS[dialect] for dialect in DIALECTS if dialect in first.client)
    upstreams = "".join(LETTERS[dialect] for dialect in DIALECTS if dialect in first.upstream)
    modes = "".join(mode[0] for mode in scenario.modes)
    turns = f", {len(scenario.turns)} turns" if len(scenario.turns) > 1 else ""
    models = ", as clients go on" if scenario.client_models else ""
    return f"{clients}>{upstreams} {modes}{turns}{models}"


def _describe_basis(scenario: Scenario) -> str:
    """Return what the level rests on, its duty and sources, and how much recorded traffic shows such bytes."""
    evidence = f"{len(scenario.evidence)} recorded" if scenario.evidence else ""
    sources = ", ".join(map(_source_link, scenario.sources))
    found = (f"{scenario.basis.kind}: {scenario.basis.ref}", scenario.basis.duty.rstrip("."), sources, evidence)
    return "; ".join(filter(None, found))


def _source_link(source: Source) -> str:
    return f"[{source.ref}]({source.url})" if source.url else source.ref


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> None:
    PAGE.write_text(catalogue_page(scenarios(scenarios_root())), encoding="utf-8")


if __name__ == "__main__":
    main()
