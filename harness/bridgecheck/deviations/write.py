"""Adding entries to and removing them from the text of deviations.toml, line by line: everything else stays as it is.

Comment lines right above an entry and right behind it are the entry's and go with it; those that a blank line parts
from it stay. (A TOML library that keeps comments gives all of them to the entry before: taking that one out takes the
words about the next.)
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from bridgecheck.deviations.entries import TABLE, Deviation, find_entry_headers

FILE_HEADER: Final = """\
# Failures of this adapter that are known and accepted, one entry each. Give every one its own reason.
# One that no longer fails is stale: bridgecheck run --update-deviations takes it out, and adds what is new.
"""

_TEXT_KEY_ORDER: Final = ("scenario", "check", "fingerprint", "example", "reason", "issue", "version")

_MAX_COMMENT: Final = 110
"""Characters of the line that says what an entry is about."""


def update_deviations(
    source: str, entries: Sequence[Deviation], added: Mapping[Deviation, str], removed: Collection[str] = ()
) -> str:
    """Return the text with entries added and removed. ``source``: the text so far, "" for none; ``entries``: what
    ``read`` made of it. ``added``: with a comment each. ``removed``: names of entries that go."""
    lines = (source or FILE_HEADER).split("\n")
    blocks = list(_find_entry_lines(lines))
    for entry, block in reversed(list(zip(entries, blocks, strict=True))):
        if entry.name in removed:
            end = block.stop
            while end < len(lines) and not lines[end].strip():
                end += 1  # the blank lines after it go too
            del lines[block.start : end]
    remaining = "\n".join(lines).rstrip("\n")
    return "\n\n".join([*([remaining] if remaining else []), *(_format_entry(*item) for item in added.items())]) + "\n"


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


def _format_entry(entry: Deviation, comment: str) -> str:
    line = "".join(sign if sign.isprintable() else "?" for sign in comment)
    line = line if len(line) <= _MAX_COMMENT else line[: _MAX_COMMENT - 1] + "…"
    texts = [f"{key} = {quote_toml(getattr(entry, key))}" for key in _TEXT_KEY_ORDER if getattr(entry, key)]
    scenarios = [f"seen = [{', '.join(map(quote_toml, entry.seen_in))}]"] if entry.seen_in else []
    until = [f"expires = {entry.expires}"] if entry.expires else []
    return "\n".join([*([f"# {line}"] if line else []), f"[[{TABLE}]]", *texts, *scenarios, *until])


def quote_toml(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
