"""protocol-converter as bridgecheck asks it: "4. use the engine (recommended)" of its README, one engine for each kind
of backend, with convert_request and convert_response. Nothing is sent: documents in, documents out.

https://github.com/ctyup879/protocol-converter#readme (2026-11-23)
"""

from importlib.metadata import version

from protocol_converter import AnthropicConverter, ConverterConfig, Protocol, ProtocolConverterEngine
from shim import serve

PROTOCOLS = {"openai-chat": Protocol.OPENAI_CHAT, "anthropic": Protocol.ANTHROPIC}
CLIENT_MODELS = {"openai-chat": "gpt-4.1-mini", "anthropic": "claude-sonnet-4-5"}
"""The engine tells by the request which protocol it is, first of all by the model: one whose name begins with
"claude-" is never one of Chat. So a client of Anthropic names one of Claude's models, and a client of Chat another."""

MODEL_MAPPINGS = {
    "openai-chat": {"claude-sonnet-4-5": "gpt-4.1-mini", "claude-haiku-4-5": "gpt-4.1-mini"},
    "anthropic": {
        "gpt-4.1-mini": "claude-sonnet-4-5",
        "gpt-5-mini": "claude-sonnet-4-5",
        "gpt-9.9-nothing": "claude-sonnet-4-5",
    },
}
ENGINES = {
    "openai-chat": ProtocolConverterEngine(
        ConverterConfig(backend_type="openai", model_mapping=MODEL_MAPPINGS["openai-chat"])
    ),
    "anthropic": ProtocolConverterEngine(
        ConverterConfig(backend_type="anthropic", model_mapping=MODEL_MAPPINGS["anthropic"])
    ),
}


class ProtocolConverter:
    name, version = "protocol-converter", version("protocol-converter")
    routes = (("openai-chat", "anthropic"), ("anthropic", "openai-chat"))

    def to_upstream(self, body, *, client, upstream, mode, model):
        made = ENGINES[upstream].convert_request({**body, "model": client_model(client, upstream, model)})
        if mode == "stream" and upstream == "openai-chat":
            # Its own forwarding, convert_and_forward, asks a Chat backend so.
            made.setdefault("stream_options", {"include_usage": True})
        return made

    def from_upstream(self, body, *, client, upstream, status, model, request):
        asked = client_model(client, upstream, model)
        return status, ENGINES[upstream].convert_response(body, PROTOCOLS[client], original_model=asked)

    def stream(self, *, client, upstream, model, request):
        return ChatAsAnthropic() if client == "anthropic" else AnthropicAsChat()


def client_model(client, upstream, model):
    """The model as its client names it: one that the mapping knows, else a usual one of the client's own maker."""
    return model if model in MODEL_MAPPINGS[upstream] else CLIENT_MODELS[client]


class ChatAsAnthropic:
    """A state of its own for each stream, "for concurrent requests", as its documentation has it. What its converters
    of events know of an end they have from the provider's events: nothing is left to say when there are no more."""

    def __init__(self):
        self.state = AnthropicConverter.create_stream_state()

    def feed(self, event):
        return AnthropicConverter.convert_stream_chunk_with_state(event, self.state)

    def close(self):
        return []


class AnthropicAsChat:
    def __init__(self):
        self.state = AnthropicConverter.create_anthropic_to_chat_state()

    def feed(self, event):
        return AnthropicConverter.convert_anthropic_event_to_chat_with_state(event.get("type", ""), event, self.state)

    def close(self):
        return []


if __name__ == "__main__":
    serve(ProtocolConverter())
