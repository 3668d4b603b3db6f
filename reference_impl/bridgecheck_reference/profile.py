"""Profile: the mapping choices of the converters, as data.

A field is here only if the converters obey it. "R-nn" is the row of docs/mapping.md that a choice comes from;
the first value named is the default.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """One choice each, obeyed by every converter:

    * ``carry`` (R-26): whose leaves travel along, under ``extra_content``, where the other dialect has no place:
      ``nothing``, or those of ``gemini`` or ``anthropic`` through an OpenAI document, or of ``openai`` through a Gemini
      one. For a document that is converted back later; what was carried is always read.
    * ``extended`` (R-46): say in the OpenAI document what Chat Completions cannot, but Gemini and Anthropic both can:
      for a document that only stands between these two.
    * ``signatures`` (R-26): ``carry`` or ``drop`` thought signatures.
    * ``signature_placeholder`` (R-26): towards Gemini 3, sign the first call of each step of the running turn that lost
      its signature with the documented placeholder.
    * ``result_placeholder``: give a call that was never answered, although the conversation went on, a result; the
      upstream may refuse the whole request otherwise.
    * ``emit_ids`` (R-05): write ``id`` into functionCall and functionResponse.
    * ``finish_tool_calls``, ``unknown_finish`` (R-09): the Gemini finishReason of an answer with calls, and of one
      whose reason no table knows.
    * ``tool_choice`` (R-21): ``mapped``, or ``auto_always`` = "auto" whenever there are tools.
    * ``schema_mode`` (R-15): schemas go to Gemini as ``json`` (parametersJsonSchema, untouched) or ``openapi``
      (parameters, cleaned to Gemini's own schema type).
    * ``strict_schema`` (R-14): say strict of every response schema, or only (False) where the schema meets its terms.
    * ``tool_text`` (R-19): ``unwrap`` {"output": text} only, or prefer the key ``content`` of any result.
    * ``usage`` (R-12): ``full`` or the three ``basic`` counts.
    * ``minimal_response`` (R-20): no id, model and time in Gemini answers.
    * ``include_usage`` (R-25): ask a streaming OpenAI host for its usage chunk.
    * ``low_budget``, ``high_budget`` (R-24): largest thinking budget, in tokens, called low and medium.
    * ``reasoning_max_tokens`` (R-24): max_completion_tokens where a thinking request gives no maximum; None = none.
    * ``anthropic_max_tokens`` (R-47): max_tokens towards Anthropic, which demands one, where the request gives none;
      None = such a request is refused.
    """

    name: str = "native"
    carry: Literal["nothing", "gemini", "openai", "anthropic"] = "nothing"
    extended: bool = False
    signatures: Literal["carry", "drop"] = "carry"
    signature_placeholder: bool = True
    result_placeholder: bool = True
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
    anthropic_max_tokens: int | None = 4096

    @property
    def carries_gemini(self) -> bool:
        """Whether an OpenAI document made from a Gemini one says everything that it said."""
        return self.carry == "gemini"

    @property
    def carries_openai(self) -> bool:
        """Whether a Gemini document made from an OpenAI one says everything that it said."""
        return self.carry == "openai"

    @property
    def carries_anthropic(self) -> bool:
        """Whether an OpenAI document made from an Anthropic one says everything that it said."""
        return self.carry == "anthropic"


NATIVE: Final = Profile()
"""The default: what today's APIs do and take."""

PIVOT: Final = Profile(name="pivot", carry="gemini", signature_placeholder=False, result_placeholder=False)
"""Both ways of a Gemini document that passes through OpenAI's format: nothing is put on a wire in between."""

CHAT_PIVOT: Final = Profile(name="chat-pivot", carry="openai", signature_placeholder=False, result_placeholder=False)
"""The same for an OpenAI document that passes through Gemini's format."""

ANTHROPIC_PIVOT: Final = Profile(name="anthropic-pivot", carry="anthropic", result_placeholder=False)
"""The same for an Anthropic document that passes through OpenAI's format."""

MEMORY: Final = Profile(name="memory", extended=True)
"""Both legs between Gemini and Anthropic: the OpenAI document in between is never put on a wire."""

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

PROFILES: Final[dict[str, Profile]] = {
    profile.name: profile for profile in (NATIVE, PIVOT, CHAT_PIVOT, ANTHROPIC_PIVOT, MEMORY, LETTER)
}
