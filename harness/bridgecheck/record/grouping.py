"""Which conversation a request belongs to. Pure.

The first that applies:
1. a request that names its conversation (a path prefix ``/~NAME/``, or the header) belongs to that;
2. one that repeats the last request of a conversation whose answer failed is another attempt at it;
3. one whose messages extend those of an earlier request continues that conversation. Where several have the same
   messages so far, it is the one whose answer stands in the new request;
4. anything else begins a conversation.

Conversations of two dialects are two, also under one name.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from bridgecheck.record.canonical import CanonicalRequest
from bridgecheck.wire import Dialect

UNNAMED: Final = ""


class ConversationKey(NamedTuple):
    name: str
    dialect: Dialect


@dataclass(slots=True)
class Turn:
    """One request of a conversation. ``reply``: what its answer said, once it is there: texts and ids of calls.
    ``failed``: it was answered by an error after which clients try again, or its answer broke off."""

    conversation: ConversationKey
    request: CanonicalRequest
    attempt: int = 1
    is_open: bool = True
    failed: bool = False
    is_extended: bool = False
    reply: Callable[[], Sequence[str]] = field(default=lambda: ())


class ConversationGrouper:
    """``new_name``: gives a name that no conversation has yet, from a request that begins one."""

    def __init__(self, new_name: Callable[[CanonicalRequest, Dialect], str]) -> None:
        self._new_name = new_name
        self._by_history: dict[tuple[Dialect, str, str], list[Turn]] = {}
        self._last: dict[ConversationKey, Turn] = {}
        self._by_request: dict[tuple[Dialect, str], list[Turn]] = {}

    def place(self, request: CanonicalRequest, dialect: Dialect, name: str = UNNAMED) -> Turn:
        """Return the turn that a request is. ``finish`` it when its answer has ended."""
        repeated = self._find_failed_attempt(request, dialect, name)
        if repeated is not None:
            return self._add(Turn(repeated.conversation, request, repeated.attempt + 1))
        if name:
            return self._add(Turn(ConversationKey(name, dialect), request))
        extended = self._find_extended(request, dialect)
        if extended is not None:
            extended.is_extended = True
            return self._add(Turn(extended.conversation, request))
        return self._add(Turn(ConversationKey(self._new_name(request, dialect), dialect), request))

    def place_in(self, conversation: ConversationKey, request: CanonicalRequest) -> Turn:
        """Return the turn of a request that a recording of this conversation answers."""
        return self._add(Turn(conversation, request))

    def finish(self, turn: Turn, failed: bool, reply: Callable[[], Sequence[str]] = lambda: ()) -> None:
        """Note that an answer has ended."""
        turn.is_open, turn.failed, turn.reply = False, failed, reply

    def _add(self, turn: Turn) -> Turn:
        dialect = turn.conversation.dialect
        turn.request = replace(turn.request, document=None, turns=())  # a long history would be stored at every turn
        self._last[turn.conversation] = turn
        self._by_request.setdefault((dialect, turn.request.key), []).append(turn)
        if turn.request.history:
            path = _path_of_operation(turn.request)
            self._by_history.setdefault((dialect, path, turn.request.history[-1]), []).append(turn)
        return turn

    def _find_failed_attempt(self, request: CanonicalRequest, dialect: Dialect, name: str) -> Turn | None:
        candidates = self._by_request.get((dialect, request.key), [])
        return next(
            (
                turn for turn in candidates
                if turn.failed and self._last[turn.conversation] is turn and name in (UNNAMED, turn.conversation.name)
            ),
            None,
        )  # fmt: skip

    def _find_extended(self, request: CanonicalRequest, dialect: Dialect) -> Turn | None:
        """Return the turn with the longest history that this request extends."""
        path = _path_of_operation(request)
        for count in range(len(request.history) - 1, 0, -1):
            candidates = self._by_history.get((dialect, path, request.history[count - 1]))
            if candidates:
                return _choose(candidates, request.turns[count:])
        return None


def _path_of_operation(request: CanonicalRequest) -> str:
    """Return the path without model and mode, which may change inside of a conversation."""
    return request.path.partition("/models/")[0].partition("?")[0]


def _choose(candidates: Sequence[Turn], new_turns: Iterable[str]) -> Turn:
    ended = [turn for turn in candidates if not turn.is_open and not turn.failed] or list(candidates)
    if len(ended) == 1:
        return ended[0]
    text = "\n".join(new_turns)
    for turn in ended:
        replies = turn.reply()
        if replies and all(reply in text for reply in replies):
            return turn
    return next((turn for turn in ended if not turn.is_extended), ended[-1])
