"""mirascope as bridgecheck asks it: ``call`` and ``stream`` of ``llm.Model``
(https://mirascope.com/docs/learn/llm/models), with the provider registered at the base URL of the recordings
(https://mirascope.com/docs/learn/llm/providers#custom-api-keys-and-base-urls).

Answers are written down as ``content`` of the Response says them, streams as the chunks of ``chunk_stream`` do
(https://mirascope.com/docs/learn/llm/streaming); ``keep`` is the last of ``response.messages``, an object of Python,
which ``resume`` would send back. What ``llm.Params``, its messages and its tools have no place for is refused by name,
or stands in ``cannot_say``.
"""

import base64
import json
import pickle
import re
import sys
import threading
from importlib.metadata import version

import anthropic
import google.genai.errors
import httpx
from mirascope import llm
from mirascope.llm.tools.tool_schema import ToolParameterSchema
from pydantic import BaseModel, ConfigDict
from shim import serve

PROVIDERS = {"gemini": "google", "anthropic": "anthropic"}
asked_provider = threading.Event()
"""Set when the provider is asked: what goes wrong with its answer is its failure, or a breakdown, and no refusal."""
sys.addaudithook(lambda event, arguments: asked_provider.set() if event == "socket.connect" else None)

GOOGLE_ERRORS = (google.genai.errors.APIError, google.genai.errors.UnknownApiResponseError)
FAILURES = (llm.ProviderError, *GOOGLE_ERRORS, httpx.HTTPError)
"""Its own, and those of the SDKs that it passes on."""

# None: "Response completed normally", https://mirascope.com/docs/learn/llm/responses#finish-reason
FINISH = {
    None: "stop",
    llm.FinishReason.MAX_TOKENS: "length",
    llm.FinishReason.REFUSAL: "content_filter",
    llm.FinishReason.CONTEXT_LENGTH_EXCEEDED: "length",
}
# https://mirascope.com/docs/api/llm/models: Params
SETTINGS = {
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "stop": "stop_sequences",
}
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
LEVELS = ("none", "default", "minimal", "low", "medium", "high", "max")
# "Unsupported fields default to 0": https://mirascope.com/docs/learn/llm/responses#token-usage
USAGE = {"input_tokens": "prompt", "output_tokens": "completion", "total_tokens": "total"}
DETAILS = {"cache_read_tokens": "cached", "cache_write_tokens": "cache_write", "reasoning_tokens": "reasoning"}
# The literal types of its sources: https://mirascope.com/docs/api/llm/content
IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "image/heif")
AUDIOS = {f"audio/{name}": f"audio/{name}" for name in ("wav", "mp3", "aiff", "aac", "ogg", "flac")}
AUDIOS |= {"audio/mpeg": "audio/mp3", "audio/x-wav": "audio/wav"}
TEXTS = (
    *("application/json", "text/plain", "application/x-javascript", "text/javascript", "application/x-python"),
    *("text/x-python", "text/html", "text/css", "text/xml", "text/rtf"),
)


