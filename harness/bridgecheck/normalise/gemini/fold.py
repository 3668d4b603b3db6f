"""A Gemini stream folded into the unary document that says the same.

Text parts that stand side by side become one, unless one of them is signed or says more than its text; a signed part
keeps its place, so that a client can send the answer back as history.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.normalise.gemini.events import Candidate, gather
from bridgecheck.wire import JsonObject

_PLAIN: Final = frozenset({"text", "thought"})


def fold(events: Sequence[object]) -> JsonObject:
    """The document, in camelCase. A key is there only if some event had it."""
    found = gather(events)
    made: JsonObject = {}
    if found.candidates:
        made["candidates"] = [_candidate(index, item) for index, item in sorted(found.candidates.items())]
    made.update(found.top)
    if found.strange:
        made["unread"] = found.strange
    return made


def _candidate(index: int, candidate: Candidate) -> JsonObject:
    given = candidate.rest.get("content")
    if given is not None and not isinstance(given, dict) and not candidate.parts:
        return {**candidate.rest, "index": index}
    content = dict(obj(given))
    rest = {key: value for key, value in candidate.rest.items() if key != "content"}
    if candidate.parts:
        content = {"parts": _merged(candidate.parts), **content}
    return {**({"content": content} if content else {}), **rest, "index": index}


def _merged(parts: Iterable[object]) -> list[object]:
    made: list[object] = []
    pieces: list[str] = []
    for part in parts:
        if _is_plain(part) and made and _is_plain(made[-1]) and _thought(part) == _thought(made[-1]):
            pieces.append(str(obj(part)["text"]))
            continue
        _close(made, pieces)
        made.append(part)
        pieces = [str(obj(part)["text"])] if _is_plain(part) else []
    _close(made, pieces)
    return made


def _close(made: list[object], pieces: list[str]) -> None:
    if len(pieces) > 1:
        made[-1] = {**obj(made[-1]), "text": "".join(pieces)}


def _is_plain(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.keys() <= _PLAIN


def _thought(part: object) -> bool:
    return obj(part).get("thought") is True
