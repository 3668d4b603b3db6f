"""Badges: the verdict of a report in two or three words, for shields.io and as an SVG picture.

Words and never a percentage: nine of ten kept is not nine tenths of a conversation. A run of a part says so. One with
accepted failures is not called conformant and has a colour of its own: it counts their findings. A badge is as old as
its report: it says ``expired`` after 90 days when it is made again, and its title names the day.

Source: https://shields.io/badges/endpoint-badge (2026-11-22).
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from bridgecheck.model.counts import plural
from bridgecheck.model.verdict import Status
from bridgecheck.report.compare import NON_SELECTING_OPTIONS
from bridgecheck.report.junit import escape_for_xml
from bridgecheck.report.model import ERRORED, FAILED, NOTHING_JUDGED, Report
from bridgecheck.wire import JsonObject

Colour: TypeAlias = str

GOOD: Final[Colour] = "2e7d32"
BAD: Final[Colour] = "c62828"
KNOWN: Final[Colour] = "553c9a"
UNSURE: Final[Colour] = "616161"
LABEL: Final[Colour] = "424242"
"""White text on any of them has a contrast of at least 5:1."""

NAMESPACE: Final = "http://www.w3.org/2000/svg"
HEIGHT: Final = 20
PAD: Final = 6
BASELINE: Final = 14
NARROW: Final = frozenset("fijlrt.,:;!'|()[]I /-")
WIDE: Final = frozenset("mwMWQ@%&")
"""Characters that are narrower and wider than the others in the fonts that the picture names, at 11 px."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The texts of a badge: ``label`` left, ``message`` right; ``title`` for screen readers and on hovering."""

    label: str
    message: str
    colour: Colour
    title: str


def make_badge(report: Report, today: date) -> Badge:
    info = report.info
    label = f"bridgecheck {info.requirements}".rstrip()
    message, colour = ("expired", UNSURE) if info.is_expired_or_undated(today) else _unexpired_badge_message(report)
    adapter = " ".join(filter(None, (info.adapter, info.version)))
    day = f", observed {info.started[:10]}" if info.started else ""
    return Badge(label, message, colour, f"{label}: {adapter} {message}{day}")


def to_shields_endpoint(badge: Badge) -> JsonObject:
    """Return the JSON document that shields.io reads at an endpoint."""
    return {"schemaVersion": 1, "label": badge.label, "message": badge.message, "color": badge.colour}


def to_svg(badge: Badge) -> str:
    """Return the picture. It loads no font, script or style."""
    left, right = _padded_text_width(badge.label), _padded_text_width(badge.message)
    title = escape_for_xml(badge.title)
    label_attributes = f'role="img" aria-label={quoteattr(title)}'
    return f"""\
<svg xmlns="{NAMESPACE}" width="{left + right}" height="{HEIGHT}" {label_attributes}>
<title>{escape(title)}</title>
<rect width="{left}" height="{HEIGHT}" fill="#{LABEL}"/>
<rect x="{left}" width="{right}" height="{HEIGHT}" fill="#{badge.colour}"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
{_svg_text_element(badge.label, PAD, left)}
{_svg_text_element(badge.message, left + PAD, right)}
</g>
</svg>
"""


def _unexpired_badge_message(report: Report) -> tuple[str, Colour]:
    partial_note = "partial" if report.info.partial else ""
    if report.exit_code == FAILED:
        return ", ".join(filter(None, (partial_note, _finding_or_stale_count_text(report)))), BAD
    if report.exit_code == ERRORED:
        return partial_note or "harness errors", UNSURE
    if report.exit_code == NOTHING_JUDGED:
        return "nothing judged", UNSURE
    is_selection = any(option not in NON_SELECTING_OPTIONS for option, _ in report.info.selection)
    known = len(report.accepted_findings)
    message, colour = (plural(known, "known failure"), KNOWN) if known else ("conformant", GOOD)
    return f"{message}{' in part' if is_selection else ''}", colour


def _finding_or_stale_count_text(report: Report) -> str:
    counted: tuple[Status, ...] = ("FAIL", "WARN") if report.info.strict else ("FAIL",)
    count = sum(finding.status in counted for finding in report.findings)
    return plural(count, "finding") if count else plural(len(report.stale_deviations), "stale deviation")


def _svg_text_element(text: str, left: int, width: int) -> str:
    """Return an SVG text element, stretched to the computed width whatever the font is."""
    return f'<text x="{left}" y="{BASELINE}" textLength="{width - 2 * PAD}">{escape(escape_for_xml(text))}</text>'


def _padded_text_width(text: str) -> int:
    """Return the width of one half of the badge in pixels."""
    units = sum(4 if char in NARROW else 10 if char in WIDE else 7 for char in text)
    return units + 2 * PAD
