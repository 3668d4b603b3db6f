"""The text of an answer in what gemini-cli prints, in pieces of any size, among lines that are no events."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.context import (
    CliOutput,
    CliOutputError,
    CliOutputReader,
    JsonLines,
    parse_cli_output,
    strip_ansi,
)
from bridgecheck_reference.context.json_lines import MAX_LINE_BYTES

RUN = [
    {"type": "init", "timestamp": "2026-11-23T10:00:00.000Z", "session_id": "s", "model": "gemini-2.5-flash"},
    {"type": "message", "timestamp": "2026-11-23T10:00:00.000Z", "role": "user", "content": "Instructions:\nBe Noor"},
    {"type": "tool_use", "tool_name": "read_file", "tool_id": "read_file__1", "parameters": {"file_path": "a"}},
    {"type": "tool_result", "tool_id": "read_file__1", "status": "success", "output": "a file"},
    {"type": "message", "role": "assistant", "content": "I see", "delta": True},
    {"type": "message", "role": "assistant", "content": "\u2028: 北京\r\n", "delta": True},
    {"type": "result", "status": "success", "stats": {"total_tokens": 3}},
]


def lines(*events: object, end: str = "\n") -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + end for event in events).encode()


@pytest.mark.row("S3.23", "S3.24", "S3.25", "S3.29")
def test_only_the_answers_text_is_kept() -> None:
    """The prompt is the second line, behind ``init``; the pieces are joined with nothing."""
    assert parse_cli_output(lines(*RUN)) == CliOutput("I see\u2028: 北京\r\n", True)


@pytest.mark.row("S3.29")
def test_the_order_of_lines_does_not_matter() -> None:
    assert parse_cli_output(lines(*RUN[::-1])).succeeded is True
    prompt_last = [RUN[4], RUN[5], RUN[1], RUN[6]]
    assert parse_cli_output(lines(*prompt_last)).text == "I see\u2028: 北京\r\n"


@pytest.mark.row("S3.24")
@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "role": "user", "content": "no"},
        {"type": "message", "content": "no"},
        {"type": "message", "role": "model", "content": "no"},
        {"type": "message", "role": "assistant", "content": None},
        {"type": "message", "role": "assistant", "content": [{"text": "no"}]},
        {"type": "message", "role": "assistant"},
        {"type": "tool_result", "role": "assistant", "content": "no"},
        {"role": "assistant", "content": "no"},
        {"type": ["message"], "role": "assistant", "content": "no"},
        {},
    ],
)
def test_what_is_no_text_of_the_answer(event: object) -> None:
    assert parse_cli_output(lines(event)) == CliOutput("")


@pytest.mark.row("S3.24")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[K\x1b[?25l", "x"),
        ("\x9b1mx", "x"),
        ("\x1b]8;;http://a\x07link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bx\x1b7", "x"),
        ("[31m a[0] \\x1b[0m", "[31m a[0] \\x1b[0m"),
        ("", ""),
        ("\x1b", "\x1b"),
    ],
)
def test_terminal_sequences_are_taken_out(text: str, expected: str) -> None:
    assert strip_ansi(text) == expected
    halves = [text[: len(text) // 2], text[len(text) // 2 :]]
    events = [{"type": "message", "role": "assistant", "content": half, "delta": True} for half in halves]
    assert parse_cli_output(lines(*events)).text == expected, "cut in two by the pieces"


def test_many_open_sequences_take_linear_time() -> None:
    assert len(strip_ansi("\x1b]" * 200_000 + "\x1b[" * 200_000)) < 400_001


@pytest.mark.row("S3.26")
@pytest.mark.parametrize(
    ("result", "succeeded", "error"),
    [
        ({"success": True}, True, ""),
        ({"success": False}, False, ""),
        ({"status": "success"}, True, ""),
        ({"status": "error", "error": {"type": "unknown", "message": "quota"}}, False, "quota"),
        ({"status": "error", "success": True}, False, ""),
        ({"status": "else"}, False, ""),
        ({"status": "error", "error": "text"}, False, ""),
        ({"status": "error", "error": {"message": 7}}, False, ""),
        ({}, False, ""),
    ],
)
def test_how_a_run_ended(result: dict[str, object], succeeded: bool, error: str) -> None:
    found = parse_cli_output(lines({"type": "result", **result}))
    assert (found.succeeded, found.error) == (succeeded, error)


@pytest.mark.row("S3.25")
def test_without_a_result_nothing_is_said_of_success() -> None:
    assert parse_cli_output(b"") == CliOutput("", None)
    assert parse_cli_output(lines(RUN[4])) == CliOutput("I see", None)


FOREIGN = [b"Loaded cached credentials.", b"[1, 2]", b'"text"', b"null", b"{", b'{"a": NaN}', b"\xff{}", b"[" * 100_000, b"9" * 5000]  # fmt: skip


@pytest.mark.parametrize("foreign", FOREIGN, ids=[repr(line[:12]) for line in FOREIGN])
def test_foreign_lines_are_counted_and_passed_over(foreign: bytes) -> None:
    data = foreign + b"\n" + lines(RUN[4]) + b"\n \r\n" + foreign + b"\r\n" + lines(RUN[6])
    assert parse_cli_output(data) == CliOutput("I see", True, foreign_lines=2)


@given(cuts=st.lists(st.integers(0, len(lines(*RUN))), max_size=8), end=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_any_cuts_give_the_same(cuts: list[int], end: str) -> None:
    data = b"\xef\xbb\xbf" + lines(*RUN, end=end).rstrip()
    reader = CliOutputReader()
    places = [0, *sorted(cuts), len(data)]
    for start, stop in pairwise(places):
        reader.feed(data[start:stop])
    assert reader.close() == CliOutput("I see\u2028: 北京\r\n", True)


def test_single_bytes_give_the_same() -> None:
    reader = CliOutputReader()
    for byte in lines(*RUN):
        reader.feed(bytes([byte]))
    assert reader.close().text == "I see\u2028: 北京\r\n"


def test_a_line_over_the_limit_is_not_kept_and_is_an_error() -> None:
    reader = JsonLines(limit=10)
    assert reader.feed(b'{"a": 1}\n{"b": "' + b"x" * 20) == [{"a": 1}]
    assert reader.feed(b'x"}\n{"c": 3}') == []
    assert reader.close() == [{"c": 3}]
    assert (reader.oversized_lines, reader.foreign_lines) == (1, 0)
    whole = CliOutputReader()
    for _ in range(MAX_LINE_BYTES // 2**20 + 1):
        whole.feed(b" " * 2**20)
    with pytest.raises(CliOutputError, match="1 lines were too long"):
        whole.close()


@pytest.mark.row("S3.27")
@pytest.mark.parametrize(
    ("output_format", "data", "expected"),
    [
        ("stream-json", lines(*RUN), CliOutput("I see\u2028: 北京\r\n", True)),
        ("json", b'{\n "session_id": "s",\n "response": "\\u001b[1mHi",\n "stats": {}\n}\n', CliOutput("Hi", True)),
        ("json", b'{"response": null, "error": null}', CliOutput("", True)),
        ("json", b'{"error": {"type": "Error", "message": "no key", "code": 41}}', CliOutput("", False, "no key")),
        ("text", b"\x1b[1mHi\x1b[0m\n", CliOutput("Hi\n")),
        ("text", b"", CliOutput("")),
    ],
)
def test_formats(output_format: str, data: bytes, expected: CliOutput) -> None:
    assert parse_cli_output(data, output_format) == expected


@pytest.mark.row("S3.27")
@pytest.mark.parametrize("name", ["jsonl", "", "JSON", "xml"])
def test_a_format_that_the_program_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(CliOutputError, match="expected one of stream-json, json, text, got"):
        parse_cli_output(b"", name)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"Error: x"])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(CliOutputError, match="output: expected one JSON object, got"):
        parse_cli_output(data, "json")
