"""Gemini's answers, whole and streamed: bases, values, and what is left out. An event has the shape of an answer."""

from typing import Final

from bridgecheck.ledger.documents import ALPHA, BETA, Base, Bases, LeftOut, Sample, Samples, Table, single_document
from bridgecheck.ledger.gemini_request import BYTES, PNG, SIGNED
from bridgecheck.wire import JsonObject

_USAGE: Final[JsonObject] = {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5}


def _candidate(*parts: JsonObject, index: int = 0) -> JsonObject:
    return {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", "index": index}


def _document(*candidates: JsonObject) -> JsonObject:
    return {
        "candidates": list(candidates),
        "usageMetadata": _USAGE,
        "modelVersion": "base-model",
        "responseId": "base-response",
    }


def _answer(*parts: JsonObject) -> Base:
    return single_document(_document(_candidate(*parts)))


_TEXT: Final[JsonObject] = {"text": "Hi."}
_CALL: Final[JsonObject] = {"name": "get_weather", "args": {"city": "Oslo"}}
_RATED: Final[JsonObject] = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW", "blocked": False}

_ANSWERS: Final[Bases] = {
    "text": _answer(_TEXT),
    "two": single_document(_document(_candidate(_TEXT), _candidate({"text": "Hello."}, index=1))),
    "thought": _answer({"text": "Let me think.", "thought": True}, _TEXT),
    "call": _answer({"functionCall": _CALL}),
    "call with id": _answer({"functionCall": {"id": "call_one", **_CALL}}),
    "signed call": _answer({"functionCall": _CALL, "thoughtSignature": BYTES[0]}),
    "signed text": _answer({"text": "Hi.", "thoughtSignature": BYTES[0]}),
    "image": _answer(_TEXT, {"inlineData": {"mimeType": "image/png", "data": PNG}}),
    "address": _answer(_TEXT, {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/one.png"}}),
    "code": _answer(
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "It is 1."},
    ),
    "server tool": _answer(
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["rain"]}, "id": "one"}},
        {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"found": "rain"}, "id": "one"}},
        _TEXT,
    ),
    "rated": single_document(_document(_candidate(_TEXT) | {"safetyRatings": [_RATED]})),
    "blocked": single_document(
        {
            "promptFeedback": {"blockReason": "SAFETY", "safetyRatings": [_RATED]},
            "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3},
            "modelVersion": "base-model",
            "responseId": "base-response",
        }
    ),
    **{
        name: single_document(
            _document(_candidate(_TEXT)) | {"usageMetadata": _USAGE | {key: [{"modality": "TEXT", "tokenCount": 2}]}}
        )
        for name, key in (
            ("prompt details", "promptTokensDetails"),
            ("candidates details", "candidatesTokensDetails"),
            ("cache details", "cacheTokensDetails"),
            ("tool details", "toolUsePromptTokensDetails"),
        )
    },
}

BASES: Final[Bases] = {
    **_ANSWERS,
    "error": single_document({"error": {"code": 429, "message": "Too many.", "status": "RESOURCE_EXHAUSTED"}}, 429),
}


def _piece(call: JsonObject) -> JsonObject:
    """An event in the middle of a streamed call."""
    return _document({"content": {"role": "model", "parts": [{"functionCall": call}]}, "index": 0})


def _pieces(*pieces: JsonObject) -> JsonObject:
    return _piece({"partialArgs": list(pieces), "willContinue": True})


STREAM_BASES: Final[Bases] = {
    **_ANSWERS,
    "events": Base(
        (
            {
                "candidates": [{"content": {"role": "model", "parts": [_TEXT]}, "index": 0}],
                "responseId": "base-response",
            },
            _document(_candidate({"text": " There."})),
        )
    ),
    "streamed call": Base(
        (
            _piece({"name": "get_weather", "willContinue": True}),
            _pieces({"jsonPath": "$.city", "stringValue": "Oslo"}),
            _pieces({"jsonPath": "$.days", "numberValue": 2}),
            _pieces({"jsonPath": "$.warm", "boolValue": True}),
            _pieces({"jsonPath": "$.wind", "nullValue": "NULL_VALUE"}),
            _document(_candidate({"functionCall": {}})),
        )
    ),
}


def _tool(**args: object) -> JsonObject:
    return {"toolType": "GOOGLE_SEARCH_WEB", "id": "one", **args}


def _chosen(word: str) -> JsonObject:
    token = {"token": word, "tokenId": 7, "logProbability": -0.5}
    return {"chosenCandidates": [token], "topCandidates": [{"candidates": [token]}]}


