"""any-llm as bridgecheck asks it: ``any_llm.completion(...)`` of its README, at the base URL of the recordings.

It takes and gives the objects of the OpenAI SDK by its own word, so its client's dialect is OpenAI Chat; what it
returns is written down as it is.
"""

from importlib.metadata import version

from any_llm import completion
from shim import CallFailed, serve

PROVIDERS = {"gemini": "gemini", "anthropic": "anthropic", "openai-chat": "openai"}


class AnyLlm:
    name, version = "any-llm", version("any-llm-sdk")
    routes = [("openai-chat", upstream) for upstream in PROVIDERS]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked = {key: value for key, value in body.items() if key not in ("model", "stream")}
        asked |= {"provider": PROVIDERS[upstream], "api_key": api_key, "api_base": base_url}
        if mode == "stream":
            return events(model, asked)
        try:
            return completion(model, **asked).model_dump(mode="json", exclude_unset=True)
        except Exception as error:
            raise failure(error) from error


def events(model, asked):
    try:
        for chunk in completion(model, stream=True, **asked):
            yield chunk.model_dump(mode="json", exclude_unset=True)
    except Exception as error:
        raise failure(error) from error


def failure(error):
    """An exception as its caller sees it: words, and the status where the exception has one."""
    if isinstance(error, (NotImplementedError, TypeError)):
        raise error
    cause = getattr(error, "original_exception", None)
    status = next((code for one in (error, cause) if isinstance(code := getattr(one, "status_code", None), int)), None)
    return CallFailed(status, {"error": {"message": str(error), "type": type(error).__name__}})


if __name__ == "__main__":
    serve(AnyLlm())
