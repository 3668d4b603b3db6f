"""A count of one takes the singular: texts count through ``bridgecheck.model.counts.plural``."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridgecheck.model.counts import plural

ROOT = Path(__file__).resolve().parents[2]
COUNT = re.compile(
    r"\blen\(|\bsum\(|\bcounts?\b|\bnumber\b|\bmore\b|\btotal\b|_total\b|\btried\b|\.examples\b|\bplanned\b"
)
NOT_PLURAL = frozenset({"has", "is", "was", "as", "does", "this", "its", "names", "holds", "less", "us"})
"""Words on s that are no plural of what is counted."""

ALWAYS_SEVERAL = frozenset({
    "bytes", "characters", "lines",  # shown of what is too long to show
    "capabilities",  # of the table of all
    "reports",  # that one file was named for
    "words",  # of an enumeration that is too long to show
    "tokens",  # of whole requests
    "times",  # once is told apart there
})  # fmt: skip


PARTS_OF_FINGERPRINTS = frozenset({"checks", "compare"})
"""Packages whose texts identify a finding and its accepted difference: another wording would make other findings."""


def counted_nouns(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and noun where a formatted number stands directly before a plural."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, following in zip(node.values, node.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and COUNT.search(ast.unparse(value.value))):
                continue
            text = following.value if isinstance(following, ast.Constant) else ""
            word = re.match(r" (?:[a-z]+ )?([a-z]+s)\b", text) if isinstance(text, str) else None
            if word and word[1] not in NOT_PLURAL | ALWAYS_SEVERAL and "plural(" not in ast.unparse(value.value):
                yield node.lineno, word[1]


@pytest.mark.parametrize(
    ("count", "nouns", "expected"),
    [(0, "", "0 cases"), (1, "", "1 case"), (2, "", "2 cases"), (2, "ca", "2 ca"), (1, "ca", "1 case")],
)
def test_a_count_of_one_takes_the_singular(count: int, nouns: str, expected: str) -> None:
    assert plural(count, "case", nouns) == expected


def test_no_text_counts_by_itself() -> None:
    paths = sorted((ROOT / "harness").rglob("*.py"))
    assert len(paths) > 100
    found = [
        f"{path.relative_to(ROOT)}:{line}: {noun}"
        for path in paths
        if not PARTS_OF_FINGERPRINTS.intersection(path.parts)
        for line, noun in counted_nouns(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_planted_count_is_found() -> None:
    assert list(counted_nouns('f"{len(found)} scenarios, {len(x)} cassettes changed"')) == [
        (1, "scenarios"),
        (1, "cassettes"),
    ]
    assert not list(counted_nouns("""f"{plural(len(found), 'scenario')} is {len(x)} has" """))
