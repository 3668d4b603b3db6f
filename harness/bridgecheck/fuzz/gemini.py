"""Gemini. Source: https://ai.google.dev/api/generate-content"""

from typing import Final

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, SIGNATURE, Cut, Round, Says, Talk, given
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.wire import JsonObject


def request(talk: Talk) -> JsonObject:
    contents: list[JsonObject] = []
    for each in talk.rounds:
        contents.append({"role": "user", "parts": _user(each)})
        contents.append({"role": "model", "parts": _model(each.model)})
        if each.results:
            contents.append({"role": "user", "parts": _results(each)})
    contents.append({"role": "user", "parts": [{"text": talk.last}]})
    config = given(temperature=talk.temperature, topP=talk.top_p, maxOutputTokens=4000, stopSequences=list(talk.stop))
    asked: JsonObject = {"contents": contents, "generationConfig": config}
    if talk.system:
        asked["systemInstruction"] = {"parts": [{"text": talk.system}]}
    if talk.tools:
        declared = [{"name": name, "description": "d", "parametersJsonSchema": SCHEMA} for name in talk.tools]
        asked["tools"] = [{"functionDeclarations": declared}]
    if talk.choice:
        asked["toolConfig"] = {"functionCallingConfig": {"mode": talk.choice.upper()}}
    return asked


def _user(each: Round) -> list[JsonObject]:
    image: JsonObject = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    return [{"text": each.user}, *([image] if each.image else [])]


def _model(said: Says) -> list[JsonObject]:
    parts: list[JsonObject] = [{"text": said.text}] if said.text else []
    return parts + [{"functionCall": {"id": call.id, "name": call.name, "args": call.args}} for call in said.calls]


def _results(each: Round) -> list[JsonObject]:
    return [
        {"functionResponse": {"id": call.id, "name": call.name, "response": {"output": result}}}
        for call, result in zip(each.model.calls, each.results, strict=True)
    ]


_FINISH: Final = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def answer(said: Says) -> JsonObject:
    """The whole answer; ``streamed`` makes a stream of it."""
    parts: list[JsonObject] = [{"text": said.thinks, "thought": True}] if said.thinks else []
    parts += [{"text": said.text}] if said.text else []
    calls: list[JsonObject] = [
        {"functionCall": {"name": call.name, "args": call.args, "id": call.id}} for call in said.calls
    ]
    if calls:
        calls[0]["thoughtSignature"] = SIGNATURE
    candidate: JsonObject = {
        "content": {"role": "model", "parts": parts + calls},
        "finishReason": _FINISH[said.finish],
        "index": 0,
    }
    return {"candidates": [candidate], "usageMetadata": _usage(said), "modelVersion": MODEL, "responseId": "resp-1"}


def _usage(said: Says) -> JsonObject:
    thoughts = 3 if said.thinks else 0
    return {
        "promptTokenCount": said.prompt,
        "candidatesTokenCount": said.completion - thoughts,
        "totalTokenCount": said.prompt + said.completion,
        **({"thoughtsTokenCount": thoughts} if thoughts else {}),
        **({"cachedContentTokenCount": said.cached} if said.cached else {}),
    }


def streamed(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """The events of a stream that says what the document says: a part or a piece of text each, the last one with how it
    ended. A signed part comes whole."""
    shared = {key: value for key, value in document.items() if key not in ("candidates", "usageMetadata")}
    candidates = list(objs(document.get("candidates")))
    events: list[JsonObject] = []
    for candidate in candidates:
        for part in objs(obj(candidate.get("content")).get("parts")):
            for piece in _pieces(part, cut):
                content = {"role": "model", "parts": [piece]}
                events.append({"candidates": [{"content": content, "index": candidate.get("index", 0)}], **shared})
    for candidate in candidates:
        ended = {key: value for key, value in candidate.items() if key != "content"}
        events.append({"candidates": [ended], **shared})
    if not events or len(candidates) > 1:
        events.append(dict(shared))
    if "usageMetadata" in document:
        events[-1]["usageMetadata"] = document["usageMetadata"]
    return events


def _pieces(part: JsonObject, cut: Cut) -> list[JsonObject]:
    words = part.get("text")
    if not isinstance(words, str) or not words or "thoughtSignature" in part:
        return [part]
    return [{**part, "text": piece} for piece in cut(words)]
