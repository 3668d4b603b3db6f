"""The data of a script: every name in capitals that a part reads, as the script defines it."""

from typing import Any

CLIENT = UPSTREAM = MODE = ""
"""The dialects of both ends, and ``unary`` or ``stream``."""

REQUESTS: list[dict[str, Any]] = []
"""For each turn ``body``, ``model`` and ``headers`` of the client's request; for a gateway its ``path`` too, and
``requested_model``, the name of the model in front of the gateway."""

RECORDED: list[dict[str, Any]] = []
"""The provider's responses in order. For a converter ``status`` and ``documents``; for an adapter with an HTTP client
``status``, ``headers``, ``chunks`` of the body, and ``end``."""

BASE_PATH = ""
"""The path after the provider's host in the base URL of its SDK."""

PORT = 0
"""The port where a running adapter expects the provider; 0: any free one."""

EXPECTED: list[dict[str, Any]] = []
"""Literal expectations, or the differences that were found."""

WATCHED_PATHS: list[str] = []
VARYING_PATHS: list[str] = []
FAULTY_DIGEST = ""
"""Paths on which the finding depends, those that differ from run to run, and the digest of the faulty result."""

KNOWN_FIELDS: Any = None
"""The documented fields of a message, for a client that sends no others back; None: all of it."""
