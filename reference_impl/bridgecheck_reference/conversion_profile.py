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
    * ``ids``, ``pairing`` (R-05): ids in a history are the ones ``given``, or always a ``sequence`` number of the name;
      a result answers a call of its ``step``, or the ``latest`` call of its name, or that with ``latest_or_own``
      falling back to the call of its own number.
    * ``text_only`` (R-07): messages hold text; other content parts are dropped.
    * ``strict_params`` (R-08): an OpenAI request holds model, messages, tools, tool_choice, temperature, max_tokens,
      response_format and stream, nothing else.
    * ``thoughts`` (R-10): thoughts -> OpenAI stand ``apart``, as reasoning, or ``inline``, among the text.
    * ``casing`` (R-13): Gemini keys count in ``any`` spelling, or as the ``letter`` of the older mapping spells them.
    * ``finish_tool_calls``, ``unknown_finish`` (R-09): the Gemini finishReason of a response with calls, and of one
      whose reason no table has.
    * ``tool_choice`` (R-21): ``mapped``, or ``auto_always`` = "auto" whenever there are tools.
    * ``schema_mode`` (R-15): schemas go to Gemini as ``json`` (parametersJsonSchema, untouched) or ``openapi``
      (parameters, cleaned to Gemini's own schema type) or ``letter`` (parameters, three keywords dropped).
    * ``strict_schema`` (R-14): mark every response schema as strict, or only (False) where it meets the conditions.
    * ``tool_schema`` (R-17): a function's schema -> OpenAI is ``any`` it declares, or ``parameters_only``.
    * ``drop_siblings`` (R-18): of a user turn with tool results only these are sent.
    * ``bad_arguments`` (R-53): unreadable arguments are ``kept`` (as text in a history, as a malformed call in an
      answer) or become ``empty``.
    * ``tool_text`` (R-19): ``unwrap`` {"output": text} only, or prefer the key ``content`` of any result.
    * ``tool_wrap`` (R-19): key of the object that the text of a tool message becomes.
    * ``usage`` (R-12): ``full`` or the three ``basic`` counts.
    * ``minimal_response`` (R-20): Gemini responses always hold candidates and usageMetadata, and no id, model or time.
    * ``first_choice_only`` (R-22): only the first of several choices is converted.
    * ``safety`` (R-23): safety settings stay in the result's ``meta``, or go along as ``metadata`` of the request.
    * ``include_usage`` (R-25): request the usage chunk of a streaming OpenAI host.
    * ``hold_final`` (R-25): the last Gemini event waits for the end of the stream, or comes (False) with the finish.
    * ``thinking`` (R-24): ``mapped`` with every level and effort, or budgets alone by the ``letter``.
    * ``low_budget``, ``high_budget`` (R-24): largest thinking budget, in tokens, called low and medium; None = not
      set, and a request that needs them is refused.
    * ``reasoning_max_tokens`` (R-24): max_completion_tokens where a thinking request gives no maximum; None = none.
    * ``anthropic_max_tokens`` (R-47): max_tokens towards Anthropic, which demands one, where the request gives none;
      None = such a request is refused.
    * ``errors`` (R-28): converters of ``convert.factory`` ``raise``, or answer with an unsuccessful ``result``.
    * ``unknown_role`` (R-41): an unknown role is an ``error``, or is taken for ``assistant`` or ``user``.
    * ``finish_parts``, ``keepalive_empty_chunk`` (R-45): a Gemini event that only ends an answer has one blank
      ``text``, no content (``omit``) or an ``empty`` list of parts; a chunk with nothing to send gives no event, or an
      empty one.
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
    ids: Literal["given", "sequence"] = "given"
    pairing: Literal["step", "latest", "latest_or_own"] = "step"
    text_only: bool = False
    strict_params: bool = False
    thoughts: Literal["apart", "inline"] = "apart"
    casing: Literal["any", "letter"] = "any"
    finish_tool_calls: str = "STOP"
    unknown_finish: str = "OTHER"
    tool_choice: Literal["mapped", "auto_always"] = "mapped"
    schema_mode: Literal["json", "openapi", "letter"] = "json"
    strict_schema: bool = False
    tool_schema: Literal["any", "parameters_only"] = "any"
    drop_siblings: bool = False
    bad_arguments: Literal["kept", "empty"] = "kept"
    tool_text: Literal["unwrap", "content"] = "unwrap"
    tool_wrap: Literal["output", "result"] = "output"
    usage: Literal["full", "basic"] = "full"
    minimal_response: bool = False
    first_choice_only: bool = False
    safety: Literal["meta", "metadata"] = "meta"
    include_usage: bool = True
    hold_final: bool = True
    thinking: Literal["mapped", "letter"] = "mapped"
    low_budget: int | None = 4096
    high_budget: int | None = 16384
    reasoning_max_tokens: int | None = None
    anthropic_max_tokens: int | None = 4096
    errors: Literal["raise", "result"] = "raise"
    unknown_role: Literal["error", "assistant", "user"] = "error"
    finish_parts: Literal["text", "omit", "empty"] = "text"
    keepalive_empty_chunk: bool = False

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

LETTER: Final = Profile(
    name="letter",
    signatures="drop",
    arguments="spaced",
    signature_placeholder=False,
    result_placeholder=False,
    emit_ids=False,
    ids="sequence",
    pairing="latest",
    thoughts="inline",
    casing="letter",
    finish_tool_calls="MODEL_REQUESTED_TOOL",
    unknown_finish="STOP",
    tool_choice="auto_always",
    schema_mode="letter",
    strict_schema=True,
    tool_schema="parameters_only",
    drop_siblings=True,
    bad_arguments="empty",
    tool_text="content",
    tool_wrap="result",
    usage="basic",
    minimal_response=True,
    first_choice_only=True,
    safety="metadata",
    include_usage=False,
    hold_final=False,
    thinking="letter",
    low_budget=None,
    high_budget=None,
    anthropic_max_tokens=None,
    errors="result",
    unknown_role="assistant",
    finish_parts="empty",
)
"""The older mapping to its letter. Its bounds for thinking have no default: they come from the environment."""

APICONVERSION: Final = replace(LETTER, name="apiconversion", pairing="latest_or_own", keepalive_empty_chunk=True)
"""The letter as the program that it describes does it, in two places where the description is silent or broken."""

EXCELMANUS: Final = Profile(
    name="excelmanus",
    signatures="drop",
    signature_placeholder=False,
    result_placeholder=False,
    emit_ids=False,
    schema_mode="letter",
    bad_arguments="empty",
    tool_wrap="result",
    usage="basic",
    unknown_role="user",
    finish_parts="omit",
)
"""The habits of an older adapter, as far as fields express them; ``convert.excelmanus`` has the rest (R-16)."""

NARROW: Final = replace(LETTER, name="narrow", text_only=True, strict_params=True)
"""The letter with messages of text and requests of eight fields, which contradict other parts of the letter."""

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


_SERVING: Final = (NATIVE, SIGNED_IDS, PIVOT, CHAT_PIVOT, ANTHROPIC_PIVOT, MEMORY)
_TO_COMPARE: Final = (LETTER, NARROW, APICONVERSION, EXCELMANUS)

PROFILES: Final[dict[str, Profile]] = {profile.name: profile for profile in (*_SERVING, *_TO_COMPARE)}
"""By name, for whoever chooses one in a setting."""
