"""Call ids. OpenAI needs one on every call and result; Gemini may give none.

Explicit ids are kept. A call without one becomes ``call_{name}_{seq:04d}``, numbered by name over the whole history,
so the same history gives the same ids and a longer one keeps its prefix. Results are paired with the calls of the tool
step they answer: by id where they name one, else first in first out by function name, or, without a name, of all.
(Pairing with the *latest* call of that name mispairs parallel calls: mapping row R-05.)
"""

from collections.abc import Callable
from hashlib import sha1

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import dumps
from bridgecheck_reference.convert.waiting import ID, NAME, Waiting


class CallIds:
    """The ids of one history, met in order. ``fit`` makes an id that was given one that the other side takes."""

    __slots__ = ("_chosen", "_fit", "_seen", "_used", "_waiting")

    def __init__(self, fit: Callable[[str], str] | None = None) -> None:
        self._fit = fit
        self._seen: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._chosen: list[str] = []
        self._waiting = Waiting()

    def step(self) -> None:
        """A new model turn with calls begins: results that follow answer its calls only."""
        if self._chosen:
            self._chosen = []
            self._waiting = Waiting()

    def call(self, name: str, given: str) -> str:
        """The id of a call; ``given`` is "" where the provider gave none."""
        number = self._seen[name] = self._seen.get(name, 0) + 1
        chosen = given or f"call_{name}_{number:04d}"
        if self._fit:
            chosen = self._fit(chosen)
        chosen = self._unused(chosen)
        self._chosen.append(chosen)
        self._waiting.entries.append((given, name))
        return chosen

    def result(self, name: str, given: str) -> str:
        """The id of the call this result answers, "" if no open call fits."""
        place = self._waiting.take(ID, given) if given else None
        if place is None and name:
            place = self._waiting.take(NAME, name)
        if place is None and not given and not name:
            place = self._waiting.take_first()
        return "" if place is None else self._chosen[place]

    def orphan(self, name: str, given: str) -> str:
        """An id for a result that answers no call."""
        return self._unused(given or f"call_{name}_{self._seen.get(name, 0) + 1:04d}")

    @property
    def unanswered(self) -> tuple[tuple[str, str], ...]:
        """(id, name) of the calls of this step that no result has answered."""
        return tuple([(self._chosen[place], self._waiting.entries[place][NAME]) for place in self._waiting.places])

    def _unused(self, wanted: str) -> str:
        """An id of its own: one that was used before gets a number, the next one that is free."""
        chosen, turn = wanted, self._used.get(wanted, 1)
        while chosen in self._used:
            turn += 1
            chosen = f"{wanted}_{turn}"
        self._used[wanted] = turn
        self._used.setdefault(chosen, 1)
        return chosen


def digest(document: object, salt: str = "") -> str:
    """24 hex digits that depend on the document alone."""
    return sha1((salt + dumps(document)).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:24]


def answer_salt(request: JsonObject | None) -> str:
    """What makes the ids of this answer differ from those of earlier answers in the same conversation."""
    messages = (request or {}).get("messages")
    return str(len(messages)) if isinstance(messages, list) else ""
