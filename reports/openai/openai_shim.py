"""openai as bridgecheck asks it: ``chat.completions.create`` and its stream, as its README calls them.

The client's document is what such a user writes as arguments; what the method has no parameter for goes where the
README says, into ``extra_body``. What comes back is the SDK's own object, dumped by its own ``to_dict``. Retries are
off: each error is judged as it comes.
"""

import inspect
from importlib.metadata import version

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, OpenAI
from shim import CallFailed, serve

OF_THE_CALL = {"extra_headers", "extra_query", "extra_body", "timeout"}


class OpenAi:
    name, version = "openai", version("openai")
    routes = [("openai-chat", "openai-chat")]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        create = OpenAI(base_url=base_url, api_key=api_key, max_retries=0).chat.completions.create
        known = inspect.signature(create).parameters.keys() - OF_THE_CALL
        asked = {name: value for name, value in body.items() if name in known}
        extra = {name: value for name, value in body.items() if name not in known}
        if extra:
            asked["extra_body"] = extra
        if mode == "stream":
            return told(create, {**asked, "stream": True})
        return next(told(lambda **said: [create(**said)], asked))


def told(create, asked):
    """The documents that it gives."""
    try:
        for answer in create(**asked):
            yield answer.to_dict(mode="json")
    except APIStatusError as error:
        hint = error.response.headers.get("retry-after", "")
        raise CallFailed(error.status_code, document(error), float(hint) if hint.isdigit() else None) from error
    except (APIConnectionError, httpx2.TransportError) as error:
        raise CallFailed(None, None) from error
    except APIError as error:
        raise CallFailed(None, document(error)) from error


def document(error):
    """The error as its user has it: the exception keeps what stands inside ``error``."""
    return {"error": error.body if isinstance(error.body, dict) else {"message": error.message}}


if __name__ == "__main__":
    serve(OpenAi())
