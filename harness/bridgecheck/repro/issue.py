"""The text for an issue tracker: requests and responses of both ends, what was expected and why, and a script.

Everything that came from elsewhere stands in code blocks or is escaped; what looks like a credential is masked.
"""

import json
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from bridgecheck.checks import rules_of
from bridgecheck.model.jsonvalue import arr
from bridgecheck.model.scenario import Basis
from bridgecheck.report.findings import EXPLAINING_STATUSES
from bridgecheck.report.markdown import escape_markdown, fence_code
from bridgecheck.report.side_by_side import clip, escape_invisible
from bridgecheck.repro.case import ScriptCase, responses_to_play_as_bytes, responses_to_play_as_documents
from bridgecheck.repro.proof import ScriptRun
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.secrets import mask_text
from bridgecheck.wire.facts import SDKS

MAX_LENGTH: Final = 65_000
"""Characters that fit an issue: GitHub takes 65,536."""
SHOWN_LENGTH: Final = 4_000
"""Characters of one document; the script has all of it."""
OUTPUT_LENGTH: Final = 6_000
SOURCE_TEXTS: Final = {
    "scripted": "scripted after documented or recorded behaviour of the provider", "live": "of the live provider",
    "imported": "imported from recorded traffic", "edited": "recorded and then edited",
}  # fmt: skip
VERSIONS: Final = ("bridgecheck", *(sdk.distribution for sdk in SDKS), "httpx")


def write_issue(script: ScriptCase, run: ScriptRun, command: Sequence[str], name: str) -> str:
    """Return Markdown. ``command``: repeats the case with bridgecheck; ``name``: of the script's file."""
    text = "\n".join((*_summary(script), *_rules(script), *_traffic(script), *_difference(script)))
    end = "\n".join(_steps(script, run, command, name))
    code = "\n".join(fence_code(run.text.rstrip(), "python"))
    whole = f"<details><summary>{name}</summary>\n{code}\n\n</details>\n"
    if len(text) + len(end) + len(whole) > MAX_LENGTH:
        whole = f"The script is too long for this text: it is in the file {name} beside this one.\n"
    return f"{text}\n{end}\n{whole}"


def _summary(script: ScriptCase) -> Iterator[str]:
    replayed = script.replayed
    info, key = replayed.driver.info, replayed.key
    adapter = escape_markdown(f"{info.name} {info.version}".strip())
    yield f"# {adapter}: {escape_markdown(clip(replayed.finding.one_line_summary, 120))}\n"
    yield f"{escape_markdown(replayed.scenario.description)}\n"
    yield f"Why it matters: {escape_markdown(replayed.scenario.why)}\n"
    yield f"A client of `{key.client}` in front of a provider of `{key.upstream}`, {key.mode}.\n"
    yield f"* adapter: {adapter}, reached as `{escape_invisible(replayed.driver.target)}`"
    yield f"* case: `{key}`; the recording is {SOURCE_TEXTS.get(replayed.cassette.source, replayed.cassette.source)}"
    yield f"* versions: {', '.join(_python_and_package_versions())}"
    yield from other_failures(replayed)


def other_failures(replayed: ReplayedCase) -> Iterator[str]:
    """Yield a line for the checks that the finding explains, and one for those that fail for another reason: together
    all that the report shows of the case beside the finding."""
    own, *explained = replayed.verdicts
    failed = [verdict for verdict in replayed.result.verdicts if verdict.status in EXPLAINING_STATUSES]
    shown = {*own.differences, *replayed.finding.differences}
    rest = [verdict for verdict in failed if verdict.check != own.check or not shown.issuperset(verdict.differences)]
    consequences = dict.fromkeys(verdict.check for verdict in explained if verdict.check != own.check)
    separate = dict.fromkeys(verdict.check for verdict in rest if verdict.check not in consequences)
    if consequences:
        yield f"* consequences of it: the case fails {_code_list(consequences)} too"
    if separate:
        yield f"* for another reason, which is not shown here, the case fails {_code_list(separate)} too"


