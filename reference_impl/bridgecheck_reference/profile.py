"""Profile: the mapping choices of the converters, as data.

A field is here only if the converters obey it. "R-nn" is the row of the mapping table in docs that a choice comes from;
the first value named is the default.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """``carry`` (R-26): ``portable`` puts on the wire what any OpenAI host or client takes; ``native`` keeps, under
    ``extra_content``, everything the other dialect cannot say, for a document that is converted back later.

    ``signatures`` (R-26): ``carry`` or ``drop`` thought signatures. ``signature_placeholder`` (R-26): towards Gemini
    3, sign the first call of each step of the running turn that lost its signature with the documented placeholder.
    ``emit_ids`` (R-05): write ``id`` into functionCall and functionResponse. ``finish_tool_calls``, ``unknown_finish``
    (R-09): the Gemini finishReason for an answer with calls, and for a reason that no table knows. ``tool_choice``
    (R-21): ``mapped``, or ``auto_always`` = "auto" whenever there are tools. ``schema_mode`` (R-15): function schemas
    go to Gemini as ``json`` (parametersJsonSchema, untouched) or ``openapi`` (parameters, cleaned to Gemini's own
    schema type). ``strict_schema`` (R-14): say strict for every response schema, or only (False) where the schema
    meets its terms. ``tool_text`` (R-19): ``unwrap`` {"output": text} only, or prefer the key ``content`` of any
    result. ``usage`` (R-12): ``full`` or the three ``basic`` counts. ``minimal_response`` (R-20): no id and model in
    Gemini answers. ``include_usage`` (R-25): ask a streaming OpenAI host for its usage chunk. ``low_budget``,
    ``high_budget`` (R-24): largest thinking budget, in tokens, called low and medium. ``reasoning_max_tokens`` (R-24):
    max_completion_tokens where a thinking request gives no maximum; None = send none.
    """

    name: str = "native"
    carry: Literal["portable", "native"] = "portable"
    signatures: Literal["carry", "drop"] = "carry"
    signature_placeholder: bool = True
    emit_ids: bool = True
    finish_tool_calls: str = "STOP"
    unknown_finish: str = "OTHER"
    tool_choice: Literal["mapped", "auto_always"] = "mapped"
    schema_mode: Literal["json", "openapi"] = "json"
    strict_schema: bool = False
    tool_text: Literal["unwrap", "content"] = "unwrap"
    usage: Literal["full", "basic"] = "full"
    minimal_response: bool = False
    include_usage: bool = True
    low_budget: int = 4096
    high_budget: int = 16384
    reasoning_max_tokens: int | None = None

    @property
    def carries(self) -> bool:
        """Whether everything the other dialect cannot say travels along."""
        return self.carry == "native"


NATIVE: Final = Profile()
"""The default: what today's APIs do and take."""

PIVOT: Final = Profile(name="pivot", carry="native", signature_placeholder=False)
"""For a document that passes through the other dialect and comes back: nothing is put on a wire in between."""

LETTER: Final = Profile(
    name="letter",
    signatures="drop",
    signature_placeholder=False,
    emit_ids=False,
    finish_tool_calls="MODEL_REQUESTED_TOOL",
    unknown_finish="STOP",
    tool_choice="auto_always",
    strict_schema=True,
    tool_text="content",
    usage="basic",
    minimal_response=True,
    include_usage=False,
)
"""The older mapping to its letter, for the rows that have an option so far; the others stay as in ``NATIVE``."""

PROFILES: Final[dict[str, Profile]] = {profile.name: profile for profile in (NATIVE, PIVOT, LETTER)}
