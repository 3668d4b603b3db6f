"""The places on which a finding depends, in a faulty and a right transcript of the same case.

Every place that differs is put from one into the other, or taken out where only one has it. Where the check then no
longer reports the differences of the finding, or no longer passes, the place matters. Where another value in that place
changes neither (ids, times), only how many there are of which type counts.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.checks.check import Check
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.repro import runtime
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.right import RECEIVED, SENT, map_documents, with_values, without_path
from bridgecheck.run.mask import strip_paths
from bridgecheck.run.record import Record, build_evidence
from bridgecheck.secrets import mask_text
from bridgecheck.wire import JsonObject

MOST_PATHS: Final = 300
"""A case that differs in more places is watched as a whole."""

_ARGUMENTS: Final = re.compile(rf".*?\.(?:{'|'.join(runtime.ARGUMENTS)})(?=[.\[]|$)")
_INDEX: Final = re.compile(r"\[-?\d*\]")

Traffic: TypeAlias = JsonObject
"""As ``runtime`` writes it."""


def judged_again(check: Check, replayed: ReplayedCase, transcript: CaseTranscript) -> frozenset[Difference]:
    """Return the differences of the finding as the check finds them in a transcript, () unless it finds all of them.
    Remarks behind a difference are worded anew from release to release."""
    own_keys = set(map(_difference_key, replayed.verdicts[0].differences))
    failed = [verdict for verdict in _verdicts(check, replayed, transcript, None) if verdict.status in ("FAIL", "WARN")]
    rows = frozenset(row for verdict in failed for row in verdict.differences if _difference_key(row) in own_keys)
    is_bare = not own_keys and any(verdict.message == replayed.verdicts[0].message for verdict in failed)
    return rows if own_keys <= set(map(_difference_key, rows)) and (own_keys or is_bare) else frozenset()


def _difference_key(row: Difference) -> tuple[str, str, str]:
    """Return what makes two differences the same: of an error what it says, of a word what stands before its remark."""
    path, expected, actual = (mask_text(strip_paths(part)) for part in (row.path, row.expected, row.actual))
    try:
        message = text(obj(json.loads(actual)).get("message"))
    except ValueError:
        message = ""
    return path, expected.partition(" (")[0], message or actual.partition(" (")[0]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A faulty transcript and a right one of the same case. ``rows``: the differences of the finding, judged again."""

    check: Check
    replayed: ReplayedCase
    right_transcript: CaseTranscript
    found: Traffic
    right: Traffic
    varying: frozenset[str]
    rows: frozenset[Difference]

    def watched_rows(self) -> list[JsonObject]:
        """Return the places on which the finding depends, with what stands there in both. Where places that both have
        tell them apart, those that one alone has are left out, but for whole objects that the faulty one adds: the
        adapter may write the same elsewhere."""
        rows = list(self._rows_of_leaves())
        items = list(self._rows_of_items(rows))
        return [*(row for row in self._chosen_rows(rows) if not _is_in_items(row, items)), *items]

    def _chosen_rows(self, rows: list[JsonObject]) -> list[JsonObject]:
        both = [row for row in rows if _holds_something(row["found"]) and _holds_something(row["right"])]
        if both:
            added = [row for row in rows if not _holds_something(row["right"]) and self._is_in_added_object(row)]
            return [*both, *added]
        if not any(_holds_something(row["right"]) for row in rows):
            rows += self._rows_of_branches(judged=True)
        return rows or list(self._rows_of_branches(judged=False))

    def _rows_of_items(self, rows: Sequence[JsonObject]) -> Iterator[JsonObject]:
        """Yield the lists in which something is lost, the outermost around each place that is watched, with their whole
        items: one that is there twice, or emptied, does not pass for the lost one. A stream has pieces instead."""
        outer: list[str] = []
        for path in dict.fromkeys(path for row in rows for path in _lists_around(str(row["path"]))):
            if self.replayed.key.mode == "stream" and path.startswith(RECEIVED):
                continue
            found, right = (runtime.list_items(traffic, path) for traffic in (self.found, self.right))
            if not 0 < len(found) < len(right) or any(_is_below(path, parent) for parent in outer):
                continue
            outer.append(path)
            without = sorted(_differing_paths(found, right) | self._varying_below(path))
            shown = [runtime.item_text(item, without) for item in (*found, *right)]
            row: JsonObject = {"path": path, "without": list(without), "hashed": any(map(may_be_masked, shown))}
            for how in ("items", "ids"):
                sides = {
                    name: runtime.watched_values({}, side, {**row, "how": how})
                    for name, side in (("found", self.found), ("right", self.right))
                }
                if sides["found"] != sides["right"]:
                    yield {**row, "how": how, **sides}

    def _varying_below(self, path: str) -> set[str]:
        return {place.removeprefix(f"{path}[]") for place in self.varying if place.startswith(f"{path}[]")}

    def _is_in_added_object(self, row: JsonObject) -> bool:
        parent = str(row["path"]).rpartition(".")[0]
        there = [_branches(traffic, (SENT, RECEIVED)) for traffic in (self.found, self.right)]
        return parent in there[0] and parent not in there[1]

    def _rows_of_leaves(self) -> Iterator[JsonObject]:
        paths = [path for path in self._paths() if _values(self.found, path) != _values(self.right, path)]
        for path in paths if len(paths) <= MOST_PATHS else ():
            row: JsonObject = {"path": path, "how": self._how(path)}
            case: JsonObject = {"mode": self.replayed.key.mode}
            sides: JsonObject = {
                name: runtime.watched_values(case, side, row)
                for name, side in (("found", self.found), ("right", self.right))
            }
            if row["how"] and sides["found"] != sides["right"]:
                shown: JsonObject = {
                    name: runtime.values_to_show(case, side, row)
                    for name, side in (("found", self.found), ("right", self.right))
                }
                yield {**row, **sides, **({"shown": shown} if shown != sides else {})}

    def _rows_of_branches(self, *, judged: bool) -> Iterator[JsonObject]:
        """Yield the outermost objects that only one of the two has. ``judged``: those on which the finding depends as a
        whole; else those of the right one, where the check has nothing to say without them."""
        ends = (SENT, RECEIVED) if judged else (SENT if self.check.side == "request" else RECEIVED,)
        there = [_branches(traffic, ends) for traffic in (self.found, self.right)]
        branches = sorted(there[0] ^ there[1])[:MOST_PATHS]
        outermost: list[str] = []
        for path in branches:
            matters = self._how(path) if judged else path in there[1]
            if not any(_is_below(path, outer) for outer in outermost) and matters:
                outermost.append(path)
                row: JsonObject = {"path": path, "how": "there"}
                yield {**row, "found": [path in there[0]], "right": [path in there[1]]}

    def _paths(self) -> list[str]:
        """Return the paths of documents; where the client speaks HTTP that of its status too."""
        names = (SENT, RECEIVED, *(["status"] if self.replayed.key.layer == "http" else []))
        both = [path for traffic in (self.found, self.right) for path, _ in runtime.all_leaves(traffic)]
        return [path for path in dict.fromkeys(both) if path.startswith(names)]

    def _how(self, path: str) -> str:
        """Return how a place is watched, "" for one that does not matter."""
        if path.startswith("status"):
            return "values" if self.check.id == "response.error" else ""
        faulty, right = self.replayed.transcript, self.right_transcript
        values = [list(_values(side, path)) for side in (self.found, self.right)]
        repairs = False
        if len(values[0]) == len(values[1]) > 0:  # what each has is put into the other
            repairs = self._passes(with_values(faulty, path, values[1]))
            if not repairs and self._passes(with_values(right, path, values[0])):
                return ""
        elif self._shows(without_path(faulty, path)) and self._passes(without_path(right, path)):
            return ""
        if path in self.varying or (not repairs and self._is_any_value(path)):
            return "kinds"
        return "hashes" if any(map(may_be_masked, [*values[0], *values[1]])) else "values"

    def _is_any_value(self, path: str) -> bool:
        """Return whether another value of the same type in this place makes neither the right transcript wrong nor the
        faulty one right; of a place that the right one does not have, whether the finding shows with any."""

        def vary(transcript: CaseTranscript) -> CaseTranscript:
            return map_documents(transcript, lambda value, at: _vary_value(value) if at == path else value)

        if _values(self.right, path):
            return self._passes(vary(self.right_transcript)) and not self._passes(vary(self.replayed.transcript))
        return self._shows(vary(self.replayed.transcript))

    def _shows(self, transcript: CaseTranscript) -> bool:
        return self.rows <= judged_again(self.check, self.replayed, transcript)

    def _passes(self, transcript: CaseTranscript) -> bool:
        """Return whether the check finds nothing there that has to do with the finding, as in the right transcript."""
        verdicts = _verdicts(self.check, self.replayed, transcript, None)
        has_verdict = bool(_verdicts(self.check, self.replayed, self.right_transcript, None))
        failed = [verdict for verdict in verdicts if verdict.status in ("FAIL", "WARN")]
        return not any(self._is_related(verdict) for verdict in failed) and (bool(verdicts) or not has_verdict)

    def _is_related(self, verdict: Verdict) -> bool:
        """Return whether a failure has no differences, or one at, above or below a place of the finding."""
        own = {_INDEX.sub("", row.path) for row in self.rows}
        places = [_INDEX.sub("", row.path) for row in verdict.differences]
        return not own or not places or any(_is_nested(place, own_place) for place in places for own_place in own)


