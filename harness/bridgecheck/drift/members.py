"""What a set of answer documents holds: every member by its path, how often, and of which types and words.

Paths are those of ``documented_leaves``: ``choices[].message.content``, ``content[tool_use].id``,
``[content_block_delta].delta(text_delta).text``. Of objects whose members a user or a model names (arguments, schemas,
metadata) only the type counts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.knowledge import Kind, wire_knowledge
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.wire import Dialect, Mode

FREE_KEYS: Final = frozenset({"args", "input", "response", "metadata", "partmetadata", "custommetadata", "bytes"})
"""Names of members whose objects and lists have members of anybody's making, as ``path_keys`` spells them."""
_TAGGED_OBJECTS: Final = frozenset({"delta", "content_block"})
_TAG_KEYS: Final = ("type", "@type")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./:-]{0,63}")
_MAX_WORDS: Final = 64


@dataclass(slots=True)
class Member:
    """``present``: how many objects have it, and in ``filled`` of them it is not null; ``answers``: numbers of the
    answers where it is not null. ``tokens``: the values that may be members of an enumeration. ``largest``: of numbers.
    ``parent``: the path of the objects that have it."""

    parent: str
    present: int = 0
    filled: int = 0
    answers: set[int] = field(default_factory=set)
    kinds: Counter[Kind] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    has_other_text: bool = False
    largest: float = 0


@dataclass(slots=True)
class Members:
    """``objects``: path of an object -> in which answers it stands, once for each time. ``tags``: path without tag ->
    how often each tag stands there."""

    dialect: Dialect
    objects: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    members: dict[str, Member] = field(default_factory=dict)
    tags: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def count(self, path: str) -> int:
        """Return how many objects of this path there are."""
        return self.objects[path].total() if path in self.objects else 0

    def children(self, path: str) -> frozenset[str]:
        """Return the names of what the objects of this path have."""
        return frozenset(name.rpartition(".")[2] for name, member in self.members.items() if member.parent == path)


def observe(dialect: Dialect, mode: Mode, documents: Iterable[tuple[int, object]]) -> Members:
    """Return what documents hold. ``documents``: with the number of the answer that each is of."""
    found = Members(dialect)
    for number, document in documents:
        tag = text(obj(document).get("type")) if dialect == "anthropic" and mode == "stream" else ""
        if tag:
            found.tags[""][tag] += 1
        _add_value(found, f"[{tag}]" if tag else "", document, number)
    return found


def _add_value(found: Members, path: str, value: object, number: int) -> None:
    if isinstance(value, dict):
        found.objects[path][number] += 1
        for key, member in obj(value).items():
            if member is not None or found.dialect != "gemini":  # ProtoJSON: null is absent
                _add_member(found, path, key, member, number)
    elif isinstance(value, list):
        for item in value:
            tag = _tag_of(item)
            if tag:
                found.tags[f"{path}[]"][tag] += 1
            _add_item(found, path, f"{path}[{tag}]", item, number)


def _add_item(found: Members, parent: str, path: str, item: object, number: int) -> None:
    member = found.members.setdefault(path, Member(f"{parent}[]"))
    _count(member, item, number)
    _add_value(found, path, item, number)


def _add_member(found: Members, holder: str, key: str, value: object, number: int) -> None:
    path = f"{holder}.{key}" if holder else key
    _count(found.members.setdefault(path, Member(holder)), value, number)
    if isinstance(value, dict | list) and (_is_free(key) or _is_documented_text(found.dialect, path)):
        return
    tag = text(obj(value).get("type")) if key in _TAGGED_OBJECTS else ""
    if tag:
        found.tags[path][tag] += 1
    _add_value(found, f"{path}({tag})" if tag else path, value, number)


def _is_free(key: str) -> bool:
    return bool(FREE_KEYS & frozenset(path_keys(key)[-1:]))


def _is_documented_text(dialect: Dialect, path: str) -> bool:
    """Whether a text stands here by the wire types: an object in its place is what a schema asks for (Cloudflare's
    answers in JSON), of anybody's making."""
    known = wire_knowledge(dialect, path)
    return known is not None and "text" in known.kinds and not {"object", "list"} & known.kinds


def _count(member: Member, value: object, number: int) -> None:
    kind = kind_of(value)
    member.present += 1
    member.kinds[kind] += 1
    if value is not None:
        member.filled += 1
        member.answers.add(number)
    if isinstance(value, str):
        if _WORD.fullmatch(value) and len(member.tokens) < _MAX_WORDS:
            member.tokens[value] += 1
        else:
            member.has_other_text = True
    if kind in ("integer", "number"):
        member.largest = max(member.largest, abs(float(str(value))))


def _tag_of(item: object) -> str:
    """Return what tells the kind of an object in a list, "" for one without."""
    found = next((text(obj(item).get(key)) for key in _TAG_KEYS if text(obj(item).get(key))), "")
    return found.rpartition("/")[2].replace("[", "").replace("]", "")


def kind_of(value: object) -> Kind:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    kinds: tuple[tuple[type, Kind], ...] = (
        (str, "text"), (int, "integer"), (float, "number"), (dict, "object"), (list, "list"),
    )  # fmt: skip
    return next(kind for python, kind in kinds if isinstance(value, python))
