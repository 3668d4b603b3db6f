"""A library that owns its HTTP client, as a command: the openai SDK, Chat Completions to Chat Completions.

Its argument plants a fault: ``holds-back`` gives a stream when it is over, ``stays`` goes on reading when its client
left, ``asks-twice``, ``swallows`` errors, ``events`` in a unary call, ``lingers`` in a stream that never ends.
"""

import asyncio
import json
import sys
import traceback

from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
PATH = "/chat/completions"


def write_line(number, **members):
    sys.stdout.write(json.dumps({"id": number, **members}) + "\n")
    sys.stdout.flush()


def client_of(request):
    return AsyncOpenAI(
        base_url=request["base_url"], api_key=request["api_key"], max_retries=0, default_headers=request["headers"]
    )


async def unary(client, request):
    if FAULT == "asks-twice":
        await client.post(PATH, body=request["body"], cast_to=ChatCompletion)
    answer = await client.post(PATH, body=request["body"], cast_to=ChatCompletion)
    return answer.to_dict(mode="json")


async def stream(client, request, emit):
    events = await client.post(
        PATH, body=request["body"], cast_to=ChatCompletion, stream=True, stream_cls=AsyncStream[ChatCompletionChunk]
    )
    held = []
    async with events:
        async for event in events:
            if FAULT == "holds-back":
                held.append(event.to_dict(mode="json"))
            else:
                emit(event.to_dict(mode="json"))
    for event in held:
        emit(event)
    if FAULT == "lingers":
        await asyncio.sleep(60)


async def call(request):
    number = request["id"]
    try:
        async with client_of(request) as client:
            if request["mode"] == "unary" and FAULT == "events":
                write_line(number, event=await unary(client, request))
                write_line(number, end=True)
            elif request["mode"] == "unary":
                write_line(number, body=await unary(client, request))
            else:
                await stream(
                    client,
                    {**request, "body": {**request["body"], "stream": True}},
                    lambda event: write_line(number, event=event),
                )
                write_line(number, end=True)
    except APIError as error:
        if FAULT == "swallows":
            write_line(number, **({"end": True} if request["mode"] == "stream" else {"body": {}}))
        else:
            write_line(number, failed=failure(error))
    except Exception as error:
        write_line(number, errored=f"{type(error).__name__}: {error}", traceback=traceback.format_exc())


def failure(error):
    found = {"body": {"error": error.body}} if isinstance(error.body, dict) else {}
    if isinstance(error, APIStatusError):
        found.setdefault("body", {"error": {"message": error.body or error.message}})
        found["status"] = error.status_code
        hint = error.response.headers.get("retry-after", "")
        found |= {"retry_after": float(hint)} if hint.replace(".", "").isdigit() else {}
    elif (
        not isinstance(error, APIConnectionError)
        and isinstance(error.body, dict)
        and isinstance(error.body.get("code"), int)
    ):
        found["status"] = error.body["code"]
    return found


async def main():
    loop, calls = asyncio.get_running_loop(), {}
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        request = json.loads(line)
        number, op = request["id"], request["op"]
        if op == "start":
            write_line(number, bridgecheck=1, name="openai", version="3")
        elif op == "capabilities":
            does = ["call"] if FAULT == "cannot-cancel" else ["call", "cancel"]
            write_line(number, routes=[["openai-chat", "openai-chat"]], does=does, headers=True)
        elif op == "call":
            calls[number] = asyncio.create_task(call(request))
        elif op == "cancel":
            if FAULT != "stays":
                calls[request["call"]].cancel()
                await asyncio.wait([calls[request["call"]]])
            write_line(number, cancelled=True)
        elif op == "stop":
            write_line(number, stopped=True)
            return


asyncio.run(main())
