"""ClientModel: what a client remembers of an answer, shows of it, and sends again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject, WireDialect


@dataclass(frozen=True, slots=True)
class Remembered:
    """What goes into the history in place of an answer. ``messages``: in the client's dialect, () if the client drops
    the answer. ``forgets_question``: it drops the question as well. ``reason``: why it drops either, in words."""

    messages: tuple[JsonObject, ...] = ()
    forgets_question: bool = False
    reason: str = ""


How: TypeAlias = Literal["run", "measured", "read", "thread"]
"""How the rules of a client are known: its own code runs in a test here and agrees; a server was played to it; its code
was read; its maintainers or users say so."""


def send_unchanged(messages: Sequence[JsonObject]) -> list[JsonObject]:
    return list(messages)


@dataclass(frozen=True, slots=True)
class ClientModel:
    """One client. All functions are pure, and no answer makes them raise.

    ``name``: as scenarios list it. ``remember``: what it puts into the history for an answer. ``shows``: what a person
    sees of an answer. ``resend``: what it makes of the whole history when it sends it. ``drops``, ``keeps``, ``adds``,
    ``prints``: the same in words, for docs/clients.md. ``source``: where it stands, or who says so. ``how``: how it is
    known. ``is_without_thinking``: it is code of callers who request no thinking."""

    name: str
    dialect: WireDialect
    client: str
    version: str
    remember: Callable[[Response], Remembered]
    shows: Callable[[Response], str]
    source: str
    resend: Callable[[Sequence[JsonObject]], list[JsonObject]] = send_unchanged
    drops: str = ""
    keeps: str = ""
    adds: str = ""
    prints: str = ""
    how: How = "read"
    is_without_thinking: bool = False


ALL: Final = "all"
"""In a scenario, in place of names: every client."""


def events_of(response: Response) -> list[JsonObject]:
    """Return the events of an answer; a unary answer is one event."""
    flat = (item for event in response.documents for item in (event if isinstance(event, list) else [event]))
    return [obj(event) for event in flat]
