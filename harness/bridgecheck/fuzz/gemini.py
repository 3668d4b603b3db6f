"""Gemini. Source: https://ai.google.dev/api/generate-content"""

from typing import Final

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, SIGNATURE, Round, Says, Talk, given
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
    """The whole answer; ``normalise.unfold`` makes a stream of it."""
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
