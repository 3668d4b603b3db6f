"""Why a tiny case went wrong, in words: whose fault it looks like, what shows it, and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from bridgecheck.model.crash import raised
from bridgecheck.run.seen import Seen, clipped, dialects
from bridgecheck.run.symptoms import SYMPTOMS, Ends, Symptom, Whose
from bridgecheck.run.told import last_lines, read_error
from bridgecheck.wire.facts import RECORDS

AND_SAID: Final = ", its last lines:"
"""What stands before the words of an adapter's process, which become lines of evidence."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """``name``: of the symptom, stable. ``cause``: one line. ``evidence``: pairs of a label and one line each. An
    adapter's own words stand in both: to be escaped where they are shown. ``next_step``: what to do. ``ends``: as the
    symptom's."""

    whose: Whose
    name: str
    cause: str
    evidence: tuple[tuple[str, str], ...] = ()
    next_step: str = ""
    ends: Ends = ""


def diagnose(seen: Seen, target: str) -> Diagnosis | None:
    """None where nothing is wrong. ``target``: as the user named the adapter."""
    symptom = symptom_of(seen)
    if symptom is None:
        return None
    given = facts(seen, target)
    cause, next_step = symptom.cause.format_map(given), symptom.next_step.format_map(given)
    shown = tuple((label, line) for label, line in evidence(seen) if line not in cause)
    return Diagnosis(symptom.whose, symptom.name, cause, shown, next_step, symptom.ends)


def symptom_of(seen: Seen) -> Symptom | None:
    if seen.bad is None and not seen.misses:
        return None
    return next((symptom for symptom in SYMPTOMS if symptom.shows(seen)), None)


def facts(seen: Seen, target: str) -> Mapping[str, str]:
    """What the templates may name."""
    key, bad = seen.key, seen.bad
    told = read_error(bad.message if bad else "")
    return {
        "key": str(key),
        "status": str(seen.answer.status) if seen.answer else "",
        "client": key.client,
        "upstream": key.upstream,
        "upstream_url": seen.upstream_url or "its provider",
        "upstream_path": RECORDS[key.upstream].full_path(key.mode),
        "client_path": RECORDS[key.client].full_path(key.mode) if RECORDS[key.client].paths else "its address",
        "asked": ", ".join(seen.asked),
        "asked_dialect": ", ".join(sorted(dialects(seen.misses))),
        "raised": _failure(seen),
        "refused": clipped(seen.refused) or seen.said,
        "target": quote(target) if target else "",
        "promised": _promised(seen),
        "check": bad.check if bad else "",
        "message": clipped(bad.message.replace("\n", " ")) if bad else "",
        "what": told.what.removesuffix(AND_SAID),
        "next": told.next_step,
        "case": f"bridgecheck run{f' --adapter {quote(target)}' if target else ''} --scenario '{key}'",
    }


def _promised(seen: Seen) -> str:
    """What an adapter would no longer say of itself."""
    if seen.capabilities:
        return f"{' and '.join(seen.capabilities)} out of its capabilities"
    return f"({seen.key.client}, {seen.key.upstream}) out of its routes"


def _failure(seen: Seen) -> str:
    """What was raised, in a line."""
    return clipped(raised(seen.crash)).removeprefix("the adapter ").removesuffix(AND_SAID)


def _last_words(seen: Seen) -> tuple[str, ...]:
    """What the process of an adapter wrote last, where that may tell more than its answer or its crash."""
    if seen.answer and not seen.asked and seen.answer.status >= 400:
        return last_lines(seen.log)
    if seen.place or seen.answer:
        return ()
    return tuple(line for line in last_lines(seen.crash.partition("\n")[2]) if line not in AND_SAID)


def evidence(seen: Seen) -> tuple[tuple[str, str], ...]:
    """Labels and lines; what there is none of is left out, but for what was asked of the provider."""
    if seen.result.status == "ERROR" and seen.bad is not None:
        told = read_error(seen.bad.message)
        rows = [*(("said", line) for line in told.said), ("at", told.where), ("expected", told.expected)]
    else:
        rows = [
            *([] if seen.answer else [("raised", _failure(seen)), ("at", seen.place)]),
            # What is not recorded is answered by us, with an error that adapters pass on.
            ("answered", "" if seen.misses else seen.answered),
            *(("said", line) for line in _last_words(seen)),
            ("asked", ", ".join(seen.asked) or "nothing of its provider"),
        ]
    return tuple((label, line) for label, line in rows if line)
