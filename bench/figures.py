"""A measured figure beside its target, and the table of them.

The targets are where the project wants to be. How far beside its target a figure still passes is its slack: twice the
target where the machine decides (start-up, milliseconds), little where two things are measured against each other.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Final, Literal

from rich import box
from rich.table import Column, Table
from rich.text import Text

SLACK: Final = 2.0


@dataclass(frozen=True)
class Figure:
    """``unit``: what measured and target are in. ``better``: "at most" (less is better) or "at least". ``slack``: how
    many times worse than the target still passes; 1 where the target is exact. ``target`` None: told, not judged.
    ``detail``: the times behind a ratio."""

    name: str
    measured: float
    target: float | None
    unit: str
    better: Literal["at most", "at least"] = "at most"
    slack: float = SLACK
    detail: str = ""

    @property
    def limit(self) -> float | None:
        """As bad as may be: beyond it the bench fails."""
        if self.target is None:
            return None
        return self.target * self.slack if self.better == "at most" else self.target / self.slack

    @property
    def verdict(self) -> str:
        """ "met", "close" (beside the target, within its slack), "missed"; "untargeted" without a target."""
        if self.target is None or self.limit is None:
            return "untargeted"
        if self._is_within(self.target):
            return "met"
        return "close" if self._is_within(self.limit) else "missed"

    def _is_within(self, bound: float) -> bool:
        return self.measured <= bound if self.better == "at most" else self.measured >= bound

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "limit": self.limit, "verdict": self.verdict}


Measurement = Callable[[], Iterable[Figure]]
"""One file's measurements. Raises ImportError where what it measures is not installed."""

_STYLE: Final = {"met": "green", "close": "yellow", "missed": "bold red", "untargeted": "dim"}


def table(figures: Iterable[Figure], details: bool) -> Table:
    drawn = Table(
        Column("measured"),
        Column("is", justify="right", no_wrap=True),
        Column("target", no_wrap=True),
        Column("limit", no_wrap=True),
        Column("", no_wrap=True),
        *([Column("detail", no_wrap=True)] if details else []),
        box=box.SIMPLE_HEAD,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for figure in figures:
        drawn.add_row(*_cells(figure), *([Text(figure.detail, style="dim")] if details else []))
    return drawn


def _cells(figure: Figure) -> list[str | Text]:
    sign = "<=" if figure.better == "at most" else ">="
    measured = f"{figure.measured:.3g}" if figure.measured < 100 else f"{figure.measured:.0f}"
    verdict = Text(figure.verdict, style=_STYLE[figure.verdict])
    if figure.target is None:
        return [figure.name, measured, figure.unit, "", verdict]
    target, limit = f"{sign} {figure.target:g} {figure.unit}".rstrip(), f"{sign} {figure.limit:.3g}"
    return [figure.name, measured, target, limit, verdict]
