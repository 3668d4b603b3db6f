"""OpenAI Chat Completions. Source: https://platform.openai.com/docs/api-reference/chat"""

import json

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, Cut, Round, Says, Talk, given
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import JsonObject


def request(talk: Talk) -> JsonObject:
    messages: list[JsonObject] = [{"role": "system", "content": talk.system}] if talk.system else []
    for each in talk.rounds:
        messages.append({"role": "user", "content": _user(each)})
        messages.append(_model(each.model))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": result}
            for call, result in zip(each.model.calls, each.results, strict=True)
        ]
    messages.append({"role": "user", "content": talk.last})
    functions = [{"name": name, "description": "d", "parameters": SCHEMA} for name in talk.tools]
    tools = [{"type": "function", "function": function} for function in functions]
    choice = {"any": "required"}.get(talk.choice, talk.choice)
    return {
        "messages": messages, "max_tokens": 4000,
        **given(tools=tools, temperature=talk.temperature, top_p=talk.top_p, stop=list(talk.stop), tool_choice=choice),
    }  # fmt: skip


def _user(each: Round) -> object:
    if not each.image:
        return each.user
    url = f"data:image/png;base64,{PIXEL}"
    return [{"type": "text", "text": each.user}, {"type": "image_url", "image_url": {"url": url}}]


def _model(said: Says) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.args)}}
            for call in said.calls
        ]
    return message


def answer(said: Says) -> JsonObject:
    """The whole answer; ``streamed`` makes a stream of it."""
    message = _model(said)
    if said.thinks:
        message["reasoning_content"] = said.thinks
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": MODEL, "choices": [choice],
        "usage": _usage(said),
    }  # fmt: skip


def _usage(said: Says) -> JsonObject:
    return {
        "prompt_tokens": said.prompt,
        "completion_tokens": said.completion,
        "total_tokens": said.prompt + said.completion,
        **({"completion_tokens_details": {"reasoning_tokens": 3}} if said.thinks else {}),
        **({"prompt_tokens_details": {"cached_tokens": said.cached}} if said.cached else {}),
    }


def streamed(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """The chunks of a stream that says what the document says: texts and arguments in pieces, the finish by itself, the
    usage in a last chunk without choices."""
    chunk = {key: value for key, value in document.items() if key not in ("choices", "usage")}
    chunk["object"] = "chat.completion.chunk"
    chunks: list[JsonObject] = []
    for choice in objs(document.get("choices")):
        deltas = [*_deltas(obj(choice.get("message")), cut), {}]
        ends = [*[None] * (len(deltas) - 1), choice.get("finish_reason")]
        for delta, end in zip(deltas, ends, strict=True):
            chunks.append(
                chunk | {"choices": [{"index": choice.get("index", 0), "delta": delta, "finish_reason": end}]}
            )
    return [*chunks, chunk | {"choices": [], "usage": document["usage"]}] if "usage" in document else chunks


def _deltas(message: JsonObject, cut: Cut) -> list[JsonObject]:
    deltas: list[JsonObject] = [{"role": "assistant", "content": ""}]
    for name in ("reasoning_content", "reasoning", "content", "refusal"):
        deltas += [{name: piece} for piece in cut(text(message.get(name)))]
    for index, call in enumerate(objs(message.get("tool_calls"))):
        function = obj(call.get("function"))
        deltas.append({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in cut(text(function.get("arguments")))
        ]
    if "function_call" in message:
        legacy = obj(message["function_call"])
        deltas.append({"function_call": {**legacy, "arguments": ""}})
        deltas += [{"function_call": {"arguments": piece}} for piece in cut(text(legacy.get("arguments")))]
    rest = {key: value for key, value in message.items() if key in ("annotations", "images", "reasoning_details")}
    return [*deltas, rest] if rest else deltas
