"""Sampling settings and the response format: generationConfig and OpenAI's parameters, both ways.

One table serves both directions. Null counts as absent; an explicit 0 does not.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.gemini.schema import to_gemini_schema, to_json_schema
from bridgecheck_reference.convert.json_schema import meets_strict_mode, move_references_from_siblings
from bridgecheck_reference.convert.json_values import arr, integer, obj, text
from bridgecheck_reference.loss import Losses

SAME_VALUE: Final[tuple[tuple[str, str], ...]] = (
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("candidateCount", "n"),
    ("seed", "seed"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
    ("responseLogprobs", "logprobs"),
    ("logprobs", "top_logprobs"),
)
"""(generationConfig, OpenAI) of settings whose value means the same on both sides."""

CONVERTED_GEMINI_SETTINGS: Final[frozenset[str]] = frozenset({gemini for gemini, _ in SAME_VALUE}) | {
    "topK", "maxOutputTokens", "stopSequences", "thinkingConfig", "responseMimeType", "responseSchema",
    "responseJsonSchema", "responseModalities",
}  # fmt: skip

CONVERTED_OPENAI_SETTINGS: Final[frozenset[str]] = frozenset({openai for _, openai in SAME_VALUE}) | {
    "top_k", "random_seed", "max_tokens", "max_completion_tokens", "stop", "response_format", "modalities",
}  # fmt: skip

MOST_STOPS_OPENAI: Final = 4
MOST_STOPS_GEMINI: Final = 5

JSON: Final = "application/json"
PLAIN: Final = "text/plain"


def settings_to_openai(config: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    """Convert all of generationConfig (in camelCase) but thinking and the token limit."""
    result = {openai: config[gemini] for gemini, openai in SAME_VALUE if config.get(gemini) is not None}
    if config.get("topK") is not None:
        if profile.carries_gemini or profile.extended:
            result["top_k"] = config["topK"]
        else:
            losses.add("generationConfig.topK", "Chat Completions has no top_k")
    stops = config.get("stopSequences")
    if stops:
        result["stop"] = stops
        if len(arr(stops)) > MOST_STOPS_OPENAI and not profile.extended:
            losses.add("generationConfig.stopSequences", f"OpenAI takes at most {MOST_STOPS_OPENAI}")
    modalities = [text(modality).lower() for modality in arr(config.get("responseModalities"))]
    if modalities and (set(modalities) != {"text"} or profile.carries_gemini):
        result["modalities"] = modalities
    response_format = _response_format_to_openai(config, losses)
    if response_format is not None:
        result["response_format"] = response_format
    return result


def settings_to_gemini(request: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    """Return the part of generationConfig that these parameters become."""
    result = {gemini: request[openai] for gemini, openai in SAME_VALUE if request.get(openai) is not None}
    if "responseLogprobs" in result and not isinstance(result["responseLogprobs"], bool):
        result.update(_older_logprobs_to_gemini(request, losses))
    if request.get("random_seed") is not None:
        result.setdefault("seed", request["random_seed"])
    if request.get("top_k") is not None:
        result["topK"] = request["top_k"]
    limit = request.get("max_completion_tokens")
    limit = request.get("max_tokens") if limit is None else limit
    if limit is not None:
        result["maxOutputTokens"] = limit
    stop = request.get("stop")
    stops = [stop] if isinstance(stop, str) else arr(stop)
    if stops:
        result["stopSequences"] = stops
        if len(stops) > MOST_STOPS_GEMINI:
            losses.add("stop", f"Gemini takes at most {MOST_STOPS_GEMINI}")
    modalities = arr(request.get("modalities"))
    if modalities:
        result["responseModalities"] = [text(modality).upper() for modality in modalities]
    result.update(_response_format_to_gemini(obj(request.get("response_format")), profile, losses))
    return result


def _older_logprobs_to_gemini(request: JsonObject, losses: Losses) -> JsonObject:
    """Convert a ``logprobs`` that is no boolean: in the older Completions API it is how many alternatives to list."""
    losses.add("logprobs", "a boolean in Chat Completions; a number is read as top_logprobs", "info")
    count = integer(request["logprobs"])
    if count is None:
        return {"responseLogprobs": bool(request["logprobs"])}
    return {"responseLogprobs": True, **({"logprobs": count} if request.get("top_logprobs") is None else {})}


def _response_format_to_openai(config: JsonObject, losses: Losses) -> JsonObject | None:
    mime = text(config.get("responseMimeType"))
    schema = config.get("responseJsonSchema")
    if not isinstance(schema, dict):
        openapi_schema = config.get("responseSchema")
        schema = to_json_schema(openapi_schema) if isinstance(openapi_schema, dict) else None
    if mime and mime not in (JSON, PLAIN):
        losses.add("generationConfig.responseMimeType", f"Chat Completions cannot answer in {mime}")
        return None
    if isinstance(schema, dict):
        named: JsonObject = {"name": "response", "strict": True} if meets_strict_mode(schema) else {"name": "response"}
        return {"type": "json_schema", "json_schema": {**named, "schema": schema}}
    return {"type": "json_object" if mime == JSON else "text"} if mime else None


def _response_format_to_gemini(response_format: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    kind = response_format.get("type")
    if kind == "text":
        return {"responseMimeType": PLAIN}
    if kind == "json_object":
        return {"responseMimeType": JSON}
    if kind != "json_schema":
        if response_format:
            losses.add("response_format.type", "a format that Gemini does not have")
        return {}
    named = obj(response_format.get("json_schema"))
    if named.get("strict") and not profile.carries_openai:
        losses.add("response_format.json_schema.strict", "Gemini cannot promise to follow a schema strictly", "info")
    schema = named.get("schema")
    if not isinstance(schema, dict):
        return {"responseMimeType": JSON}
    if profile.schema_mode == "openapi":
        return {"responseMimeType": JSON, "responseSchema": to_gemini_schema(schema, losses)}
    if profile.carry == "nothing":
        schema = move_references_from_siblings(schema)
    return {"responseMimeType": JSON, "responseJsonSchema": schema}
