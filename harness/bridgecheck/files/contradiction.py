"""What a scenario contradicts itself in, and where that stands in its file."""

from typing import NamedTuple, TypeAlias

Steps: TypeAlias = tuple[str | int, ...]


class Contradiction(NamedTuple):
    """What a scenario cannot say. ``steps``: where it stands in the file."""

    steps: Steps
    what: str
    expected: str