class Mirascope:
    name, version = "mirascope", version("mirascope")
    routes = [("outcome", "gemini"), ("outcome", "anthropic")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("citations", "code", "refusal", "usage.tool_prompt", "response_format.name", "response_format.strict"),
        *("settings.presence_penalty", "settings.frequency_penalty", "settings.user", "settings.modalities"),
        *("tool_choice.parallel", "tool_choice.validated", "turns.media.detail"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        llm.reset_provider_registry()
        provider = llm.register_provider(PROVIDERS[upstream], api_key=api_key, base_url=base_url)
        if upstream == "anthropic":
            provider.client.max_retries = provider._beta_provider.client.max_retries = 0
        refuse(body)
        model_id = f"{PROVIDERS[upstream]}/{model}"
        asked = llm.Model(model_id, **parameters(body, upstream, model))
        options = {
            "content": messages(body, model_id),
            "format": answer_format(upstream, **body.get("response_format", {})),
        }
        options["tools"] = [tool(**one) for one in body.get("tools", [])]
        asked_provider.clear()
        return stream(asked, options) if mode == "stream" else unary(asked, options)


def unary(model, options):
    try:
        response = model.call(**options)
    except Exception as error:
        return {"error": failure(error)}
    return {"parts": [part_of(one) for one in response.content], **end(response)}


def stream(model, options):
    calls = 0
    try:
        response = model.stream(**options)
        for chunk in response.chunk_stream():
            calls += chunk.type == "tool_call_start_chunk"
            if part := piece(chunk, calls):
                yield {"parts": [part]}
    except Exception as error:
        yield {"error": failure(error)}
        return
    yield end(response)


# The answer ---------------------------------------------------------------------------------------------------------


def part_of(content):
    if content.type == "text":
        return {"text": content.text}
    if content.type == "thought":
        return {"reasoning": content.thought}
    return {"tool_call": {"id": content.id, "name": content.name, "args_text": content.args}}


def piece(chunk, calls):
    """What a chunk adds: https://mirascope.com/docs/learn/llm/streaming"""
    if chunk.type == "text_chunk":
        return {"text": chunk.delta}
    if chunk.type == "thought_chunk":
        return {"reasoning": chunk.delta}
    if chunk.type == "tool_call_start_chunk":
        return {"tool_call": {"index": calls, "id": chunk.id, "name": chunk.name}}
    return {"tool_call": {"index": calls, "args_text": chunk.delta}} if chunk.type == "tool_call_chunk" else None


def end(response):
    found = {"finish": FINISH[response.finish_reason]}
    if counts := response.usage:
        details = {said: getattr(counts, name) for name, said in DETAILS.items()}
        found["usage"] = {said: getattr(counts, name) for name, said in USAGE.items()}
        found["usage"] |= {said: value for said, value in details.items() if value}
    return found | {"keep": base64.b64encode(pickle.dumps(response.messages[-1])).decode()}


def failure(error):
    """https://mirascope.com/docs/learn/llm/errors: an APIError has a status, its original_exception what the SDK knows.
    What it does not take (FeatureNotSupportedError), and any breakdown, is told as it is."""
    if isinstance(error, NotImplementedError):  # it says so of an answer: no refusal
        raise RuntimeError(f"NotImplementedError: {error}") from error
    is_unreadable = isinstance(error, json.JSONDecodeError) and asked_provider.is_set()
    if not isinstance(error, FAILURES) and not is_unreadable:
        raise error
    found = {"message": str(error), **told(getattr(error, "original_exception", None) or error)}
    found |= {"status": error.status_code} if isinstance(error, llm.APIError) and error.status_code else {}
    found |= {"kind": "timeout"} if isinstance(error, llm.TimeoutError) else {}
    return {name: value for name, value in found.items() if value is not None}


def told(error):
    """The provider's word, and how long to wait: a header, and before it a detail of Google's
    (https://docs.cloud.google.com/apis/design/errors#retry_info)."""
    if isinstance(error, anthropic.APIStatusError):
        hint = error.response.headers.get("retry-after", "")
        found = {"native": error.type, "retry_after": float(hint) if hint.replace(".", "", 1).isdigit() else None}
        return found | ({"status": error.status_code} if error.status_code >= 400 else {})  # in a stream it has 200
    if not isinstance(error, google.genai.errors.APIError):
        return {}
    document = error.details.get("error") if isinstance(error.details, dict) else None
    details = document.get("details") if isinstance(document, dict) else None
    hints = [str(one.get("retryDelay")).removesuffix("s") for one in details or () if isinstance(one, dict)]
    hints.append(getattr(error.response, "headers", {}).get("retry-after", ""))
    waits = [float(hint) for hint in hints if re.fullmatch(r"\d+(\.\d+)?", hint)]
    return {"status": error.code, "native": error.status, "retry_after": waits[0] if waits else None}


# The request --------------------------------------------------------------------------------------------------------


def refuse(body):
    settings = body.get("settings", {})
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"{', '.join(f'settings.{name}' for name in unknown)}: no parameter of llm.Params")
    choice = body.get("tool_choice", {})
    if choice.get("mode", "auto") != "auto" or "parallel" in choice:
        raise NotImplementedError(f"tool_choice: {', '.join(choice)}: neither a call nor llm.Params has a tool choice")


def parameters(body, upstream, model):
    found = {SETTINGS[name]: value for name, value in body.get("settings", {}).items() if name in SETTINGS}
    return found | ({"thinking": thinking(upstream, model, **body["thinking"])} if body.get("thinking") else {})


def thinking(upstream, model, level=None, budget=None, include=None):
    """https://mirascope.com/docs/learn/llm/thinking: a level. Gemini thinks as it likes by default, and Gemini 2.5 Pro
    cannot stop (https://ai.google.dev/gemini-api/docs/thinking, 2026-11-23). Claude says its thoughts unasked; without
    include_thoughts they are left out."""
    if budget == 0:
        level, budget = "minimal" if "gemini-2.5-pro" in model else "none", None
    if budget == -1 and upstream == "gemini":
        level, budget = "default", None
    if budget is not None:
        raise NotImplementedError(f"thinking.budget {budget}: a ThinkingConfig has a level")
    if level not in (None, *LEVELS):
        raise NotImplementedError(f"thinking.level {level}: it is one of {', '.join(LEVELS)}")
    if include is None and upstream == "anthropic":
        include = True
    return {"level": level or "default"} | ({} if include is None else {"include_thoughts": include})


def tool(name, description="", parameters=None, strict=None):
    """A Tool with a JSON Schema, as mirascope's client for MCP makes it (https://mirascope.com/docs/learn/llm/mcp); its
    function is never called here."""
    schema = {name: value for name, value in (parameters or {}).items() if name not in ("type", "$schema")}
    fields = {name: schema.pop(name) for name in ("properties", "required", "$defs") if name in schema}
    if isinstance(schema.get("additionalProperties"), bool):
        fields["additionalProperties"] = schema.pop("additionalProperties")
    if schema:
        raise NotImplementedError(f"tools.parameters: {', '.join(schema)}: a ToolParameterSchema has no such field")
    return llm.Tool(lambda **arguments: None, name, description, ToolParameterSchema(**fields), strict=strict)


def answer_format(upstream, kind="text", schema=None, name=None, strict=None):
    """https://mirascope.com/docs/learn/llm/structured-output: a class of pydantic, in the mode that is the provider's
    default. Its JSON Schema is the client's: mirascope asks for model_json_schema, the anthropic SDK for that of a
    TypeAdapter (https://docs.pydantic.dev/latest/concepts/json_schema/#customizing-json-schema)."""
    if kind == "text":
        return None
    if kind == "json_object":
        if upstream == "anthropic":
            raise NotImplementedError("response_format json_object: Claude would be asked for it in the system message")
        return llm.format(JsonObject, mode="json")
    written = json.dumps(spelled_by_pydantic(schema))
    inlined = inline_definitions(json.loads(written)) if upstream == "anthropic" else {}

    class Answer(BaseModel):
        model_config = ConfigDict(json_schema_extra=lambda generated: (generated.clear(), generated.update(inlined)))

        @classmethod
        def model_json_schema(cls, *args, **options):
            return json.loads(written)

    return Answer


class JsonObject(BaseModel):
    """Any object, with nothing added to the prompt: "you can add the formatting_instructions classmethod and have it
    return None" (llm.format)."""

    @classmethod
    def formatting_instructions(cls):
        return None


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


def inline_definitions(schema, definitions=None, within=()):
    """The same schema without $defs: pydantic gathers those of nested classes, and takes none that is written."""
    if isinstance(schema, list):
        return [inline_definitions(one, definitions, within) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if definitions is None:
        definitions = {f"#/{key}/{name}": one for key in DEFINITIONS for name, one in schema.get(key, {}).items()}
        schema = {name: value for name, value in schema.items() if name not in DEFINITIONS}
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return {name: inline_definitions(value, definitions, within) for name, value in schema.items()}
    if reference in within or reference not in definitions:
        raise NotImplementedError(f"response_format.schema: {reference} within itself, or of no definition")
    beside = {name: value for name, value in schema.items() if name != "$ref"}
    return inline_definitions({**definitions[reference], **beside}, definitions, (*within, reference))


DEFINITIONS = ("$defs", "definitions")


def messages(body, model_id):
    """https://mirascope.com/docs/learn/llm/messages: a system message has one text."""
    found = [llm.messages.system("\n".join(body["system"]))] if body.get("system") else []
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            kept = turn.get("keep")
            found.append(pickle.loads(base64.b64decode(kept)) if kept else assistant_message(turn, model_id))
        elif turn["role"] == "system":
            found.append(llm.messages.system("\n".join(part["text"] for part in turn["parts"])))
        else:
            found.append(llm.messages.user([user_content(part) for part in turn["parts"]], name=turn.get("name")))
    return found


def user_content(part):
    """Results and what stands between them are contents of one message, as resume sends them."""
    if "text" in part:
        return llm.Text(text=part["text"])
    if "media" in part:
        try:
            return medium(**part["media"])
        except ValueError as error:  # what is no base64, no UTF-8, or no image that it knows
            raise NotImplementedError(f"turns.media: {error}") from error
    if "tool_result" in part:
        return tool_output(**part["tool_result"])
    raise NotImplementedError(f"in the user's turn: {', '.join(part)}")


def tool_output(value, id="", name="", media=(), is_error=False, cited=()):
    """ "If the tool errored, this will be the error message, as a string" (https://mirascope.com/docs/api/llm/content)."""
    if media or cited:
        raise NotImplementedError(f"turns.results.{'media' if media else 'cited'}: a ToolOutput holds JSON")
    if not is_error:
        return llm.ToolOutput(id=id, name=name, result=value)
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return llm.ToolOutput(id=id, name=name, result=said, error=llm.ToolExecutionError(said))


def medium(mime, data=None, uri=None):
    """https://mirascope.com/docs/learn/llm/messages#images. Its sources state the type, but for an image of unknown
    type, which from_bytes finds out; what has an address is an image or a document."""
    kind = mime.partition("/")[0]
    if uri is not None:
        if "://" not in uri or kind in ("audio", "video"):
            raise NotImplementedError(f"turns.media.uri: {uri} of type {mime}: from_url is of images and documents")
        return llm.Image.from_url(uri) if kind == "image" else llm.Document.from_url(uri)
    if mime == "image/*":
        return llm.Image.from_bytes(base64.b64decode(data))
    if mime in IMAGES:
        return llm.Image(source=llm.Base64ImageSource(type="base64_image_source", data=data, mime_type=mime))
    if mime in AUDIOS:
        return llm.Audio(source=llm.Base64AudioSource(type="base64_audio_source", data=data, mime_type=AUDIOS[mime]))
    if mime == "application/pdf" or mime in TEXTS:
        return llm.Document.from_bytes(base64.b64decode(data), mime_type=mime)
    raise NotImplementedError(f"turns.media: {mime}: no type of its contents")


def assistant_message(turn, model_id):
    """A message of the model that the caller wrote down. No content has a signature; they stand in raw_message, 'the
    provider-specific "raw" data representation' (https://mirascope.com/docs/api/llm/messages). Claude signs thoughts,
    Gemini texts and calls."""
    contents = [assistant_content(part) for part in turn["parts"]]
    signed = {
        "reasoning" in part or "redacted" in part for part in turn["parts"] if "signature" in part or "redacted" in part
    }
    options = {"name": turn.get("name"), "model_id": None, "provider_id": None}
    if len(signed) == 2:
        raise NotImplementedError("turns.signatures: a message is of one provider")
    if signed:
        provider = "anthropic" if True in signed else "google"
        model_name = model_id.partition("/")[2]
        options |= {"model_id": f"{provider}/{model_name}", "provider_id": provider, "provider_model_name": model_name}
        options["raw_message"] = claude_message(turn["parts"]) if True in signed else gemini_content(turn["parts"])
    return llm.messages.assistant([one for one in contents if one], **options)


def assistant_content(part):
    if "text" in part:
        return llm.Text(text=part["text"])
    if "reasoning" in part:
        return llm.Thought(thought=part["reasoning"])
    if "tool_call" in part:
        known = part["tool_call"]
        return llm.ToolCall(id=known.get("id") or "", name=known["name"], args=arguments(**known))
    if "redacted" in part:
        return None
    raise NotImplementedError(f"in the model's turn: {', '.join(part)}: no type of its contents")


def arguments(name, id=None, args=None, args_text=None):
    return args_text if args_text is not None else json.dumps(args or {}, ensure_ascii=False)


def parsed(text):
    try:
        return json.loads(text or "{}")
    except ValueError as error:
        raise NotImplementedError("tool_call.args_text: arguments in the history that are no JSON") from error


def claude_message(parts):
    """As its provider stores an answer of Claude's."""
    blocks = []
    for part in parts:
        if "reasoning" in part:
            blocks.append({"type": "thinking", "thinking": part["reasoning"], "signature": part.get("signature", "")})
        elif "redacted" in part:
            blocks.append({"type": "redacted_thinking", "data": part["redacted"]})
        elif "tool_call" in part:
            known = part["tool_call"]
            call = {"id": known.get("id"), "name": known["name"], "input": parsed(arguments(**known))}
            blocks.append({"type": "tool_use", **call})
        else:
            blocks.append({"type": "text", "text": part["text"]})
    return {"role": "assistant", "content": blocks}


def gemini_content(parts):
    """As its provider stores an answer of Gemini's: a Content of google-genai. Bytes in JSON may be URL-safe, and have
    no padding: https://protobuf.dev/programming-guides/json (2026-11-23)"""
    found = []
    for part in parts:
        if "tool_call" in part:
            known = part["tool_call"]
            call = {"id": known.get("id"), "name": known["name"], "args": parsed(arguments(**known))}
            made = {"function_call": call}
        elif "reasoning" in part:
            made = {"text": part["reasoning"], "thought": True}
        else:
            made = {"text": part["text"]}
        if signature := part.get("signature", "").rstrip("="):
            made["thought_signature"] = base64.urlsafe_b64decode(
                signature.replace("+", "-").replace("/", "_") + "=" * (-len(signature) % 4)
            )
        found.append(made)
    return {"role": "model", "parts": found}


if __name__ == "__main__":
    serve(Mirascope())
