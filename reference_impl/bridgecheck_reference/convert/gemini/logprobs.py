"""Token log probabilities: Gemini's logprobsResult and OpenAI's logprobs.content, both ways.

Gemini lists chosen tokens and their alternatives side by side; OpenAI nests the alternatives in each token.
"""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, obj, objs, text


def logprobs_to_openai(result: JsonObject) -> JsonObject:
    """Convert logprobsResult to logprobs; ``bytes`` are the UTF-8 bytes of each token."""
    tops = arr(result.get("topCandidates"))
    content = []
    for position, chosen in enumerate(objs(result.get("chosenCandidates"))):
        token = _token_to_openai(chosen)
        top = obj(tops[position]) if position < len(tops) else {}
        token["top_logprobs"] = [_token_to_openai(item) for item in objs(top.get("candidates"))]
        content.append(token)
    return {"content": content, "refusal": None}


def logprobs_to_gemini(logprobs: JsonObject) -> JsonObject | None:
    """Convert logprobs to logprobsResult; None where no token is listed."""
    content = list(objs(logprobs.get("content")))
    if not content:
        return None
    result: JsonObject = {"chosenCandidates": [_token_to_gemini(token) for token in content]}
    if any(token.get("top_logprobs") for token in content):
        result["topCandidates"] = [
            {"candidates": [_token_to_gemini(item) for item in objs(token.get("top_logprobs"))]} for token in content
        ]
    return result


def _token_to_openai(candidate: JsonObject) -> JsonObject:
    token_text = text(candidate.get("token"))
    return {
        "token": token_text,
        "logprob": candidate.get("logProbability", 0.0),
        "bytes": list(token_text.encode("utf-8", "surrogatepass")),
    }


def _token_to_gemini(token: JsonObject) -> JsonObject:
    return {"token": text(token.get("token")), "logProbability": token.get("logprob", 0.0)}
