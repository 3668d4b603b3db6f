"""What the far side's dialect cannot do without, though nobody said it: no invention."""

from typing import Final

from bridgecheck.ledger.kinds import Side
from bridgecheck.wire import Dialect

NEEDED: Final[dict[tuple[Side, Dialect], frozenset[str]]] = {
    ("request", "anthropic"): frozenset({"settings.max_tokens"}),
    ("request", "openai-chat"): frozenset({"settings.include_usage"}),
    ("response", "openai-chat"): frozenset({"response_id", "other:created"}),
    ("stream", "openai-chat"): frozenset({"response_id", "other:created"}),
    ("response", "anthropic"): frozenset({"response_id"}),
    ("stream", "anthropic"): frozenset({"response_id"}),
}
"""(side, dialect of the far side) -> paths of the normal form."""


def needed(side: Side, target: Dialect) -> frozenset[str]:
    """What may arrive without having been said."""
    return NEEDED.get((side, target), frozenset())
