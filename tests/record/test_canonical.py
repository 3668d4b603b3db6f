"""When two requests are the same, and where they first differ."""

import json

import pytest

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.record.canonical import (
    canonical_request,
    count_equal_leaves,
    find_first_difference,
    parse_volatile_path,
)


def chat(document: object, path: str = "/v1/chat/completions") -> HttpRequest:
    return HttpRequest("POST", path, (), json.dumps(document).encode())


def key(document: object, *volatile: str, path: str = "/v1/chat/completions") -> str:
    return canonical_request(chat(document, path), map(parse_volatile_path, volatile)).key


def test_order_of_members_and_white_space_do_not_count() -> None:
    assert (
        key({"a": 1, "b": [2]})
        == canonical_request(HttpRequest("POST", "/v1/chat/completions", (), b'{"b":[2],\n"a":1}')).key
    )
    assert key({"a": [1, 2]}) != key({"a": [2, 1]})
    assert key({"a": 1}) != key({"a": 1}, path="/v1/embeddings")


def test_keys_in_the_query_do_not_count() -> None:
    path = "/v1beta/models/m:streamGenerateContent"
    assert key({}, path=f"{path}?alt=sse&key=AAA") == key({}, path=f"{path}?key=BBB&alt=sse")
    assert key({}, path=f"{path}?alt=sse") != key({}, path=path)


@pytest.mark.parametrize(
    ("path", "first", "second"),
    [
        ("user", {"user": "a", "n": 1}, {"user": "b", "n": 1}),
        ("metadata.user_id", {"metadata": {"user_id": "a", "x": 1}}, {"metadata": {"user_id": "b", "x": 1}}),
        ("messages.*.id", {"messages": [{"id": 1}, {"id": 2}]}, {"messages": [{"id": 3}, {}]}),
        ("*.id", {"a": {"id": 1}}, {"a": {"id": 2}}),
    ],
)
def test_volatile_members_do_not_count(path: str, first: object, second: object) -> None:
    assert key(first) != key(second)
    assert key(first, path) == key(second, path)


def test_a_volatile_path_has_no_empty_step() -> None:
    with pytest.raises(ValueError, match="empty step"):
        parse_volatile_path("a..b")


def test_bodies_that_are_no_json_are_compared_as_bytes() -> None:
    first, second = HttpRequest("POST", "/v1/x", (), b"\xff\x00a"), HttpRequest("POST", "/v1/x", (), b"\xff\x00b")
    assert canonical_request(first).key != canonical_request(second).key
    form = [
        HttpRequest(
            "POST", "/v1/files", (("content-type", f"multipart/form-data; boundary={mark}"),), f"--{mark}\r\nx".encode()
        )
        for mark in ("f00d", "beef")
    ]
    assert canonical_request(form[0]).key == canonical_request(form[1]).key


@pytest.mark.parametrize(
    ("recorded", "sent", "difference"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1]: recorded 2, sent 3"),
        ({"a": [1]}, {"a": [1, 2]}, "a[1]: recorded (absent), sent 2"),
        ({"a": 1, "b": 2}, {"a": 1}, "b: recorded 2, sent (absent)"),
        ({"a": 1}, "text", 'the body: recorded {"a":1}, sent "text"'),
    ],
)
def test_first_difference(recorded: object, sent: object, difference: str) -> None:
    assert find_first_difference(recorded, sent) == difference


def test_a_difference_far_inside_a_long_text_is_shown() -> None:
    found = find_first_difference({"t": "x" * 500 + "old" + "y" * 500}, {"t": "x" * 500 + "new" + "y" * 500})
    assert "old" in found and "new" in found and len(found) < 200


def test_nearness_counts_equal_leaves() -> None:
    assert count_equal_leaves({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}) == 2
