"""What differs between two runs of the same adapter though it does the same: ids that it makes up, times, ports,
addresses in memory, temporary files. Two texts that differ in nothing else are the same here.

An id is told by its look: a part of eight or more characters in which letters and digits alternate, hexadecimal or
behind a prefix that providers use. One that stands in the recording is the same in every run, so it stays: which of two
recorded ids arrived does make a difference. Versions, dates of models, statuses and counts stay too.
"""

import re
from itertools import groupby, islice
from typing import Final

_MASKS: Final = (
    (re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "ID"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "MEMORY"),
    (re.compile(r"(\b127\.0\.0\.1|\blocalhost|\[::1\]):\d+"), r"\1:PORT"),
    (re.compile(r"\b(port|pid|process)([ =:]+)\d+\b", re.IGNORECASE), r"\1\2N"),
    (re.compile(r"/(?:tmp|var/folders|dev/shm)/[^\s\"'<>(),:;]+"), "FILE"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d(?: GMT)?"), "TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b"), "TIME"),
    (re.compile(r"(?<![\w.])1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d+)?\b"), "TIME"),
    (re.compile(r"\b\d+\.\d+( ?)(s|ms|µs|sec|secs|seconds)\b"), r"N\1\2"),
)
_PACKAGE_FOLDERS: Final = tuple(
    (name, re.compile(rf"(?<![\w.~-])/[^\s\"'<>()]*?/(?={re.escape(name)})"))
    for name in ("site-packages/", "dist-packages/", "node_modules/", "lib/python3.")
)
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{8,}")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9]{8,}")
_PREFIX: Final = re.compile(
    r"^(?:call|chatcmpl|cmpl|fc|file|gen|item|msg|req|request|resp|rs|run|srvtoolu|thread|toolu?)[_-]"
)
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_DATE: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def mask_volatile(text: str, recorded: str = "") -> str:
    """Return the text without what differs between two runs. ``recorded``: the text of the recording, whose ids stay
    as they are."""
    for pattern, replacement in _MASKS:
        text = pattern.sub(replacement, text)
    return _TOKEN.sub(lambda found: found[0] if found[0] in recorded else _mask_made_up_id(found[0]), text)


def strip_package_folders(text: str) -> str:
    """Return the text with paths in installed packages from ``site-packages/`` or ``node_modules/`` on: where these lie
    depends on the machine. A text that is cut has to be stripped before it, or what is left of it depends on it too."""
    for name, folder in _PACKAGE_FOLDERS:
        if name in text:  # searching long data for a path that is not there takes long
            text = folder.sub("", text)
    return text


def _mask_made_up_id(token: str) -> str:
    has_prefix = bool(_PREFIX.match(token))
    segments = _SEGMENT.findall(token)
    return "ID" if any(_is_made_up(segment, has_prefix) for segment in segments) else token


def _is_made_up(segment: str, has_prefix: bool) -> bool:
    if _HEX.fullmatch(segment) and any(map(str.isdigit, segment)):
        return not _DATE.fullmatch(segment)
    if has_prefix and not segment.islower() and not segment.istitle():
        return True
    return any(True for _ in islice(groupby(segment, str.isdigit), 2, None))  # a segment may be a whole file