def _is_in_items(row: JsonObject, items: Sequence[JsonObject]) -> bool:
    """Return whether these are arguments of calls that are watched whole, as values and not as text."""
    place = _ARGUMENTS.match(str(row["path"]))
    for item in items if place else ():
        path = str(item["path"])
        if place and item["how"] == "items" and _is_below(place[0], path):
            within = place[0].removeprefix(f"{path}[]").rpartition(".")[0]
            return f"{within}.args" not in arr(item["without"])
    return False


def _lists_around(path: str) -> list[str]:
    """Return the lists within a document that a place lies in, the outermost first."""
    ends = [match.start() for match in re.finditer(r"\[\]", path)]
    return [path[:end] for end in ends if "." in path[:end]]


def _differing_paths(found: Sequence[object], right: Sequence[object]) -> set[str]:
    """Return the places in which items that both have differ, which are another adapter's way to write them: each item
    is seen beside the one that it has most in common with."""
    differing: set[str] = set()
    for item in found:
        own = _shown_leaves(item)
        nearest = max(map(_shown_leaves, right), key=lambda leaves: len(own & leaves))
        differing |= {path for path, _ in own ^ nearest}
    return differing


def _shown_leaves(item: object) -> set[tuple[str, str]]:
    return {(path, json.dumps(value, sort_keys=True)) for path, value in runtime.item_leaves(item)}


