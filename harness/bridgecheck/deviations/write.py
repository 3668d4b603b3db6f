"""Adding entries to and removing them from the text of deviations.toml, and changing the cases that one lists, line by
line: everything else stays as it is.

Comment lines right above an entry and right behind it are the entry's and go with it; those that a blank line parts
from it stay. (A TOML library that keeps comments gives all of them to the entry before: taking that one out takes the
words about the next.)
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from bridgecheck.deviations.entries import FORMER_KEYS, TABLE, Deviation, find_entry_headers

FILE_HEADER: Final = """\
# Failures of this adapter that are known and accepted, one entry each. Give every one its own reason.
# It accepts the cases it lists and what differed there, no more. What no longer fails is stale: bridgecheck run
# --update-deviations takes it out, and adds what is new.
"""

_TEXT_KEY_ORDER: Final = ("scenario", "fingerprint", "check", "direction", "reason", "issue", "version")
_WRITTEN_KEYS: Final = (*FORMER_KEYS, "check", "direction", "cases")
"""Keys of an entry with a fingerprint that are written anew with its cases."""

_KEY: Final = re.compile(r"[ \t]*(\w+)[ \t]*=")

_MAX_COMMENT: Final = 110
"""Characters of the line that says what an entry is about."""


def update_deviations(
    source: str,
    entries: Sequence[Deviation],
    added: Mapping[Deviation, str],
    removed: Collection[str] = (),
    changed: Mapping[str, Deviation] | None = None,
) -> str:
    """Return the text with entries added and removed. ``source``: the text so far, "" for none; ``entries``: what
    ``read`` made of it. ``added``: with a comment each. ``removed``: names of entries that go. ``changed``: by name,
    those that list other cases now."""
    lines = (source or FILE_HEADER).split("\n")
    blocks = list(_find_entry_lines(lines))
    for entry, block in reversed(list(zip(entries, blocks, strict=True))):
        if changed and entry.name in changed and entry.name not in removed:
            lines[block.start : block.stop] = _change_cases(lines[block.start : block.stop], changed[entry.name])
        if entry.name in removed:
            end = block.stop
            while end < len(lines) and not lines[end].strip():
                end += 1  # the blank lines after it go too
            del lines[block.start : end]
    remaining = "\n".join(lines).rstrip("\n")
    return "\n\n".join([*([remaining] if remaining else []), *(format_entry(*item) for item in added.items())]) + "\n"


def _find_entry_lines(lines: Sequence[str]) -> Iterator[range]:
    """Yield the 0-based numbers of the lines of each entry."""
    heads = find_entry_headers(lines)
    starts = [_entry_start(lines, head) for head in heads]
    for head, start, following in zip(heads, starts, [*starts, len(lines)][1:], strict=True):
        content = (number for number in range(head, following) if lines[number].strip() and lines[number][0] != "#")
        end = max(content) + 1
        while end < following and lines[end].startswith("#"):
            end += 1
        yield range(start, end)


def _entry_start(lines: Sequence[str], head: int) -> int:
    """Return the number of the first comment line right above a header; the header's own if there are none."""
    while head and lines[head - 1].startswith("#"):
        head -= 1
    return head


def format_entry(entry: Deviation, comment: str) -> str:
    """Return the text of an entry, below a comment unless that is empty."""
    line = "".join(sign if sign.isprintable() else "?" for sign in comment)
    line = line if len(line) <= _MAX_COMMENT else line[: _MAX_COMMENT - 1] + "…"
    texts = [f"{key} = {quote_toml(getattr(entry, key))}" for key in _TEXT_KEY_ORDER if getattr(entry, key)]
    until = [f"expires = {entry.expires}"] if entry.expires else []
    return "\n".join([*([f"# {line}"] if line else []), f"[[{TABLE}]]", *texts, *until, *_cases_lines(entry)])


def _cases_lines(entry: Deviation, former: Mapping[str, str] | None = None) -> list[str]:
    """Return the lines of the key. ``former``: lines that stood there, by the text they hold, with their comments."""
    texts = [str(item) for item in entry.cases]
    lines = ((former or {}).get(text, f"  {quote_toml(text)},") for text in texts)
    return ["cases = [", *lines, "]"] if texts else []


def _change_cases(lines: Sequence[str], entry: Deviation) -> list[str]:
    """Return the lines of an entry with the cases that it lists now."""
    spans = {key: span for key, span in _find_key_lines(lines) if key in _WRITTEN_KEYS}
    dropped = {number for span in spans.values() for number in span}
    former = dict(_find_cases_lines([lines[number] for number in spans.get("cases", range(0))]))
    direction = [f"{key} = {quote_toml(getattr(entry, key))}" for key in ("check", "direction")]
    changed: list[str] = []
    for number, line in enumerate(lines):
        if number not in dropped:
            changed.append(line)
        if (key := _KEY.match(line)) and key[1] == "fingerprint" and number not in dropped:
            changed += direction
    end = max(number for number, line in enumerate(changed) if line.strip() and not line.startswith("#")) + 1
    return [*changed[:end], *_cases_lines(entry, former), *changed[end:]]


def _find_key_lines(lines: Sequence[str]) -> Iterator[tuple[str, range]]:
    """Yield each key of an entry with the numbers of its lines: its value is complete with the first line that makes it
    TOML."""
    number = 0
    while number < len(lines):
        key, start = _KEY.match(lines[number]), number
        number += 1
        if key:
            while number < len(lines) and not _is_toml(lines[start:number]):
                number += 1
            yield key[1], range(start, number)


def _is_toml(lines: Sequence[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _find_cases_lines(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (text, line) of each line that holds one text of the list and nothing but a comment, with the comment
    lines above it."""
    comments: list[str] = []
    for line in lines:
        found = re.fullmatch(r'\s*"((?:[^"\\]|\\.)*)",?\s*(#.*)?', line)
        if found:
            comment = f"  {found[2]}" if found[2] else ""
            text = json.loads(f'"{found[1]}"')
            yield text, "\n".join([*comments, f"  {quote_toml(text)},{comment}"])
        comments = [*comments, line] if line.strip().startswith("#") else []


def quote_toml(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
