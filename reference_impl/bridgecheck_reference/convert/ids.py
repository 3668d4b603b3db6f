"""Ids of tool calls, and which call a tool result answers. OpenAI needs an id on every call and result; Gemini may
give none.

Explicit ids are kept. A call without one becomes ``call_{name}_{seq:04d}``, numbered by name over the whole history,
so the same history gives the same ids and a longer one keeps its prefix. Results are paired with the calls of the tool
step they answer: by id where they name one, else first in first out by function name, or, without a name, of all.
(Pairing with the *latest* call of that name mispairs parallel calls: mapping row R-05.)

``SequenceIds`` and ``LatestIds`` make ids as the older mapping does (row R-05, ``ids="sequence"`` and ``pairing``):
counted by name, and a result has the id of the latest call before it. A first pass over the history gives every result
the id of the latest call of its name; results are looked up by their own number afterwards. With two calls at once the
first result therefore finds nothing, unless it falls back to the call of its own number.

OpenAI refuses a tool_call_id of more than 40 characters, by its own error text (vercel/ai#5171).
"""

from collections import deque
from collections.abc import Callable, Container
from hashlib import sha1
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, camel, dumps, objs, text
from bridgecheck_reference.profile import Profile

Kind: TypeAlias = Literal[0, 1]
ID: Final[Kind] = 0
NAME: Final[Kind] = 1
"""What a result may name of its call."""


class Index:
    """The calls of one step, by id and by name. ``size``: how many were added."""

    __slots__ = ("_places", "size")

    def __init__(self) -> None:
        self.size = 0
        self._places: dict[tuple[Kind, str], deque[int]] = {}

    def add(self, id: str, name: str) -> None:
        """One more call, "" for what is not known."""
        self._places.setdefault((ID, id), deque()).append(self.size)
        self._places.setdefault((NAME, name), deque()).append(self.size)
        self.size += 1

    def find(self, kind: Kind, wanted: str, taken: Container[int]) -> int | None:
        """The first call of this id or name that is not taken; it is not given out again. None if there is none."""
        queue = self._places.get((kind, wanted))
        while queue:
            place = queue.popleft()
            if place not in taken:
                return place
        return None


LONGEST_OPENAI: Final = 40


class CallIds:
    """The ids of one history, met in order. ``fit`` makes an id that was given one that the other side takes."""

    __slots__ = ("_answered", "_calls", "_chosen", "_fit", "_index", "_next", "_seen", "_used")

    def __init__(self, fit: Callable[[str], str] | None = None) -> None:
        self._fit = fit
        self._seen: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        """``_calls`` are (given id, name) of the calls of this step, ``_next`` the first that has no result."""
        self._calls: list[tuple[str, str]] = []
        self._chosen: list[str] = []
        self._next = 0
        self._answered: set[int] = set()
        self._index: Index | None = None

    def step(self) -> None:
        """A new model turn with calls begins: results that follow answer its calls only."""
        if self._calls:
            self._begin()

    def call(self, name: str, given: str) -> str:
        """The id of a call; ``given`` is "" where the provider gave none."""
        number = self._seen[name] = self._seen.get(name, 0) + 1
        chosen = given or f"call_{name}_{number:04d}"
        if self._fit:
            chosen = self._fit(chosen)
        chosen = self._unused(chosen)
        self._chosen.append(chosen)
        self._calls.append((given, name))
        return chosen

    def result(self, name: str, given: str) -> str:
        """The id of the call this result answers, "" if no open call fits."""
        place = self._next
        waits = place < len(self._calls)
        if waits and self._calls[place] == (given, name):
            return self._answer(place)
        found = self._search(ID, given) if given else None
        if found is None and name:
            found = self._search(NAME, name)
        if found is None and waits and not given and not name:
            found = place
        return "" if found is None else self._answer(found)

    def _answer(self, place: int) -> str:
        self._answered.add(place)
        while self._next in self._answered:
            self._next += 1
        return self._chosen[place]

    def _search(self, kind: Kind, wanted: str) -> int | None:
        self._index = self._index or Index()
        for place in range(self._index.size, len(self._calls)):
            self._index.add(*self._calls[place])
        return self._index.find(kind, wanted, self._answered)

    @property
    def unanswered(self) -> tuple[tuple[str, str], ...]:
        """(id, name) of the calls of this step that no result has answered."""
        places = [place for place in range(self._next, len(self._calls)) if place not in self._answered]
        return tuple([(self._chosen[place], self._calls[place][NAME]) for place in places])

    def _unused(self, wanted: str) -> str:
        """An id of its own: one that was used before gets a number, the next one that is free, and has to fit too."""
        chosen, turn = wanted, self._used.get(wanted, 1)
        while chosen in self._used:
            turn += 1
            numbered = f"{wanted}_{turn}"
            chosen = self._fit(numbered) if self._fit else numbered
        self._used[wanted] = turn
        self._used.setdefault(chosen, 1)
        return chosen


