"""Scripted conversations for the chat and for the core of gemini-cli: messages, and what the provider answers."""

from typing import Final

Json = dict[str, object]
MODEL: Final = "gemini-2.5-flash"


def event(*parts: Json, finish: str = "", **more: object) -> Json:
    reason: Json = {"finishReason": finish} if finish else {}
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, **reason}
    return {"candidates": [candidate], **more}


def stream(*events: Json) -> Json:
    return {"events": list(events)}


def text(content: str, finish: str = "STOP", **more: object) -> Json:
    return stream(event({"text": content}, finish=finish, **more))


def whole(content: str) -> Json:
    return {"body": event({"text": content}, finish="STOP")}


def refusal(status: int, message: str = "not today", *details: Json) -> Json:
    word = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
    error = {"code": status, "message": message, "status": word.get(status, "UNAVAILABLE"), "details": list(details)}
    return {"status": status, "body": {"error": error}}


def call(name: str = "weather", identifier: str | None = "c1", **more: object) -> Json:
    found: Json = {"name": name, "args": {"city": "Köln"}}
    return {"functionCall": found if identifier is None else {**found, "id": identifier}, **more}


def result(name: str = "weather", identifier: str = "weather__c1") -> Json:
    return {"functionResponse": {"id": identifier, "name": name, "response": {"output": "rain"}}}


THOUGHT: Final = event({"text": "**Plan** I look.", "thought": True})
THOUGHT_ONLY: Final = stream(THOUGHT, event(finish="STOP"))
EMPTY: Final = stream(event({"text": ""}, finish="STOP"))
SAYS_MODEL: Final = whole('{"reasoning": "x", "next_speaker": "model"}')
SAYS_USER: Final = whole('{"reasoning": "x", "next_speaker": "user"}')
CALLS: Final = stream(THOUGHT, event(call(), call("time", "c2")), event(finish="STOP"))
RETRY_INFO: Final = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}
PER_DAY: Final = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "RequestsPerDay"}],
}
CITED: Final = event({"text": "x"}, finish="STOP")
CITED["candidates"][0]["citationMetadata"] = {"citationSources": [{"uri": "b"}, {"uri": "a", "title": "T"}]}  # type: ignore[index]
BUSY: Final = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
SIGNED: Final = stream(event({"text": "a"}), event({"text": "", "thoughtSignature": "c2ln"}, finish="STOP"))
BIG: Final = {"usageMetadata": {"promptTokenCount": 600_000}}


def conversation(name: str, *pairs: object, **more: object) -> Json:
    """``pairs``: messages, each a text or a list of parts, and the provider's answers, objects, in the order in which
    they are needed. Lists belong to the prompt before them."""
    steps, responses, prompt = [], [], 0
    for item in pairs:
        if isinstance(item, dict):
            responses.append(item)
        else:
            prompt += isinstance(item, str)
            steps.append({"message": item, "prompt": f"prompt-{prompt}"})
    if "cancel_at" in more:
        steps[-1]["cancel_at"] = more.pop("cancel_at")
    return {"id": name, "model": MODEL, "steps": steps, "responses": responses, **more}


INVALID: Final = (
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "STOP",
)  # fmt: skip

