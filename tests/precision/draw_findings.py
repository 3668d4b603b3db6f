"""Draw findings for a precision trial, and write one sheet a finding for readers who do not see the verdict.

    python tests/precision/draw_findings.py REPORT... [--first-half REPORT...] --seed HASH --count N --output FOLDER

A finding is one fingerprint of one adapter that has a FAIL, accepted or not, in a bridged case; what only follows from
another finding is part of that one. Half of the draw is of the reports behind ``--first-half``. Within each half the
adapters take turns, so that one with many findings is not most of the draw. The order comes from the seed alone: the
same seed and reports draw the same.

FOLDER gets ``sheets/001.md`` and so on, which hold what went over the wire and a form to fill in but no word of the
verdict; and ``key.json`` with the verdicts, for whoever compares. The bytes are those of the drawn case played again: a
finding that does not show then is none at this commit, and the next one is drawn in its place.
docs/precision/README.md describes the whole method.
"""

import argparse
import hashlib
import json
import re
import shlex
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Final, TypeAlias

from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import SUFFIX, read_recipe
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.report import Report
from bridgecheck.report.findings import Finding, group_findings, summarise_case
from bridgecheck.report.fingerprint import fingerprint, split_by_kind
from bridgecheck.report.read import read_report
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.mask import strip_paths
from bridgecheck.secrets import mask_text

LONGEST: Final = 400
"""Characters of data without a space, such as an image in base64, that a sheet shows whole."""

HALF: Final = 2

_DATA: Final = re.compile(rf"[A-Za-z0-9+/=_-]{{{LONGEST},}}")
_DATA_SHOWN: Final = 60

FORM: Final = """
## What the reader finds

Write one block a defect of the adapter that these bytes show. No block at all: write `no defect`. Where documents
allow both what it did and the opposite, or say nothing: write `debatable:` and why.

* side (request or response):
* place in the document:
* expected:
* actual:
* by which document (address, section, and its sentence):
"""


@dataclass(frozen=True, slots=True)
class DrawnFinding:
    """One fingerprint of one adapter. ``cases``: the cases that show it."""

    report: Report
    finding: Finding
    mark: str
    cases: tuple[CaseResult, ...]

    @property
    def adapter(self) -> str:
        return f"{self.report.info.adapter} {self.report.info.version}".strip()


@dataclass(frozen=True, slots=True)
class PlayedAgain:
    """``shows``: whether the verdict of the draw came out again."""

    case: CaseResult
    transcript: CaseTranscript | None
    shows: bool


Play: TypeAlias = Callable[[DrawnFinding], PlayedAgain]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="draw_findings.py")
    parser.add_argument("reports", nargs="*", type=Path, metavar="REPORT")
    parser.add_argument("--first-half", nargs="+", type=Path, default=[], metavar="REPORT")
    parser.add_argument("--seed", required=True, help="hash of the commit at which the judge is frozen")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    first, rest = (
        [found for path in paths for found in list_failed_fingerprints(read_report(path).report)]
        for paths in (options.first_half, options.reports)
    )
    with playing_again(options.seed) as play:
        drawn = draw(first, rest, options.seed, options.count, play)
    write_draw(drawn, options.seed, options.output)
    print(f"{len(drawn)} of {options.count} findings drawn: {options.output / 'sheets'}")
    return 0 if len(drawn) == options.count else 1


def list_failed_fingerprints(report: Report) -> Iterator[DrawnFinding]:
    """Yield every fingerprint that is a finding of its own and has a FAIL in a bridged case, accepted or open."""
    listed = set[str]()
    for excuse in (None, "deviation"):
        for finding in group_findings(report.cases, report.info.target, excuse):
            if finding.status == "FAIL" and not finding.check.startswith(("law.", "relation.")):
                cases: defaultdict[str, dict[str, CaseResult]] = defaultdict(dict)
                for mark, case in _failed_cases(report, finding):
                    cases[mark][str(case.key)] = case
                for mark in sorted(cases.keys() - listed):
                    yield DrawnFinding(report, finding, mark, tuple(cases[mark].values()))
                listed |= cases.keys()


def _failed_cases(report: Report, finding: Finding) -> Iterator[tuple[str, CaseResult]]:
    addresses = frozenset(finding.cases)
    for case in report.cases:
        if str(case.key) in addresses and case.key.path == "bridged" and case.source != "traffic":
            yield from (
                (mark, case) for mark, _ in _fingerprint_parts(case, finding.check) if mark in finding.fingerprints
            )


def _fingerprint_parts(case: CaseResult, check: str) -> Iterator[tuple[str, Verdict]]:
    for verdict in case.verdicts:
        if verdict.status == "FAIL" and verdict.check == check:
            yield from ((fingerprint(case, part), part) for part in split_by_kind(case, verdict))


