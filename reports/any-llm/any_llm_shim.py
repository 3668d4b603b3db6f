"""any-llm as bridgecheck asks it: ``any_llm.completion(...)`` of its README, at the base URL of the recordings.

It takes and gives the objects of the OpenAI SDK by its own word, so its client's dialect is OpenAI Chat. What it gives
is written down without the attributes that are None: to a caller in Python these say the same as those never set.
"""

from importlib.metadata import version

from any_llm import completion
from any_llm.exceptions import InvalidRequestError, UnsupportedParameterError
from shim import CallFailed, serve

PROVIDERS = {"gemini": "gemini", "anthropic": "anthropic", "openai-chat": "openai"}
ONE_ATTEMPT = {"max_retries": 0}  # retries are the SDKs'; they would wait as long as a recorded answer asks


class AnyLlm:
    name, version = "any-llm", version("any-llm-sdk")
    routes = [("openai-chat", upstream) for upstream in PROVIDERS]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked = {key: value for key, value in body.items() if key not in ("model", "stream")}
        asked |= {"provider": PROVIDERS[upstream], "api_key": api_key, "api_base": base_url}
        asked["client_args"] = ONE_ATTEMPT
        if mode == "stream":
            return events(model, asked)
        try:
            return said(completion(model, **asked))
        except Exception as error:
            raise failure(error) from error


def events(model, asked):
    try:
        for chunk in completion(model, stream=True, **asked):
            yield said(chunk)
    except Exception as error:
        raise failure(error) from error


def said(answer):
    return answer.model_dump(mode="json", exclude_none=True)


def failure(error):
    """An exception as its caller sees it. Those of the SDKs hold the provider's status, document and headers."""
    if refuses(error):
        return NotImplementedError(str(error))
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    status = status if isinstance(status, int) else None
    document = getattr(error, "body", None) or getattr(error, "details", None)
    document = document.get("error", document) if isinstance(document, dict) else {}
    words = {"message": document.get("message") or str(error), "type": document.get("type") or type(error).__name__}
    return CallFailed(status, {"error": {**document, **words}}, wait(error, document))


def refuses(error):
    """Whether it says before it asks anybody that it does not take something, and what."""
    if isinstance(error, (InvalidRequestError, UnsupportedParameterError, NotImplementedError)):
        return getattr(error, "original_exception", None) is None
    signs = ("unexpected keyword argument", "Extra inputs are not permitted", "Unsupported ")
    return isinstance(error, (TypeError, ValueError)) and any(sign in str(error) for sign in signs)


def wait(error, document):
    """Seconds: of the header, for the SDKs of OpenAI and Anthropic; of RetryInfo, for that of Google."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    told = [headers["retry-after"]] if "retry-after" in headers else []
    told += [one["retryDelay"].removesuffix("s") for one in document.get("details") or () if "retryDelay" in one]
    return float(told[0]) if told else None


if __name__ == "__main__":
    serve(AnyLlm())
