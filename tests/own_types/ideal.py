"""An answer of a provider, said again without loss in a document of ``outcome``: what the judge reads in the one it has
to read in the other, and to find nothing wrong."""

from dataclasses import asdict
from typing import Any

from bridgecheck import normalise
from bridgecheck.model.evidence import Evidence, Transcript
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.outcome import Choice, Media, Outcome
from bridgecheck.model.verdict import CaseKey


def evidence(said: Response, made: Response, inexpressible: frozenset[str] = frozenset()) -> Evidence:
    """A case of one turn, of which only the answer is known."""
    key = CaseKey("own/types", "bridged", "outcome", said.dialect, said.mode, "wire")
    seen = Transcript((Interaction(None, made),), (Interaction(None, said),))
    both = (normalise.response(said),), (normalise.response(made),)
    return Evidence(key, seen, None, (None,), (None,), *both, answered_by=(0,), inexpressible=inexpressible)


def document(said: Outcome, media: dict[str, str]) -> dict[str, Any]:
    """``media``: digest -> bytes in base64."""
    made: dict[str, Any] = {"model": said.model, "id": said.response_id}
    if said.usage is not None:
        made["usage"] = asdict(said.usage)
    if said.error is not None:
        made["error"] = asdict(said.error)
    if len(said.choices) == 1 and said.choices[0].index == 0:
        return made | _choice(said.choices[0], media)
    return made | {"choices": [_choice(one, media) | {"index": one.index} for one in said.choices]}


def _choice(choice: Choice, media: dict[str, str]) -> dict[str, Any]:
    signed = dict(choice.signatures)
    parts = [_part(choice, channel, at, signed, media) for channel, at in choice.order if channel != "refusal"]
    redacted = [{"redacted": value} for where, value in choice.signatures if where.startswith("redacted")]
    tail = [{"text": "", "signature": value} for where, value in choice.signatures if where == "tail"]
    alone = (
        []
        if choice.reasoning or "reasoning:0" not in signed
        else [{"reasoning": "", "signature": signed["reasoning:0"]}]
    )
    return {
        "parts": [*alone, *redacted, *parts, *tail],
        "refusal": choice.refusal,
        "citations": list(choice.citations),
        "finish": choice.finish.kind,
        "finish_native": choice.finish.native,
    }


def _part(choice: Choice, channel: str, at: int, signed: dict[str, str], media: dict[str, str]) -> dict[str, Any]:
    signature = signed.get(f"{channel}:{at}", "")
    if channel in ("text", "reasoning"):
        return {channel: getattr(choice, channel)[at], "signature": signature}
    if channel == "media":
        return {"media": _media(choice.media[at], media), "signature": signature}
    if channel == "code":
        kind, text = choice.code[at]
        return {"code": {"kind": kind, "text": text}, "signature": signature}
    call = choice.tool_calls[at]
    args = {"args": call.args} if call.bad_args is None else {"args_text": call.bad_args}
    return {"tool_call": {"id": call.id, "name": call.name, **args}, "signature": call.signature}


def _media(one: Media, media: dict[str, str]) -> dict[str, Any]:
    where = {"data": media[one.sha256]} if one.sha256 else {"uri": one.uri}
    return {"mime": one.mime, **where}
