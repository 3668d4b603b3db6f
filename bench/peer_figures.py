"""A peer's conversion step beside ours: the factor between them, and the table of factors. Plain text: the peer's own
environment has nothing to draw with."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

HEAD = ("converted", "own", "peer", "factor", "target", "")


@dataclass(frozen=True)
class PeerFigure:
    """``own_seconds``, ``peer_seconds``: seconds for the same bytes. ``target``: how many times faster our own has to
    be, None for a figure without a target."""

    name: str
    own_seconds: float
    peer_seconds: float
    target: float | None = None

    @property
    def factor(self) -> float:
        return self.peer_seconds / self.own_seconds

    @property
    def verdict(self) -> str:
        """ "met", "missed", or "" without a target."""
        if self.target is None:
            return ""
        return "met" if self.factor >= self.target else "missed"

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "factor": self.factor, "verdict": self.verdict}


def lines(figures: Sequence[PeerFigure]) -> list[str]:
    """The table, a line each; times in microseconds."""
    rows = [HEAD, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return ["  ".join(_pad_cells(row, widths)).rstrip() for row in rows]


def _cells(figure: PeerFigure) -> tuple[str, ...]:
    target = "" if figure.target is None else f">= {figure.target:g}x"
    times = (f"{seconds * 1e6:,.1f} us" for seconds in (figure.own_seconds, figure.peer_seconds))
    return (figure.name, *times, f"{figure.factor:.0f}x", target, figure.verdict)


def _pad_cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Names to the left, figures to the right."""
    return [
        cell.ljust(width) if column in (0, 4, 5) else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
