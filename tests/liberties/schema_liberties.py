"""What is right in another way beside faults that once passed unseen: schemas, and the images of results."""

from typing import Final

from liberty import Conversion, Liberty

from bridgecheck.wire import JsonObject

_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema (2026-11-23)"
_BLOCKS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls (2026-11-23)"


def _define_under_definitions(value: object) -> object:
    if isinstance(value, list):
        return [_define_under_definitions(item) for item in value]
    if isinstance(value, str) and value.startswith("#/$defs/"):
        return value.replace("#/$defs/", "#/definitions/")
    if not isinstance(value, dict):
        return value
    return {"definitions" if key == "$defs" else key: _define_under_definitions(item) for key, item in value.items()}


def _rename_definitions_of_tools(document: JsonObject, _: Conversion) -> JsonObject:
    return {key: _define_under_definitions(item) if key == "tools" else item for key, item in document.items()}


def _show_images_behind_results(document: JsonObject, _: Conversion) -> JsonObject:
    messages = document.get("messages")
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content")
        if message.get("role") != "user" or not isinstance(content, list):
            continue
        results = [block for block in content if isinstance(block, dict) and block.get("type") == "tool_result"]
        if len(results) == 1:  # of several nobody could tell which image is whose
            message["content"] = [*content, *_taken_images(results[0])]
    return document


_MEDIA: Final = ("image", "document")


def _taken_images(result: JsonObject) -> list[JsonObject]:
    """Take images and documents out of a result that has text too, and return them."""
    blocks = result.get("content")
    if not isinstance(blocks, list) or not any(block.get("type") == "text" for block in blocks):
        return []
    result["content"] = [block for block in blocks if block.get("type") not in _MEDIA]
    return [block for block in blocks if block.get("type") in _MEDIA]


def _show_parts_behind_results(document: JsonObject, _: Conversion) -> JsonObject:
    contents = document.get("contents")
    for content in contents if isinstance(contents, list) else []:
        results = [part["functionResponse"] for part in content.get("parts") or () if "functionResponse" in part]
        shown = results[0].pop("parts", None) if len(results) == 1 else None
        if shown:
            content["parts"] = [*content["parts"], *shown]
    return document


def _show_media_behind_results(document: JsonObject, conversion: Conversion) -> JsonObject:
    if conversion.upstream == "gemini":
        return _show_parts_behind_results(document, conversion)
    return _show_images_behind_results(document, conversion)


SCHEMA_LIBERTIES: Final[tuple[Liberty, ...]] = (
    Liberty(
        "definitions-under-their-older-name",
        _SCHEMA,
        "A reference may lead anywhere in its schema; definitions is the older name of $defs.",
        upstreams=("openai-chat", "anthropic"),
        upstream_request=_rename_definitions_of_tools,
    ),
    Liberty(
        "images-behind-results",
        _BLOCKS,
        "What follows the results in the same turn is seen with them, an image too.",
        upstreams=("anthropic", "gemini"),
        upstream_request=_show_media_behind_results,
    ),
)
