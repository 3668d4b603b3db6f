"""The records of all dialects, and which of them a request path belongs to.

Gemini names model and mode in the path; OpenAI and Anthropic name both in the body."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from bridgecheck.wire import Dialect, Mode, anthropic_documents, gemini_documents, own_types_documents
from bridgecheck.wire import openai_chat_documents as openai_chat
from bridgecheck.wire.dialect import DialectRecord, Operation

RECORDS: Final[dict[Dialect, DialectRecord]] = {
    module.RECORD.name: module.RECORD
    for module in (gemini_documents, openai_chat, anthropic_documents, own_types_documents)
}

MOST_SPOKEN: Final[Dialect] = openai_chat.RECORD.name
"""The dialect that hosts of any name speak: taken where nothing tells dialects apart."""

SDKS: Final = tuple(record.sdk for record in RECORDS.values() if record.sdk)
"""The official SDKs of all dialects that providers speak."""

_AZURE_DEPLOYMENT: Final = re.compile(r"/deployments/(?P<model>[^/]+)/")
_MODELS: Final = re.compile(r"/models$|/v1/models/[^/]+$")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a request path names. ``model``: "" where the body names it. ``mode``: None where the body names it, and for
    everything that generates nothing."""

    dialect: Dialect
    operation: Operation
    model: str = ""
    mode: Mode | None = None


def base_url(dialect: Dialect, origin: str) -> str:
    """Return the base URL that the dialect's SDK takes for a provider at ``origin`` (scheme, host and port)."""
    return f"{origin}{RECORDS[dialect].base_path}"


@lru_cache(maxsize=1024)
def endpoint(path: str, host: str = "") -> Endpoint | None:
    """Return what a request path names, its query ignored; None if it belongs to no dialect we know.
    What stands before its end (a gateway's prefix, a version) is ignored. ``host`` decides only ``/v1/models``."""
    bare = f"/{unquote(path.partition('?')[0]).strip('/')}"
    for record in RECORDS.values():
        for pattern, operation, mode in record.endpoints:
            match = pattern.search(bare)
            if match is not None:
                return Endpoint(record.name, operation, _model_or_deployment_in_path(match, bare), mode)
    return Endpoint(_find_dialect_of_host_or_default(host), "models") if _MODELS.search(bare) else None


_MOUNT: Final = re.compile(r"(?:/(?!v\d|(?:chat|completions|messages|models)(?:/|$))[^/]+)*")
"""Segments that a host may put before an API: no version and no part of an operation is among them."""


def is_served_path(dialect: Dialect, path: str) -> bool:
    """Return whether the API generates at this path: at its own, behind any host's prefix. A version or an operation
    that stands there twice, or a version that is missing, makes a path that no API has."""
    bare = re.sub("/+", "/", f"/{unquote(path.partition('?')[0])}").rstrip("/")
    served = RECORDS[dialect].served_paths
    return any(_MOUNT.fullmatch(bare, 0, match.start()) for match in served.finditer(bare) if match.end() == len(bare))


def _model_or_deployment_in_path(match: re.Match[str], path: str) -> str:
    deployment = _AZURE_DEPLOYMENT.search(path)
    named = match.groupdict().get("model")
    return named or (deployment["model"] if deployment else "")


def _find_dialect_of_host_or_default(host: str) -> Dialect:
    domains = ((record.name, record.domain) for record in RECORDS.values() if record.domain)
    return next((name for name, domain in domains if host.endswith(domain)), MOST_SPOKEN)
