"""Who speaks next, the user or the model: by the history's last content, else by asking a model.

Source of the rules: utils/nextSpeakerChecker.js of @google/gemini-cli-core 0.61.0 (2026-11-24). The words to the model
are our own."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.documents import has_result, parts
from bridgecheck_reference.chat.utility import UtilityCalls
from bridgecheck_reference.errors import ReferenceFailure

Speaker: TypeAlias = Literal["user", "model"]

_QUESTION: Final = (
    "Look at your last message alone, and say who should speak next. 'model': it announces something that you do next,"
    " or breaks off in the middle. 'user': it ends with a question to the user, or is complete."
)
_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "description": "Why, in a sentence."},
        "next_speaker": {"type": "string", "enum": ["user", "model"]},
    },
    "required": ["reasoning", "next_speaker"],
}


def next_speaker_by_rule(
    curated: Sequence[JsonObject], full: Sequence[JsonObject]
) -> "Speaker | Literal['ask'] | None":
    """Return who it is, None where nobody can tell, or "ask"."""
    if not curated or not full:
        return None
    last = full[-1]
    if has_result(last) or (last.get("role") == "model" and not parts(last)):
        return "model"
    return "ask" if curated[-1].get("role") == "model" else None


async def check_next_speaker(
    curated: Sequence[JsonObject],
    full: Sequence[JsonObject],
    utility: UtilityCalls,
    model: str,
    prompt_id: str,
    token: CancelToken | None,
) -> Speaker | None:
    """Return who speaks next; None also where the model that was asked failed or gave nothing usable."""
    found = next_speaker_by_rule(curated, full)
    if found != "ask":
        return found
    request: JsonObject = {
        "model": model,
        "contents": [*curated, {"role": "user", "parts": [{"text": _QUESTION}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": _SCHEMA},
    }
    try:
        speaker = (await utility.json(request, prompt_id, "next_speaker", token)).get("next_speaker")
    except ReferenceFailure:
        return None
    return "user" if speaker == "user" else "model" if speaker == "model" else None
