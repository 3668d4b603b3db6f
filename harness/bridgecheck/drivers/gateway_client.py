"""What a client of each dialect sends to a gateway: address, headers and body of a request."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote

from bridgecheck.drivers.recipe_keys import fill_placeholders
from bridgecheck.model.exchange import Headers, HttpRequest, Request
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

CLIENT_KEY: Final = "not-a-key-of-a-client"
"""What clients say for a key unless a recipe says otherwise: another word than the provider's."""

_ALWAYS: Final[Headers] = (
    ("content-type", "application/json"), ("accept", "*/*"), ("accept-encoding", "identity"),
    ("user-agent", "bridgecheck"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClientSide:
    """How clients of one dialect reach a gateway. ``base_path``: of the base URL, as the SDK takes it. ``model``: what
    they call the model, with ``{model}`` for the scenario's name and ``{upstream}`` for the provider's dialect.
    ``models``: the same for single models, by the scenario's name. ``headers``: beside the dialect's own, or in their
    place; names in lower case, values with placeholders until ``with_headers_filled``."""

    dialect: Dialect
    base_path: str
    model: str = "{model}"
    headers: Headers = ()
    models: Mapping[str, str] = field(default_factory=dict)

    def with_headers_filled(self, values: Mapping[str, str]) -> "ClientSide":
        """Return it with ``values`` in the place of the placeholders in its headers."""
        return replace(self, headers=tuple((name, fill_placeholders(value, values)) for name, value in self.headers))

    @property
    def key(self) -> str:
        """The client's key: the one in its headers, if a recipe has one."""
        name, prefix = RECORDS[self.dialect].key_header, RECORDS[self.dialect].key_prefix
        value = dict(self.headers).get(name, "")
        return value.removeprefix(prefix) or CLIENT_KEY

    def model_and_body(self, request: Request, upstream: Dialect) -> tuple[str, JsonObject]:
        """Return the model as this client names it, and the body with that name in it."""
        template = self.models.get(request.model, self.model)
        model = fill_placeholders(template, {"model": request.model, "upstream": upstream})
        body = request.body
        return model, body if "model" not in body or model == request.model else {**body, "model": model}

    def request(self, client_request: Request, upstream: Dialect, prefix: str = "") -> HttpRequest:
        """Return the HTTP request of a client. ``prefix``: the path of the gateway's own address."""
        record = RECORDS[self.dialect]
        model, body = self.model_and_body(client_request, upstream)
        path = record.paths[client_request.mode].replace("{model}", quote(model, safe="/"))
        key_header = (record.key_header, f"{record.key_prefix}{self.key}")
        # Of one name the last counts.
        headers = dict((*_ALWAYS, key_header, *record.headers, *self.headers, *client_request.headers))
        return HttpRequest("POST", f"{prefix}{self.base_path}{path}", tuple(headers.items()), _encode_body(body))


def default_clients() -> Mapping[Dialect, ClientSide]:
    return {dialect: ClientSide(dialect, RECORDS[dialect].base_path) for dialect in DIALECTS}


def _encode_body(body: JsonObject) -> bytes:
    """Readable; escaped throughout where a lone surrogate, which has no UTF-8, stands in it."""
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()
