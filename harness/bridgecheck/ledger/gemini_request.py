"""Gemini's requests: bases, values, and what is left out."""

from typing import Final

from bridgecheck.ledger.documents import (
    ALPHA,
    BETA,
    SAME,
    Base,
    Bases,
    LeftOut,
    Sample,
    Samples,
    Table,
    single_document,
)
from bridgecheck.wire import JsonObject

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
BYTES: Final = ("Y2FuYXJ5LWFscGhh", "Y2FuYXJ5LWJldGE=")
SIGNED: Final = ("Y2FuYXJ5LWFscGhhLXNpZ25hdHVyZQ==", "Y2FuYXJ5LWJldGEtc2lnbmF0dXJl")
"""Base64 of a few words."""

_HELD: Final = "https://generativelanguage.googleapis.com/v1beta/files"
"""Where Google keeps files that were given to it: nobody else can read them."""

_HELLO: Final[JsonObject] = {"role": "user", "parts": [{"text": "Hello"}]}
_SCHEMA: Final[JsonObject] = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}
_JSON_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}}
_WEATHER: Final[JsonObject] = {"name": "get_weather", "description": "The weather in a city.", "parameters": _SCHEMA}
_TIME: Final[JsonObject] = {"name": "get_time", "description": "The time in a city.", "parameters": _SCHEMA}
_TOOLS: Final = [{"functionDeclarations": [_WEATHER, _TIME]}]
_CALL: Final[JsonObject] = {"name": "get_weather", "args": {"city": "Oslo"}}
_RESULT: Final[JsonObject] = {"name": "get_weather", "response": {"result": "rain"}}


def _shown(part: JsonObject) -> Base:
    """The user shows something."""
    return single_document({"contents": [{"role": "user", "parts": [{"text": "Look at this."}, part]}]})


def _answered(*parts: JsonObject) -> Base:
    """The model answered with these parts before."""
    return single_document({"contents": [_HELLO, {"role": "model", "parts": list(parts)}, _HELLO]})


def _call_dialog(call: JsonObject, result: JsonObject, **extra: object) -> Base:
    """A tool was called and answered."""
    called = {"role": "model", "parts": [{"functionCall": call, **extra}]}
    answered = {"role": "user", "parts": [{"functionResponse": result}]}
    return single_document({"contents": [_HELLO, called, answered], "tools": _TOOLS})


BASES: Final[Bases] = {
    "text": single_document({"contents": [_HELLO]}),
    "dialog": single_document({"contents": [_HELLO, {"role": "user", "parts": [{"text": "Are you there?"}]}]}),
    "system": single_document({"contents": [_HELLO], "systemInstruction": {"parts": [{"text": "Be brief."}]}}),
    "tools": single_document({"contents": [_HELLO], "tools": _TOOLS}),
    "validated": single_document({"contents": [_HELLO], "tools": _TOOLS, "toolConfig": {}}),
    "json schema": single_document(
        {
            "contents": [_HELLO],
            "tools": [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": _JSON_SCHEMA}]}],
        }
    ),
    "search": single_document({"contents": [_HELLO], "tools": [{"googleSearch": {}}]}),
    "run code": single_document({"contents": [_HELLO], "tools": [{"codeExecution": {}}]}),
    "read pages": single_document({"contents": [_HELLO], "tools": [{"urlContext": {}}]}),
    "image": _shown({"inlineData": {"mimeType": "image/png", "data": PNG}}),
    "document": _shown({"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQ="}}),
    "video": _shown({"inlineData": {"mimeType": "video/mp4", "data": "AAAAHGZ0eXA="}, "videoMetadata": {}}),
    "address": _shown({"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/one.png"}}),
    "held file": _shown({"fileData": {"mimeType": "image/png", "fileUri": f"{_HELD}/one"}}),
    "call": _call_dialog(_CALL, _RESULT),
    "call with id": _call_dialog({"id": "call_one", **_CALL}, {"id": "call_one", **_RESULT}),
    "signed call": _call_dialog(_CALL, _RESULT, thoughtSignature=BYTES[0]),
    "signed text": _answered({"text": "Hi.", "thoughtSignature": BYTES[0]}),
    "image in result": _call_dialog(
        _CALL, {**_RESULT, "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}]}
    ),
    "file in result": _call_dialog(
        _CALL, {**_RESULT, "parts": [{"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/one.png"}}]}
    ),
    "thought": _answered({"text": "Let me think.", "thought": True}, {"text": "Hi."}),
    "code": _answered(
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "It is 1."},
    ),
    "server tool": _answered(
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["rain"]}, "id": "one"}},
        {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"found": "rain"}, "id": "one"}},
        {"text": "Rain."},
    ),
}
"""name -> document; a leaf is run in the first that holds it."""


