"""Relations: other ways a provider could have sent the same answer. What the client makes of it must not change.

A relation varies one recorded stream, as bytes or as documents, and says for which upstream dialects providers are
known to send it so. Pure: playing the variation is ``run/relations``, comparing is ``checks/relations``. Nothing is
varied that it does not understand: a document of a surprising shape stays as it is.
"""

from bridgecheck.relations.relation import Documents, Relation
from bridgecheck.relations.table import RELATIONS, TWO_STREAMS

__all__ = ["RELATIONS", "TWO_STREAMS", "Documents", "Relation"]