CONVERSATIONS: Final = [
    conversation("text", "hi", text("Hello.")),
    conversation("text-in-pieces", "hi", stream(event({"text": "Hel"}), event({"text": "lo."}), event(finish="STOP"))),
    conversation("two-messages", "hi", text("Hello."), "again", text("Again.")),
    conversation("thoughts", "hi", stream(THOUGHT, event({"text": "Done."}, finish="STOP")), "go on", text("Yes.")),
    conversation("thought-without-bold", "hi", stream(event({"text": " hm ", "thought": True}), event({"text": "x"}, finish="STOP"))),
    conversation("thought-text-and-call-in-one", "hi", stream(event(call(), {"text": "t"}, {"text": "**a**b", "thought": True}, finish="STOP"))),
    conversation("usage", "hi", stream(event({"text": "a"}, usageMetadata={"promptTokenCount": 3}), event(finish="STOP", usageMetadata={"promptTokenCount": 9}))),
    conversation("response-id", "hi", text("a", responseId="r1")),
    conversation("citations", "hi", stream(CITED)),
    conversation("signature-on-text", "hi", SIGNED, "more", text("ok")),
    conversation("empty-text-beside-text", "hi", stream(event({"text": "a"}, {"text": ""}), event({"text": "b"}, finish="STOP")), "more", text("ok")),
    conversation("call", "hi", stream(event(call(), finish="STOP")), [result()], text("Rain.")),
    conversation("call-signed", "hi", stream(event(call(thoughtSignature="c2ln"), finish="STOP")), [result()], text("Rain.")),
    conversation("call-without-id", "hi", stream(event(call(identifier=None), finish="STOP"))),
    conversation("call-with-blank-name", "hi", stream(event(call(" "), finish="STOP"))),
    conversation("parallel-calls", "hi", CALLS, [result(), result("time", "time__c2")], text("Rain at ten."), "thanks", text("Bye.")),
    conversation("same-tool-twice", "hi", stream(event(call(), call("weather", "c2"), finish="STOP")), [result(), result(identifier="weather__c2")], text("Rain.")),
    conversation("empty-after-result", "hi", stream(event(call(), finish="STOP")), [result()], EMPTY, "and?", text("ok")),
    conversation("no-finish-after-result", "hi", stream(event(call(), finish="STOP")), [result()], text("Rain", ""), "and?", text("ok")),
    conversation("failure-after-result", "hi", stream(event(call(), finish="STOP")), [result()], refusal(400), "and?", text("ok")),
    conversation("thought-only-after-result", "hi", stream(event(call(), finish="STOP")), [result()], THOUGHT_ONLY, text("ok")),
    *(conversation(f"status-{status}", "hi", refusal(status), "again", text("ok")) for status in (400, 401, 403, 404)),
    *(conversation(f"status-{status}-then-answer", "hi", refusal(status), refusal(status), text("ok")) for status in (429, 499, 500, 502, 503)),
    conversation("status-500-for-ever", "hi", *[refusal(500)] * 10, "again", text("ok")),
    conversation("status-503-for-ever", "hi", *[refusal(503)] * 10, "again", text("ok")),
    conversation("three-attempts", "hi", *[refusal(429)] * 3, max_attempts=3),
    conversation("retry-info", "hi", refusal(429, "slow", RETRY_INFO), text("ok")),
    conversation("quota-of-a-day", "hi", refusal(429, "slow", PER_DAY), "again", text("ok")),
    conversation("no-capacity", "hi", *[refusal(503, "you exhausted your capacity")] * 3),
    conversation("bad-request-that-names-429", "hi", refusal(400, "429 of 1500")),
    conversation("no-finish-then-answer", "hi", text("half", ""), text("whole")),
    conversation("no-finish-for-ever", "hi", *[text("half", "")] * 4, "again", text("ok")),
    *(conversation(f"invalid-{finish.lower()}", "hi", *[stream(event(finish=finish))] * 4, "again", text("ok")) for finish in INVALID),
    conversation("thought-only-then-answer", "hi", THOUGHT_ONLY, text("ok")),
    conversation("empty-then-answer", "hi", EMPTY, text("ok")),
    conversation("comment-only", "hi", text("<!-- nothing -->"), text("ok")),
    conversation("error-event-then-answer", "hi", stream(event({"text": "half"}), BUSY), text("whole")),
    conversation("malformed-with-text", "hi", text("x", "MALFORMED_FUNCTION_CALL"), text("ok")),
    conversation("max-tokens-with-text", "hi", text("x", "MAX_TOKENS")),
    conversation("next-is-user", "hi", text("What now?"), SAYS_USER, next_speaker=True),
    conversation("next-is-model", "hi", text("First, I"), SAYS_MODEL, text("Done."), SAYS_USER, next_speaker=True),
    conversation("next-is-unclear", "hi", text("a"), *[whole("no json")] * 5, next_speaker=True),
    conversation("nobody-asked-beside-a-call", "hi", stream(event(call(), finish="STOP")), next_speaker=True),
    conversation("empty-after-result-goes-on", "hi", stream(event(call(), finish="STOP")), [result()], stream(event(finish="STOP")), text("ok"), SAYS_USER, next_speaker=True),
    conversation("limit-of-a-session", "a", text("1"), "b", text("2"), "c", max_session_turns=2),
    conversation("loop", "hi", *[stream(event(*[call(identifier=f"c{n}") for n in range(6)], finish="STOP"))] * 2),
    conversation("cancelled", "a", text("1"), "b", stream(event({"text": "x"}), event({"text": "y"}), event(finish="STOP")), cancel_at=2),
    conversation("compression", "tell me " + "x" * 90, text(" ".join(map(str, range(60))), **BIG), "more", whole("<state_snapshot>s</state_snapshot>"), whole("<state_snapshot>t</state_snapshot>"), text("ok")),
    conversation("compression-without-a-longer-history", "tell me", text("short", **BIG), "more", whole("<state_snapshot>s</state_snapshot>"), whole("<state_snapshot>t</state_snapshot>"), text("ok"), "then", text("yes")),
    conversation("image", [{"text": "what?"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}], {"body": {"totalTokens": 300}}, text("A dot.")),
]  # fmt: skip
