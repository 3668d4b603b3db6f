"""What a script prints."""

from typing import Any

import pytest

from bridgecheck.repro import runtime

FOUND = ["message_start", "content_block_start", "message_stop"]


def watch(path: str, *values: Any, **shown: Any) -> dict[str, Any]:
    return {"path": path, "how": "values", "found": ["".join(values)], "right": ["right"], **shown}


def tell(events: list[Any], *watched: dict[str, Any], converts: bool = False) -> list[str]:
    oracle = {"kind": "difference", "asks": 1, "raised": "", "silent": False, "errors": False, "watched": list(watched)}
    case = {"mode": "stream", "converts": converts, "oracle": oracle, "advice": "look"}
    traffic = {
        "sent": [{"a": 1}],
        "received": [events],
        "status": [],
        "steps": [],
        "raw": [],
        "raised": "",
        "plain": "",
    }
    code, lines = runtime.tell(case, traffic)
    assert (code, lines[-1]) == (runtime.SHOWS, "The fault shows.")
    return lines


def test_values_of_a_stream_are_printed_apart() -> None:
    path = "received[][].type"
    events = [{"type": name} for name in FOUND]
    shown = {"shown": {"found": FOUND, "right": ["message_start", "message_stop"]}}
    assert tell(events, watch(path, *FOUND, **shown))[:-1] == [
        runtime.LEGEND,
        f'EXPECTED {path}: "message_start" | "message_stop"',
        f'FOUND    {path}: "message_start" | "content_block_start" | "message_stop"',
        f'ACTUAL   {path}: "message_start" | "content_block_start" | "message_stop"',
    ]


@pytest.mark.parametrize(
    ("name", "pieces", "printed"),
    [
        ("text", ["Fo", "ur"], '"Four"'),
        ("partial_json", ["", '{"a"', ": {}}", '{"b": 2}', '{"c'], r'"{\"a\": {}}" | "{\"b\": 2}" | "{\"c"'),
        ("name", ["add", "subtract"], '"add" | "subtract"'),
    ],
)
def test_texts_that_come_in_pieces_are_printed_whole(name: str, pieces: list[str], printed: str) -> None:
    path = f"received[][].{name}"
    assert f"ACTUAL   {path}: {printed}" in tell([{name: piece} for piece in pieces], watch(path, *pieces))


def test_the_labels_are_explained_once_and_before_them() -> None:
    rows = [watch(f"received[][].{name}", "a") for name in ("x", "y")]
    lines = tell([{"x": "a", "y": "a"}], *rows)
    assert lines.count(runtime.LEGEND) == 1 and lines.index(runtime.LEGEND) == 0
    assert all(f"{label}: " in runtime.LEGEND for label in ("EXPECTED", "FOUND", "ACTUAL"))


@pytest.mark.parametrize("converts", [True, False])
def test_a_request_is_printed_once(converts: bool) -> None:
    """The provider that a script plays prints what it receives; a converter's requests reach none."""
    lines = tell([{"x": "a"}], watch("received[][].x", "a"), converts=converts)
    assert [line for line in lines if line.startswith("SENT")] == ['SENT to the provider [0]: {"a": 1}'] * converts
