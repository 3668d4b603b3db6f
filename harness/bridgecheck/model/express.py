"""What each dialect can say: one table of features, per dialect.

A comparison is made on what both ends (and the pivot, if the adapter goes through one) can say; what one end said and
the other cannot must stand in ``compare/losses``.
"""

from typing import Final

from bridgecheck.wire import Dialect

RESPONSE: Final[dict[str, frozenset[Dialect]]] = {}
REQUEST: Final[dict[str, frozenset[Dialect]]] = {}
