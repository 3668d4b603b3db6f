"""Ids of tool calls, and which call a tool result answers. OpenAI needs an id on every call and result; Gemini may
give none.

Explicit ids are kept. A call without one becomes ``call_{name}_{seq:04d}``, numbered by name over the whole history,
so the same history gives the same ids and a longer one keeps its prefix. Results are paired with the calls of the tool
step they answer: by id where they name one, else first in first out by function name, or, without a name, of all.
(Pairing with the *latest* call of that name mispairs parallel calls: mapping row R-05.)

OpenAI refuses a tool_call_id of more than 40 characters, by its own error text (vercel/ai#5171).
"""

from collections import deque
from collections.abc import Callable, Container
from hashlib import sha1
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import dumps

KeyKind: TypeAlias = Literal[0, 1]
ID: Final[KeyKind] = 0
NAME: Final[KeyKind] = 1
"""By which key a result names its call."""


class CallIndex:
    """The calls of one step, by id and by name, for results in another order than the calls. ``size``: how many were
    added.

    The calls are indexed once, so that any number of parallel calls is paired in time linear in their number.
    """

    __slots__ = ("_positions", "size")

    def __init__(self) -> None:
        self.size = 0
        self._positions: dict[tuple[KeyKind, str], deque[int]] = {}

    def add(self, id: str, name: str) -> None:
        """Add one more call, "" for what is not known."""
        self._positions.setdefault((ID, id), deque()).append(self.size)
        self._positions.setdefault((NAME, name), deque()).append(self.size)
        self.size += 1

    def pop_first_free_position(self, kind: KeyKind, key: str, taken: Container[int]) -> int | None:
        """Return the first call of this id or name that is not taken, and never return it again. None if there is
        none."""
        queue = self._positions.get((kind, key))
        while queue:
            position = queue.popleft()
            if position not in taken:
                return position
        return None


LONGEST_OPENAI: Final = 40


class CallIds:
    """The ids of one history, met in order. ``make_legal`` turns a provider's id into one that the other side takes."""

    __slots__ = (
        "_answered", "_call_ids", "_calls", "_calls_by_name", "_index", "_make_legal", "_next", "_results", "_used",
    )  # fmt: skip

    def __init__(self, make_legal: Callable[[str], str] | None = None) -> None:
        self._make_legal = make_legal
        self._calls_by_name: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._forget_calls()

    def _forget_calls(self) -> None:
        """Forget the calls of the last step.

        ``_calls`` are (provider's id, name) of the calls of this step, ``_next`` the first that has no result.
        """
        self._calls: list[tuple[str, str]] = []
        self._call_ids: list[str] = []
        self._next = 0
        self._answered: set[int] = set()
        self._results: dict[str, list[object]] = {}
        self._index: CallIndex | None = None

    def begin_step(self) -> None:
        """Begin a new model turn with calls: results that follow answer its calls only."""
        if self._calls:
            self._forget_calls()

    def assign_call_id(self, name: str, provider_id: str) -> str:
        """Return the id of a call; ``provider_id`` is "" where the provider gave none."""
        number = self._calls_by_name[name] = self._calls_by_name.get(name, 0) + 1
        call_id = provider_id or f"call_{name}_{number:04d}"
        if self._make_legal:
            call_id = self._make_legal(call_id)
        call_id = self._make_unique(call_id)
        self._call_ids.append(call_id)
        self._calls.append((provider_id, name))
        return call_id

    def find_result_id(self, name: str, provider_id: str, result: object = None) -> str:
        """Return the id of the call that this result answers, "" if no open call fits, or if its call has this very
        result already."""
        position = self._find_result_position(name, provider_id, result)
        if position is None:
            return ""
        self._results.setdefault(provider_id or name, []).append(result)
        return self._mark_answered(position)

    def _find_result_position(self, name: str, provider_id: str, result: object) -> int | None:
        position = self._next
        waits = position < len(self._calls)
        if waits:
            call_id, call_name = self._calls[position]
            if call_id == provider_id and (call_id or call_name == name):
                return position
        found = self._find_call(ID, provider_id) if provider_id else None
        if found is None and name and not (provider_id and self.repeats_result(name, provider_id, result)):
            found = self._find_call(NAME, name)
        if found is None and waits and not provider_id and not name:
            found = position
        return found

    def repeats_result(self, name: str, provider_id: str, result: object) -> bool:
        """Return whether this very result came before in this step: clients that resume a session may send it twice
        (gemini-cli 0.61.0, ``--resume``)."""
        return result is not None and result in self._results.get(provider_id or name, ())

    def _mark_answered(self, position: int) -> str:
        self._answered.add(position)
        while self._next in self._answered:
            self._next += 1
        return self._call_ids[position]

    def _find_call(self, kind: KeyKind, key: str) -> int | None:
        self._index = self._index or CallIndex()
        for position in range(self._index.size, len(self._calls)):
            self._index.add(*self._calls[position])
        return self._index.pop_first_free_position(kind, key, self._answered)

    @property
    def unanswered_ids_and_names(self) -> tuple[tuple[str, str], ...]:
        """(id, name) of the calls of this step that no result has answered."""
        if self._next == len(self._calls):
            return ()
        positions = [position for position in range(self._next, len(self._calls)) if position not in self._answered]
        return tuple([(self._call_ids[position], self._calls[position][NAME]) for position in positions])

    def _make_unique(self, preferred: str) -> str:
        """Return an id of its own: one that was used before gets a number, the next one that is free, and has to be
        legal too."""
        call_id, turn = preferred, self._used.get(preferred, 1)
        while call_id in self._used:
            turn += 1
            numbered = f"{preferred}_{turn}"
            call_id = self._make_legal(numbered) if self._make_legal else numbered
        self._used[preferred] = turn
        self._used.setdefault(call_id, 1)
        return call_id


def fingerprint(content: str, length: int) -> str:
    """Return so many hex digits (40 at most) that depend on the text alone, the same in every run."""
    return sha1(content.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:length]


def document_digest(document: object, salt: str = "") -> str:
    """Return 24 hex digits that depend on the document alone."""
    return fingerprint(salt + dumps(document), 24)


def cut_and_append_digest(provider_id: str, legal: str, longest: int) -> str:
    """Cut ``legal``, which was made from the provider's text, to that length; its end distinguishes different texts."""
    return f"{legal[: longest - 9]}_{fingerprint(provider_id, 8)}"


def shorten_openai_id_if_long(provider_id: str) -> str:
    """Return an id that OpenAI takes; mostly the same one."""
    return (
        provider_id
        if len(provider_id) <= LONGEST_OPENAI
        else cut_and_append_digest(provider_id, provider_id, LONGEST_OPENAI)
    )


def message_count_salt(request: JsonObject | None) -> str:
    """Return what makes the ids of this response differ from those of earlier ones in the same conversation."""
    messages = (request or {}).get("messages")
    return str(len(messages)) if isinstance(messages, list) else ""


def create_call_ids_for_history(profile: Profile) -> CallIds:
    """Return the ids of one history that goes to OpenAI, or back from there."""
    return CallIds(None if profile.extended or profile.carries_gemini else shorten_openai_id_if_long)
