"""Profile: the mapping choices of the converters, as data.

A field is here only if the converters obey it. "R-nn" is the row of docs/mapping.md that a choice comes from;
the first value named is the default.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Profile:
    """The mapping choices of all converters, one field each:

    * ``carry`` (R-26): whose leaves travel along, under ``extra_content``, where the other dialect has no place:
      ``nothing``, or those of ``gemini`` or ``anthropic`` through an OpenAI document, or of ``openai`` through a Gemini
      one. For a document that is converted back later; what was carried is always read.
    * ``extended`` (R-46): the OpenAI document may hold what Chat Completions cannot express, but Gemini and Anthropic
      both can: for a document that only stands between these two.
    * ``signatures`` (R-26): ``carry`` or ``drop`` thought signatures.
    * ``signature_carrier`` (R-26): the signature of a call travels in a ``field`` beside it, or inside its ``id``, for
      clients that send back id, name and arguments only.
    * ``signature_placeholder`` (R-26): towards Gemini 3, sign the first call of each step of the running turn that lost
      its signature with the documented placeholder.
    * ``result_placeholder`` (R-54): give a call without a result, although the conversation went on, a placeholder;
      the upstream may refuse the whole request otherwise.
    * ``arguments`` (R-52): arguments of calls towards OpenAI are ``compact`` JSON text, or ``spaced`` behind colons and
      commas.
    * ``emit_ids`` (R-05): write ``id`` into functionCall and functionResponse.
    * ``schema_mode`` (R-15): schemas go to Gemini as ``json`` (parametersJsonSchema, untouched) or ``openapi``
      (parameters, cleaned to Gemini's own schema type).
    * ``bad_arguments`` (R-53): unreadable arguments are ``kept`` (as text in a history, as a malformed call in an
      answer) or become ``empty``.
    * ``tool_wrap`` (R-19): key of the object that the text of a tool message becomes.
    * ``include_usage`` (R-25): request the usage chunk of a streaming OpenAI host.
    * ``hold_final`` (R-25): the last Gemini event waits for the end of the stream, or comes (False) with the finish.
    * ``low_budget``, ``high_budget`` (R-24): largest thinking budget, in tokens, called low and medium; None = not
      set, and a request that needs them is refused.
    * ``reasoning_max_tokens`` (R-24): max_completion_tokens where a thinking request gives no maximum; None = none.
    * ``anthropic_max_tokens`` (R-47): max_tokens towards Anthropic, which demands one, where the request gives none;
      None = such a request is refused.
    * ``errors`` (R-28): converters of ``convert.factory`` ``raise``, or answer with an unsuccessful ``result``.
    * ``finish_parts`` (R-45): a Gemini event that only ends an answer has one blank ``text``, no content (``omit``) or
      an ``empty`` list of parts.
    * ``habits`` (R-16): of older mappings, by their names in ``convert.older_mappings``. They stand around the
      converters that ``convert.pairs`` gives; a converter called by itself does not know them.
    """

    name: str = "native"
    carry: Literal["nothing", "gemini", "openai", "anthropic"] = "nothing"
    extended: bool = False
    signatures: Literal["carry", "drop"] = "carry"
    signature_carrier: Literal["field", "id"] = "field"
    signature_placeholder: bool = True
    result_placeholder: bool = True
    arguments: Literal["compact", "spaced"] = "compact"
    emit_ids: bool = True
    schema_mode: Literal["json", "openapi"] = "json"
    bad_arguments: Literal["kept", "empty"] = "kept"
    tool_wrap: Literal["output", "result"] = "output"
    include_usage: bool = True
    hold_final: bool = True
    low_budget: int | None = 4096
    high_budget: int | None = 16384
    reasoning_max_tokens: int | None = None
    anthropic_max_tokens: int | None = 4096
    errors: Literal["raise", "result"] = "raise"
    finish_parts: Literal["text", "omit", "empty"] = "text"
    habits: frozenset[str] = frozenset()

    @property
    def carries_gemini(self) -> bool:
        """Whether an OpenAI document made from a Gemini one holds all of its content."""
        return self.carry == "gemini"

    @property
    def carries_openai(self) -> bool:
        """Whether a Gemini document made from an OpenAI one holds all of its content."""
        return self.carry == "openai"

    @property
    def carries_anthropic(self) -> bool:
        """Whether an OpenAI document made from an Anthropic one holds all of its content."""
        return self.carry == "anthropic"


NATIVE: Final = Profile()
"""The default: what today's APIs do and take."""

PIVOT: Final = Profile(name="pivot", carry="gemini", signature_placeholder=False, result_placeholder=False)
"""Both directions of a Gemini document that passes through OpenAI's format: nothing is put on a wire in between."""

CHAT_PIVOT: Final = Profile(
    name="chat-pivot", carry="openai", arguments="spaced", signature_placeholder=False, result_placeholder=False
)
"""The same for an OpenAI document that passes through Gemini's format."""

ANTHROPIC_PIVOT: Final = Profile(name="anthropic-pivot", carry="anthropic", result_placeholder=False)
"""The same for an Anthropic document that passes through OpenAI's format."""

MEMORY: Final = Profile(name="memory", extended=True)
"""Both legs between Gemini and Anthropic: the OpenAI document in between is never put on a wire."""

SIGNED_IDS: Final = Profile(name="signed-ids", signature_carrier="id")
"""The default, for clients that send back id, name and arguments of a call and nothing else."""

_PIVOT_OF: Final[dict[Dialect, Profile]] = {
    "gemini": PIVOT,
    "openai-chat": CHAT_PIVOT,
    "anthropic": ANTHROPIC_PIVOT,
}


def pivot_or_extended_profile(client: Dialect, upstream: Dialect, profile: Profile) -> Profile:
    """Return the profile of both legs of a route through a third document.

    The same dialect on both ends: its pivot, which carries everything; two dialects: ``profile``, with what both can
    express on top (R-46).
    """
    return _PIVOT_OF[client] if client == upstream else replace(profile, extended=True)


PROFILES: Final[dict[str, Profile]] = {
    profile.name: profile for profile in (NATIVE, SIGNED_IDS, PIVOT, CHAT_PIVOT, ANTHROPIC_PIVOT, MEMORY)
}
"""By name, for whoever chooses one in a setting; ``convert.older_mappings.profiles`` has more."""
