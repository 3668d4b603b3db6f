"""LiteLLM's SDK as bridgecheck asks it: ``litellm.completion(...)`` of its README, at the base URL of the recordings.

It gives "OpenAI-format" objects by its own word, so its client's dialect is OpenAI Chat; what it returns is
written down as it is. Its table of prices is the one it carries (LITELLM_LOCAL_MODEL_COST_MAP): the run is offline.
"""

from importlib.metadata import version

import litellm
from shim import CallFailed, serve

MODELS = {"gemini": "gemini/{}", "anthropic": "anthropic/{}", "openai-chat": "openai/{}"}
USUAL = {"gemini": ("gemini", "gemini-2.5-flash"), "anthropic": ("claude", "claude-sonnet-4-5")}
"""Of each provider how its models' names begin, and which it gets where a scenario names one of OpenAI's: what LiteLLM
sends depends on what it knows of the model, and it knows none of Google's called gpt-4.1-mini."""


class LiteLlm:
    name, version = "litellm-sdk", version("litellm")
    routes = [("openai-chat", upstream) for upstream in MODELS]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked = {key: value for key, value in body.items() if key not in ("model", "stream")}
        # For Gemini LiteLLM takes an address with its version.
        asked |= {"api_key": api_key, "api_base": base_url + "/v1beta" * (upstream == "gemini"), "max_retries": 0}
        name = MODELS[upstream].format(known(upstream, model))
        if mode == "stream":
            return events(name, asked)
        try:
            return litellm.completion(model=name, **asked).model_dump(mode="json", exclude_unset=True)
        except Exception as error:
            raise failure(error) from error


def known(upstream, model):
    begins, usual = USUAL.get(upstream, ("", model))
    return model if model.startswith(begins) else usual


def events(name, asked):
    try:
        for chunk in litellm.completion(model=name, stream=True, **asked):
            yield chunk.model_dump(mode="json", exclude_unset=True)
    except Exception as error:
        raise failure(error) from error


def failure(error):
    """An exception as its caller sees it: those of litellm inherit from the OpenAI SDK's and carry a status. One of
    them is no answer of a provider: what a model does not take is refused by name, unless drop_params is set."""
    if isinstance(error, litellm.UnsupportedParamsError):
        return NotImplementedError(str(error))
    status = getattr(error, "status_code", None)
    if status is None:
        raise error
    response = getattr(error, "response", None)
    hint = response.headers.get("retry-after", "") if response is not None else ""
    body = {"error": {"message": str(error), "type": type(error).__name__, "code": getattr(error, "code", None)}}
    return CallFailed(int(status), body, float(hint) if hint.replace(".", "", 1).isdigit() else None)


if __name__ == "__main__":
    serve(LiteLlm())
