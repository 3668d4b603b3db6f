"""JSON-like values as readable YAML that both loaders of PyYAML read back byte for byte.

Rules for a string, the first that applies:
1. a short word that YAML cannot mistake for a number, a date or a boolean stands plain;
2. text that a literal block carries byte for byte is one (``|-``, ``|`` or ``|+``);
3. anything else is a double-quoted scalar, one event a line: a backslash at the end of a line joins it to the next.

A literal block cannot carry CR, tab, trailing spaces, U+0085, U+2028, U+2029 or control characters: YAML folds, trims
or refuses them. Bytes that are no UTF-8 become ``!!binary``, as vcrpy writes them. Source:
https://yaml.org/spec/1.1/#id871136 (escapes, line folding).
"""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

_STEP: Final = "  "
_PLAIN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9_./+-]*(?:; ?[a-z]+=[A-Za-z0-9-]+)?|https?://[A-Za-z0-9_./?=&%+:$-]*[A-Za-z0-9]"
)
_WORDS_WITH_MEANING: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_UNSAFE_IN_LITERAL: Final = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_TRAILING_SPACE: Final = re.compile(r" (?:\n|\Z)")
_MUST_ESCAPE: Final = re.compile(
    '[\\\\"]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]'
)
_SHORT_ESCAPES: Final[Mapping[str, str]] = {
    "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0",
    "\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_EVENT: Final = re.compile(r".*?(?:\r\n\r\n|\n\n|\r\r)+|.+", re.DOTALL)


def dump_yaml(value: Mapping[str, object]) -> str:
    """The YAML text of a mapping, ending with a newline."""
    return "\n".join(yaml_lines(value)) + "\n"


def yaml_lines(value: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a mapping's YAML text, for one that is long. A value may be an iterator: a list that is never
    whole in memory, with something in it."""
    return _mapping_lines(value, "")


def body_as_text_or_bytes(data: bytes) -> str | bytes:
    """A body as vcrpy stores it: text where it is UTF-8, else bytes."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _mapping_lines(value: Mapping[str, object], indent: str) -> Iterator[str]:
    for key, item in value.items():
        yield from _entry_lines(f"{indent}{_inline_value(key)}:", item, indent)


def _sequence_lines(items: Iterable[object], indent: str) -> Iterator[str]:
    for item in items:
        # One level deeper, so that a list in a list is told from its parent.
        lines = _entry_lines("", item, indent + _STEP if isinstance(item, list | tuple) else indent)
        first = next(lines)
        if isinstance(item, Mapping) and item:
            # The first key of a mapping stands beside the dash, as vcrpy writes it.
            first = " " + next(lines).lstrip(" ")
        yield f"{indent}-{first}"
        yield from lines


def _entry_lines(head: str, value: object, indent: str) -> Iterator[str]:
    inner = indent + _STEP
    if isinstance(value, Mapping) and value:
        yield head
        yield from _mapping_lines(value, inner)
    elif isinstance(value, Iterator) or (isinstance(value, list | tuple) and value and not _is_flat_list(value)):
        yield head
        yield from _sequence_lines(value, indent)
    elif isinstance(value, str):
        yield from _text_lines(head, value, inner)
    elif isinstance(value, bytes):
        yield from _binary_lines(head, value, inner)
    else:
        yield f"{head} {_inline_value(value)}"


def _is_flat_list(items: Sequence[object]) -> bool:
    return all(isinstance(item, int | float | None) or (isinstance(item, str) and len(item) < 60) for item in items)


def _inline_value(value: object) -> str:
    """A value on one line: scalars, empty collections and flat lists."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _is_plain(value) else f'"{_escape_text(value)}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline_value(item) for item in value) + "]"
    return "{}" if isinstance(value, Mapping) else repr(value)


def _text_lines(head: str, value: str, indent: str) -> Iterator[str]:
    if _is_plain(value):
        yield f"{head} {value}"
    elif _needs_and_fits_literal_block(value):
        yield f"{head} |{_chomping_indicator(value)}"
        end = len(value.rstrip("\n"))
        yield from (indent + line if line else "" for line in _lines_until(value, end))
        yield from [""] * (len(value) - end - 1)
    else:
        yield from _quoted_lines_one_per_event(head, value, indent)


def _lines_until(value: str, end: int) -> Iterator[str]:
    """Yield the lines of ``value[:end]`` one by one: of a long body they take more memory than itself."""
    start = 0
    while (feed := value.find("\n", start, end)) >= 0:
        yield value[start:feed]
        start = feed + 1
    yield value[start:end]


def _is_plain(value: str) -> bool:
    return len(value) < 200 and bool(_PLAIN.fullmatch(value)) and value.lower() not in _WORDS_WITH_MEANING


def _needs_and_fits_literal_block(value: str) -> bool:
    """Long enough to be worth a block, and a block carries it."""
    if not ("\n" in value or len(value) > 60) or value[0] in " \n":
        return False
    return not _UNSAFE_IN_LITERAL.search(value) and not _TRAILING_SPACE.search(value)


def _chomping_indicator(value: str) -> str:
    if not value.endswith("\n"):
        return "-"
    return "+" if value.endswith("\n\n") else ""


def _quoted_lines_one_per_event(head: str, value: str, indent: str) -> Iterator[str]:
    first = _EVENT.match(value)
    if first is None or first.end() == len(value):
        yield f'{head} "{_escape_text(value)}"'
        return
    yield f'{head} "\\'
    for piece in _EVENT.finditer(value):
        escaped = _escape_text(piece[0])
        # A continued line loses its leading white space unless the first space is escaped.
        start = "\\" if escaped.startswith(" ") else ""
        yield f"{indent}{start}{escaped}" + ("\\" if piece.end() < len(value) else '"')


def _escape_text(value: str) -> str:
    return _MUST_ESCAPE.sub(lambda match: _escape_character(match.group()), value)


def _escape_character(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"


def _binary_lines(head: str, value: bytes, indent: str) -> Iterator[str]:
    encoded = base64.b64encode(value).decode("ascii")
    yield f"{head} !!binary |"
    yield from (indent + encoded[start : start + 76] for start in range(0, len(encoded), 76))
