"""The google-genai SDK, given a body as it would stand on the wire: read into its types, called by its public API.

What it cannot carry in its types goes beside them through ``HttpOptions.extra_body``, so that it still arrives: keys
it does not know, contents with a part of an unknown kind (all contents then), and the whole body if a field is in it
that it keeps for Vertex AI. What it changes on the way is its own doing and belongs to the native path: base64 is
written anew, null members are dropped, some keys come out in snake_case. Of an answer it drops the keys it does not
know.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Final, TypeAlias

from google import genai
from google.genai import errors, types

from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.sdk_result import Connection, SdkError, tls_context
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.wire import JsonObject, Mode

_API_VERSION: Final = "v1beta"
"""Pinned: the SDK's default moved from v1beta to v1 in 3.x, and recordings should not move with it."""

_CONTENTS: Final = "contents"
_SETTINGS: Final = "generationConfig"
_CONFIG_FIELDS: Final = frozenset({"systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent"})
_VERTEX_ONLY: Final = "parameter is only supported in"
"""What google-genai 3.4.0 says, before it sends anything, of a field that it sends to Vertex AI alone."""

_BASE64_KEYS: Final = frozenset({"data", "thoughtSignature", "imageBytes", "videoBytes"})
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_SDK_FIELDS: Final = {"sdk_http_response", "parsed", "automatic_function_calling_history"}

Contents: TypeAlias = list[types.Content]
Config: TypeAlias = types.GenerateContentConfig
Prepared: TypeAlias = tuple[Contents, Config]


def request_documents(connection: Connection, mode: Mode, body: JsonObject, model: str) -> Iterator[JsonObject]:
    for prepare in (prepare_typed, prepare_whole_body_as_extra):
        contents, config = prepare(body)
        models = _client(connection).models
        try:
            if mode == "unary":
                yield _response_document(models.generate_content(model=model, contents=contents, config=config))
            else:
                for chunk in models.generate_content_stream(model=model, contents=contents, config=config):
                    yield _response_document(chunk)
            return
        except ValueError as error:
            if _VERTEX_ONLY not in str(error) or prepare is prepare_whole_body_as_extra:
                raise


async def request_documents_async(
    connection: Connection, mode: Mode, body: JsonObject, model: str
) -> AsyncIterator[JsonObject]:
    for prepare in (prepare_typed, prepare_whole_body_as_extra):
        contents, config = prepare(body)
        models = _client(connection).aio.models
        try:
            if mode == "unary":
                yield _response_document(await models.generate_content(model=model, contents=contents, config=config))
            else:
                async for chunk in await models.generate_content_stream(model=model, contents=contents, config=config):
                    yield _response_document(chunk)
            return
        except ValueError as error:
            if _VERTEX_ONLY not in str(error) or prepare is prepare_whole_body_as_extra:
                raise


def read_error(error: Exception) -> SdkError | None:
    if not isinstance(error, errors.APIError):
        return None
    headers = getattr(error.response, "headers", None) or {}
    status = error.code if isinstance(error.code, int) else None
    # The SDK makes up a document where the answer was none; one of the API has an ``error``.
    body = error.details if "error" in obj(error.details) else None
    text = error.message if body else getattr(error.response, "text", "") or error.message
    return SdkError(type(error).__name__, text or "", status, body, headers.get("retry-after", ""))


def prepare_whole_body_as_extra(body: JsonObject) -> Prepared:
    """The whole body beside the SDK's types. It insists on contents; they are replaced on the way."""
    placeholder = [types.Content(role="user", parts=[types.Part(text="")])]
    return placeholder, _add_extra_and_ask_once(Config(), body)


def prepare_typed(body: JsonObject) -> Prepared:
    """The body in the SDK's types, and what does not fit them in the config's ``extra_body``."""
    extra = {key: value for key, value in body.items() if key not in {_CONTENTS, _SETTINGS, *_CONFIG_FIELDS}}
    contents = _typed_contents(body)
    if contents is None:
        contents, _ = prepare_whole_body_as_extra(body)
        extra[_CONTENTS] = body.get(_CONTENTS, [])
    settings = obj(body.get(_SETTINGS))
    accepted = settings | {key: body[key] for key in _CONFIG_FIELDS & body.keys()}
    config = _typed_config_removing_rejected(accepted)
    rejected_settings = {key: value for key, value in settings.items() if key not in accepted}
    extra |= {key: body[key] for key in _CONFIG_FIELDS & body.keys() - accepted.keys()}
    if rejected_settings:
        extra[_SETTINGS] = rejected_settings
    return contents, _add_extra_and_ask_once(config, extra)


def _add_extra_and_ask_once(config: Config, extra: JsonObject) -> Config:
    """Add what goes beside the types. The SDK calls no tools and continues no answer by itself: one request a call."""
    if extra:
        config.http_options = types.HttpOptions(extra_body=extra)
    config.automatic_function_calling = types.AutomaticFunctionCallingConfig(disable=True)
    config.automatic_continuation = False
    return config


def _typed_contents(body: JsonObject) -> Contents | None:
    """None if there are none, or if a type of the SDK refuses one of them."""
    try:
        return [types.Content.model_validate(content) for content in arr(body.get(_CONTENTS))] or None
    except (ValueError, AttributeError):
        # AttributeError: an enum as a number, as Vertex writes it.
        return None


def _typed_config_removing_rejected(accepted: JsonObject) -> Config:
    """Takes out of ``accepted`` what the type refuses, until the rest fits."""
    while True:
        try:
            return Config.model_validate(accepted)
        except (ValueError, AttributeError) as error:
            for key in _rejected_keys(error) & accepted.keys() or set(accepted):
                del accepted[key]


def _rejected_keys(error: Exception) -> set[str]:
    """The top-level keys that a pydantic ValidationError complains of."""
    problems = error.errors() if hasattr(error, "errors") else []
    return {str(problem["loc"][0]) for problem in problems if problem["loc"]}


def _client(connection: Connection) -> genai.Client:
    with scrubbed_environment():
        return genai.Client(
            api_key=connection.api_key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=connection.base_url,
                api_version=_API_VERSION,
                httpx_client=connection.sync_client_without_size_limit,
                httpx_async_client=connection.async_client,
                # Else the client makes a TLS context of its own, for websockets nobody opens (30 ms).
                async_client_args={"ssl": tls_context()},
            ),
        )


def _response_document(response: types.GenerateContentResponse) -> JsonObject:
    return obj(_restore_base64(response.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=_SDK_FIELDS)))


def _restore_base64(value: object, key: str = "") -> object:
    """The SDK writes bytes in the URL-safe alphabet, the API in the standard one. User data has no such bytes: the keys
    below hold text there, which in ``args`` and ``response`` is left alone."""
    if isinstance(value, dict):
        preserved = ("args", "response")
        return {name: item if name in preserved else _restore_base64(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_restore_base64(item) for item in value]
    return value.translate(_TO_STANDARD) if isinstance(value, str) and key in _BASE64_KEYS else value
