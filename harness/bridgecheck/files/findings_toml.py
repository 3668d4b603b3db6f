"""Reads findings.toml: what is published of an adapter, in the folder of the report it was found in.

    [[finding]]
    id = "two-calls-in-one-chunk"              # also the name of its script
    title = "Two calls that Gemini sends in one chunk reach an Anthropic client as one"
    fingerprints = ["944f8b74e2"]              # of the report's findings that have this cause
    case = "tools/parallel::bridged-anthropic-to-gemini-stream-http"   # the simplest that shows it
    why = "why it is the adapter's, not the harness's or the provider's"
    provoked_by = "recorded"                   # recorded or documented
    provoked_source = "where; of what is documented a URL comes first"
    witness = "who else shows the damage: an SDK or a client, with its version"
    documentation = "what the adapter's own documentation says of it, or that nothing was found"
    tracker = "https://github.com/..."         # only where a thread is known
    status = "observed"                        # observed, disputed, confirmed or fixed
    answer = "the maintainers' words"          # only where there are any; of a disputed finding always

docs/publishing.md tells when a finding may stand there.
"""

import re
import tomllib
from pathlib import Path
from typing import Final

from bridgecheck.errors import BadFindings
from bridgecheck.files.jsonfile import NEXT_STEP, first_mistake_steps_and_expected
from bridgecheck.files.positions import toml_line
from bridgecheck.model.case_json import read_known_fields
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.published_finding import Published
from bridgecheck.wire import JsonObject

FILE: Final = "findings.toml"
TABLE: Final = "finding"

_HEADER: Final = re.compile(rf"[ \t]*\[\[[ \t]*{TABLE}[ \t]*\]\]")


def read_published(path: Path) -> tuple[Published, ...]:
    """Read the findings, in order. Raises BadFindings with file and line: no TOML, an unknown key, a missing field, a
    value that is not what it should be, an id or a fingerprint that stands twice."""
    try:
        source = path.read_text(encoding="utf-8")
        document: JsonObject = tomllib.loads(source)
    except OSError as failure:
        raise BadFindings(f"the file cannot be read: {failure.strerror}", str(path), "a readable file") from failure
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise BadFindings(f"no TOML: {failure}", str(path), "TOML") from failure
    sections = _split_entries(source)
    entries = arr(document.get(TABLE, []))
    unknown = [key for key in document if key != TABLE]
    if unknown or len(entries) != len(sections):
        what = f"unknown key {unknown[0]!r}" if unknown else f"{TABLE} is not written as tables"
        where = f"{path}:{toml_line(source, unknown[:1])}"
        raise BadFindings(what, where, f"[[{TABLE}]] tables and nothing else", NEXT_STEP)
    pairs = zip(entries, sections, strict=True)
    findings = tuple(_read_finding(obj(entry), path, *section) for entry, section in pairs)
    _refuse_repeated_ids_and_fingerprints(findings, path)
    return findings


def _split_entries(source: str) -> list[tuple[int, str]]:
    """Return each entry's text, with the number of the line before it."""
    lines = source.split("\n")
    starts = [number for number, text in enumerate(lines) if _HEADER.match(text)]
    ends = [*starts[1:], len(lines)]
    return [(start, "\n".join(lines[start:end])) for start, end in zip(starts, ends, strict=False)]


def _read_finding(entry: JsonObject, path: Path, before: int, source: str) -> Published:
    from pydantic import ValidationError

    from bridgecheck.files.schemas import FindingFile

    try:
        FindingFile.model_validate(entry)
    except ValidationError as failure:
        mistakes = failure.errors(include_url=False)
        what, steps, expected = first_mistake_steps_and_expected(mistakes)
        missing = text(obj(mistakes[0].get("ctx")).get("write"))
        if missing:
            what = f"{entry['status']} without an answer"
        line = before + toml_line(source, [TABLE, *(step for step in steps if isinstance(step, str))])
        next_step = f"write {missing} into the entry, then {NEXT_STEP}" if missing else NEXT_STEP
        raise BadFindings(what, f"{path}:{line}", expected, next_step) from None
    return read_known_fields(Published, {**entry, "line": before + 1}, TABLE)


def _refuse_repeated_ids_and_fingerprints(findings: tuple[Published, ...], path: Path) -> None:
    ids: set[str] = set()
    owners: dict[str, str] = {}
    for finding in findings:
        where = f"{path}:{finding.line}"
        if finding.id in ids:
            raise BadFindings(f"the id {finding.id!r} stands twice", where, "an id of its own", NEXT_STEP)
        ids.add(finding.id)
        for fingerprint in finding.fingerprints:
            if fingerprint in owners:
                what = f"the fingerprint {fingerprint} is in {owners[fingerprint]!r} already"
                raise BadFindings(what, where, "one finding for one root cause", NEXT_STEP)
            owners[fingerprint] = finding.id
