"""One case as it was played: the transcript of both sides of the adapter, and the evidence that checks read.

The last functions read a crash: the text that ``CaseTranscript.crash`` and ``CaseResult.crash`` hold, mostly a Python
traceback."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

from bridgecheck.model.exchange import Interaction
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.wire import Dialect, JsonObject

HungNotHttpOrEmpty: TypeAlias = Literal["", "hung", "not-http"]
"""A crash with a cause of its own: no whole answer in time; what listens at the adapter's address speaks no HTTP."""

AND_THEN: Final = "\nand then: "
OWN_ERROR: Final = "without calling the provider"
"""What stands between the messages of several refusals in one case."""
FAILED: Final = "the adapter failed: "
"""The beginning of the verdict on an adapter that breaks; what it raised follows."""
REFUSED: Final = "refused what it should take: "
"""The beginning of the verdict on a refusal that nothing allows; what the adapter said follows."""
UNMODELLED: Final = "endpoint not modelled"
NO_SUCH_PATH: Final = "the API has no such path"
"""How the player begins a miss of an endpoint that bridgecheck knows nothing of."""


@dataclass(frozen=True, slots=True)
class ReportedLoss:
    """A loss as the adapter itself reports it (the reference does; a black box does not)."""

    path: str
    reason: str
    severity: str = ""


MAX_REPORTED_LOSSES: Final = 100
"""How many losses of one conversion are read; no document has so many members that a provider knows."""
MAX_LOSS_CHARACTERS: Final = 300


def read_reported_losses(rows: Iterable[Sequence[str]]) -> list[ReportedLoss]:
    """Return the first of an adapter's losses, from their path, reason and severity, shortened."""
    first = islice(rows, MAX_REPORTED_LOSSES)
    return [ReportedLoss(*(member[:MAX_LOSS_CHARACTERS] for member in row)) for row in first]


@dataclass(frozen=True, slots=True)
class CaseTranscript:
    """One case as it happened, with all its turns.

    ``client``: per turn what the client sent and received; ``upstream``: in order of arrival what the adapter sent
    and what the player answered. ``crash``: the adapter's traceback if it raised, hung or sent no document, ""
    otherwise; ``crash_kind`` tells some apart. ``refused``: its messages if it refused something as unsupported,
    AND_THEN between them, "" otherwise; ``no_method``: the method that it lacks and may lack, "" if none was needed.
    ``unanswered``: turns that ended without a response of the adapter's; the client saw its connection break.
    ``misses``: requests the cassette did not hold; ``unplayed``: recorded interactions the adapter never requested.
    ``stopped``: why the next turn could not be made of what the client received, "" if every turn was;
    ``recorded_history``: turns that were made all the same, of what a client of this dialect received from its own
    provider. ``repeated_bodies``: per upstream call the body of the same request converted a second time, None where
    that was not done.

    ``arrivals``: per turn, in order, "r" for a request that the adapter sent, "u" for what reached it of a streamed
    answer (an event at wire level, a chunk at sdk level) and "c" for an event that left it; at sdk level also "x" where
    the client went away and "q" where the adapter let go of a connection."""

    client: tuple[Interaction, ...]
    upstream: tuple[Interaction, ...]
    crash: str = ""
    crash_kind: HungNotHttpOrEmpty = ""
    refused: str = ""
    no_method: str = ""
    unanswered: frozenset[int] = frozenset()
    recorded_history: frozenset[int] = frozenset()
    misses: tuple[str, ...] = ()
    unplayed: int = 0
    losses: tuple[ReportedLoss, ...] = ()
    arrivals: tuple[str, ...] = ()
    stopped: str = ""
    repeated_bodies: tuple[JsonObject | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All a check may look at; checks do nothing but read it. Two are equal only if they are one.

    Per client turn: ``client_prompts`` (the client's request, None if the traffic was recorded without one),
    ``client_outcomes`` (what the client received), ``answered_by`` (index of the upstream call that answered the turn,
    or would have if the adapter had not failed; -1 none) and ``native_outcomes`` (what the upstream's own SDK gave;
    None on the wire layer). Per upstream call, in order of arrival: ``upstream_prompts`` (the adapter's request, None
    if there was none) and ``upstream_outcomes`` (the provider's answer).

    ``unclaimed``: features of capabilities that the adapter does not claim. ``inexpressible``: features that the
    client's own types have no place for, where it speaks ``outcome``. ``through_sdk``: what the client received is what
    the official SDK of its dialect showed it. ``flag_off``: the same conversation held by the adapter's chat without
    the bridge, at chat level where its answers can be told in Gemini; None elsewhere. ``pivot``: the dialect that a
    same-dialect route goes through, None if it goes straight. ``scenario`` is None for recorded traffic, which has no
    expectation."""

    key: CaseKey
    transcript: CaseTranscript
    scenario: Scenario | None
    client_prompts: tuple[Prompt | None, ...]
    upstream_prompts: tuple[Prompt | None, ...]
    upstream_outcomes: tuple[Outcome, ...]
    client_outcomes: tuple[Outcome, ...]
    pivot: Dialect | None = None
    native_outcomes: tuple[Outcome, ...] | None = None
    answered_by: tuple[int, ...] = ()
    inexpressible: frozenset[str] = frozenset()
    unclaimed: frozenset[str] = frozenset()
    through_sdk: bool = False
    flag_off: "Evidence | None" = None

    def answering_call_index(self, turn: int) -> int:
        """Return which upstream call answered this turn, -1 if none. Without ``answered_by``: the same index."""
        if turn < len(self.answered_by):
            return self.answered_by[turn]
        return turn if turn < len(self.upstream_outcomes) else -1


_FRAME: Final = re.compile(r'^[ |]*File "[^"]+", line \d+')
LAST_LINES: Final = "its last lines:"
_GROUP: Final = re.compile(r"^\s*\| ")
"""What the traceback of an exception group puts before its lines."""
TRACEBACK: Final = "Traceback (most recent call last)"
KEPT_LINES: Final = 24
"""Lines of a traceback that are worth keeping: about eight frames and what was raised."""


def own_traceback(crash: str) -> str:
    """Return a crash without what a process of the adapter's wrote last, which may be a traceback of anything."""
    return crash.partition(f"{LAST_LINES}\n")[0]


def exception_line(crash: str) -> str:
    """Return the line that names the exception, ``KeyError: 'text'``: the first one not indented behind the last
    frame. A message may have more lines. Without frames the first line; "" if there is none. What a process of the
    adapter's wrote last stands behind LAST_LINES, and may be a traceback of anything."""
    own_text, mark, _ = crash.partition(f"{LAST_LINES}\n")
    lines = [_GROUP.sub("", line) for line in f"{own_text}{mark}".split("\n") if line.strip()]
    frames = [number for number, line in enumerate(lines) if _FRAME.match(line)]
    behind = lines[frames[-1] + 1 :] if frames else lines
    flush = [line for line in behind if not line.startswith((" ", "+", "Traceback"))]
    return flush[0] if flush else "".join(lines[-1:]).strip()


def cut_middle_of_traceback(text: str) -> str:
    """Without the middle of a long traceback: its first line, and the last ones. Other texts are as they were."""
    own_text, mark, log = text.partition(f"{LAST_LINES}\n")
    lines = own_text.split("\n")
    if TRACEBACK not in own_text or len(lines) <= KEPT_LINES + 2:
        return text
    left_out = f"  ... {len(lines) - KEPT_LINES - 1} lines left out"
    return "\n".join((lines[0], left_out, *lines[-KEPT_LINES:])) + mark + log
