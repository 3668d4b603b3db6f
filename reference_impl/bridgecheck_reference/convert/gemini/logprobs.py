"""Token log probabilities: Gemini's logprobsResult and OpenAI's logprobs.content, both ways.

Gemini lists chosen tokens and their alternatives side by side; OpenAI nests the alternatives in each token.
"""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, google_extra, obj, objs, text


def logprobs_to_openai(result: JsonObject, *, carry_ids: bool = False) -> JsonObject:
    """Convert logprobsResult to logprobs; ``bytes`` are the UTF-8 bytes of each token. ``carry_ids``: ids of tokens go
    along under ``extra_content``."""
    tops = arr(result.get("topCandidates"))
    content = []
    for position, chosen in enumerate(objs(result.get("chosenCandidates"))):
        token = _token_to_openai(chosen, carry_ids)
        top = obj(tops[position]) if position < len(tops) else {}
        token["top_logprobs"] = [_token_to_openai(item, carry_ids) for item in objs(top.get("candidates"))]
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


def _token_to_openai(candidate: JsonObject, carry_ids: bool) -> JsonObject:
    token_text = text(candidate.get("token"))
    ids = {key: candidate[key] for key in ("tokenId",) if carry_ids and key in candidate}
    return {
        "token": token_text,
        "logprob": candidate.get("logProbability", 0.0),
        "bytes": list(token_text.encode("utf-8", "surrogatepass")),
        **({"extra_content": {"google": ids}} if ids else {}),
    }


def _token_to_gemini(token: JsonObject) -> JsonObject:
    return {**google_extra(token), "token": text(token.get("token")), "logProbability": token.get("logprob", 0.0)}
