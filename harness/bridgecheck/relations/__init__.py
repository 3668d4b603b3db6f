"""Relations: other forms in which a provider could have sent a response. What it means to the client must not change.

A relation varies one recorded stream, as bytes or as documents, and says for which upstream dialects providers are
known to send it so. Pure: playing the variation is ``run/relations``, comparing is ``checks/laws``. A document of an
unexpected shape stays as it is."""

from bridgecheck.relations.chunk import Documents
from bridgecheck.relations.table import RELATIONS, TWO_STREAMS, Relation

__all__ = ["RELATIONS", "TWO_STREAMS", "Documents", "Relation"]
