"""Sources as links. Only http and https addresses become one; anything else stays text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.model.published_finding import FINDING_MEANS, Published
from bridgecheck.model.scenario import Basis, Source
from bridgecheck.report.html.page_header import StatusCount

_URL: Final = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:)\]]")
_TRACKER: Final = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>\d+)")


@dataclass(frozen=True, slots=True)
class LinkedText:
    """A piece of text; ``url``: where it leads, "" for nowhere."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """``kind``: what a rule rests on, "" for a plain source. ``bits``: the reference, its addresses as links."""

    kind: str
    bits: tuple[LinkedText, ...]
    note: str = ""


def cite_basis(reference: Basis) -> Citation:
    note = f"read {reference.date}" if reference.date else ""
    return Citation(reference.kind, link_urls_and_issues(reference.ref), note)


def cite_source(reference: Source) -> Citation:
    if is_web_address(reference.url):
        return Citation("", (LinkedText(reference.ref or reference.url, reference.url),), reference.note)
    return Citation("", link_urls_and_issues(reference.ref), reference.note)


def cite_text(reference: str) -> Citation:
    """Cite free text in which addresses lead somewhere."""
    return Citation("", link_urls_and_issues(reference))


def link_urls_and_issues(text: str) -> tuple[LinkedText, ...]:
    """Return the text in pieces: addresses, and issues of a public tracker (``owner/name#1``), lead there."""
    found: list[LinkedText] = []
    at = 0
    for match in re.finditer(f"{_URL.pattern}|{_TRACKER.pattern}", text):
        if match.start() > at:
            found.append(LinkedText(text[at : match.start()]))
        issue = match["repository"]
        url = f"https://github.com/{issue}/issues/{match['number']}" if issue else match[0]
        found.append(LinkedText(match[0], url if is_web_address(url) else ""))
        at = match.end()
    return (*found, LinkedText(text[at:])) if at < len(text) else tuple(found)


def is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and url.isprintable()


def count_finding_statuses(found: Sequence[Published]) -> tuple[StatusCount, ...]:
    """Count how many there are of each status."""
    counts = Counter(finding.status for finding in found)
    return tuple(
        StatusCount(counts[status], status.upper(), means) for status, means in FINDING_MEANS.items() if counts[status]
    )
