"""Which format a file has, by its content: names tell little, cassetter for one writes YAML into ``.json``."""

import re
from typing import Final

from bridgecheck.cassette.formats import gemini_cli, json_lines
from bridgecheck.cassette.formats.names import FormatName

HEAD_BYTES: Final = 256 * 1024
"""What is looked at of a file: enough for its first interaction."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
_YAML_LIST: Final = re.compile(r"^interactions:", re.MULTILINE)
_FLOW_LIST: Final = re.compile(r"^\{[^\"]{0,200}\binteractions:")
_TOML_LIST: Final = re.compile(r"^\[\[interactions\]\]", re.MULTILINE)
_CASSETTER_BODY: Final = re.compile(r"^( *)body:[ \t]*\n\1 +type: ", re.MULTILINE)
_LINES_TRIED: Final = 50
_BLANK: Final = "\ufeff \t\r\n"


def detect_format(head: str, *, is_named_jsonl: bool = False) -> FormatName | None:
    """Return the format of a file that begins so; None for one that is none of them. Broken lines in a file whose name
    ends in .jsonl are taken for lines of ours, to be reported one by one."""
    start = head.lstrip(_BLANK)
    if start.startswith("{") and (found := _detect_json(start)):
        return found
    if _TOML_LIST.search(head):
        return "cassetter"
    if _YAML_LIST.search(head) or _FLOW_LIST.search(start):
        return "cassetter" if _CASSETTER_BODY.search(head) else "vcrpy"
    return _detect_lines(head, is_named_jsonl)


def describe_content(head: str) -> str:
    """Return in words what a file of no known format begins with."""
    start = head.lstrip(_BLANK)
    if not start:
        return "an empty file"
    first = start.partition("\n")[0]
    if start.startswith("{") and (names := _member_names(start)[0]):
        return f"JSON whose members are {', '.join(names[:6])}"
    return f"text that begins with {first[:40]!r}"


def _detect_json(start: str) -> FormatName | None:
    outer, inner = _member_names(start)
    if "log" in outer and "entries" in inner | {*outer}:
        return "har"
    if "fixtures" in outer:
        return "aimock"
    if {"replay_id", "replayId"} & {*outer}:
        return "google-genai"
    if "interactions" not in outer:
        return None
    if {"body_segments", "bodySegments"} & inner:
        return "google-genai"
    return "cassetter" if "recorded_at" in inner else "vcrpy"


def _detect_lines(head: str, is_named_jsonl: bool) -> FormatName | None:
    has_other_objects = False
    lines = [line.strip() for line in head.split("\n") if line.strip()]
    for line in lines[:_LINES_TRIED]:
        names = {*_member_names(line)[0]} if line.startswith("{") else set()
        if names >= gemini_cli.MEMBERS:
            return "gemini-cli"
        if names & json_lines.MEMBERS:
            return "jsonl"
        has_other_objects |= bool(names)
    return "jsonl" if is_named_jsonl and not has_other_objects else None


def _member_names(source: str) -> tuple[list[str], set[str]]:
    """Return the names of the members of a JSON object, which may be cut off, and of all objects in it."""
    outer: list[str] = []
    inner: set[str] = set()
    depth, before = 0, ""
    for found in _TOKEN.finditer(source):
        token = found.group()
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if depth == 0:
                break
        elif token == ":" and before:
            (outer if depth == 1 else []).append(before)
            inner.update([before] if depth > 1 else [])
        before = token[1:-1] if token.startswith('"') else ""
    return outer, inner
