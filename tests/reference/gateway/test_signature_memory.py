"""Clients that return only id, name and arguments of a call get its signature back from the gateway."""

import json

import pytest

from bridgecheck_reference.convert.signatures import PLACEHOLDER
from bridgecheck_reference.gateway.signature_memory import SignatureMemory

MODEL = "gemini-3.6-flash"
SIGNATURE = "QUJD"


def gemini_answer(id="fc", signature=SIGNATURE, **args):
    call = {"functionCall": {"id": id, "name": "f", "args": args}, "thoughtSignature": signature}
    if not id:
        del call["functionCall"]["id"]
    content = {"role": "model", "parts": [{"text": "hm", "thought": True}, call]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "responseId": "r"}


def chat_request(*turns, model=MODEL):
    return {"model": model, "messages": [{"role": "user", "content": "hi"}, *turns]}


def anthropic_request(*turns, model=MODEL):
    """A client that asks for thinking, and drops its blocks."""
    return {"max_tokens": 9999, "thinking": {"type": "adaptive"}, **chat_request(*turns, model=model)}


def chat_turns(id, arguments):
    call = {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": id, "content": "1"}


def anthropic_turns(id, arguments):
    call = {"type": "tool_use", "id": id, "name": "f", "input": json.loads(arguments)}
    result = {"type": "tool_result", "tool_use_id": id, "content": "1"}
    return {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}


CLIENTS = {
    "openai-chat": ("/v1/chat/completions", chat_request, chat_turns),
    "anthropic": ("/v1/messages", anthropic_request, anthropic_turns),
}


def id_of_call(lab, response, client, stream):
    events = [event for event in lab.events(response.content) if event != "[DONE]"] if stream else []
    documents = events or [response.json()]
    if client == "openai-chat":
        choices = [choice for document in documents for choice in document["choices"]]
        messages = [choice.get("delta") or choice.get("message") or {} for choice in choices]
        (call,) = [call for message in messages for call in message.get("tool_calls", ())]
    else:
        blocks = [document.get("content_block") for document in documents] if stream else documents[0]["content"]
        (call,) = [block for block in blocks if block and block["type"] == "tool_use"]
    return call["id"]


async def converse(
    pair, lab, client, *, stream=False, arguments='{"b": [1],\n"a": "ä"}', first_key="k", key="k", **second
):
    """Ask, then return the call's result without its signature; return what the upstream gets as the signature."""
    path, request, turns = CLIENTS[client]
    response = await pair.post(path, {**request(), "stream": stream}, authorization=f"Bearer {first_key}")
    id = id_of_call(lab, response, client, stream)
    await pair.post(path, request(*turns(id, arguments), **second), authorization=f"Bearer {key}")
    return signature_of_last_request(pair)


def signature_of_last_request(pair):
    contents = pair.upstream.requests[-1].body["contents"]
    (call,) = [part for content in contents for part in content["parts"] if "functionCall" in part]
    return call["thoughtSignature"]


@pytest.mark.parametrize("id", ["fc", ""])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("client", CLIENTS)
async def test_a_call_gets_its_signature_back(lab, client, stream, id):
    answer = gemini_answer(id, a="ä", b=[1])
    async with lab.pair("gemini", lab.sse(answer) if stream else lab.json(answer), lab.json(answer)) as pair:
        assert await converse(pair, lab, client, stream=stream) == SIGNATURE


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "difference", [{"key": "k2"}, {"model": "gemini-3.1-pro-preview"}, {"arguments": '{"a": "ä", "b": [2]}'}], ids=str
)
async def test_another_client_model_or_call_does_not(lab, client, difference):
    answer = gemini_answer(a="ä", b=[1])
    async with lab.pair("gemini", lab.json(answer), lab.json(answer)) as pair:
        assert await converse(pair, lab, client, **difference) == PLACEHOLDER


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_call_of_an_earlier_process_gets_the_placeholder(lab, client):
    path, request, turns = CLIENTS[client]
    async with lab.pair("gemini", lab.json(gemini_answer())) as pair:
        response = await pair.post(path, request(*turns("fc", "{}")))
        assert response.status_code == 200
        assert signature_of_last_request(pair) == PLACEHOLDER


@pytest.mark.parametrize("client", CLIENTS)
async def test_an_id_that_is_given_twice_is_nobodys(lab, client):
    answers = [lab.json(gemini_answer(signature=signature, a="ä", b=[1])) for signature in (SIGNATURE, "REVG", "REVG")]
    async with lab.pair("gemini", *answers) as pair:
        path, request, _ = CLIENTS[client]
        await pair.post(path, request(), authorization="Bearer k")
        assert await converse(pair, lab, client) == PLACEHOLDER


@pytest.mark.parametrize("client", CLIENTS)
async def test_what_a_client_returns_itself_counts(lab, client):
    path, request, turns = CLIENTS[client]
    assistant, result = turns("fc", "{}")
    if client == "openai-chat":
        assistant["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "T1dO"}}
    else:
        assistant["content"].insert(0, {"type": "thinking", "thinking": "", "signature": "gemini.call.T1dO"})
    async with lab.pair("gemini", lab.json(gemini_answer()), lab.json(gemini_answer())) as pair:
        await pair.post(path, request())
        await pair.post(path, request(assistant, result))
        assert signature_of_last_request(pair) == "T1dO"


def test_the_oldest_give_way_and_those_in_use_stay():
    memory = SignatureMemory(most_bytes=1000)
    scoped = memory.signatures_of("k", "m")
    for number in range(4):
        scoped.keep(str(number), "f", "{}", "s")
        assert scoped.find("0", "f", {}) == "s"
    scoped.keep("4", "f", {}, "s")
    assert [scoped.find(str(number), "f", "") for number in range(5)] == ["s", "", "s", "s", "s"]
    scoped.keep("5", "f", {}, "s" * 2000)
    assert [scoped.find(str(number), "f", "") for number in range(6)] == [""] * 6


def test_arguments_that_cannot_be_read_are_a_key_of_their_own():
    scoped = SignatureMemory(most_bytes=1000).signatures_of("k", "m")
    scoped.keep("1", "f", '{"a":', "s")
    assert (scoped.find("1", "f", '{"a":'), scoped.find("1", "f", "{}")) == ("s", "")
