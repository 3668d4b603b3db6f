"""What two reports are of: why what one of them does not hold says nothing, in words."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.report.model import Report, RunInfo
from bridgecheck.report.words import plural

ANYWAY: Final = frozenset({"--relations", "--seed"})
"""Options that choose no cases."""

EVERYTHING: Final = "everything"


def others(old: Report, new: Report) -> Iterator[str]:
    """Where they are not of the same adapter, requirement set and cases."""
    pairs = (
        ("adapters", old.info.adapter, new.info.adapter),
        ("requirement sets", old.info.requirements, new.info.requirements),
        ("selections", _chosen(old.info), _chosen(new.info)),
    )
    for what, ours, theirs in pairs:
        if ours != theirs:
            yield f"of other {what}: {ours or EVERYTHING}, {theirs or EVERYTHING}"


def partial(report: Report) -> str:
    """How much of it there is; "" for a whole one."""
    if not report.info.partial:
        return ""
    done, planned = len(report.cases), report.info.planned
    return f"{done} of {plural(planned, 'case')}" if done < planned else f"{plural(done, 'case')} of more"


def judge(info: RunInfo) -> str:
    """The version of bridgecheck that made the report, "" if it does not say."""
    return dict(info.versions).get("bridgecheck", "")


def _chosen(info: RunInfo) -> str:
    """The options that chose cases, in one order."""
    return " ".join(sorted(f"{option} {value}" for option, value in info.selection if option not in ANYWAY))
