"""What a provider changed between two sets of recordings: by structure, not by words (docs/drift.md).

    find_drift(old, new)    recorded interactions -> findings, each change once

finding           one change, and how findings are merged
answers           interactions decoded, grouped and paired
members           what answers hold; member_changes: what of it differs
read_members        what every answer has beside what the wire types require
framing           bytes as facts; event_order: events as facts
knowledge         what the wire types know of a member; sdk_types: what the installed SDKs' types know
touches           which checks, loss rows and scenarios a finding touches
folders           cassettes and folders on disk, paired; command: ``bridgecheck drift``
"""

from bridgecheck.drift.compare_answers import Known, find_drift, find_vanished, observe_known
from bridgecheck.drift.finding import SEVERITIES, Change, Finding, Severity, merge_findings

__all__ = [
    "SEVERITIES",
    "Change",
    "Finding",
    "Known",
    "Severity",
    "find_drift",
    "find_vanished",
    "merge_findings",
    "observe_known",
]
