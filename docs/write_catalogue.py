"""``make docs``: writes docs/catalogue.md anew: every scenario by topic, with level, directions and sources."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario, Source
from bridgecheck.wire import DIALECTS, Dialect

PAGE: Final = Path(__file__).resolve().parent / "catalogue.md"

LETTERS: Final[dict[Dialect, str]] = {"gemini": "G", "openai-chat": "O", "anthropic": "A"}

_HEAD: Final = """# The corpus, scenario by scenario

Written by `docs/write_catalogue.py` from `scenarios/`: `make docs`. {count}

*Played*: client dialects > upstream dialects (G Gemini, O OpenAI Chat, A Anthropic), u unary, s stream, and the number
of turns where there are several. *Rests on*: what the level rests on; then the public reports and, counted, the
recorded traffic that shows such bytes. `bridgecheck run --scenario ID` plays one.

| Topic | Scenarios | MUST | SHOULD | MAY |
| --- | --- | --- | --- | --- |
"""
_TABLE: Final = "| Scenario | Level | What is kept | Played | Rests on |\n| --- | --- | --- | --- | --- |\n"


def page(found: Iterable[Scenario]) -> str:
    ordered = sorted(found, key=lambda one: one.id)
    topics = [(topic, list(group)) for topic, group in groupby(ordered, key=lambda one: one.topic)]
    count = f"{len(ordered)} scenarios over {len(topics)} topics."
    totals = "".join(map(_total, topics))
    return _HEAD.format(count=count) + totals + "".join(f"\n## {topic}\n\n{_rows(group)}" for topic, group in topics)


def _total(topic: tuple[str, Sequence[Scenario]]) -> str:
    name, group = topic
    levels = [one.level for one in group]
    counts = " | ".join(str(levels.count(level)) for level in ("MUST", "SHOULD", "MAY"))
    return f"| [{name}](#{name}) | {len(group)} | {counts} |\n"


def _rows(group: Sequence[Scenario]) -> str:
    return _TABLE + "".join(map(_row, group))


def _row(one: Scenario) -> str:
    cells = (f"`{one.slug}`", one.level, _cell(one.description), _played(one), _cell(_rests(one)))
    return f"| {' | '.join(cells)} |\n"


def _played(one: Scenario) -> str:
    first = one.turns[0]
    clients = "".join(LETTERS[dialect] for dialect in DIALECTS if dialect in first.client)
    upstreams = "".join(LETTERS[dialect] for dialect in DIALECTS if dialect in first.upstream)
    modes = "".join(mode[0] for mode in one.modes)
    turns = f", {len(one.turns)} turns" if len(one.turns) > 1 else ""
    return f"{clients}>{upstreams} {modes}{turns}"


def _rests(one: Scenario) -> str:
    evidence = f"{len(one.evidence)} recorded" if one.evidence else ""
    found = (f"{one.basis.kind}: {one.basis.ref}", ", ".join(map(_source, one.sources)), evidence)
    return "; ".join(filter(None, found))


def _source(source: Source) -> str:
    return f"[{source.ref}]({source.url})" if source.url else source.ref


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> None:
    PAGE.write_text(page(scenarios(scenarios_root())), encoding="utf-8")


if __name__ == "__main__":
    main()
