"""Changes that Gemini might make."""

from .edits import (
    PlantedChange,
    change_document,
    plant_change,
    send_array,
    set_header,
    set_status,
    swap,
)

PLAIN = "messages/plain-text/gemini.unary"
STREAM = "messages/plain-text/gemini.stream"
CALL = "tools/single-call/gemini.unary"
LIMIT = "errors/rate-limit/gemini.unary"


GEMINI_CHANGES: tuple[PlantedChange, ...] = (
    plant_change(
        "finish reason renamed",
        PLAIN,
        "breaking",
        "clients ask finishReason why the answer ended",
        swap("finishReason", "stopReason"),
    ),
    plant_change(
        "token count gone",
        PLAIN,
        "breaking",
        "clients bill by candidatesTokenCount",
        change_document(lambda answer: answer["usageMetadata"].pop("candidatesTokenCount")),
    ),
    plant_change(
        "usage moved into the candidate",
        PLAIN,
        "breaking",
        "clients read usageMetadata at the top",
        change_document(lambda answer: answer["candidates"][0].update(usageMetadata=answer.pop("usageMetadata"))),
    ),
    plant_change(
        "count as string",
        CALL,
        "breaking",
        "a sum over counts fails",
        swap('"promptTokenCount": 61', '"promptTokenCount": "61"'),
    ),
    plant_change(
        "unknown finish reason",
        PLAIN,
        "breaking",
        "converters map each reason by name",
        swap('"STOP"', '"PAUSED_BY_POLICY"'),
    ),
    plant_change(
        "arguments as JSON string",
        CALL,
        "breaking",
        "args is read as an object",
        swap(r'"args": \{.*?\}', r'"args": "{\\"harbour\\": \\"Brest\\", \\"day\\": 3}"'),
    ),
    plant_change("args renamed", CALL, "breaking", "calls lose their arguments", swap('"args"', '"arguments"')),
    plant_change(
        "new unknown member of a candidate",
        PLAIN,
        "notable",
        "nobody knows it yet, and nobody needs it",
        change_document(lambda answer: answer["candidates"][0].update(confidenceBand="high")),
    ),
    plant_change(
        "documented member comes up",
        PLAIN,
        "cosmetic",
        "avgLogprobs is in the reference and optional",
        change_document(lambda answer: answer["candidates"][0].update(avgLogprobs=-0.12)),
    ),
    plant_change(
        "JSON array for server-sent events",
        STREAM,
        "breaking",
        "a reader of server-sent events finds none",
        send_array,
        set_header("content-type", "application/json"),
    ),
    plant_change(
        "line feeds for CRLF",
        STREAM,
        "notable",
        "legal in server-sent events, but hand-made readers split at CRLF",
        swap("\r\n", "\n"),
    ),
    plant_change(
        "parts is an object",
        PLAIN,
        "breaking",
        "parts is iterated over",
        change_document(lambda answer: answer["candidates"][0]["content"].update(parts={"text": "Mariehamn."})),
    ),
    plant_change(
        "thought flag becomes a word",
        "thinking/thought-parts-stream/gemini.stream",
        "breaking",
        "thought is a documented boolean",
        swap('"thought": true', '"thought": "summary"'),
    ),
    plant_change(
        "other error status",
        LIMIT,
        "breaking",
        "retries depend on the HTTP status",
        set_status(503, "Service Unavailable"),
    ),
    plant_change(
        "status word of the error gone",
        LIMIT,
        "breaking",
        "clients tell errors apart by error.status",
        change_document(lambda answer: answer["error"].pop("status")),
    ),
    plant_change(
        "address of a source renamed",
        "grounding/search-results/gemini.unary",
        "breaking",
        "web.uri is what citations are made of",
        swap('"uri"', '"url"'),
    ),
    plant_change(
        "model version gone",
        PLAIN,
        "notable",
        "optional and for logs alone, but it was always there",
        change_document(lambda answer: answer.pop("modelVersion")),
    ),
    plant_change(
        "new harm category",
        "safety/mid-answer/gemini.unary",
        "notable",
        "a new word of a list that grows; shown, not branched on",
        swap("HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_PERSUASION"),
    ),
    plant_change("other role", PLAIN, "breaking", "histories are built by role", swap('"model"', '"assistant"')),
    plant_change(
        "content null",
        PLAIN,
        "cosmetic",  # first expected: breaking; ProtoJSON takes null for absent, and candidates without content are known
        "an answer cut off early has none",
        change_document(lambda answer: answer["candidates"][0].update(content=None)),
    ),
)
