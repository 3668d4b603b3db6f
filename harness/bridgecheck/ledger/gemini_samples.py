"""Gemini's requests, responses and streams: bases, values, and what is left out. An event has the shape of a
response."""

from dataclasses import replace
from typing import Final

from bridgecheck.documented_leaves import Side
from bridgecheck.ledger.documents import ALPHA, BETA, BYTES, PNG, SAME, Base, Bases, LeftOut, Sample, Samples, Table
from bridgecheck.ledger.documents import canary_pair as canaries
from bridgecheck.ledger.documents import single_document as document
from bridgecheck.wire import JsonObject

_FILES: Final = "https://generativelanguage.googleapis.com/v1beta/files"
"""Where Google keeps files that were uploaded to it: nobody else can read them."""

_HELLO: Final[JsonObject] = {"role": "user", "parts": [{"text": "Hello"}]}
_HI: Final[JsonObject] = {"text": "Hi."}
_THOUGHT: Final[JsonObject] = {"text": "Let me think.", "thought": True}
_CALL: Final[JsonObject] = {"name": "get_weather", "args": {"city": "Oslo"}}
_CALL_WITH_ID: Final[JsonObject] = {"id": "call_one", **_CALL}
_RESULT: Final[JsonObject] = {"name": "get_weather", "response": {"result": "rain"}}
_IMAGE: Final[JsonObject] = {"inlineData": {"mimeType": "image/png", "data": PNG}}
_IMAGE_URL: Final[JsonObject] = {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/one.png"}}
_CODE: Final[tuple[JsonObject, ...]] = (
    {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
    {"text": "It is 1."},
)


def _server_tool_call_or_result(**fields: object) -> JsonObject:
    """Return the call or the result of a tool that Google runs."""
    return {"toolType": "GOOGLE_SEARCH_WEB", **fields, "id": "one"}


_SERVER_TOOL: Final[tuple[JsonObject, ...]] = (
    {"toolCall": _server_tool_call_or_result(args={"queries": ["rain"]})},
    {"toolResponse": _server_tool_call_or_result(response={"found": "rain"})},
)


def _schema(property_name: str) -> JsonObject:
    return {"type": "OBJECT", "properties": {property_name: {"type": "STRING"}}}


def _city_function(name: str) -> JsonObject:
    return {"name": name, "description": f"The {name.removeprefix('get_')} in a city.", "parameters": _schema("city")}


_TOOLS: Final = [{"functionDeclarations": [_city_function("get_weather"), _city_function("get_time")]}]
_JSON_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}}


def _request(*later_contents: JsonObject, **fields: object) -> Base:
    return document({"contents": [_HELLO, *later_contents], **fields})


def _request_with_media(part: JsonObject) -> Base:
    return document({"contents": [{"role": "user", "parts": [{"text": "Look at this."}, part]}]})


def _request_with_model_turn(*parts: JsonObject) -> Base:
    return _request({"role": "model", "parts": list(parts)}, _HELLO)


def _request_with_result(call: JsonObject, result: JsonObject, **call_fields: object) -> Base:
    """Return a dialog in which a function was called and its result came back."""
    model_turn: JsonObject = {"role": "model", "parts": [{"functionCall": call, **call_fields}]}
    return _request(model_turn, {"role": "user", "parts": [{"functionResponse": result}]}, tools=_TOOLS)


