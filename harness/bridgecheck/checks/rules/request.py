"""Rules of what a provider is sent."""

from typing import Final

from bridgecheck.checks.bases import BETAS, CACHED, CALLING, CHAT, GEMINI, HOUSE, MESSAGES, READ, TRIED
from bridgecheck.checks.rules.rule import Rule
from bridgecheck.model.scenario import Basis

_THINKING: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thinking", READ)
_PAIRS: Final = Basis("client-breaks", "Gemini's refusal in earendil-works/pi#5528, cloudwego/eino-ext#571", READ)
_SCHEMA: Final = Basis("documented", "https://json-schema.org/draft/2020-12/json-schema-validation", READ)
_CHOICE: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/function-calling", READ)
_WRAPPED: Final = Basis("recorded", "results in recorded Gemini requests are wrapped in over 20 ways", TRIED)

REQUEST_RULES: Final[tuple[Rule, ...]] = (
    Rule("system.whole", "request.system", "MUST", "Every piece of the system instruction is sent, in order.", GEMINI),
    Rule(
        "system.middle",
        "request.turns",
        "MUST",
        "A system message in mid-conversation stays, moves to the instruction or becomes a user turn in its place.",
        CHAT,
    ),
    Rule("turns.order", "request.turns", "MUST", "Every turn is sent with its parts in the client's order.", GEMINI),
    Rule(
        "turns.merge",
        "request.turns",
        "MUST",
        "Neighbours of one role may be one turn; calls and results never.",
        GEMINI,
    ),
    Rule("turns.empty", "request.turns", "MUST", "Nothing is sent for nothing: empty content is no text.", MESSAGES),
    Rule(
        "turns.pairs", "request.turns", "MUST", "Each result answers the call that it answered for the client.", CALLING
    ),
    Rule("results.value", "request.turns", "MUST", "The value of a result arrives, however it is wrapped.", _WRAPPED),
    Rule("results.error", "request.turns", "MUST", "A failed result stays one where the dialect can say so.", MESSAGES),
    Rule("media.asked", "request.turns", "MUST", "Images and files are the same bytes, or the same address.", GEMINI),
    Rule(
        "tools.all",
        "request.tools",
        "MUST",
        "Every function is declared once, in order, with its description.",
        CALLING,
    ),
    Rule(
        "schema.narrowed",
        "request.tools",
        "MUST",
        "Whatever the client's schema allows, the provider's allows.",
        _SCHEMA,
    ),
    Rule(
        "schema.words",
        "request.tools",
        "SHOULD",
        "Names, descriptions, members of enumerations and required names of a schema are kept.",
        CALLING,
    ),
    Rule("schema.loosened", "request.tools", "MAY", "What the provider's schema allows beyond is listed.", _SCHEMA),
    Rule("tools.builtin", "request.tools", "MUST", "A provider's own tool is sent, or its loss is declared.", GEMINI),
    Rule("choice.class", "request.tool_choice", "MUST", "Whether and what the model must call holds.", _CHOICE),
    Rule(
        "choice.parallel", "request.tool_choice", "MUST", "One call at a time stays so, or its loss is declared.", CHAT
    ),
    Rule("settings.value", "request.settings", "MUST", "A setting arrives with its value; an explicit 0 is one.", CHAT),
    Rule("settings.alias", "request.settings", "MUST", "Where a provider has another word for it, that is used.", CHAT),
    Rule(
        "thinking.rung",
        "request.thinking",
        "MUST",
        "More effort never becomes less; numbers are not judged.",
        _THINKING,
    ),
    Rule(
        "thinking.off",
        "request.thinking",
        "MUST",
        "Thinking that was turned off stays off, or at its least.",
        _THINKING,
    ),
    Rule("thinking.one_word", "request.thinking", "MUST", "A budget or a level is sent, never both.", _THINKING),
    Rule("format.asked", "request.response_format", "MUST", "The form of the answer is asked of the provider.", CHAT),
    Rule(
        "format.schema", "request.response_format", "MUST", "Its schema allows all that the client's allows.", _SCHEMA
    ),
    Rule("asked.declared", "request.other", "MUST", "A leaf with no place at the provider is a declared loss.", CHAT),
    Rule("added.nothing", "request.added", "SHOULD", "Nothing is added that changes what the model does.", HOUSE),
    Rule(
        "added.needed",
        "request.added",
        "SHOULD",
        "What the provider needs may be added: Anthropic's limit, the wish for usage, placeholders that it documents.",
        MESSAGES,
    ),
    Rule(
        "accept.documented",
        "request.acceptable",
        "MUST",
        "Nothing is sent that the provider documents, or is recorded, to refuse (harness/bridgecheck/accept).",
        GEMINI,
    ),
    Rule(
        "accept.results",
        "request.acceptable",
        "MUST",
        "Gemini gets the results of one answer in one content, as many as the calls and in their order.",
        _PAIRS,
    ),
    Rule(
        "accept.stream", "request.acceptable", "MUST", "Where the body says that a stream is wanted, it says so.", CHAT
    ),
    Rule(
        "accept.disputed",
        "request.acceptable",
        "SHOULD",
        "What a provider is reported to refuse, against other reports, is better avoided: ids over 40 characters.",
        Basis("convention", "vercel/ai#5171, against vercel/ai#17233", READ),
    ),
    Rule("bytes.same", "request.deterministic", "SHOULD", "The same request twice is the same bytes upstream.", CACHED),
    Rule(
        "bytes.prefix", "request.prefix_stable", "SHOULD", "A longer conversation begins with the same bytes.", CACHED
    ),
    Rule(
        "headers.features",
        "request.features",
        "SHOULD",
        "Headers that switch a feature on, or say whom to bill, reach a provider of the client's dialect.",
        BETAS,
    ),
    Rule(
        "wire.upstream", "upstream.wire_shape", "MUST", "What is sent has the shape of the provider's dialect.", GEMINI
    ),
)
