"""A small gateway as an example: Chat Completions in, Chat Completions out, models under names of its own.

bridgecheck run --adapter 'command:python3 adapter.py' --scenario 'tools/*'
"""

from shim import serve

MODELS = {"fast": "gpt-4o-mini", "clever": "gpt-4o"}


class Stream:
    """The events of one answer. State of a stream belongs here: several may be open at once."""

    def feed(self, event):
        return [event]

    def close(self):
        return []


class Adapter:
    name, version = "example-gateway", "1.0"
    routes = (("openai-chat", "openai-chat"),)
    claims = ("tools", "parallel_tools")

    def to_upstream(self, body, *, client, upstream, mode, model):
        if body.get("store"):
            raise NotImplementedError("store: this gateway keeps nothing")
        return {**body, "model": MODELS.get(model, model)}

    def from_upstream(self, body, *, client, upstream, status, model, request):
        return status, body

    def stream(self, *, client, upstream, model, request):
        return Stream()


if __name__ == "__main__":
    serve(Adapter())
