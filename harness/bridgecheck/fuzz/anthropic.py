"""Anthropic Messages. Source: https://docs.anthropic.com/en/api/messages"""

from typing import Final

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, SIGNATURE, Round, Says, Talk, given
from bridgecheck.wire import JsonObject


def request(talk: Talk) -> JsonObject:
    messages: list[JsonObject] = []
    pending: list[JsonObject] = []
    for each in talk.rounds:
        messages.append({"role": "user", "content": [*pending, *_user(each)]})
        messages.append({"role": "assistant", "content": _model(each.model)})
        pending = _results(each)
    messages.append({"role": "user", "content": [*pending, {"type": "text", "text": talk.last}]})
    tools = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in talk.tools]
    choice = {"type": talk.choice} if talk.choice else None
    return {
        "messages": messages, "max_tokens": 4000,
        **given(
            system=talk.system, temperature=talk.temperature, top_p=talk.top_p, stop_sequences=list(talk.stop),
            tools=tools, tool_choice=choice,
        ),
    }  # fmt: skip


def _user(each: Round) -> list[JsonObject]:
    source: JsonObject = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    blocks: list[JsonObject] = [{"type": "text", "text": each.user}]
    return [*blocks, {"type": "image", "source": source}] if each.image else blocks


def _model(said: Says) -> list[JsonObject]:
    blocks: list[JsonObject] = [{"type": "text", "text": said.text}] if said.text else []
    return blocks + [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in said.calls]


def _results(each: Round) -> list[JsonObject]:
    return [
        {"type": "tool_result", "tool_use_id": call.id, "content": result}
        for call, result in zip(each.model.calls, each.results, strict=True)
    ]


_STOP: Final = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


def answer(said: Says) -> JsonObject:
    """The whole answer; ``normalise.unfold`` makes a stream of it."""
    blocks: list[JsonObject] = []
    if said.thinks:
        blocks.append({"type": "thinking", "thinking": said.thinks, "signature": SIGNATURE})
    usage: JsonObject = {"input_tokens": said.prompt - said.cached, "output_tokens": said.completion}
    if said.cached:
        usage["cache_read_input_tokens"] = said.cached
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks + _model(said),
        "stop_reason": _STOP[said.finish], "stop_sequence": None, "usage": usage,
    }  # fmt: skip
