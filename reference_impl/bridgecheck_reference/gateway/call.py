"""One client's request as every operation sees it: what it wants, of which upstream, under which names and keys."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.json_values import text
from bridgecheck_reference.gateway.config import GatewayConfig
from bridgecheck_reference.gateway.paths import PathTarget
from bridgecheck_reference.gateway.reply import FramingName
from bridgecheck_reference.gateway.request_body import Body
from bridgecheck_reference.gateway.signature_memory import ScopedSignatures
from bridgecheck_reference.gateway.upstream import Upstream

LOG: Final = logging.getLogger("bridgecheck_reference.gateway")


@dataclass(frozen=True, slots=True)
class Call:
    """``requested_model``: as the client names it, "" if it names none. ``model``: its name at the upstream.

    ``body`` None: a request without one (GET). ``headers``: by lower-case name, the last of each. ``query``: without
    ``key``. ``client_key``: "" where the client sent none. ``signatures``: those that this client may have dropped.
    ``profile``: how to convert.
    """

    target: PathTarget
    method: str
    upstream: Upstream
    requested_model: str
    model: str
    body: Body | None
    headers: Mapping[str, str]
    query: str
    client_key: str
    framing: FramingName
    signatures: ScopedSignatures
    profile: Profile = NATIVE

    @property
    def client(self) -> Dialect:
        return self.target.dialect

    @property
    def request_or_empty(self) -> JsonObject:
        """The client's document, {} where it sent none."""
        return self.body.document if self.body is not None else {}

    @property
    def streams(self) -> bool:
        """Whether the client requests a stream: Gemini in the path, the others in the body."""
        if self.client == "gemini":
            return self.target.verb == "streamGenerateContent"
        return self.request_or_empty.get("stream") is True

    @property
    def secrets(self) -> tuple[str, ...]:
        """Keys that must stand in no response and in no log."""
        return tuple(key for key in (self.upstream.key, self.client_key) if key)

    def with_request(self, request: JsonObject) -> "Call":
        return replace(self, body=Body(b"", request))


def find_requested_model(target: PathTarget, request: JsonObject) -> str:
    """Return the model in the path, else in the body, "" if neither names one."""
    return target.model or text(request.get("model"))


class UpstreamChooser:
    """Which upstream serves a model, and under which name."""

    def __init__(self, config: GatewayConfig, upstreams: Mapping[Dialect, Upstream]) -> None:
        self._config = config
        self._upstreams = upstreams

    def choose_or_fall_back(self, client: Dialect, requested_model: str) -> tuple[Upstream, str]:
        """Return the upstream of the table of models (by the requested name, then by the mapped one), else that of the
        client's own dialect, else the first; and the model's name there."""
        model = self.map_model(requested_model)
        dialect = self._dialect_in_table_of_models(requested_model) or self._dialect_in_table_of_models(model)
        default = client if client in self._upstreams else next(iter(self._upstreams))
        return self._upstreams[dialect or default], model

    def map_model(self, requested_model: str) -> str:
        """Return the model's name at the upstream."""
        model = self._config.models_mapping.get(requested_model)
        if model is None or model == requested_model:
            return requested_model
        LOG.info("Applying model mapping: %s -> %s", printable_excerpt(requested_model), printable_excerpt(model))
        return model

    def _dialect_in_table_of_models(self, model: str) -> Dialect | None:
        models = self._config.models
        if model in models:
            return models[model]
        return next((dialect for glob, dialect in models.items() if fnmatchcase(model, glob)), None)


def printable_excerpt(text: str) -> str:
    """Return at most 300 characters, with ``?`` for each that would break or hide a line of a log."""
    return "".join(char if char.isprintable() else "?" for char in text[:300])
