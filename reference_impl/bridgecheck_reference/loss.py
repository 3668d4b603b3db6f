"""Losses: what a conversion could not express in the other dialect. Records on the result, never a silent drop."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Severity: TypeAlias = Literal["info", "warning"]
"""``info``: expressed differently, or without effect on the response. ``warning``: meaning was lost or approximated."""

LOSSES_HEADER: Final = "x-bridgecheck-losses"
"""Header of the gateway's responses: how many losses there were; of a stream, those of its request."""


@dataclass(frozen=True, slots=True)
class Loss:
    """``path``: location in the source document, list indices as ``[]``. ``reason``: one clause, no full stop."""

    path: str
    reason: str
    severity: Severity = "warning"


class Losses:
    """Collects losses in order, each (path, reason) once: a stream of any length keeps a bounded list."""

    __slots__ = ("_by_path_and_reason",)

    def __init__(self) -> None:
        self._by_path_and_reason: dict[tuple[str, str], Loss] = {}

    def add(self, path: str, reason: str, severity: Severity = "warning") -> None:
        """Record a loss, unless the same one is recorded already."""
        key = (path, reason)
        if key not in self._by_path_and_reason:
            self._by_path_and_reason[key] = Loss(path, reason, severity)

    def __iter__(self) -> Iterator[Loss]:
        return iter(self._by_path_and_reason.values())

    def __len__(self) -> int:
        return len(self._by_path_and_reason)
