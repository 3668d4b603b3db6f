"""What became of the turns of a request, in words: which part was lost, sent as text, moved or made up.

A part that became text shows as several differences: its members are lost, and a text is added or longer somewhere.
Only together do they say what happened, so all differences of the verdict are read."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.compare.diff import ABSENT, shorten
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.verdict import Difference

_LOCATION: Final = re.compile(r"turns\[(\d+)\](?:\.parts\[(\d+)\])?(?:\.(\w+))?")
_KINDS: Final = ("call", "value", "media", "thinking", "text")
_SENT_AS_TEXT: Final = {
    "call": "a tool call is sent as text", "value": "a tool result is sent as text of a user",
    "media": "a file or image is sent as text",
}  # fmt: skip
_NOUNS: Final = {
    "call": "a tool call in a turn", "value": "the result of a tool call", "media": "a file or image in a turn",
    "thinking": "a thought in a turn", "text": "text in a turn",
}  # fmt: skip
_LONGEST: Final = 60
_COMPARED: Final = 80
_SHORTEST: Final = 4
"""Characters of a content that are looked for in a text, and how many it takes to be sure."""

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Content:
    """What a turn holds at one place. ``content``: of a call its name. ``role``: "" if not known. ``is_whole``: whether
    all of the part is lost or added."""

    turn: int
    part: int
    kind: str
    content: str
    role: str = ""
    is_whole: bool = True


SENT_AS_TEXT: Final = "sent as text"
MEDIA_IN_RESULT: Final = "a file or image in a tool result is sent as text in it"
_JOINED: Final = "text in a turn is joined to other text"
_MARKS_OF_MEDIA: Final = re.compile(r"base64|image_url|inline_?data", re.IGNORECASE)
MADE_UP: Final = "made up"


def describe_turns(own: Sequence[Difference], every: Sequence[Difference]) -> list[str]:
    """Return what became of the parts that the differences ``own`` are about; [] where they say it best themselves.
    ``every``: all differences of the verdict."""
    lost, sent = _read_sides(every)
    lost_here, sent_here = _read_sides(own)
    here = (*lost_here, *sent_here)
    found = [*_describe_lost(lost, sent, here), *_describe_added(lost, sent_here)]
    is_of_another = any(item.endswith((" is lost", SENT_AS_TEXT)) for item in found)
    found = [item for item in found if item != _JOINED or not is_of_another]  # the judge's own joining of what is left
    found += [content for item, content in _find_made_up(lost, sent, every) if item in here or _is_split(own, item)]
    return list(dict.fromkeys(found))


def turn_fault(own: Difference, every: Sequence[Difference]) -> str:
    """Return the fault that a difference is a part of, where several make one: calls and results that are sent as text
    take their ids, names and places with them, a turn that was made up splits what stood together. "" for any other."""
    lost, sent = _read_sides(every)
    found = [(item, _find_carrier(item, lost, sent)) for item in lost if item.kind in ("call", "value")]
    here = _LOCATION.fullmatch(own.path)
    if here is None:
        return ""
    lost_here, sent_here = _read_sides([own])
    for item, carrier in [pair for pair in found if pair[1] is not None]:
        is_member = (int(here[1]), here[2]) == (item.turn, str(item.part)) and ABSENT in (own.expected, own.actual)
        if item in lost_here or carrier in sent_here or is_member:
            return SENT_AS_TEXT
    made_up = [item for item, _ in _find_made_up(lost, sent, every)]
    is_moved = made_up and here[2] is None and own.expected == ABSENT
    is_part = any(item in sent_here or _is_split([own], item) for item in made_up)
    return MADE_UP if is_part or (is_moved and all(_is_expected(item, lost) for item in sent_here)) else ""


def carries_text(value: str, expected: str, content: str) -> bool:
    """Return whether a text holds a content that was not expected in it. All are JSON texts."""
    content = _plain(content)
    return len(content) >= _SHORTEST and content in _plain(value) and content not in _plain(expected)


def _read_sides(rows: Sequence[Difference]) -> tuple[list["_Content"], list["_Content"]]:
    lost = [item for row in rows for item in _read_contents(row.path, row.expected)]
    return lost, [item for row in rows for item in _read_contents(row.path, row.actual)]


def _is_expected(item: _Content, lost: Sequence[_Content]) -> bool:
    return any(item.kind == peer.kind and item.content in peer.content for peer in lost)


def _describe_lost(lost: Sequence[_Content], sent: Sequence[_Content], here: Sequence[_Content]) -> Iterator[str]:
    for item in lost:
        carrier = _find_carrier(item, lost, sent)
        if carrier is not None:
            if item in here or carrier in here:
                yield _SENT_AS_TEXT[item.kind]
        elif item not in here or any(_is_at_place_of(peer, item) for peer in sent):
            continue
        elif any(_is_same(peer, item) for peer in sent):
            yield f"{_NOUNS[item.kind]} stands at another place"
        elif item.kind == "text" and any(carries_text(peer.content, "", item.content) for peer in sent):
            yield _JOINED
        elif item.kind == "media" and any(_is_result_with_media(peer) for peer in sent):
            yield MEDIA_IN_RESULT
        elif item.kind != "text" or not any(peer.kind == "text" and peer.turn == item.turn for peer in sent):
            yield f"{_NOUNS[item.kind]} is lost"


def _is_result_with_media(item: _Content) -> bool:
    return item.kind == "value" and _MARKS_OF_MEDIA.search(item.content) is not None


def _describe_added(lost: Sequence[_Content], sent_here: Sequence[_Content]) -> Iterator[str]:
    for item in sent_here:
        if item.kind in ("call", "value") and item.is_whole:
            is_moved = any(_is_same(peer, item) for peer in lost)
            yield f"{_NOUNS[item.kind]} {'stands at another place' if is_moved else 'is added'}"


def _is_at_place_of(item: _Content, peer: _Content) -> bool:
    return (item.kind, item.turn, item.part) == (peer.kind, peer.turn, peer.part)


def _is_same(item: _Content, peer: _Content) -> bool:
    return (item.kind, item.content) == (peer.kind, peer.content)


def _find_made_up(
    lost: Sequence[_Content], sent: Sequence[_Content], every: Sequence[Difference]
) -> Iterator[tuple[_Content, str]]:
    """Yield each whole turn that holds nothing of what was expected, and what to say of it."""
    whole = {row.path for row in every if row.path.endswith("]") and ".parts" not in row.path}
    is_turn_added = any(row.path in whole and row.expected == ABSENT for row in every)
    expected = {word for item in lost for word in _WORD.findall(item.content)}
    for item in sent:
        is_whole = f"turns[{item.turn}]" in whole
        is_new = not any(item.content in peer.content or _carries(item, peer) for peer in lost)
        is_foreign = is_turn_added and not expected & set(_WORD.findall(item.content))
        if item.kind == "text" and is_new and (is_whole or is_foreign):
            role = f"{item.role}: " if item.role else ""
            yield item, f"a turn was {MADE_UP} ({role}{shorten(item.content)[:_LONGEST]})"


def _is_split(own: Sequence[Difference], made_up: _Content) -> bool:
    """Return whether one of these is a text that breaks off before the turn that was made up."""
    for row in own:
        lost, sent = _read_sides([row])
        if any(
            end.kind == "text" and end.turn < made_up.turn and start.content.startswith(end.content)
            for start, end in zip(lost, sent, strict=False)
        ):
            return True
    return False


def _find_carrier(item: _Content, lost: Sequence[_Content], sent: Sequence[_Content]) -> _Content | None:
    """Return the text in which a call, a result or a file is sent. A content too short to be found is taken to be
    where a longer one of its kind is: in a text of its turn, or of a turn that also holds the longer one."""
    if item.kind not in _SENT_AS_TEXT:
        return None
    texts = [peer.content for peer in lost if peer.kind == "text"]
    found = next((peer for peer in sent if _carries(peer, item, texts)), None)
    if found is not None or len(_plain(item.content)) >= _SHORTEST:
        return found
    longer = (peer for peer in lost if peer.kind in ("call", "value") and len(_plain(peer.content)) >= _SHORTEST)
    carriers = (peer for long in longer for peer in sent if _carries(peer, long, texts))
    return next((peer for peer in carriers if _plain(item.content) in _plain(peer.content)), None)


def _carries(carrier: _Content, item: _Content, moved: Sequence[str] = ()) -> bool:
    """Return whether the text of ``carrier`` holds what ``item`` did; of what is too short to be found, or of a file,
    whether a text stands at its place that was expected nowhere (``moved``)."""
    if carrier.kind != "text" or not carrier.content:
        return False
    content = _plain(item.content.partition("…")[0])[:_COMPARED]
    expected = max((_plain(text).count(content) for text in moved if content), default=0)
    is_held = _plain(carrier.content).count(content) > expected if content else False
    if len(content) >= _SHORTEST and (is_held or (not expected and _has_members(carrier.content, item.content))):
        return True
    is_at_place = (carrier.turn, carrier.part) == (item.turn, item.part) and carrier.content not in moved
    return is_at_place and (item.kind == "media" or len(content) < _SHORTEST)


def _has_members(content: str, value: str) -> bool:
    """Return whether a text holds all words of an object, whose members may stand in another order."""
    return value.startswith("{") and set(_WORD.findall(value)) <= set(_WORD.findall(content))


def _plain(content: str) -> str:
    """Return letters and digits alone: JSON that is written anew has other quotes, escapes and spaces."""
    return "".join(_WORD.findall(content.replace("\\n", " ").replace("\\", "")))


def _read_contents(path: str, value: str) -> Iterator[_Content]:
    location = _LOCATION.fullmatch(path)
    if location is None or value == ABSENT:
        return
    turn, part, member = int(location[1]), int(location[2] or 0), location[3] or ""
    try:
        document = json.loads(value)
    except ValueError:  # a long value that was cut
        kind = member if member in _KINDS else next((kind for kind in _KINDS if f'"{kind}":' in value), "")
        if kind:
            yield _Content(turn, part, kind, value)
        return
    if location[2] is None and not member:
        for at, item in enumerate(objs(obj(document).get("parts"))):
            yield from _read_part(turn, at, dict(item), text(obj(document).get("role")))
    else:
        members = {member: document} if member else dict(obj(document))
        yield from (replace(item, is_whole=not member) for item in _read_part(turn, part, members, ""))


def _read_part(turn: int, at: int, members: dict[str, object], role: str) -> Iterator[_Content]:
    for kind in _KINDS:
        value = members.get(kind)
        if value or (kind == "value" and value is not None):
            names = {"call": ("name",), "media": ("uri", "mime")}.get(kind, ())
            content = next(filter(None, (text(obj(value).get(name)) for name in names)), value)
            yield _Content(turn, at, kind, content if isinstance(content, str) else shorten(content), role)
            return
