"""Embedding requests and responses between Gemini and OpenAI. Anthropic has no such endpoint.

Gemini: ``embedContent`` takes one ``content``, ``batchEmbedContents`` a list ``requests`` of such; newer models have
the settings under ``embedContentConfig``. OpenAI: ``input`` is one text or a list of them. Sources:
https://ai.google.dev/api/embeddings, https://platform.openai.com/docs/api-reference/embeddings (read 2026-11-21).
"""

import struct
from base64 import b64decode, b64encode
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, camel, integer, obj, objs, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.types.conversion import ConversionResult

_INEXPRESSIBLE: Final = ("taskType", "title", "autoTruncate", "documentOcr", "audioTrackExtraction")


def openai_embedding_request_to_gemini_batch(request: JsonObject, *, model: str) -> ConversionResult:
    """Return a ``batchEmbedContents`` body; ``model`` is Gemini's resource name.

    Raises ConversionError for tokens in place of text: they mean nothing to another vendor's model.
    """
    losses = Losses()
    settings: JsonObject = {}
    if request.get("dimensions") is not None:
        settings["outputDimensionality"] = request["dimensions"]
    for key in request.keys() - {"input", "model", "dimensions", "encoding_format"}:
        losses.add(key, "Gemini's embeddings have no place for it", "info")
    items: list[JsonObject] = [
        {"model": model, "content": {"parts": [{"text": item_text}]}, **settings}
        for item_text in _input_texts(request.get("input"))
    ]
    return ConversionResult({"requests": items}, tuple(losses), {"model": model})


def gemini_batch_embedding_response_to_openai(response: JsonObject, *, request: JsonObject, model: str) -> JsonObject:
    """Convert a response. ``request``: the client's, whose ``encoding_format`` "base64" is obeyed (little-endian 32-bit
    floats)."""
    packed = request.get("encoding_format") == "base64"
    vectors = [_vector_numbers(item.get("values")) for item in objs(response.get("embeddings"))]
    data = [
        {"object": "embedding", "index": index, "embedding": _pack_vector(vector) if packed else vector}
        for index, vector in enumerate(vectors)
    ]
    tokens = integer(camel(camel(response).get("usageMetadata")).get("promptTokenCount")) or 0
    return {
        "object": "list",
        "data": data,
        "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def gemini_embedding_request_to_openai(request: JsonObject, *, model: str) -> ConversionResult:
    """Convert an ``embedContent`` or ``batchEmbedContents`` body. Raises ConversionError for media and for several
    dimensions."""
    losses = Losses()
    body = camel(request)
    batch = "requests" in body
    items = [camel(item) for item in objs(body.get("requests"))] if batch else [body]
    if not items:
        raise ConversionError("requests: there is nothing to embed", "requests")
    dimensions: list[object] = []
    texts: list[str] = []
    for item in items:
        settings = {**item, **camel(item.get("embedContentConfig"))}
        texts.append(_content_text(item.get("content"), "requests[].content" if batch else "content"))
        if settings.get("outputDimensionality") not in dimensions:
            dimensions.append(settings.get("outputDimensionality"))
        for key in _INEXPRESSIBLE:
            if settings.get(key) is not None:
                losses.add(key, "OpenAI's embeddings have no place for it")
    if len(dimensions) > 1:
        raise ConversionError("requests[].outputDimensionality: OpenAI takes one for all texts", "outputDimensionality")
    value: JsonObject = {"model": model, "input": texts, "encoding_format": "float"}
    if dimensions[0] is not None:
        value["dimensions"] = dimensions[0]
    return ConversionResult(value, tuple(losses), {"model": model})


def openai_embedding_response_to_gemini(response: JsonObject, *, batch: bool) -> JsonObject:
    """Convert a response, in the order of the request's texts. ``batch``: for ``batchEmbedContents``."""
    items = sorted(objs(response.get("data")), key=lambda item: integer(item.get("index")) or 0)
    vectors: list[JsonObject] = [{"values": _vector_numbers(item.get("embedding"))} for item in items]
    value: JsonObject = {"embeddings": vectors} if batch else {"embedding": vectors[0] if vectors else {"values": []}}
    tokens = integer(obj(response.get("usage")).get("prompt_tokens"))
    if tokens is not None:
        value["usageMetadata"] = {"promptTokenCount": tokens}
    return value


def _input_texts(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise ConversionError("input: there is nothing to embed", "input")
    if not all(isinstance(item, str) for item in items):
        raise ConversionError("input: expected a text or a list of texts; tokens cannot be embedded here", "input")
    return [text(item) for item in items]


def _content_text(content: object, field: str) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in objs(camel(content).get("parts")):
        if not isinstance(part.get("text"), str):
            raise ConversionError(f"{field}.parts[]: OpenAI embeds text only", f"{field}.parts[]")
        texts.append(text(part["text"]))
    if not texts:
        raise ConversionError(f"{field}: there is nothing to embed", field)
    return "".join(texts)


def _vector_numbers(value: object) -> list[float]:
    """Return the numbers of a vector, packed or not; some hosts pack unrequested."""
    if isinstance(value, str):
        raw = b64decode(value)
        return list(struct.unpack(f"<{len(raw) // 4}f", raw[: len(raw) // 4 * 4]))
    return [item for item in arr(value) if isinstance(item, int | float) and not isinstance(item, bool)]


def _pack_vector(vector: list[float]) -> str:
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
