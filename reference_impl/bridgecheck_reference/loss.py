"""What a conversion could not say in the other dialect: records on the result, never a silent drop."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["info", "warning"]
"""``info``: said in another way, or without effect on the answer. ``warning``: meaning was lost or approximated."""


@dataclass(frozen=True, slots=True)
class Loss:
    """``path``: where it stood in the source document, list indices as ``[]``. ``reason``: one clause, no full stop."""

    path: str
    reason: str
    severity: Severity = "warning"


class Losses:
    """Collects losses in order, each (path, reason) once: a stream of any length keeps a bounded list."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], Loss] = {}

    def add(self, path: str, reason: str, severity: Severity = "warning") -> None:
        key = (path, reason)
        if key not in self._seen:
            self._seen[key] = Loss(path, reason, severity)

    def __iter__(self) -> Iterator[Loss]:
        return iter(self._seen.values())

    def __len__(self) -> int:
        return len(self._seen)
