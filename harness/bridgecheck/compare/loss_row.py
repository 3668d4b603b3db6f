"""A row of the table of losses, and the targets that follow from ``model/express``."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.model.express import request_can_express, response_can_express
from bridgecheck.wire import DIALECTS, Dialect

Side: TypeAlias = Literal["response", "request"]

_UNMAPPED: Final = "other:"
"""What the path of a leaf without a field in the normal form begins with."""


@dataclass(frozen=True, slots=True)
class LossRow:
    """What ``origin`` can express and no ``targets`` can. ``paths``: see ``losses``. ``source``: URL or recorded id.

    ``location``: where the targets have room for it all the same, so that its loss is a WARN; of a leaf the path in
    their document, and whatever stands there is the leaf in their terms. "" if they have none."""

    name: str
    side: Side
    origin: Dialect
    targets: frozenset[Dialect]
    paths: tuple[str, ...]
    reason: str
    source: str
    location: str = ""

    def covers(self, side: Side, origin: Dialect, target: Dialect) -> bool:
        """Return whether the row is about conversions from ``origin`` to ``target``. What a provider's dialect cannot
        express for some dialect, it cannot express for a request of ``outcome`` either."""
        same_origin = origin in (self.origin, "outcome") if side == "request" else origin == self.origin
        return side == self.side and same_origin and target in self.targets


@dataclass(frozen=True, slots=True)
class RowMaker:
    """Makes the rows of one side and origin. ``source``: of rows that name none."""

    side: Side
    origin: Dialect
    source: str

    def __call__(
        self, name: str, paths: str, reason: str, *targets: Dialect, source: str = "", location: str = ""
    ) -> LossRow:
        """Return a row. ``paths``: separated by spaces. Without ``targets``: those of ``default_targets``."""
        listed = tuple(paths.split())
        chosen = frozenset(targets) or default_targets(self.side, self.origin, listed)
        return LossRow(name, self.side, self.origin, chosen, listed, reason, source or self.source, location)


def default_targets(side: Side, origin: Dialect, paths: tuple[str, ...]) -> frozenset[Dialect]:
    """Return the wire formats that cannot express any of these paths; all but the origin where each can express one of
    them, but in another form."""
    can_express = response_can_express if side == "response" else request_can_express
    rest = frozenset(dialect for dialect in DIALECTS if dialect != origin)
    features = [path for path in paths if not path.startswith(_UNMAPPED)]
    lacking = (dialect for dialect in rest if not any(can_express(path, [origin, dialect]) for path in features))
    return frozenset(lacking) or rest