SAMPLES: Final[dict[str, Sample]] = {
    "candidates[].index": Sample(1, 2, ("two",), occurrence=-1),
    "candidates[].content.parts[].thought": Sample(True, False),
    "candidates[].content.parts[].thoughtSignature": Sample(*SIGNED, ("signed call", "signed text")),
    "candidates[].content.parts[].inlineData.mimeType": Sample("image/png", "image/jpeg"),
    "candidates[].content.parts[].inlineData.data": Sample(*BYTES),
    "candidates[].content.parts[].fileData.mimeType": Sample("image/png", "image/jpeg"),
    "candidates[].content.parts[].fileData.fileUri": Sample(
        "https://example.com/canary-alpha.png", "https://example.com/canary-beta.png"
    ),
    "candidates[].content.parts[].functionCall.args": Sample({"city": ALPHA}, {"city": BETA}),
    "candidates[].content.parts[].executableCode.language": Sample("PYTHON", "LANGUAGE_UNSPECIFIED"),
    "candidates[].content.parts[].codeExecutionResult.outcome": Sample("OUTCOME_OK", "OUTCOME_FAILED"),
    "candidates[].content.parts[].toolCall": Sample(_tool(args={"queries": [ALPHA]}), _tool(args={"queries": [BETA]})),
    "candidates[].content.parts[].toolResponse": Sample(
        _tool(response={"found": ALPHA}), _tool(response={"found": BETA})
    ),
    "candidates[].content.parts[].videoMetadata": Sample({"startOffset": "11s"}, {"startOffset": "12s"}, ("image",)),
    "candidates[].content.parts[].mediaResolution": Sample(
        {"level": "MEDIA_RESOLUTION_LOW"}, {"level": "MEDIA_RESOLUTION_HIGH"}, ("image",), occurrence=-1
    ),
    "candidates[].finishReason": Sample("STOP", "MAX_TOKENS", ("text",)),
    "candidates[].safetyRatings[].category": Sample("HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH"),
    "candidates[].safetyRatings[].probability": Sample("NEGLIGIBLE", "LOW"),
    "candidates[].citationMetadata": Sample(
        {"citationSources": [{"startIndex": 0, "endIndex": 2, "uri": "https://example.com/canary-alpha"}]},
        {"citationSources": [{"startIndex": 0, "endIndex": 2, "uri": "https://example.com/canary-beta"}]},
    ),
    "candidates[].groundingMetadata": Sample({"webSearchQueries": [ALPHA]}, {"webSearchQueries": [BETA]}),
    "candidates[].urlContextMetadata": Sample(
        {"urlMetadata": [{"retrievedUrl": "https://example.com/canary-alpha"}]},
        {"urlMetadata": [{"retrievedUrl": "https://example.com/canary-beta"}]},
    ),
    "candidates[].avgLogprobs": Sample(-0.25, -0.5),
    "candidates[].logprobsResult": Sample(_chosen(ALPHA), _chosen(BETA)),
    "promptFeedback.blockReason": Sample("SAFETY", "BLOCKLIST"),
    "promptFeedback.safetyRatings[].category": Sample("HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH"),
    "promptFeedback.safetyRatings[].probability": Sample("HIGH", "MEDIUM"),
    "usageMetadata.promptTokenCount": Sample(20, 30, also=(("usageMetadata.totalTokenCount", 90),)),
    "usageMetadata.candidatesTokenCount": Sample(20, 30, also=(("usageMetadata.totalTokenCount", 90),)),
    "usageMetadata.thoughtsTokenCount": Sample(20, 30, also=(("usageMetadata.totalTokenCount", 90),)),
    "usageMetadata.cachedContentTokenCount": Sample(20, 30, also=(("usageMetadata.promptTokenCount", 50),)),
    "usageMetadata.toolUsePromptTokenCount": Sample(20, 30, also=(("usageMetadata.totalTokenCount", 90),)),
    "usageMetadata.totalTokenCount": Sample(50, 60),
    **{
        f"usageMetadata.{key}[].modality": Sample("IMAGE", "AUDIO")
        for key in (
            "promptTokensDetails",
            "candidatesTokensDetails",
            "cacheTokensDetails",
            "toolUsePromptTokensDetails",
        )
    },
    "usageMetadata.trafficType": Sample("ON_DEMAND", "PROVISIONED_THROUGHPUT"),
    "usageMetadata.serviceTier": Sample("standard", "priority"),
    "createTime": Sample("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"),
    "modelStatus": Sample({"modelStage": "STABLE"}, {"modelStage": "RETIRED"}),
    "error.code": Sample(400, 404),
    "error.status": Sample("RESOURCE_EXHAUSTED", "UNAVAILABLE"),
    "error.details": Sample(
        [{"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": ALPHA}]}],
        [{"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": BETA}]}],
    ),
}

_PIECES: Final = "pieces of a streamed call: only a stream has them"
_ANSWERS_HOLD_NONE: Final = "answers hold no results of functions that the caller runs"

_LEFT_OUT: Final[LeftOut] = {
    "candidates[].content.role": "always model",
    "candidates[].content.parts[].functionResponse": _ANSWERS_HOLD_NONE,
}
LEFT_OUT: Final[LeftOut] = {
    **_LEFT_OUT,
    "candidates[].content.parts[].functionCall.partialArgs": _PIECES,
    "candidates[].content.parts[].functionCall.willContinue": _PIECES,
}


def _in_events(sample: Sample) -> Sample:
    also = tuple((f"0.{where}", value) for where, value in sample.also)
    return Sample(sample.a, sample.b, sample.bases, sample.occurrence, sample.everywhere, also)


_PARTIAL: Final = "[].candidates[].content.parts[].functionCall.partialArgs[]"
STREAM_SAMPLES: Final[Samples] = {
    **{f"[].{path}": _in_events(sample) for path, sample in SAMPLES.items() if not path.startswith("error.")},
    "[].candidates[].content.parts[].text": Sample(ALPHA, BETA, ("text", "events")),
    f"{_PARTIAL}.jsonPath": Sample("$.canary_alpha", "$.canary_beta"),
}
STREAM_LEFT_OUT: Final[LeftOut] = {
    **{f"[].{path}": why for path, why in _LEFT_OUT.items()},
    "[].candidates[].content.parts[].functionCall.willContinue": "says that pieces follow: the pieces have leaves",
    f"{_PARTIAL}.willContinue": "says that pieces follow: the pieces have leaves",
    f"{_PARTIAL}.nullValue": "one value only",
}

TABLE: Final = Table(BASES, SAMPLES, LEFT_OUT)
STREAM_TABLE: Final = Table(STREAM_BASES, STREAM_SAMPLES, STREAM_LEFT_OUT)