def fingerprint(words: str, length: int) -> str:
    """So many hex digits (40 at most) that depend on the text alone, the same in every run."""
    return sha1(words.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:length]


def digest(document: object, salt: str = "") -> str:
    """24 hex digits that depend on the document alone."""
    return fingerprint(salt + dumps(document), 24)


def shortened(given: str, legal: str, longest: int) -> str:
    """``legal``, which was made from ``given``, cut to that length; its end tells apart what was ``given``."""
    return f"{legal[: longest - 9]}_{fingerprint(given, 8)}"


def openai_id(given: str) -> str:
    """An id that OpenAI takes; itself mostly."""
    return given if len(given) <= LONGEST_OPENAI else shortened(given, given, LONGEST_OPENAI)


def answer_salt(request: JsonObject | None) -> str:
    """What makes the ids of this answer differ from those of earlier answers in the same conversation."""
    messages = (request or {}).get("messages")
    return str(len(messages)) if isinstance(messages, list) else ""


class SequenceIds(CallIds):
    """Counts calls by name; ids that were given do not count."""

    __slots__ = ()

    def call(self, name: str, given: str) -> str:
        return super().call(name, "")

    def result(self, name: str, given: str) -> str:
        return super().result(name, "")


class LatestIds(SequenceIds):
    """Pairs results by a map made of the whole history. ``own``: fall back to the call of the result's own number."""

    __slots__ = ("_known", "_own", "_results")

    def __init__(self, contents: object, *, own: bool) -> None:
        super().__init__()
        self._own = own
        self._results: dict[str, int] = {}
        self._known = _ids_of(contents)

    def result(self, name: str, given: str) -> str:
        number = self._results[name] = self._results.get(name, 0) + 1
        found = self._known.get(f"response_{name}_{number}", "")
        return found or (self._known.get(f"{name}_{number}", "") if self._own else "")


def call_ids(profile: Profile, contents: object) -> CallIds:
    """The ids of one history, as the profile wants them."""
    if profile.pairing != "step":
        return LatestIds(contents, own=profile.pairing == "latest_or_own")
    if profile.ids != "given":
        return SequenceIds()
    return CallIds(None if profile.extended or profile.carries_gemini else openai_id)


def _ids_of(contents: object) -> dict[str, str]:
    """The ids of all calls and results, under ``{name}_{number}`` and ``response_{name}_{number}``."""
    counted: dict[str, int] = {}
    known: dict[str, str] = {}
    for content in objs(contents):
        for part in map(camel, arr(camel(content).get("parts"))):
            name = text(camel(part.get("functionCall")).get("name"))
            if name:
                number = counted[name] = counted.get(name, 0) + 1
                known[f"{name}_{number}"] = f"call_{name}_{number:04d}"
            answered = text(camel(part.get("functionResponse")).get("name"))
            if answered in counted:
                number = counted[answered]
                known[f"response_{answered}_{number}"] = known[f"{answered}_{number}"]
    return known