def _tool(**args: object) -> JsonObject:
    return {"toolType": "GOOGLE_SEARCH_WEB", "id": "one", **args}


def _schema(word: str, kind: tuple[str, str] = ("OBJECT", "STRING")) -> JsonObject:
    return {"type": kind[0], "properties": {word: {"type": kind[1]}}}


_JSON: Final = ("object", "string")
_AS_JSON: Final = ("generationConfig.responseMimeType", "application/json")
_ROOM: Final = ("generationConfig.maxOutputTokens", 60000)
"""Anthropic takes a budget only below the limit of the answer."""

SAMPLES: Final[Samples] = {
    "contents[].role": Sample("user", "model", ("dialog",), occurrence=-1),
    "contents[].parts[].thought": Sample(True, False),
    "contents[].parts[].thoughtSignature": Sample(*SIGNED, ("signed call", "signed text")),
    "contents[].parts[].inlineData.mimeType": Sample("image/png", "image/jpeg", ("image",)),
    "contents[].parts[].inlineData.data": Sample(*BYTES, ("image", "document", "video")),
    "contents[].parts[].inlineData.displayName": Sample("canary-alpha.png", "canary-beta.png", ("image", "document")),
    "contents[].parts[].fileData.mimeType": Sample("image/png", "image/jpeg", ("address",)),
    "contents[].parts[].fileData.fileUri": (
        Sample("https://example.com/canary-alpha.png", "https://example.com/canary-beta.png", ("address",)),
        Sample(f"{_HELD}/canary-alpha", f"{_HELD}/canary-beta", ("held file",)),
    ),
    "contents[].parts[].functionCall.id": Sample(
        ALPHA, BETA, ("call with id",), also=(("contents.2.parts.0.functionResponse.id", SAME),)
    ),
    "contents[].parts[].functionCall.name": Sample(
        "get_weather",
        "get_time",
        also=(("contents.2.parts.0.functionResponse.name", SAME),),
    ),
    "contents[].parts[].functionCall.args": Sample({"city": ALPHA}, {"city": BETA}),
    "contents[].parts[].functionResponse.id": Sample(
        ALPHA, BETA, ("call with id",), also=(("contents.1.parts.0.functionCall.id", SAME),)
    ),
    "contents[].parts[].functionResponse.name": Sample(
        "get_weather", "get_time", also=(("contents.1.parts.0.functionCall.name", SAME),)
    ),
    "contents[].parts[].functionResponse.response": Sample({"result": ALPHA}, {"result": BETA}),
    "contents[].parts[].functionResponse.parts[].inlineData.mimeType": Sample("image/png", "image/jpeg"),
    "contents[].parts[].functionResponse.parts[].inlineData.data": Sample(*BYTES),
    "contents[].parts[].functionResponse.parts[].fileData.mimeType": Sample("image/png", "image/jpeg"),
    "contents[].parts[].functionResponse.parts[].fileData.fileUri": Sample(
        "https://example.com/canary-alpha.png", "https://example.com/canary-beta.png"
    ),
    "contents[].parts[].functionResponse.scheduling": Sample("SILENT", "WHEN_IDLE"),
    "contents[].parts[].executableCode.language": Sample("PYTHON", "LANGUAGE_UNSPECIFIED"),
    "contents[].parts[].codeExecutionResult.outcome": Sample("OUTCOME_OK", "OUTCOME_FAILED"),
    "contents[].parts[].toolCall": Sample(_tool(args={"queries": [ALPHA]}), _tool(args={"queries": [BETA]})),
    "contents[].parts[].toolResponse": Sample(_tool(response={"found": ALPHA}), _tool(response={"found": BETA})),
    "contents[].parts[].videoMetadata": Sample({"startOffset": "11s"}, {"startOffset": "12s"}, ("video",)),
    "contents[].parts[].mediaResolution": Sample(
        {"level": "MEDIA_RESOLUTION_LOW"}, {"level": "MEDIA_RESOLUTION_HIGH"}, ("image",), occurrence=-1
    ),
    "tools[].functionDeclarations[].parameters": Sample(_schema(ALPHA), _schema(BETA)),
    "tools[].functionDeclarations[].parametersJsonSchema": Sample(_schema(ALPHA, _JSON), _schema(BETA, _JSON)),
    "tools[].functionDeclarations[].response": Sample(_schema(ALPHA), _schema(BETA), ("tools",)),
    "tools[].functionDeclarations[].responseJsonSchema": Sample(_schema(ALPHA, _JSON), _schema(BETA, _JSON)),
    "tools[].functionDeclarations[].behavior": Sample("BLOCKING", "NON_BLOCKING"),
    "toolConfig.functionCallingConfig.mode": (
        Sample("ANY", "NONE", ("tools",)),
        Sample("VALIDATED", "AUTO", ("validated",)),
    ),
    "toolConfig.functionCallingConfig.allowedFunctionNames": Sample(
        ["get_weather"], ["get_time"], ("tools",), also=(("toolConfig.functionCallingConfig.mode", "ANY"),)
    ),
    "toolConfig.retrievalConfig": Sample({"languageCode": ALPHA}, {"languageCode": BETA}),
    "generationConfig.topK": Sample(20, 40),
    "generationConfig.candidateCount": Sample(2, 3),
    "generationConfig.responseLogprobs": Sample(True, False),
    "generationConfig.logprobs": Sample(2, 3, also=(("generationConfig.responseLogprobs", True),)),
    "generationConfig.responseMimeType": Sample("application/json", "text/plain"),
    "generationConfig.responseSchema": Sample(_schema(ALPHA), _schema(BETA), also=(_AS_JSON,)),
    "generationConfig.responseJsonSchema": Sample(_schema(ALPHA, _JSON), _schema(BETA, _JSON), also=(_AS_JSON,)),
    "generationConfig.responseModalities": Sample(["TEXT", "IMAGE"], ["AUDIO"]),
    "generationConfig.thinkingConfig.includeThoughts": Sample(
        True, False, also=(("generationConfig.thinkingConfig.thinkingBudget", 2048), _ROOM)
    ),
    "generationConfig.thinkingConfig.thinkingBudget": Sample(1024, 30000, also=(_ROOM,)),
    "generationConfig.thinkingConfig.thinkingLevel": Sample("LOW", "HIGH", also=(_ROOM,)),
    "generationConfig.speechConfig": Sample({"languageCode": ALPHA}, {"languageCode": BETA}),
    "generationConfig.mediaResolution": Sample("MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_HIGH"),
    "safetySettings": Sample(
        [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}],
    ),
    "labels": Sample({"team": ALPHA}, {"team": BETA}),
    "tools[].googleSearch": Sample({}, {"timeRangeFilter": {"startTime": "2026-01-02T00:00:00Z"}}, ("search",)),
    "tools[].codeExecution": Sample({}, {"canary": ALPHA}, ("run code",)),
    "tools[].urlContext": Sample({}, {"canary": ALPHA}, ("read pages",)),
    "generationConfig.imageConfig": Sample({"aspectRatio": "1:1"}, {"aspectRatio": "16:9"}),
    "serviceTier": Sample("flex", "priority"),
}

LEFT_OUT: Final[LeftOut] = {
    "contents[].parts[].functionCall.partialArgs": "pieces of a streamed call; a history holds whole ones",
    "contents[].parts[].functionCall.willContinue": "pieces of a streamed call; a history holds whole ones",
    "systemInstruction.role": "has no effect: the place says who speaks",
    **{
        f"systemInstruction.parts[].{key}": "system instructions are text"
        for key in (
            "thought",
            "thoughtSignature",
            "inlineData",
            "fileData",
            "functionCall",
            "functionResponse",
            "executableCode",
            "codeExecutionResult",
            "toolCall",
            "toolResponse",
            "videoMetadata",
            "mediaResolution",
        )
    },
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
