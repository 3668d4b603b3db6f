"""Lists of models, and single ones, between the three dialects.

Gemini: ``{"models": [{"name": "models/x", ...}]}``. OpenAI: ``{"object": "list", "data": [{"id", "object", "created",
"owned_by"}]}``. Anthropic: ``{"data": [{"type": "model", "id", "display_name", "created_at"}], "has_more", ...}``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.json_values import camel, integer, objs, text
from bridgecheck_reference.convert.times import format_timestamp, parse_timestamp

_OWNERS: Final[dict[Dialect, str]] = {"gemini": "google", "openai-chat": "openai", "anthropic": "anthropic"}
_EPOCH: Final = "1970-01-01T00:00:00Z"
"""Anthropic's own value for an unknown date."""


@dataclass(frozen=True, slots=True)
class Model:
    """The common members of a model in all dialects.

    ``id``: without ``models/``. ``created``: seconds since 1970, 0 where the provider gives no time. ``input_limit``
    and ``output_limit``: tokens, None where absent.
    """

    id: str
    name: str = ""
    description: str = ""
    created: int = 0
    owner: str = ""
    input_limit: int | None = None
    output_limit: int | None = None


def read_model(dialect: Dialect, item: JsonObject) -> Model:
    """Read one model of that dialect."""
    return _READ[dialect](item)


def read_models(dialect: Dialect, document: JsonObject) -> list[Model]:
    """Return the models of one page, without those that have no name."""
    items = document.get("models" if dialect == "gemini" else "data")
    return [model for model in (read_model(dialect, item) for item in objs(items)) if model.id]


def next_page_token(dialect: Dialect, document: JsonObject) -> str:
    """Return what requests the next page: a page token (Gemini), the last id (Anthropic); "" at the end."""
    if dialect == "gemini":
        return text(camel(document).get("nextPageToken"))
    return text(document.get("last_id")) if document.get("has_more") is True else ""


def write_model(dialect: Dialect, model: Model) -> JsonObject:
    return _WRITE[dialect](model)


def write_models(dialect: Dialect, models: Iterable[Model]) -> JsonObject:
    """Write all of them as one page."""
    items = [write_model(dialect, model) for model in models]
    if dialect == "gemini":
        return {"models": items}
    if dialect == "openai-chat":
        return {"object": "list", "data": items}
    ends = (items[0]["id"], items[-1]["id"]) if items else (None, None)
    return {"data": items, "has_more": False, "first_id": ends[0], "last_id": ends[1]}


def _from_gemini(item: JsonObject) -> Model:
    members = camel(item)
    return Model(
        id=text(members.get("name")).removeprefix("models/"),
        name=text(members.get("displayName")),
        description=text(members.get("description")),
        owner=_OWNERS["gemini"],
        input_limit=integer(members.get("inputTokenLimit")),
        output_limit=integer(members.get("outputTokenLimit")),
    )


def _from_openai(item: JsonObject) -> Model:
    return Model(
        id=text(item.get("id")),
        name=text(item.get("name")),
        created=integer(item.get("created")) or 0,
        owner=text(item.get("owned_by")) or _OWNERS["openai-chat"],
    )


def _from_anthropic(item: JsonObject) -> Model:
    return Model(
        id=text(item.get("id")),
        name=text(item.get("display_name")),
        created=parse_timestamp(item.get("created_at")) or 0,
        owner=_OWNERS["anthropic"],
        input_limit=integer(item.get("max_input_tokens")),
        output_limit=integer(item.get("max_tokens")),
    )


def _to_gemini(model: Model) -> JsonObject:
    members: JsonObject = {
        "name": model.id if model.id.startswith("tunedModels/") else f"models/{model.id}",
        "displayName": model.name or model.id,
        "description": model.description,
        "inputTokenLimit": model.input_limit,
        "outputTokenLimit": model.output_limit,
    }
    methods = ["generateContent", "streamGenerateContent", "countTokens"]
    return {key: value for key, value in members.items() if value} | {"supportedGenerationMethods": methods}


def _to_openai(model: Model) -> JsonObject:
    return {"id": model.id, "object": "model", "created": model.created, "owned_by": model.owner}


def _to_anthropic(model: Model) -> JsonObject:
    members: JsonObject = {
        "type": "model",
        "id": model.id,
        "display_name": model.name or model.id,
        "created_at": format_timestamp(model.created) if model.created else _EPOCH,
        "lifecycle": "active",
    }
    limits = {"max_input_tokens": model.input_limit, "max_tokens": model.output_limit}
    return members | {key: value for key, value in limits.items() if value is not None}


_READ: Final[dict[Dialect, Callable[[JsonObject], Model]]] = {
    "gemini": _from_gemini,
    "openai-chat": _from_openai,
    "anthropic": _from_anthropic,
}
_WRITE: Final[dict[Dialect, Callable[[Model], JsonObject]]] = {
    "gemini": _to_gemini,
    "openai-chat": _to_openai,
    "anthropic": _to_anthropic,
}
