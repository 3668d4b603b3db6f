"""What a folder of cassettes answers: by the canonical request, then by order. Pure.

The player of ``bridgecheck run`` ignores bodies, since there the body is what is judged. Here a suite replays what it
recorded: a request that differs is another request, and its answer would be wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.stand_ins import IdPairs
from bridgecheck.model.jsonvalue import arr
from bridgecheck.record.canonical import (
    CanonicalRequest,
    VolatilePath,
    canonical_request,
    count_equal_leaves,
    find_first_difference,
    parse_volatile_path,
)
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.secrets import mask_text

_COMPARED: Final = 200
"""How many recordings a miss is compared with at most."""


@dataclass(eq=False, slots=True)
class Recording:
    """One recorded interaction. ``number``: from 0, in its cassette."""

    conversation: ConversationKey
    where: str
    number: int
    interaction: RecordedInteraction
    request: CanonicalRequest
    is_played: bool = False

    def __str__(self) -> str:
        return f"{self.where}: interactions[{self.number}]"


class Recordings:
    """``volatile``: paths that are left out of every comparison, besides those that the cassettes declare."""

    def __init__(self, cassettes: Mapping[ConversationKey, Cassette], volatile: Iterable[VolatilePath] = ()) -> None:
        self.volatile = tuple(dict.fromkeys([*volatile, *_volatile_paths_of(cassettes.values())]))
        self._recorded = [
            Recording(key, cassette.where, number, interaction, canonical_request(interaction.request, self.volatile))
            for key, cassette in sorted(cassettes.items())
            for number, interaction in enumerate(cassette.interactions)
        ]
        self._pairs: dict[ConversationKey, IdPairs] = {}
        self._queues: dict[str, list[Recording]] = {}
        for recording in self._recorded:
            self._queues.setdefault(recording.request.key, []).append(recording)

    def take(self, request: CanonicalRequest, name: str = "") -> Recording | None:
        """Play the next recording that answers a request, None if there is none; one that has the request's own ids
        goes before others. ``name``: only of that conversation."""
        waiting = [
            recording
            for recording in self._queues.get(request.key, ())
            if not recording.is_played and name in ("", recording.conversation.name)
        ]
        for recording in sorted(waiting, key=lambda waiting: waiting.request.ids != request.ids):
            if self.pairs(recording.conversation).accept(request.ids, recording.request.ids):
                recording.is_played = True
                return recording
        return None

    def pairs(self, conversation: ConversationKey) -> IdPairs:
        """Return which ids of the client stand for which of this conversation's recording, as far as they differ."""
        return self._pairs.setdefault(conversation, IdPairs())

    @property
    def unplayed(self) -> Sequence[Recording]:
        return [recording for recording in self._recorded if not recording.is_played]

    def describe_miss(self, request: CanonicalRequest, name: str = "") -> str:
        """Return why nothing answers a request: what is nearest, and where that differs first."""
        named = [recording for recording in self._recorded if name in ("", recording.conversation.name)]
        equal = [recording for recording in named if recording.request.key == request.key]
        waiting = [recording for recording in equal if not recording.is_played]
        if waiting:
            return f"it is recorded ({waiting[0]}), but an id in it stands for another than earlier in the conversation"
        if equal:
            return f"it is recorded {_times(len(equal))}, and all of that was played (last: {equal[-1]})"
        of_address = [recording for recording in named if recording.request.address == request.address][:_COMPARED]
        if not of_address:
            held = sorted({recording.request.address for recording in named})
            return f"recorded are only {', '.join(held[:5])}" if held else "nothing is recorded"
        nearest = max(of_address, key=lambda row: count_equal_leaves(row.request.document, request.document))
        difference = find_first_difference(nearest.request.document, request.document)
        return f"nearest: {nearest}; first difference: {mask_text(difference)}"


def _volatile_paths_of(cassettes: Iterable[Cassette]) -> Iterable[VolatilePath]:
    for cassette in cassettes:
        for path in arr(cassette.metadata.get("volatile")):
            if isinstance(path, str) and all(path.split(".")):
                yield parse_volatile_path(path)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