def _code_list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _python_and_package_versions() -> Iterator[str]:
    yield f"Python {platform.python_version()}"
    for name in VERSIONS:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def _rules(script: ScriptCase) -> Iterator[str]:
    """Yield the rules that are broken, and what they are based on."""
    replayed, scenario = script.replayed, script.replayed.scenario
    yield "\n## What is required\n"
    for rule in rules_of(replayed.finding.check):
        yield f"* {rule.level} `{rule.id}`: {escape_markdown(rule.text)} {_basis(rule.basis)}"
    duty = f" {escape_markdown(scenario.basis.duty)}" if scenario.basis.duty else ""
    yield f"* {scenario.level} of the scenario: {escape_markdown(scenario.title)}.{duty} {_basis(scenario.basis)}"
    for source in scenario.sources:
        note = f": {escape_markdown(source.note)}" if source.note else ""
        yield f"* see also {escape_markdown(source.ref)}{f' <{source.url}>' if source.url else ''}{note}"


def _basis(basis: Basis) -> str:
    ref = f"<{basis.ref}>" if basis.ref.startswith("https://") and " " not in basis.ref else escape_markdown(basis.ref)
    return f"({basis.kind}: {ref}{f', {basis.date}' if basis.date else ''})"


def _traffic(script: ScriptCase) -> Iterator[str]:
    """Yield requests and responses of both ends, turn by turn."""
    transcript = script.replayed.transcript
    yield "\n## What went over the wire"
    for title, exchanges in (
        ("The client requested", transcript.client),
        ("The adapter sent to the provider", transcript.upstream),
    ):
        yield from _document_block(title, [exchange.request.body for exchange in exchanges if exchange.request])
    yield "\nThe provider responded (recorded):"
    yield from fence_code(clip(_recorded_responses_text(script), SHOWN_LENGTH), "text")
    received = [list(turn.response.documents) or turn.response.text for turn in transcript.client]
    yield from _document_block("The client received", received)


def _recorded_responses_text(script: ScriptCase) -> str:
    if script.converts:
        responses = [response["documents"] for response in responses_to_play_as_documents(script.replayed)]
        return "\n".join(_masked_json_line(document) for documents in responses for document in arr(documents))
    texts: list[str] = []
    for recorded in responses_to_play_as_bytes(script.replayed):
        body = mask_text(recorded.body.decode("utf-8", "backslashreplace"))
        texts.append(f"{recorded.status} {recorded.end}\n{_escape_invisible_in_lines(body)}")
    return "\n".join(texts)


def _escape_invisible_in_lines(text: str) -> str:
    return "\n".join(map(escape_invisible, text.rstrip("\n").split("\n")))


def _document_block(title: str, bodies: Sequence[object]) -> Iterator[str]:
    yield f"\n{title}:"
    lines = (_masked_json_line(item) for body in bodies for item in (body if isinstance(body, list) else [body]))
    yield from fence_code(clip("\n".join(lines) or "(nothing)", SHOWN_LENGTH), "json")


def _masked_json_line(body: object) -> str:
    """Return one document as JSON with invisible characters escaped and credentials masked."""
    return mask_text(escape_invisible(json.dumps(body, ensure_ascii=False, default=str)))


def _difference(script: ScriptCase) -> Iterator[str]:
    cause = script.replayed.verdicts[0]
    yield "\n## Expected and actual\n"
    yield f"{cause.status} `{cause.check}`: {escape_markdown(clip(cause.message.partition(chr(10))[0], 400))}"
    rows = [
        f"{row.path}{f'  ({row.note})' if row.note else ''}\n  expected  {row.expected}\n  actual    {row.actual}"
        for row in cause.differences
    ]
    text = "\n".join(rows) or script.replayed.result.crash or cause.message
    yield from fence_code(clip(_escape_invisible_in_lines(text), SHOWN_LENGTH), "text")


def _steps(script: ScriptCase, run: ScriptRun, command: Sequence[str], name: str) -> Iterator[str]:
    yield "\n## Reproduce it\n"
    yield f"With bridgecheck ({version('bridgecheck')}):"
    yield from fence_code(escape_invisible(shlex.join(command)), "sh")
    if script.reach.install:
        yield "\nWithout it, install:"
        yield from fence_code(escape_invisible("\n".join(script.reach.install).replace("{script}", name)), "sh")
    yield (
        f"\nWithout it: `python {name}` needs {escape_markdown(script.reach.needs)}. "
        f"It plays the recorded provider itself. {escape_markdown(script.reach.place)} "
        "It ends with exit code 1 while the fault shows, 0 when it does not, and 2 where nothing can be said. "
        "When this was written it printed:"
    )
    output = clip(_escape_invisible_in_lines(mask_text(run.output)), OUTPUT_LENGTH)
    yield from fence_code(f"{output}\n(exit code {run.code})", "text")
    yield ""
