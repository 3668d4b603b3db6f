"""Which relations a case is tried on: none, a few, or all."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from bridgecheck.model.verdict import CaseKey, Layer
from bridgecheck.relations.table import RELATIONS, Relation

HowMany: TypeAlias = Literal["none", "fast", "all"]

FAST_COUNT: Final[dict[Layer, int]] = {"wire": 3, "sdk": 1, "http": 1, "chat": 0}
"""How many ``fast`` tries on a case: SDK clients and sockets cost more than a converter; a chat is not tried."""


@dataclass(frozen=True, slots=True)
class RelationChoice:
    """Which relations a case is tried with. ``fast`` takes a few that are realistic for the upstream's dialect, drawn
    by ``seed``. A case draws its own, whatever else runs, so that it can be repeated alone. What no provider sends is
    only tried on adapters, by ``all``: a provider's own SDK need not understand it."""

    how_many: HowMany = "none"
    seed: int = 0

    def needed_changing_relation_count(self, layer: Layer) -> int:
        """Return how many relations that change something are enough."""
        return FAST_COUNT[layer] if self.how_many == "fast" else len(RELATIONS)

    def relations_to_try(self, key: CaseKey) -> Iterator[Relation]:
        """Yield the relations to try, in turn, until enough of them changed something."""
        realistic = [relation for relation in RELATIONS if key.upstream in relation.realistic]
        if self.how_many == "all":
            yield from realistic if key.path == "native" else RELATIONS
        elif self.how_many == "fast":
            yield from sorted(realistic, key=lambda relation: self._draw_key(key, relation))

    def _draw_key(self, key: CaseKey, relation: Relation) -> bytes:
        return sha256(f"{self.seed} {key} {relation.id}".encode("utf-8", "backslashreplace")).digest()


NO_RELATIONS: Final = RelationChoice()
