"""The data of a script: every name in capitals that a part reads, as the script defines it anew."""

from typing import Any

CLIENT = UPSTREAM = MODE = ""
"""The dialects of both ends, and ``unary`` or ``stream``."""

ASKED: list[dict[str, Any]] = []
"""Per turn: ``body``, ``model`` and ``headers`` of the client's request; for a gateway its ``path`` too, and what the
model is ``called``."""

RECORDED: list[dict[str, Any]] = []
"""The provider's answers in order. For a converter ``status`` and ``documents``; for an adapter with an HTTP client
``status``, ``headers``, ``chunks`` of the body, and ``end``."""

BASE_PATH = ""
"""What stands behind the provider's host in the base URL of its SDK."""

PORT = 0
"""Where an adapter that runs already looks for the provider; 0: any that is free."""

EXPECTED: list[dict[str, Any]] = []
"""Literal expectations, or the differences that were found."""

LOOKED_AT: list[str] = []
VARYING: list[str] = []
FAULTY = ""
"""Members that tell of the fault, places in them that differ from run to run, and the digest of what came out."""

KEPT: Any = None
"""The documented fields of a message, for a client that sends no others back; None: all of it."""
