"""Findings: verdicts that complain of one and the same thing, gathered under a stable fingerprint.

One defect shows in many cases. What they share is the check, the place of the first difference and the shape of the
message; indices, numbers and quoted values are taken out of both, so the fingerprint is the same for every case and
over runs. A crash is told apart by its exception and the function it came from.
"""

import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import PurePath
from typing import Final

from bridgecheck.model.crash import raised
from bridgecheck.model.verdict import STATUSES, CaseResult, Difference, Status, Verdict

REPORTED: Final[frozenset[Status]] = frozenset({"FAIL", "WARN", "ERROR"})
"""The statuses that make a finding."""

ABSENT: Final = "(absent)"
"""How a difference writes that nothing is there."""

TRACEBACK: Final = "Traceback (most recent call last)"

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_INDEX = re.compile(r"\[\d+\]")
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b")
_NUMBER = re.compile(r"\d+")
_FRAME = re.compile(r'File "([^"]+)", line \d+, in (\S+)')
_SEPARATOR = re.compile(r"[/\\]")
_SHAPE_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. The message, the differences and the rest are those of ``example``, the simplest of
    ``cases`` (addresses, in order). ``command`` repeats just that one."""

    fingerprint: str
    status: Status
    check: str
    message: str
    differences: tuple[Difference, ...]
    cases: tuple[str, ...]
    example: str
    command: tuple[str, ...]
    title: str = ""
    where: str = ""
    crash: str = ""

    @property
    def headline(self) -> str:
        """The first line of the message, or what a traceback says was raised; where the message only repeats the first
        difference, its place and what became of it."""
        if self.differences and says_it_all(self.message, self.differences[0]):
            return f"{self.differences[0].path} {kind(self.differences[0])}"
        return raised(self.message) if TRACEBACK in self.message else self.message.partition("\n")[0]

    @property
    def body(self) -> tuple[str, ...]:
        """The lines to show where there are no differences: of the crash, else what follows the headline."""
        text = self.crash or self.message.partition("\n")[2]
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    @property
    def command_line(self) -> str:
        return shlex.join(self.command)


def group(cases: Sequence[CaseResult], target: str = "") -> tuple[Finding, ...]:
    """The worst status first, then what hits most cases. ``target``: the adapter, as the commands must name it."""
    found: dict[str, list[tuple[CaseResult, Verdict]]] = {}
    for case in cases:
        for verdict in case.verdicts:
            if verdict.status in REPORTED:
                found.setdefault(fingerprint(case, verdict), []).append((case, verdict))
    findings = [_finding(mark, hits, target) for mark, hits in found.items()]
    return tuple(sorted(findings, key=lambda item: (STATUSES.index(item.status), -len(item.cases), item.fingerprint)))


def fingerprint(case: CaseResult, verdict: Verdict) -> str:
    """Ten hex digits, the same on every machine."""
    crash = crash_shape(case.crash) if verdict.check == "adapter.completes" else ""
    shape = "\n".join((verdict.check, *([crash] if crash else _shapes(verdict))))
    return hashlib.sha256(shape.encode("utf-8", "backslashreplace")).hexdigest()[:10]


def _shapes(verdict: Verdict) -> list[str]:
    """Place and kind of the first difference, and what the message says beside it."""
    if not verdict.differences:
        return [message_shape(verdict.message)]
    first = verdict.differences[0]
    beside = first.note if says_it_all(verdict.message, first) else verdict.message
    return [path_shape(first.path), kind(first), message_shape(beside)]


def kind(difference: Difference) -> str:
    """``lost``, ``added`` or ``differs``."""
    if difference.got == ABSENT:
        return "lost"
    return "added" if difference.expected == ABSENT else "differs"


def says_it_all(message: str, difference: Difference) -> bool:
    """Whether a message holds nothing that the difference, shown beside it, does not show."""
    return all(text in message for text in (difference.path, difference.expected, difference.got))


def path_shape(path: str) -> str:
    """``choices[0].tool_calls[2].args`` -> ``choices[].tool_calls[].args``."""
    return _NUMBER.sub("N", _INDEX.sub("[]", path))


def message_shape(message: str) -> str:
    """The message without what differs from case to case: quoted values, hashes, numbers."""
    plain = _QUOTED.sub("'_'", message)
    return _NUMBER.sub("N", _HEX.sub("H", plain))[:_SHAPE_LENGTH]


def crash_shape(crash: str) -> str:
    """``KeyError in parts.py:convert`` of a traceback; "" if there was none."""
    kind_of = message_shape(raised(crash).split(":", 1)[0])
    frames = _FRAME.findall(crash)
    if not frames:
        return kind_of
    file, function = frames[-1]
    return f"{kind_of} in {_SEPARATOR.split(file)[-1]}:{function}"


def repeat_command(case: CaseResult, target: str = "") -> tuple[str, ...]:
    """The arguments of the command that runs this one case again."""
    adapter = ("--adapter", target) if target else ()
    return ("bridgecheck", "run", *adapter, *_selection(case))


def _selection(case: CaseResult) -> tuple[str, ...]:
    if case.source != "traffic":
        return "--scenario", str(case.key)
    file, _, line = case.where.rpartition(":")
    path = file if line.isdigit() else case.where
    if case.status == "ERROR" and case.key.scenario == PurePath(case.where).name:
        return "--traffic", path  # it could not be read, so it has no id
    return "--traffic", f"{path}::{escape(case.key.scenario)}", "--path", case.key.path, "--mode", case.key.mode


def _finding(mark: str, hits: list[tuple[CaseResult, Verdict]], target: str) -> Finding:
    case, verdict = min(hits, key=lambda hit: _simplicity(*hit))
    return Finding(
        fingerprint=mark,
        status=min((hit.status for _, hit in hits), key=STATUSES.index),
        check=verdict.check,
        message=verdict.message,
        differences=verdict.differences,
        cases=tuple(dict.fromkeys(str(hit.key) for hit, _ in hits)),
        example=str(case.key),
        command=repeat_command(case, target),
        title=case.title,
        where=case.where,
        crash=case.crash,
    )


def _simplicity(case: CaseResult, verdict: Verdict) -> tuple[int, bool, bool, int, str]:
    """Sorts the case first that is easiest to read: the worst status, without HTTP, unary, the shortest difference."""
    size = sum(len(row.path) + len(row.expected) + len(row.got) for row in verdict.differences)
    return STATUSES.index(verdict.status), case.key.layer != "wire", case.key.mode != "unary", size, str(case.key)