def draw(
    first: Iterable[DrawnFinding], rest: Iterable[DrawnFinding], seed: str, count: int, play: Play
) -> tuple[tuple[DrawnFinding, PlayedAgain], ...]:
    """Draw ``count`` findings that show when their case is played again, half of them of ``first``; where one half has
    too few, more of the other."""
    firsts, remaining = (
        ((found, played) for found in _in_turns(findings, seed) for played in (play(found),) if played.shows)
        for findings in (first, rest)
    )
    drawn = list(islice(firsts, (count + 1) // HALF))
    drawn += islice(remaining, count - len(drawn))
    drawn += islice(firsts, count - len(drawn))
    return tuple(sorted(drawn, key=lambda pair: _order(seed, "sheet", pair[0].adapter, pair[0].mark)))


def _in_turns(findings: Iterable[DrawnFinding], seed: str) -> Iterator[DrawnFinding]:
    """Yield the findings in the order of the seed, of each adapter one in turn."""
    by_adapter: defaultdict[str, list[DrawnFinding]] = defaultdict(list)
    for found in sorted(findings, key=lambda found: _order(seed, found.adapter, found.mark)):
        by_adapter[found.adapter].append(found)
    rows = sorted(by_adapter.items(), key=lambda row: _order(seed, row[0]))
    turns = zip_longest(*(found for _, found in rows))
    return (found for found in chain.from_iterable(turns) if found is not None)


def _order(*parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()


def write_draw(drawn: Sequence[tuple[DrawnFinding, PlayedAgain]], seed: str, folder: Path) -> None:
    """Write the sheets and the key."""
    sheets = folder / "sheets"
    sheets.mkdir(parents=True, exist_ok=True)
    entries = dict[str, object]()
    for number, (found, played) in enumerate(drawn, 1):
        name = f"{number:03}"
        (sheets / f"{name}.md").write_text(write_sheet(name, found, played), encoding="utf-8")
        entries[name] = _key_entry(found, played)
    key = {"seed": seed, "findings": entries}
    (folder / "key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


@contextmanager
def playing_again(seed: str) -> Iterator[Play]:
    """Give a function that plays a case of a finding again; each adapter is started once and closed at the end."""
    drivers = dict[str, Driver]()
    library = Library(cassettes_root())

    def play(found: DrawnFinding) -> PlayedAgain:
        target = found.report.info.target
        if target not in drivers:
            drivers[target] = resolve(target)
        print(f"playing {found.adapter} {found.mark}", file=sys.stderr)
        return _play_again(found, seed, drivers[target], library)

    try:
        yield play
    finally:
        for driver in drivers.values():
            driver.close()
        library.stop_edge()


def _play_again(found: DrawnFinding, seed: str, driver: Driver, library: Library) -> PlayedAgain:
    """Play one of the cases of a finding: where there are several the seed chooses."""
    chosen = min(found.cases, key=lambda case: _order(seed, found.mark, str(case.key)))
    selection = plan.Selection(addresses=(str(chosen.key),))
    for scenario in scenarios(scenarios_root(), [str(chosen.key)]):
        for case in plan.plan(scenario, driver, selection):
            if case.key == chosen.key:
                result, transcript, _ = run_with_transcript(case, scenario, driver, library)
                marks = {mark for mark, _ in _fingerprint_parts(result, found.finding.check)}
                return PlayedAgain(result, transcript, found.mark in marks)
    return PlayedAgain(chosen, None, False)


def _key_entry(found: DrawnFinding, played: PlayedAgain) -> dict[str, object]:
    """Return what the judge says of the case that the sheet shows."""
    parts = [part for mark, part in _fingerprint_parts(played.case, found.finding.check) if mark == found.mark]
    return {
        "adapter": found.adapter,
        "fingerprint": found.mark,
        "case": str(played.case.key),
        "check": found.finding.check,
        "headline": mask_text(summarise_case(found.finding, played.case)),
        "message": [mask_text(part.message) for part in parts],
        "rules": sorted({rule for part in parts for rule in part.rules}),
        "differences": [
            {"path": row.path, "expected": row.expected, "actual": row.actual, "note": row.note}
            for part in parts
            for row in part.differences
        ],
        "excuse": sorted({part.excuse.by for case in found.cases for part in case.verdicts if part.excuse}),
        "cases": [str(case.key) for case in found.cases],
        "checks_that_follow": [check for check, _ in found.finding.explained_checks],
    }


def write_sheet(name: str, found: DrawnFinding, played: PlayedAgain) -> str:
    """Write what a reader gets: the exchange as it was, and nothing of the verdict."""
    key = played.case.key
    lines = [f"# {name}", "", *_describe_case(found, key)]
    if played.transcript is None:
        lines += ["", "The case could not be played again.", ""]
    else:
        lines += _describe_exchange(key, played.transcript)
    return strip_paths(mask_text("\n".join(lines))) + f"\n{FORM}"


def _describe_case(found: DrawnFinding, key: CaseKey) -> Iterator[str]:
    info = found.report.info
    yield f"* adapter: {found.adapter}, reached by `{info.target}`"
    yield from (f"* its code: `{path}`" for path in _own_files(info.target))
    yield f"* direction: a client of `{key.client}`, a provider of `{key.upstream}`"
    yield f"* mode: {'streamed' if key.mode == 'stream' else 'unary (not streamed)'}"
    yield f"* level: `{key.layer}`: {_LEVELS[key.layer]}"
    yield f"* scenario: `{key.scenario}`, in `scenarios/{key.scenario}.json`"
    if key.client == "outcome":
        yield (
            "* this client has no wire format: what it sends is what the library is called with, what it receives is "
            "what the library gave its caller, in the words of `docs/outcome.md`"
        )


_LEVELS: Final = {
    "wire": "documents in, documents out, without HTTP; a streamed answer is a list of its events",
    "sdk": "over HTTP; where the adapter is a library its own HTTP client spoke to the recording, where it is a gateway "
    "the official SDK of the client's dialect called it",
    "http": "over HTTP on both sides, with no SDK in front of the adapter",
}


def _own_files(target: str) -> Iterator[str]:
    """Yield the files beside a recipe that stand between bridgecheck and the library."""
    if target.endswith(SUFFIX):
        folder = Path(target).parent
        for word in shlex.split(text(read_recipe(target).get("target"))):
            path = Path(word.replace("{here}", str(folder)))
            if "{here}" in word and path.suffix in (".py", ".mjs", ".js", ".ts"):
                yield str(path)


def _describe_exchange(key: CaseKey, transcript: CaseTranscript) -> Iterator[str]:
    for number, interaction in enumerate(transcript.client, 1):
        yield from _describe_request(f"What the client sent (turn {number})", interaction)
    for number, interaction in enumerate(transcript.upstream, 1):
        yield from _describe_request(f"What the adapter sent to the provider (call {number})", interaction)
        yield from _describe_response(f"What the provider answered (call {number})", interaction.response)
    if not transcript.upstream:
        yield from ("", "## What the adapter sent to the provider", "", "Nothing arrived at the provider.")
    for number, interaction in enumerate(transcript.client, 1):
        title = f"What the client received (turn {number})"
        if number - 1 in transcript.unanswered:
            yield from ("", f"## {title}", "", "The adapter gave no answer: the client saw the connection break.")
        else:
            yield from _describe_response(title, interaction.response)
    yield from _describe_failures(transcript)


def _describe_failures(transcript: CaseTranscript) -> Iterator[str]:
    texts = {
        "What the adapter raised or wrote to stderr": transcript.crash,
        "What the adapter refused": transcript.refused,
        "A method that the adapter does not have": transcript.no_method,
        "Requests that the recording does not hold": "\n".join(transcript.misses),
        "Why the next turn could not be made": transcript.stopped,
    }
    for title, content in texts.items():
        if content:
            yield from ("", f"## {title}", "", *_fence(content, "text"))
    if transcript.recorded_history:
        turns = ", ".join(str(turn + 1) for turn in sorted(transcript.recorded_history))
        yield from ("", f"In turn {turns} the client's history holds recorded answers in place of lost ones.")


def _describe_request(title: str, interaction: Interaction) -> Iterator[str]:
    request = interaction.request
    yield from ("", f"## {title}", "")
    if request is None:
        yield "No request was recorded."
        return
    if request.path:
        yield f"`POST {request.path}`"
        yield ""
    if request.headers:
        yield from (*_fence("\n".join(f"{name}: {value}" for name, value in request.headers), "text"), "")
    yield f"Model: `{request.model}`"
    yield from ("", *_fence(_to_json(request.body), "json"))
    yield from _describe_wire_source(request)


def _describe_wire_source(request: Request) -> Iterator[str]:
    source = request.made_from
    if source is not None:
        yield from ("", f"It was made from this request in `{source.dialect}`:", "")
        yield from _fence(_to_json(source.body), "json")


def _describe_response(title: str, response: Response) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    ends = {"complete": "complete", "cut": "closed early", "reset": "the connection broke"}
    yield f"Status {response.status}; end of the body: {ends.get(response.end, response.end)}"
    if response.headers:
        yield from ("", *_fence("\n".join(f"{name}: {value}" for name, value in response.headers), "text"))
    yield ""
    if response.chunks is not None:
        yield from _fence(_clip_data(b"".join(response.chunks).decode("utf-8", "backslashreplace")), "text")
    elif response.documents:
        indent = 1 if response.mode == "unary" else None
        yield from _fence("\n".join(_to_json(document, indent) for document in response.documents), "json")
    else:
        yield from _fence(_clip_data(response.text), "text")


def _to_json(value: object, indent: int | None = 1) -> str:
    document = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _clip_data(document.encode("utf-8", "backslashreplace").decode())


def _clip_data(content: str) -> str:
    """Shorten long data; its hash tells whether two are the same."""
    return _DATA.sub(lambda found: _describe_data(found.group()), content)


def _describe_data(data: str) -> str:
    return f"{data[:_DATA_SHOWN]}…({len(data)} characters, sha256 {hashlib.sha256(data.encode()).hexdigest()[:12]})"


def _fence(content: str, language: str) -> Iterator[str]:
    ticks = max((len(run) for run in re.findall(r"`{3,}", content)), default=2) + 1
    yield f"{'`' * ticks}{language}"
    yield content.rstrip("\n")
    yield "`" * ticks


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
