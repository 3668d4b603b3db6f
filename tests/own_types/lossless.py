"""An answer of a provider, written without loss as a document of ``outcome``. The judge has to read the same from both,
and to find nothing wrong."""

from dataclasses import asdict
from typing import Any

from bridgecheck import normalise
from bridgecheck.model.evidence import CaseTranscript, Evidence
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.outcome import Choice, Media, Outcome
from bridgecheck.model.verdict import CaseKey


def make_evidence(
    upstream_response: Response, client_response: Response, inexpressible: frozenset[str] = frozenset()
) -> Evidence:
    """Return the evidence of a case of one turn, of which only the answer is known."""
    key = CaseKey("own/types", "bridged", "outcome", upstream_response.dialect, upstream_response.mode, "wire")
    transcript = CaseTranscript((Interaction(None, client_response),), (Interaction(None, upstream_response),))
    outcomes = (normalise.response(upstream_response),), (normalise.response(client_response),)
    return Evidence(key, transcript, None, (None,), (None,), *outcomes, answered_by=(0,), inexpressible=inexpressible)


def write_document(outcome: Outcome, media: dict[str, str]) -> dict[str, Any]:
    """Write an outcome as a document. ``media``: digest -> bytes in base64."""
    fields: dict[str, Any] = {"model": outcome.model, "id": outcome.response_id}
    if outcome.usage is not None:
        fields["usage"] = asdict(outcome.usage)
    if outcome.error is not None:
        fields["error"] = asdict(outcome.error)
    if len(outcome.choices) == 1 and outcome.choices[0].index == 0:
        return fields | _choice(outcome.choices[0], media)
    return fields | {"choices": [_choice(choice, media) | {"index": choice.index} for choice in outcome.choices]}


def _choice(choice: Choice, media: dict[str, str]) -> dict[str, Any]:
    signed = dict(choice.signatures)
    parts = [_part(choice, channel, index, signed, media) for channel, index in choice.order if channel != "refusal"]
    redacted = [{"redacted": value} for location, value in choice.signatures if location.startswith("redacted")]
    tail = [{"text": "", "signature": value} for location, value in choice.signatures if location == "tail"]
    signature_alone = (
        []
        if choice.reasoning or "reasoning:0" not in signed
        else [{"reasoning": "", "signature": signed["reasoning:0"]}]
    )
    return {
        "parts": [*signature_alone, *redacted, *parts, *tail],
        "refusal": choice.refusal,
        "citations": list(choice.citations),
        "finish": choice.finish.kind,
        "finish_native": choice.finish.native,
    }


def _part(choice: Choice, channel: str, index: int, signed: dict[str, str], media: dict[str, str]) -> dict[str, Any]:
    signature = signed.get(f"{channel}:{index}", "")
    if channel in ("text", "reasoning"):
        return {channel: getattr(choice, channel)[index], "signature": signature}
    if channel == "media":
        return {"media": _media(choice.media[index], media), "signature": signature}
    if channel == "code":
        kind, text = choice.code[index]
        return {"code": {"kind": kind, "text": text}, "signature": signature}
    call = choice.tool_calls[index]
    args = {"args": call.args} if call.bad_args is None else {"args_text": call.bad_args}
    return {"tool_call": {"id": call.id, "name": call.name, **args}, "signature": call.signature}


def _media(item: Media, media: dict[str, str]) -> dict[str, Any]:
    source = {"data": media[item.sha256]} if item.sha256 else {"uri": item.uri}
    return {"mime": item.mime, **source}
