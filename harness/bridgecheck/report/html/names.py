"""What columns, dialects and statuses are called on a page."""

from collections.abc import Sequence
from typing import Final

from bridgecheck.model.verdict import CaseKey, Status
from bridgecheck.report.table import CONTROL, NATIVE
from bridgecheck.wire.facts import RECORDS

GLYPH: Final[dict[str, str]] = {"FAIL": "✕", "ERROR": "⚠", "WARN": "△", "PASS": "✓"}
"""A sign beside the word, so that colour never speaks alone."""

STATUS_MEANS: Final[dict[Status, str]] = {
    "ERROR": "the harness or its surroundings failed; says nothing of the adapter",
    "FAIL": "a MUST is broken",
    "WARN": "a SHOULD is broken",
    "INCONCLUSIVE": "nothing could be told",
    "REJECTED": "refused loudly, naming the field, where that is allowed",
    "DISPUTED": "sources disagree",
    "INHERITED": "the same stands in the document the adapter was given",
    "NOTE": "a MAY, or robustness against what providers are not known to send",
    "PASS": "kept, or a declared loss",
    "NOT_APPLICABLE": "the pair cannot say it, or the adapter does not claim it",
}


def dialect(name: str) -> str:
    return next((record.title for record in RECORDS.values() if record.name == name), name)


FEW: Final = 4
"""Up to so many directions, a table has room for their names."""


def arrows(text: str) -> str:
    """Directions in a sentence: ``G→O``."""
    return text.replace(">", "→")


def column(name: str, columns: Sequence[str]) -> str:
    """``G→O``, or ``Gemini→OpenAI Chat`` where there are few columns of the kind. Others by their own names."""
    client, over, upstream = name.partition(">")
    if not over or sum(">" in one for one in columns) > FEW:
        return arrows(name)
    return f"{_spelt(client)}→{_spelt(upstream)}"


def column_means(name: str) -> str:
    """``Gemini client over OpenAI Chat``."""
    if name == CONTROL:
        return "identity adapter: documents pass untouched"
    if name == NATIVE:
        return "the provider's own SDK, without an adapter"
    client, _, upstream = name.partition(">")
    return f"{_spelt(client)} client over {_spelt(upstream)}"


def _spelt(letter: str) -> str:
    """The dialect behind a letter of the table."""
    return next((record.title for record in RECORDS.values() if record.letter == letter), letter)


def way(key: CaseKey) -> str:
    """``OpenAI Chat client over Gemini, stream, wire layer``."""
    return f"{dialect(key.client)} client over {dialect(key.upstream)}, {key.mode}, {key.layer} layer"


def glyph(status: str) -> str:
    return GLYPH.get(status, "·")