def _holds_something(values: object) -> bool:
    """Return whether anything but empty objects and lists stands there."""
    return any(value not in ({}, [], False) or (value == 0 and value is not False) for value in arr(values))


def _branches(traffic: Traffic, names: tuple[str, ...]) -> set[str]:
    """Return the paths of objects in which something stands."""
    paths = {path for path, _ in runtime.all_leaves(traffic) if path.startswith(names)}
    return {path[:position] for path in paths for position, char in enumerate(path) if char == "." and position > 8}


def _is_nested(place: str, second: str) -> bool:
    return place == second or _is_below(place, second) or _is_below(second, place)


def _is_below(path: str, outer: str) -> bool:
    return path.startswith((f"{outer}.", f"{outer}["))


def may_be_masked(value: object) -> bool:
    """Return whether what looks like a credential stands in a text, which no script may hold."""
    return isinstance(value, str) and mask_text(value) != value


def _vary_value(value: object) -> object:
    """Return another value of the same type."""
    if isinstance(value, str):
        return f"{value}~"
    return value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else value


def _values(traffic: Traffic, path: str) -> list[object]:
    return [value for leaf_path, value in runtime.all_leaves(traffic) if leaf_path == path]


def passes(
    check: Check,
    replayed: ReplayedCase,
    transcript: CaseTranscript,
    needs_verdict: bool,
    scenario: Scenario | None = None,
) -> bool:
    """Return whether the check fails nothing. ``needs_verdict``: and has something to say at all."""
    verdicts = _verdicts(check, replayed, transcript, scenario)
    if any(verdict.status in ("FAIL", "WARN") for verdict in verdicts):
        return False
    return bool(verdicts) or not needs_verdict


def _verdicts(
    check: Check, replayed: ReplayedCase, transcript: CaseTranscript, scenario: Scenario | None
) -> list[Verdict]:
    """Return the verdicts of the check on this transcript. ``scenario`` None: the one of the case."""
    record = Record(
        client=list(transcript.client), upstream=list(transcript.upstream),
        answered_by=list(range(len(transcript.upstream))), arrivals=list(transcript.arrivals),
        repeats=list(transcript.repeated_bodies), unanswered=set(transcript.unanswered), crash=transcript.crash,
        refused=transcript.refused,
    )  # fmt: skip
    return check.judge(build_evidence(replayed.key, record, scenario or replayed.scenario, replayed.driver))
