"""OpenAI Chat Completions. Source: https://platform.openai.com/docs/api-reference/chat"""

import json

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, Round, Says, Talk, given
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
    """The whole answer; ``normalise.unfold`` makes a stream of it."""
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
