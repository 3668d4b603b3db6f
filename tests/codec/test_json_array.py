"""A JSON array in any chunking yields its members one by one."""

import json

import pytest

from bridgecheck.codec.body import JsonArrayDecoder

MEMBERS = [{"a": 'br]ack"et\\', "b": [1, [2]]}, {"c": "ü,{"}, [3], "text", 4.5, None, True]


def decode(raw: bytes, size: int) -> tuple[list[object], list[str]]:
    decoder = JsonArrayDecoder()
    found = [item for at in range(0, len(raw), size) for item in decoder.feed(raw[at : at + size])]
    return found + decoder.parse_rest(), decoder.bad


@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
@pytest.mark.parametrize("indent", [None, 2])
def test_members_are_the_same_for_any_chunking(size: int, indent: int | None) -> None:
    objects = [member for member in MEMBERS if isinstance(member, dict)]
    raw = json.dumps(objects, indent=indent, ensure_ascii=False).encode()
    assert decode(raw, size) == (objects, [])


def test_scalars_are_members_too() -> None:
    assert decode(b'["text", 4.5, null, true]', 1) == (["text", 4.5, None, True], [])


def test_a_member_is_emitted_as_soon_as_it_is_complete() -> None:
    decoder = JsonArrayDecoder()
    assert decoder.feed(b'[{"a": 1}\n,\r\n{"b"') == [{"a": 1}]
    assert decoder.feed(b": 2}") == [{"b": 2}]


def test_a_single_document_without_an_array() -> None:
    assert decode(b'{"error": {"code": 400}}', 5) == ([{"error": {"code": 400}}], [])


def test_an_unfinished_member_is_preserved_as_text() -> None:
    assert decode(b'[{"a": 1}, {"b": "tru', 3) == ([{"a": 1}], ['{"b": "tru'])
