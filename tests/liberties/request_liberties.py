"""What reaches the provider, spelt in another way that means the same."""

from typing import Final

from liberty import Conversion, Liberty

from bridgecheck.wire import JsonObject

_FUNCTION_CALLING: Final = "https://ai.google.dev/api/caching#FunctionResponse (2026-11-22)"


def _result_key(key: str) -> "Liberty":
    def rename(document: JsonObject, _: Conversion) -> JsonObject:
        for response in _function_responses(document):
            body = response.get("response")
            if isinstance(body, dict) and set(body) == {"output"}:
                response["response"] = {key: body["output"]}
        return document

    return Liberty(
        f"result-under-{key}",
        _FUNCTION_CALLING,
        'A function\'s result is any JSON object; "output" is only the key the API looks at first.',
        upstreams=("gemini",),
        upstream_request=rename,
    )


def _function_responses(document: JsonObject) -> list[JsonObject]:
    contents = document.get("contents")
    parts = (
        [part for content in contents if isinstance(content, dict) for part in content.get("parts", [])]
        if isinstance(contents, list)
        else []
    )
    return [
        part["functionResponse"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)
    ]


REQUEST_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _result_key("result"),
    _result_key("content"),
)
