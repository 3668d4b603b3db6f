"""What is published of an adapter, as both pages show it: each finding with all that it had to say to stand there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridgecheck.model.published import FINDING_MEANS, Published
from bridgecheck.report.html import cited
from bridgecheck.report.html.cited import Cited
from bridgecheck.report.html.head import Count
from bridgecheck.report.published import facts


@dataclass(frozen=True, slots=True)
class Notice:
    """One finding. ``word``: its status in capitals. ``facts``: (name, what is said). ``repro``: the way to its script
    from the page. ``answer``: of the maintainers, no bits where there is none."""

    id: str
    title: str
    word: str
    means: str
    case: str
    repro: str
    facts: tuple[tuple[str, Cited], ...]
    answer: Cited


def notices(found: Iterable[Published], base: str = "", prefix: str = "") -> tuple[Notice, ...]:
    """``base``: the way from the page to the report's folder, "" or with a slash behind it. ``prefix``: keeps ids of
    several adapters on one page apart."""
    return tuple(_notice(one, base, prefix) for one in found)


def counts(found: Sequence[Published]) -> tuple[Count, ...]:
    """How many there are of each status."""
    number = Counter(one.status for one in found)
    return tuple(
        Count(number[status], status.upper(), "·", means) for status, means in FINDING_MEANS.items() if number[status]
    )


def _notice(one: Published, base: str, prefix: str) -> Notice:
    return Notice(
        id=f"published-{prefix}{one.id}",
        title=one.title,
        word=one.status.upper(),
        means=FINDING_MEANS[one.status],
        case=one.case,
        repro=f"{base}{one.repro}",
        facts=tuple((name, cited.text(said)) for name, said in facts(one)),
        answer=cited.text(one.answer),
    )
