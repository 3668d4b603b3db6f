"""The text for an issue tracker: what was asked, recorded, sent and received, what was expected and why, and a script.

Everything that came from elsewhere stands in code blocks or is escaped; what looks like a credential is masked.
"""

import json
import platform
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from bridgecheck.cassette.redact import masked
from bridgecheck.checks.rules import rules_of
from bridgecheck.model.scenario import Basis
from bridgecheck.report.markdown import escaped, fenced
from bridgecheck.report.sidebyside import clipped, visible
from bridgecheck.repro.answers import documents, recordings
from bridgecheck.repro.proof import Proof
from bridgecheck.repro.script import Script
from bridgecheck.wire.facts import SDKS

LIMIT: Final = 60_000
"""Characters that fit an issue: GitHub takes 65,536."""
SHOWN: Final = 4_000
"""Characters of one document; the script has all of it."""
OUTPUT: Final = 6_000
VERSIONS: Final = ("bridgecheck", *(sdk.distribution for sdk in SDKS), "httpx")


def issue(script: Script, proof: Proof, command: Sequence[str], name: str) -> str:
    """Markdown. ``command``: repeats the case with bridgecheck; ``name``: of the script's file."""
    text = "\n".join((*_head(script), *_rules(script), *_traffic(script), *_difference(script)))
    end = "\n".join(_repeat(script, proof, command, name))
    code = "\n".join(fenced(proof.text.rstrip(), "python"))
    whole = f"<details><summary>{name}</summary>\n{code}\n\n</details>\n"
    room = len(text) + len(end) + len(whole) <= LIMIT
    said = f"The script is too long for this text: {name} stands beside it.\n"
    return f"{text}\n{end}\n{whole if room else said}"


def _head(script: Script) -> Iterator[str]:
    fault = script.fault
    info, key = fault.driver.info, fault.key
    yield f"# {escaped(f'{info.name} {info.version}'.strip())}: {escaped(clipped(fault.finding.headline, 120))}\n"
    yield f"{escaped(fault.scenario.description)}\n"
    yield f"Why it matters: {escaped(fault.scenario.why)}\n"
    yield f"A client of `{key.client}` in front of a provider of `{key.upstream}`, {key.mode}.\n"
    yield f"* adapter: {escaped(f'{info.name} {info.version}'.strip())}, reached as `{visible(fault.driver.target)}`"
    yield f"* case: `{key}`; the recording is {_source(fault.cassette.source)}"
    yield f"* versions: {', '.join(_versions())}"
    if fault.others:
        yield f"* the case has {fault.others} more finding{'s' if fault.others > 1 else ''}, not shown here"


def _source(source: str) -> str:
    return {
        "scripted": "scripted after documented or recorded behaviour of the provider",
        "live": "of the live provider",
        "imported": "imported from recorded traffic",
        "edited": "recorded and then edited",
    }.get(source, source)


def _versions() -> Iterator[str]:
    yield f"Python {platform.python_version()}"
    for name in VERSIONS:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def _rules(script: Script) -> Iterator[str]:
    """What is broken, and on what grounds that is demanded."""
    fault = script.fault
    yield "\n## What is required\n"
    for rule in rules_of(fault.finding.check):
        yield f"* {rule.level} `{rule.id}`: {escaped(rule.text)} {_basis(rule.basis)}"
    yield f"* {fault.scenario.level} of the scenario: {escaped(fault.scenario.title)}. {_basis(fault.scenario.basis)}"
    for one in fault.scenario.sources:
        note = f": {escaped(one.note)}" if one.note else ""
        yield f"* see also {escaped(one.ref)}{f' <{one.url}>' if one.url else ''}{note}"


def _basis(basis: Basis) -> str:
    ref = f"<{basis.ref}>" if basis.ref.startswith("https://") and " " not in basis.ref else escaped(basis.ref)
    return f"({basis.kind}: {ref}{f', {basis.date}' if basis.date else ''})"


def _traffic(script: Script) -> Iterator[str]:
    """The four corners, turn by turn where there are several."""
    fault = script.fault
    seen = fault.seen
    yield "\n## What went over the wire"
    yield from _shown("The client asked", [one.request.body for one in seen.client if one.request])
    yield from _shown("The adapter sent to the provider", [one.request.body for one in seen.upstream if one.request])
    yield "\nThe provider answered (recorded):"
    yield from fenced(clipped(_recorded(script), SHOWN), "text")
    yield from _shown("The client received", [list(one.response.documents) or one.response.text for one in seen.client])


def _recorded(script: Script) -> str:
    if script.converts:
        answers = [answer["documents"] for answer in documents(script.fault)]
        return "\n".join(_line(document) for answer in answers if isinstance(answer, list) for document in answer)
    return "\n".join(
        f"{one.status} {one.end}\n{_lines(masked(one.body.decode('utf-8', 'backslashreplace')))}"
        for one in recordings(script.fault)
    )


def _lines(text: str) -> str:
    """Each line with what does not show itself escaped."""
    return "\n".join(map(visible, text.rstrip("\n").split("\n")))


def _shown(title: str, bodies: Sequence[object]) -> Iterator[str]:
    yield f"\n{title}:"
    shown = [body[0] if isinstance(body, list) and len(body) == 1 else body for body in bodies]
    lines = (line for body in shown for line in ([*map(_line, body)] if isinstance(body, list) else [_line(body)]))
    yield from fenced(clipped("\n".join(lines) or "(nothing)", SHOWN), "json")


def _line(body: object) -> str:
    """One document as JSON in which everything shows itself."""
    return masked(visible(json.dumps(body, ensure_ascii=False, default=str)))


def _difference(script: Script) -> Iterator[str]:
    lead = script.fault.verdicts[0]
    yield "\n## Expected and got\n"
    yield f"{lead.status} `{lead.check}`: {escaped(clipped(lead.message.partition(chr(10))[0], 400))}"
    rows = [
        f"{row.path}{f'  ({row.note})' if row.note else ''}\n  expected  {row.expected}\n  got       {row.actual}"
        for row in lead.differences
    ]
    text = "\n".join(rows) or script.fault.result.crash or lead.message
    yield from fenced(clipped(_lines(text), SHOWN), "text")


def _repeat(script: Script, proof: Proof, command: Sequence[str], name: str) -> Iterator[str]:
    yield "\n## Reproduce it\n"
    yield f"With bridgecheck ({version('bridgecheck')}):"
    yield from fenced(visible(shlex.join(command)), "sh")
    if script.loading.install:
        yield "\nWithout it, install:"
        yield from fenced(visible("\n".join(script.loading.install)), "sh")
    yield (
        f"\nWithout it: `python {name}` needs {escaped(script.loading.needs)}. It plays the recorded provider itself, "
        "and ends with exit code 1 while the fault shows and 0 when it is gone. When this was written it printed:"
    )
    output = clipped(_lines(masked(proof.output)), OUTPUT)
    yield from fenced(f"{output}\n(exit code {proof.code})", "text")
    yield ""
