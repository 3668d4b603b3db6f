"""A machine of which a test says how busy it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self


@dataclass
class _Load:
    is_stalled: bool
    is_busy: bool
    are_children_computing: bool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def measure(*, is_stalled: bool = False, is_busy: bool = False, is_computing: bool = False) -> Callable[[], Any]:
    """Return what makes a measurement with this result, in place of ``MachineLoad``."""
    return lambda: _Load(is_stalled, is_busy or is_stalled, is_computing)