REQUEST_BASES: Final[Bases] = {
    "text": _request(),
    "dialog": _request({"role": "user", "parts": [{"text": "Are you there?"}]}),
    "system": _request(systemInstruction={"parts": [{"text": "Be brief."}]}),
    "tools": _request(tools=_TOOLS),
    "validated": _request(tools=_TOOLS, toolConfig={}),
    "json schema": _request(
        tools=[{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": _JSON_SCHEMA}]}]
    ),
    "search": _request(tools=[{"googleSearch": {}}]),
    "run code": _request(tools=[{"codeExecution": {}}]),
    "read pages": _request(tools=[{"urlContext": {}}]),
    "image": _request_with_media(_IMAGE),
    "document": _request_with_media({"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQ="}}),
    "video": _request_with_media(
        {"inlineData": {"mimeType": "video/mp4", "data": "AAAAHGZ0eXA="}, "videoMetadata": {}}
    ),
    "address": _request_with_media(_IMAGE_URL),
    "held file": _request_with_media({"fileData": {"mimeType": "image/png", "fileUri": f"{_FILES}/one"}}),
    "call": _request_with_result(_CALL, _RESULT),
    "call with id": _request_with_result(_CALL_WITH_ID, {"id": "call_one", **_RESULT}),
    "signed call": _request_with_result(_CALL, _RESULT, thoughtSignature=BYTES[0]),
    "signed text": _request_with_model_turn({**_HI, "thoughtSignature": BYTES[0]}),
    "image in result": _request_with_result(_CALL, {**_RESULT, "parts": [_IMAGE]}),
    "file in result": _request_with_result(_CALL, {**_RESULT, "parts": [_IMAGE_URL]}),
    "thought": _request_with_model_turn(_THOUGHT, _HI),
    "code": _request_with_model_turn(*_CODE),
    "server tool": _request_with_model_turn(*_SERVER_TOOL, {"text": "Rain."}),
}
"""name -> document; a leaf is run in the first that holds it."""

_AS_JSON: Final = ("generationConfig.responseMimeType", "application/json")
_ROOM: Final = ("generationConfig.maxOutputTokens", 60000)
"""Anthropic takes a budget only below the limit of the response."""

_PART: Final = "contents[].parts[]"
_CONFIG: Final = "generationConfig"
REQUEST_SAMPLES: Final[Samples] = {
    "contents[].role": Sample("user", "model", ("dialog",), occurrence=-1),
    f"{_PART}.thoughtSignature": Sample(bases=("signed call", "signed text")),
    f"{_PART}.inlineData.mimeType": Sample(bases=("image",)),
    f"{_PART}.inlineData.data": Sample(bases=("image", "document", "video")),
    f"{_PART}.inlineData.displayName": Sample(*canaries("canary.png"), ("image", "document")),
    f"{_PART}.fileData.mimeType": Sample(bases=("address",)),
    f"{_PART}.fileData.fileUri": (Sample(bases=("address",)), Sample(*canaries(f"{_FILES}/canary"), ("held file",))),
    f"{_PART}.functionCall.id": Sample(
        bases=("call with id",), also=(("contents.2.parts.0.functionResponse.id", SAME),)),
    f"{_PART}.functionCall.name": Sample(
        "get_weather", "get_time", also=(("contents.2.parts.0.functionResponse.name", SAME),)),
    f"{_PART}.functionResponse.id": Sample(
        bases=("call with id",), also=(("contents.1.parts.0.functionCall.id", SAME),)),
    f"{_PART}.functionResponse.name": Sample(
        "get_weather", "get_time", also=(("contents.1.parts.0.functionCall.name", SAME),)),
    f"{_PART}.functionResponse.response": Sample(*canaries({"result": "canary"})),
    f"{_PART}.functionResponse.scheduling": Sample("SILENT", "WHEN_IDLE"),
    f"{_PART}.videoMetadata": Sample(bases=("video",)),
    f"{_PART}.mediaResolution": Sample(bases=("image",), occurrence=-1),
    "tools[].functionDeclarations[].parameters": Sample(_schema(ALPHA), _schema(BETA)),
    "tools[].functionDeclarations[].response": Sample(_schema(ALPHA), _schema(BETA), ("tools",)),
    "tools[].functionDeclarations[].behavior": Sample("BLOCKING", "NON_BLOCKING"),
    "toolConfig.functionCallingConfig.mode": (
        Sample("ANY", "NONE", ("tools",)), Sample("VALIDATED", "AUTO", ("validated",))),
    "toolConfig.functionCallingConfig.allowedFunctionNames": Sample(
        ["get_weather"], ["get_time"], ("tools",), also=(("toolConfig.functionCallingConfig.mode", "ANY"),)),
    "toolConfig.retrievalConfig": Sample(*canaries({"languageCode": "canary"})),
    f"{_CONFIG}.topK": Sample(20, 40),
    f"{_CONFIG}.candidateCount": Sample(2, 3),
    f"{_CONFIG}.logprobs": Sample(2, 3, also=((f"{_CONFIG}.responseLogprobs", True),)),
    f"{_CONFIG}.responseMimeType": Sample("application/json", "text/plain"),
    f"{_CONFIG}.responseSchema": Sample(_schema(ALPHA), _schema(BETA), also=(_AS_JSON,)),
    f"{_CONFIG}.responseJsonSchema": Sample(also=(_AS_JSON,)),
    f"{_CONFIG}.responseModalities": Sample(["TEXT", "IMAGE"], ["AUDIO"]),
    f"{_CONFIG}.thinkingConfig.includeThoughts": Sample(
        also=((f"{_CONFIG}.thinkingConfig.thinkingBudget", 2048), _ROOM)),
    f"{_CONFIG}.thinkingConfig.thinkingBudget": Sample(1024, 30000, also=(_ROOM,)),
    f"{_CONFIG}.thinkingConfig.thinkingLevel": Sample("LOW", "HIGH", also=(_ROOM,)),
    f"{_CONFIG}.speechConfig": Sample(*canaries({"languageCode": "canary"})),
    f"{_CONFIG}.mediaResolution": Sample("MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_HIGH"),
    "safetySettings": Sample([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]),
    "labels": Sample(*canaries({"team": "canary"})),
    "tools[].googleSearch": Sample({}, {"timeRangeFilter": {"startTime": "2026-01-02T00:00:00Z"}}, ("search",)),
    "tools[].codeExecution": Sample({}, {"canary": ALPHA}, ("run code",)),
    "tools[].urlContext": Sample({}, {"canary": ALPHA}, ("read pages",)),
    f"{_CONFIG}.imageConfig": Sample({"aspectRatio": "1:1"}, {"aspectRatio": "16:9"}),
    "serviceTier": Sample("flex", "priority"),
    f"{_CONFIG}.routingConfig": Sample({"autoMode": {"modelRoutingPreference": "BALANCED"}},
        {"autoMode": {"modelRoutingPreference": "PRIORITIZE_COST"}}),
    f"{_CONFIG}.modelSelectionConfig": Sample(
        {"featureSelectionPreference": "BALANCED"}, {"featureSelectionPreference": "PRIORITIZE_COST"}),
}  # fmt: skip

_IN_STREAMS_ONLY: Final = "pieces of a streamed call: only a stream has them"
_NOT_IN_SYSTEM: Final = (
    "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode",
    "codeExecutionResult", "toolCall", "toolResponse", "videoMetadata", "mediaResolution",
    "partMetadata",
)  # fmt: skip

REQUEST_LEFT_OUT: Final[LeftOut] = {
    f"{_PART}.functionCall.partialArgs": _IN_STREAMS_ONLY,
    f"{_PART}.functionCall.willContinue": _IN_STREAMS_ONLY,
    "systemInstruction.role": "has no effect: the key names the speaker",
    **{f"systemInstruction.parts[].{key}": "system instructions are text" for key in _NOT_IN_SYSTEM},
}

_USAGE: Final[JsonObject] = {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}
_NAMES: Final[JsonObject] = {"modelVersion": "base-model", "responseId": "base-response"}


def _candidate(*parts: JsonObject, index: int = 0) -> JsonObject:
    return {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", "index": index}


def _response(*candidates: JsonObject, **usage: object) -> JsonObject:
    return {"candidates": list(candidates), "usageMetadata": _USAGE | usage, **_NAMES}


def _response_with_parts(*parts: JsonObject) -> Base:
    return document(_response(_candidate(*parts)))


_RATED: Final[JsonObject] = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW", "blocked": False}
_DETAILS: Final[dict[str, str]] = {
    "prompt details": "promptTokensDetails",
    "candidates details": "candidatesTokensDetails",
    "cache details": "cacheTokensDetails",
    "tool details": "toolUsePromptTokensDetails",
}
"""name of a base -> key of the counts by modality that it holds."""

_RESPONSES: Final[Bases] = {
    "text": _response_with_parts(_HI),
    "two": document(_response(_candidate(_HI), _candidate({"text": "Hello."}, index=1))),
    "thought": _response_with_parts(_THOUGHT, _HI),
    "call": _response_with_parts({"functionCall": _CALL}),
    "call with id": _response_with_parts({"functionCall": _CALL_WITH_ID}),
    "signed call": _response_with_parts({"functionCall": _CALL, "thoughtSignature": BYTES[0]}),
    "signed text": _response_with_parts({**_HI, "thoughtSignature": BYTES[0]}),
    "image": _response_with_parts(_HI, _IMAGE),
    "address": _response_with_parts(_HI, _IMAGE_URL),
    "code": _response_with_parts(*_CODE),
    "server tool": _response_with_parts(*_SERVER_TOOL, _HI),
    "rated": document(_response(_candidate(_HI) | {"safetyRatings": [_RATED]})),
    "blocked": document({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": [_RATED]},
        "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3}, **_NAMES}),
    **{name: document(_response(_candidate(_HI), **{key: [{"modality": "TEXT", "tokenCount": 2}]}))
        for name, key in _DETAILS.items()},
}  # fmt: skip

RESPONSE_BASES: Final[Bases] = {
    **_RESPONSES,
    "error": document({"error": {"code": 429, "message": "Too many.", "status": "RESOURCE_EXHAUSTED"}}, 429),
}


def _call_event(**call: object) -> JsonObject:
    """Return an event in the middle of a streamed call."""
    return _response({"content": {"role": "model", "parts": [{"functionCall": call}]}, "index": 0})


def _argument_event(path: str, **value: object) -> JsonObject:
    return _call_event(partialArgs=[{"jsonPath": path, **value}], willContinue=True)


STREAM_BASES: Final[Bases] = {
    **_RESPONSES,
    "events": Base(({"candidates": [{"content": {"role": "model", "parts": [_HI]}, "index": 0}],
        "responseId": "base-response"}, _response(_candidate({"text": " There."})))),
    "streamed call": Base((_call_event(name="get_weather", willContinue=True),
        _argument_event("$.city", stringValue="Oslo"), _argument_event("$.days", numberValue=2),
        _argument_event("$.warm", boolValue=True), _argument_event("$.wind", nullValue="NULL_VALUE"),
        _response(_candidate({"functionCall": {}})))),
}  # fmt: skip

_TOTAL_TOKENS: Final = (("usageMetadata.totalTokenCount", 90),)
_TOKEN: Final[JsonObject] = {"token": "canary", "tokenId": 7, "logProbability": -0.5}
_CITED: Final[JsonObject] = {"startIndex": 0, "endIndex": 2, "uri": "https://example.com/canary"}
_CANDIDATE_PART: Final = "candidates[].content.parts[]"

RESPONSE_SAMPLES: Final[dict[str, Sample]] = {
    "candidates[].index": Sample(1, 2, ("two",), occurrence=-1),
    f"{_CANDIDATE_PART}.thoughtSignature": Sample(bases=("signed call", "signed text")),
    f"{_CANDIDATE_PART}.videoMetadata": Sample(bases=("image",)),
    f"{_CANDIDATE_PART}.mediaResolution": Sample(bases=("image",), occurrence=-1),
    "candidates[].finishReason": Sample("STOP", "MAX_TOKENS", ("text",)),
    "candidates[].safetyRatings[].probability": Sample("NEGLIGIBLE", "LOW"),
    "candidates[].citationMetadata": Sample(*canaries({"citationSources": [_CITED]})),
    "candidates[].groundingMetadata": Sample(*canaries({"webSearchQueries": ["canary"]})),
    "candidates[].urlContextMetadata": Sample(
        *canaries({"urlMetadata": [{"retrievedUrl": "https://example.com/canary"}]})),
    "candidates[].avgLogprobs": Sample(-0.25, -0.5),
    "candidates[].logprobsResult": Sample(
        *canaries({"chosenCandidates": [_TOKEN], "topCandidates": [{"candidates": [_TOKEN]}]})),
    "promptFeedback.blockReason": Sample("SAFETY", "BLOCKLIST"),
    "promptFeedback.safetyRatings[].probability": Sample("HIGH", "MEDIUM"),
    **{f"usageMetadata.{name}TokenCount": Sample(also=_TOTAL_TOKENS)
        for name in ("prompt", "candidates", "thoughts", "toolUsePrompt")},
    "usageMetadata.cachedContentTokenCount": Sample(also=(("usageMetadata.promptTokenCount", 50),)),
    **{f"usageMetadata.{key}[].modality": Sample("IMAGE", "AUDIO") for key in _DETAILS.values()},
    "usageMetadata.trafficType": Sample("ON_DEMAND", "PROVISIONED_THROUGHPUT"),
    "usageMetadata.serviceTier": Sample("standard", "priority"),
    "createTime": Sample("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"),
    "modelStatus": Sample({"modelStage": "STABLE"}, {"modelStage": "RETIRED"}),
    "error.code": Sample(400, 404),
    "error.status": Sample("RESOURCE_EXHAUSTED", "UNAVAILABLE"),
    "error.details": Sample(
        *canaries([{"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": "canary"}]}])),
}  # fmt: skip

_LEFT_OUT: Final[LeftOut] = {
    "candidates[].content.role": "always model",
    f"{_CANDIDATE_PART}.functionResponse": "responses hold no results of functions that the caller runs",
}
RESPONSE_LEFT_OUT: Final[LeftOut] = {
    **_LEFT_OUT,
    f"{_CANDIDATE_PART}.functionCall.partialArgs": _IN_STREAMS_ONLY,
    f"{_CANDIDATE_PART}.functionCall.willContinue": _IN_STREAMS_ONLY,
}


_STREAMED_CALL: Final = f"[].{_CANDIDATE_PART}.functionCall"
_PIECES_FOLLOW: Final = "says that pieces follow: the pieces have leaves"
STREAM_SAMPLES: Final[Samples] = {
    **{f"[].{path}": replace(sample, also=tuple((f"0.{also}", value) for also, value in sample.also))
        for path, sample in RESPONSE_SAMPLES.items() if not path.startswith("error.")},
    f"[].{_CANDIDATE_PART}.text": Sample(bases=("text", "events")),
    f"{_STREAMED_CALL}.partialArgs[].jsonPath": Sample("$.canary_alpha", "$.canary_beta"),
}  # fmt: skip
STREAM_LEFT_OUT: Final[LeftOut] = {
    **{f"[].{path}": reason for path, reason in _LEFT_OUT.items()},
    f"{_STREAMED_CALL}.willContinue": _PIECES_FOLLOW,
    f"{_STREAMED_CALL}.partialArgs[].willContinue": _PIECES_FOLLOW,
    f"{_STREAMED_CALL}.partialArgs[].nullValue": "one value only",
}

TABLES: Final[dict[Side, Table]] = {
    "request": Table(REQUEST_BASES, REQUEST_SAMPLES, REQUEST_LEFT_OUT),
    "response": Table(RESPONSE_BASES, RESPONSE_SAMPLES, RESPONSE_LEFT_OUT),
    "stream": Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT),
}
