"""What a relation is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from bridgecheck.wire import Dialect, JsonObject

Documents: TypeAlias = tuple[JsonObject, ...]

Vary: TypeAlias = Callable[[Documents], Documents]
"""The events of one stream, sent in another way; the same events where there is nothing to vary."""

Recut: TypeAlias = Callable[[Sequence[bytes]], tuple[bytes, ...]]
"""The same for the chunks of a body."""


@dataclass(frozen=True, slots=True)
class Relation:
    """``rule``: what holds, one sentence. ``variation``: how the stream was varied, for a message. ``documents`` and
    ``chunks``: how it is done in an upstream dialect, one or the other; a relation with neither varies how the stream
    is played. ``realistic``: upstream dialect -> who sends such streams (ids of recorded traffic, or a URL); in any
    other dialect a failure is a NOTE."""

    id: str
    rule: str
    variation: str
    realistic: Mapping[Dialect, str]
    documents: Mapping[Dialect, Vary] = field(default_factory=dict)
    chunks: Mapping[Dialect, Recut] = field(default_factory=dict)

    @property
    def check(self) -> str:
        """The id of the check that it gives verdicts of."""
        return f"relation.{self.id}"

    @property
    def realistic_for(self) -> frozenset[Dialect]:
        return frozenset(self.realistic)
