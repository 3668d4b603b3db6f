"""agno as bridgecheck asks it: ``response_stream`` of its Gemini model, which an Agent calls
(https://docs.agno.com/models/providers/native/google/overview), at the base URL of the recordings; for an answer that
is not streamed with ``stream_model_response=False``.

An Agent would catch the errors of its model, so the model itself is asked. Its tools are executed by the caller
(https://docs.agno.com/hitl/external-execution); the loop is left when its first request is completed, as it asks again
where the model called what is none of the tools. Answers are written down as the assistant's Message says them that the
loop adds to the messages (https://docs.agno.com/reference/agents/run-response);
``keep`` is that message as agno stores it. No Message says why an answer ended. What its types have no field for is
refused by name, or stands in ``cannot_say``.
"""

import base64
import json
import logging
import re
import sys
import threading
from importlib.metadata import version

from agno.exceptions import ContextWindowExceededError, ModelProviderError, ModelRateLimitError
from agno.media import Audio, File, Image, Video
from agno.models.google import Gemini
from agno.models.message import Message
from agno.models.response import ModelResponseEvent
from agno.tools.function import Function
from agno.utils.log import configure_agno_logging
from google.genai.types import File as UploadedFile
from pydantic import BaseModel
from shim import serve

asked_provider = threading.Event()
"""Set when the provider is asked: nothing that goes wrong later is a refusal."""
sys.addaudithook(lambda event, arguments: asked_provider.set() if event == "socket.connect" else None)

KINDS = {ModelRateLimitError: "rate_limit", ContextWindowExceededError: "too_large"}
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_output_tokens",
    "stop": "stop_sequences",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
THINKING_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
"""What stands for a level with models before Gemini 3, which have no levels, by Google's own table:
https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)"""
LEAST_THINKING = {
    "gemini-2.5-pro": {"budget": 128},
    "gemini-[3-9].*-pro": {"level": "low"},
    "gemini-[3-9]": {"level": "minimal"},
}
"""Models that cannot stop thinking, the first that fits, and the least that each takes:
https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)"""
USAGE = {
    "input_tokens": "prompt",
    "output_tokens": "completion",
    "total_tokens": "total",
    "cache_read_tokens": "cached",
    "reasoning_tokens": "reasoning",
}
# The string values that Gemini takes as a tool_choice
TOOL_CHOICES = {"auto": "auto", "none": "none", "required": "any", "validated": "validated"}


