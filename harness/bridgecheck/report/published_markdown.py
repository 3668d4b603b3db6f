"""reports/README.md: what is published of all adapters, as it is read where the repository is.

No date of today stands in it, so that it changes only with the reports: how long each says something is a date, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from bridgecheck.errors import BadReport
from bridgecheck.files.jsonfile import read_json
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.published import FINDING_MEANS, Published
from bridgecheck.report.age import GOOD_FOR
from bridgecheck.report.markdown import escaped
from bridgecheck.report.published import Beside, beside, facts
from bridgecheck.report.read import reports_in

PAGE: Final = "README.md"

_HEAD: Final = """\
# Adapters, as observed

What bridgecheck saw in one run of each adapter, on the day that is named, with recorded and scripted traffic. Observed,
not certified. The order is the alphabet's: adapters serve different directions and claim different things, so no number
here compares two of them. A report says something for 90 days. [docs/publishing.md](../docs/publishing.md) tells what
has to hold before a finding stands here, and how a maintainer disputes one.

Written by `make docs` from the folders beside this page. `bridgecheck html reports/` makes pages of them, with every
document.
"""
_TABLE: Final = """
| adapter | version | run on | says something until | published findings |
|---|---|---|---|---|
"""
_ADDRESS: Final = re.compile(r"(https?://[^\s<>()\"'`]+[^\s<>()\"'`.,;:])")


@dataclass(frozen=True, slots=True)
class Adapter:
    """One report, as far as this page tells of it. ``started``: a date, "" if the report does not say."""

    folder: str
    name: str
    version: str
    started: str
    made_with: str
    beside: Beside
    files: tuple[str, ...]

    @property
    def until(self) -> str:
        return (date.fromisoformat(self.started) + GOOD_FOR).isoformat() if self.started else ""


def adapters(root: Path) -> list[Adapter]:
    """Of all reports in the folders of ``root``, by the alphabet. Only the head of each report is looked at: whether it
    is whole and valid, ``lint`` tells. Raises BadReport and BadFindings."""
    found = [_adapter(place) for place in reports_in(root) if place.parent.name != "local"]
    return sorted(found, key=lambda one: (one.name.casefold(), one.version, one.folder))


def to_readme(found: Sequence[Adapter]) -> str:
    """The text of the page."""
    rows = "".join(f"| {' | '.join(_row(one))} |\n" for one in found)
    words = "".join(f"* **{word.upper()}**: {meaning}\n" for word, meaning in FINDING_MEANS.items())
    return _HEAD + _TABLE + rows + "".join("\n".join(_section(one)) for one in found) + f"\n## Words\n\n{words}"


def _adapter(place: Path) -> Adapter:
    run = obj(obj(read_json(place, BadReport)[0]).get("run"))
    folder = place.parent
    names = (
        "adapter.toml",
        "requirements.txt",
        "package.json",
        "deviations.toml",
        "findings.toml",
        "summary.md",
        place.name,
    )
    return Adapter(
        folder=folder.name,
        name=text(run.get("adapter")) or folder.name,
        version=text(run.get("version")),
        started=text(run.get("started"))[:10],
        made_with=text(obj(run.get("versions")).get("bridgecheck")),
        beside=beside(folder),
        files=tuple(name for name in names if (folder / name).is_file()),
    )


def _row(one: Adapter) -> Iterator[str]:
    yield f"[{escaped(one.name)}](#{_anchor(one)})"
    yield escaped(one.version) or "-"
    yield one.started or "-"
    yield one.until or "-"
    yield _counted(one.beside.findings)


def _counted(found: tuple[Published, ...] | None) -> str:
    if not found:
        return "none" if found is not None else "not gone through"
    counts = ((status.upper(), sum(one.status == status for one in found)) for status in FINDING_MEANS)
    return ", ".join(f"{count} {word}" for word, count in counts if count)


def _anchor(one: Adapter) -> str:
    return f"report-{one.folder}"


def _section(one: Adapter) -> Iterator[str]:
    yield f'\n<a id="{_anchor(one)}"></a>\n'
    yield f"## {escaped(' '.join(filter(None, (one.name, one.version))))}\n"
    links = ", ".join(f"[{name}]({one.folder}/{name})" for name in one.files)
    day, judge = one.started or "an unknown day", one.made_with or "of an unknown version"
    yield f"Run on {day} with bridgecheck {judge}: {links}.\n"
    for finding in one.beside.findings or ():
        yield from _finding(one, finding)
    if not one.beside.findings:
        yield "Nothing is published.\n"


def _finding(one: Adapter, finding: Published) -> Iterator[str]:
    yield f"### {escaped(finding.title)}\n"
    yield f"**{finding.status.upper()}**: {FINDING_MEANS[finding.status]}.\n"
    if finding.answer:
        yield f"> The maintainers' answer: {_linked(finding.answer)}\n"
    yield f"* Reproduction, without bridgecheck: [{finding.repro}]({one.folder}/{finding.repro})"
    yield f"* The simplest case: `{finding.case}`"
    yield from (f"* {name}: {_linked(said)}" for name, said in facts(finding))
    yield ""


def _linked(said: str) -> str:
    """Text that turns into no markup but links."""
    pieces = _ADDRESS.split(" ".join(said.split()))
    return "".join(f"<{piece}>" if _ADDRESS.fullmatch(piece) else escaped(piece) for piece in pieces)