class Agno:
    name, version = "agno", version("agno")
    routes = [("outcome", "gemini")]
    claims = [
        *("tools", "parallel_tools", "thinking", "signatures", "media_input", "media_output", "json_schema", "relay")
    ]
    cannot_say = [
        *("code", "order", "refusal", "text.segments", "error.retry_after", "usage.tool_prompt", "settings.user"),
        *("response_format.name", "response_format.strict", "tool_choice.parallel"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked_provider.clear()
        try:
            gemini = Gemini(
                id=model,
                api_key=api_key,
                client_params={"http_options": {"base_url": base_url}},
                retry_with_guidance_limit=0,
                **parameters(body, model),
            )
            history = messages(body)
            asked = {"messages": history, "tools": [function(**one) for one in body.get("tools", [])] or None}
        except ValueError as error:  # its types look at what they hold, and say what they do not take
            raise NotImplementedError(str(error)) from error
        asked |= tool_choice(**body.get("tool_choice", {})) | response_format(**body.get("response_format", {}))
        return stream(gemini, asked) if mode == "stream" else unary(gemini, asked)


def unary(gemini, asked):
    try:
        list(events_of(gemini, asked, streamed=False))
    except Exception as error:
        return {"error": failure(error)}
    reply = last_reply(asked["messages"])
    return {"parts": parts_of(reply, [reply.image_output], reply.audio_output), **end(reply)}


def stream(gemini, asked):
    """Its events are ModelResponses; those of the assistant's response have what is new."""
    try:
        for event in events_of(gemini, asked, streamed=True):
            if parts := parts_of(event, event.images or [], event.audio):
                yield {"parts": parts}
    except Exception as error:
        yield {"error": failure(error)}
        return
    yield end(last_reply(asked["messages"]))


def events_of(gemini, asked, streamed):
    """The assistant's response, until the request is completed and its Message stands among the messages."""
    for event in gemini.response_stream(**asked, stream_model_response=streamed):
        if event.event == ModelResponseEvent.model_request_completed.value:
            return
        if event.event == ModelResponseEvent.assistant_response.value:
            yield event


def last_reply(history):
    return [message for message in history if message.role == "assistant"][-1]


# The answer ---------------------------------------------------------------------------------------------------------


def parts_of(said, images, audio):
    """What a Message, or a ModelResponse of a stream, says: both have fields of these names, and one signature for
    text and reasoning."""
    signature = (said.provider_data or {}).get("thought_signature")
    signed = {"signature": signature} if signature else {}
    is_text = bool(said.content) or not said.reasoning_content
    found = [{"reasoning": said.reasoning_content, **({} if is_text else signed)}] if said.reasoning_content else []
    found += [{"text": said.content or "", **signed}] if is_text and (said.content or signed) else []
    for one in [*images, audio]:
        if one is not None and one.content:
            found.append({"media": {"mime": one.mime_type or "", "data": base64.b64encode(one.content).decode()}})
    return found + [called(**call) for call in said.tool_calls or []]


def called(function, id=None, type=None, thought_signature=None):
    args = {"args_text": function["arguments"]} if function.get("arguments") else {}
    signed = {"signature": thought_signature} if thought_signature else {}
    return {"tool_call": {"id": id, "name": function["name"], **args}, **signed}


def end(reply):
    """The counts are those that a Message stores: none that is 0."""
    counts = reply.metrics.to_dict()
    urls = (reply.citations.urls if reply.citations else None) or []
    found = {
        "usage": {USAGE[name]: value for name, value in counts.items() if name in USAGE},
        "citations": [one.model_dump() for one in urls],
    }
    return {name: value for name, value in found.items() if value} | {"keep": reply.to_dict()}


def failure(error):
    """Its own errors have a status. What it does not take, it or google-genai says in a ValueError before it asks, from
    which one of its own may be raised."""
    cause = error
    while isinstance(cause, ModelProviderError) and cause.__cause__ not in (
        None,
        cause,
    ):  # it raises them from themselves
        cause = cause.__cause__
    if isinstance(cause, ValueError) and not asked_provider.is_set():
        raise NotImplementedError(str(error)) from error
    if not isinstance(error, ModelProviderError):
        raise error
    kind = {"kind": KINDS[type(error)]} if type(error) in KINDS else {}
    return {"message": str(error), "status": error.status_code, **kind}


# The request --------------------------------------------------------------------------------------------------------


def parameters(body, model):
    """https://docs.agno.com/models/providers/native/google/overview#params"""
    settings = body.get("settings", {})
    unknown = [
        name for name in settings if name not in (*SETTINGS, "modalities") and (name, settings[name]) != ("n", 1)
    ]
    if unknown:
        raise NotImplementedError(f"{', '.join(f'settings.{name}' for name in unknown)}: no parameter of it")
    found = {SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS}
    if "modalities" in settings:
        found["response_modalities"] = [word.upper() for word in settings["modalities"]]
    config = {}
    if body.get("response_format", {}).get("kind") == "json_object":
        config["response_mime_type"] = "application/json"
    choice = body.get("tool_choice", {})
    if choice.get("mode") == "allowed":
        allowed = {"mode": "ANY", "allowed_function_names": choice["names"]}
        config["tool_config"] = {"function_calling_config": allowed}
    found |= {"generation_config": config} if config else {}
    return found | (thinking_options(model, **body["thinking"]) if body.get("thinking") else {})


def thinking_options(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking"""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if budget is None and level in THINKING_BUDGETS and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    if level not in (None, *THINKING_BUDGETS):
        raise NotImplementedError(f"thinking.level {level}")
    named = {"thinking_level": level, "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def tool_choice(mode=None, names=(), parallel=None):
    """Of one function: https://docs.agno.com/reference/agents/agent, tool_choice."""
    if mode == "named":
        return {"tool_choice": {"type": "function", "function": {"name": names[0]}}}
    return {"tool_choice": TOOL_CHOICES[mode]} if mode in TOOL_CHOICES else {}


def function(name, description=None, parameters=None, strict=None):
    """A Function describes itself by JSON Schema; one that is executed elsewhere has no entrypoint."""
    known = {"parameters": parameters} if parameters else {}
    return Function(name=name, description=description, strict=strict, external_execution=True, **known)


def response_format(kind="text", schema=None, name=None, strict=None):
    """https://docs.agno.com/models/providers/native/google/overview#structured-outputs: a class of pydantic, whose JSON
    Schema is asked for; it is the client's
    (https://docs.pydantic.dev/latest/concepts/json_schema/#customizing-the-json-schema-generation-process)."""
    if kind != "json_schema":
        return {}
    written = json.dumps(spelled_by_pydantic(schema))

    class Answer(BaseModel):
        @classmethod
        def model_json_schema(cls, *args, **options):
            return json.loads(written)

    return {"response_format": Answer}


def spelled_by_pydantic(schema):
    """The same schema, with anyOf where the type is a list: no class of pydantic has such a list
    (https://docs.pydantic.dev/latest/concepts/json_schema/)."""
    if isinstance(schema, list):
        return [spelled_by_pydantic(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: spelled_by_pydantic(value) if name in SCHEMAS else value for name, value in schema.items()}
    for name in found.keys() & MAPS_OF_SCHEMAS:
        found[name] = {key: spelled_by_pydantic(value) for key, value in found[name].items()}
    if not isinstance(schema.get("type"), list) or "anyOf" in schema:
        return found
    outer = {name: found.pop(name) for name in ANNOTATIONS if name in found}
    return {"anyOf": [branch(found, kind) for kind in found["type"]], **outer}


def branch(schema, kind):
    """What it says of one type."""
    if kind == "null":
        return {"type": "null"}
    values = {"enum": [value for value in schema["enum"] if value is not None]} if "enum" in schema else {}
    return {**schema, **values, "type": kind}


SCHEMAS = ("items", "prefixItems", "anyOf", "allOf", "oneOf", "not", "additionalProperties")
MAPS_OF_SCHEMAS = {"properties", "patternProperties", "$defs", "definitions"}
ANNOTATIONS = ("title", "description", "default", "examples")


def messages(body):
    """One system message, as an Agent makes it."""
    found = [Message(role="system", content="\n".join(body["system"]))] if body.get("system") else []
    for turn in body["turns"]:
        if turn["role"] == "system":
            raise NotImplementedError("turns.system: an Agent has one system message, at the beginning")
        if turn["role"] == "assistant":
            found.append(Message.from_dict(turn["keep"]) if turn.get("keep") else assistant_message(turn["parts"]))
        else:
            found += user_messages(**turn)
    return found


def user_messages(parts, role="user", name=None):
    """A message for each result, as an Agent makes them, and one of the user for what stands between them. It has one
    content beside its media: a text behind media begins the next (several messages of a user in a row:
    https://docs.agno.com/examples/concepts/others/input_as_messages_list)."""
    found, latest = [], None
    for part in parts:
        if "tool_result" in part:
            found.append(tool_message(**part["tool_result"]))
            latest = None
            continue
        if latest is None or ("text" in part and latest["content"] is not None and len(latest) > len(EMPTY)):
            latest = {**EMPTY, "name": name}
            found.append(latest)
        if "text" in part:
            latest["content"] = (latest["content"] or "") + part["text"]
        elif "media" in part:
            field, one = medium(part.get("detail") or {}, **part["media"])
            latest.setdefault(field, []).append(one)
        else:
            raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    return [one if isinstance(one, Message) else Message(**one) for one in found]


EMPTY = {"role": "user", "content": None, "name": None}


def tool_message(value, id=None, name=None, media=(), is_error=None, cited=()):
    """What an Agent adds for a tool that was executed elsewhere; the media that came with it, in the fields of its
    Message."""
    if cited:
        raise NotImplementedError("search results in the result of a call")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    fields = {}
    for one in media:
        field, made = medium({}, **one)
        fields.setdefault(field, []).append(made)
    known = {"tool_call_id": id, "tool_name": name, "tool_call_error": is_error}
    return Message(role="tool", content=text, **known, **fields)


UPLOADED = re.compile(r"https://generativelanguage\.googleapis\.com/\w+/files/")


def medium(detail, mime, data=None, uri=None):
    """The field of a Message, and what stands there: https://docs.agno.com/multimodal/overview. It downloads images and
    sounds that have an address, and files whose type is not known; the run is offline. What was uploaded to Gemini is a
    file of its own, as in cookbook/90_models/google/gemini/pdf_input_file_upload.py of
    https://github.com/agno-agi/agno."""
    kind = mime.partition("/")[0]
    known = {"mime_type": mime} if mime and "*" not in mime else {}
    if known and uri is not None and UPLOADED.match(uri):
        return "files", File(external=UploadedFile(uri=uri, mime_type=mime), filename=detail.get("filename"))
    if uri is not None and ("://" not in uri or kind in ("image", "audio") or not (known or kind == "video")):
        raise NotImplementedError(f"turns.media.uri: {uri}: an address that it downloads, or no address")
    source = {"url": uri} if uri is not None else {"content": decoded(data)}
    if kind == "image":
        return "images", Image(**source, **known, detail=detail.get("detail"))
    if kind == "video":
        return "videos", Video(**source, **known)
    if kind == "audio":
        return "audio", Audio(**source, **known)
    return "files", File(**source, **known, filename=detail.get("filename"))


def decoded(data):
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise NotImplementedError("data that is no base64: its media hold bytes") from error


def assistant_message(parts):
    """A message of the model that the caller wrote down, in the fields that its own messages have: one text with one
    signature, one reasoning, the calls with theirs. Gemini signs texts and calls; a signed thought is Claude's, whose
    signature has another name there."""
    texts, thoughts, calls, fields = [], [], [], {}
    for part in parts:
        signature = standard_base64(part.get("signature"))
        if "tool_call" in part:
            signed = {"thought_signature": signature} if signature else {}
            calls.append({**tool_call(**part["tool_call"]), **signed})
            continue
        if "text" in part:
            texts.append(part["text"])
        elif "reasoning" in part:
            thoughts.append(part["reasoning"])
        else:
            field, value = output(**part)
            if field in fields:
                raise NotImplementedError(f"in the model's turn: a Message has one {field}")
            fields[field] = value
        if signature:
            named = "signature" if "reasoning" in part else "thought_signature"
            fields.setdefault("provider_data", {})[named] = signature
    return Message(
        role="assistant",
        content="".join(texts) if texts else None,
        reasoning_content="".join(thoughts) if thoughts else None,
        tool_calls=calls or None,
        **fields,
    )


def standard_base64(signature):
    """As its own messages have it. Bytes in JSON may be URL-safe, and without padding, too:
    https://protobuf.dev/programming-guides/json (2026-11-23)"""
    standard = (signature or "").rstrip("=").replace("-", "+").replace("_", "/")
    return standard + "=" * (-len(standard) % 4)


OUTPUTS = {"images": "image_output", "videos": "video_output", "audio": "audio_output", "files": "file_output"}


def output(media=None, redacted=None, signature=None, detail=None, keep=None, **part):
    """The field of an assistant's Message for what is neither text nor call, and what stands there."""
    if part:
        raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
    if redacted is not None:
        return "redacted_reasoning_content", redacted
    field, one = medium(detail or {}, **media)
    return OUTPUTS[field], one


def tool_call(name, id=None, args=None, args_text=None):
    """Its arguments are a text."""
    arguments = args_text if args_text is not None else json.dumps(args or {}, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


if __name__ == "__main__":
    # Its own logger writes to standard output: https://docs.agno.com/custom-logging
    configure_agno_logging(custom_default_logger=logging.getLogger("agno_shim"))
    serve(Agno())
