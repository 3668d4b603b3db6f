"""Rules of what a client receives."""

from typing import Final

from bridgecheck.checks.bases import (
    BREAKS,
    CALLING,
    CHAT,
    CHUNK,
    CONVENTION,
    ERRORS,
    GEMINI,
    MESSAGES,
    READ,
    RECORDED,
    SECRET,
    TRIED,
)
from bridgecheck.checks.rules.rule import Rule
from bridgecheck.model.scenario import Basis

_LONG_NUMBERS: Final = Basis("recorded", "arguments of recorded calls hold integers beyond 2^53 and 1.0", TRIED)
_TWINS: Final = Basis("recorded", "OpenRouter says reasoning in two fields at once", TRIED)
_FINISH: Final = Basis("documented", "https://ai.google.dev/api/generate-content#FinishReason", READ)
_NAMED: Final = Basis("recorded", "mirascope/0258, mirascope/0232, maruel-genai/0644", TRIED)
_RETRY: Final = Basis("documented", "https://cloud.google.com/apis/design/errors", READ)
_XAI: Final = Basis("recorded", "vercel-ai/0101: api.x.ai counts reasoning outside of completion", TRIED)
_FALLING: Final = Basis("recorded", "pydantic-ai/0346: a count that falls in the last chunk", TRIED)
_OPTIONS: Final = Basis(
    "documented", "https://platform.openai.com/docs/api-reference/chat/create (stream_options)", READ
)

RESPONSE_RULES: Final[tuple[Rule, ...]] = (
    Rule("text.bytes", "response.text", "MUST", "Text of one segment arrives byte for byte, once.", RECORDED),
    Rule(
        "text.adjacent",
        "response.text",
        "MUST",
        "Neighbouring text parts join with nothing between them; only where a part of another kind stood may white "
        "space be added, and only where the client's dialect has one string for all.",
        GEMINI,
    ),
    Rule("text.no_reasoning", "response.text", "MUST", "Reasoning never shows up in visible text.", CHAT),
    Rule(
        "text.partial",
        "response.text",
        "MUST",
        "Where an answer breaks off, the client has a beginning of the provider's text and nothing else.",
        CHUNK,
    ),
    Rule(
        "reasoning.text", "response.reasoning", "SHOULD", "Reasoning arrives in the channel of reasoning.", CONVENTION
    ),
    Rule(
        "reasoning.once",
        "response.reasoning",
        "SHOULD",
        "Reasoning that two fields say alike is one, and is not said twice.",
        _TWINS,
    ),
    Rule(
        "order.kept",
        "response.order",
        "MUST",
        "Text, reasoning, calls and media keep their order wherever both dialects have one.",
        GEMINI,
    ),
    Rule(
        "refusal.said",
        "response.refusal",
        "MUST",
        "A refusal arrives as one, or as text where the dialect has no place for it.",
        CHAT,
    ),
    Rule(
        "choices.index", "response.choices", "MUST", "Every candidate arrives under its index, none is made up.", GEMINI
    ),
    Rule("choices.empty", "response.choices", "MUST", "A candidate without content is one all the same.", GEMINI),
    Rule("calls.once", "response.tool_calls", "MUST", "Every call arrives once, in order, under its name.", CALLING),
    Rule(
        "calls.args",
        "response.tool_calls",
        "MUST",
        "Arguments are compared as JSON values: white space, order of keys and the writing of a number say nothing; no "
        "arguments, null, an empty text and an empty object are one.",
        CALLING,
    ),
    Rule(
        "calls.ids", "response.tool_calls", "MUST", "Calls have ids where the dialect wants them, no two alike.", CHAT
    ),
    Rule(
        "calls.names_back",
        "response.tool_calls",
        "MUST",
        "A function that had to be renamed for the provider has the client's name in the answer.",
        CHAT,
    ),
    Rule(
        "calls.number_text",
        "response.number_text",
        "SHOULD",
        "Numbers in arguments keep their digits: integers beyond 2^53 stay exact, 1.0 stays 1.0.",
        _LONG_NUMBERS,
    ),
    Rule(
        "media.bytes", "response.media", "MUST", "Media are the same bytes of the same type, however written.", GEMINI
    ),
    Rule(
        "code.kept",
        "response.code",
        "MUST",
        "Code that was run, and its output, arrive as such or as text, or their loss is declared.",
        GEMINI,
    ),
    Rule(
        "citations.kept",
        "response.citations",
        "MUST",
        "Citations arrive unchanged in their own dialect; between dialects their loss is declared.",
        GEMINI,
    ),
    Rule(
        "finish.class",
        "response.finish",
        "MUST",
        "The client learns why the answer ended, in the right class.",
        _FINISH,
    ),
    Rule(
        "finish.promoted",
        "response.finish",
        "MUST",
        "A Gemini answer that stops with calls in it ends in tool_calls for clients of Chat and Anthropic.",
        CHAT,
    ),
    Rule(
        "finish.forced",
        "response.finish",
        "MUST",
        "Where the request named or required a function, stop is right beside calls as well.",
        _NAMED,
    ),
    Rule(
        "finish.no_success",
        "response.finish",
        "MUST",
        "What was cut, filtered or broken never ends in a clean stop.",
        CHAT,
    ),
    Rule(
        "usage.counts",
        "response.usage",
        "MUST",
        "Counts arrive as the client counts: with or without the cached.",
        CHAT,
    ),
    Rule(
        "usage.reasoning",
        "response.usage",
        "MUST",
        "Reasoning that a host counts outside of completion is not taken off it again.",
        _XAI,
    ),
    Rule(
        "usage.last",
        "response.usage",
        "MUST",
        "Counts in several events are the last or the highest, never their sum.",
        _FALLING,
    ),
    Rule(
        "usage.not_invented", "response.usage", "MUST", "Counts that the provider did not give are not made up.", CHAT
    ),
    Rule(
        "usage.unasked",
        "response.usage",
        "MAY",
        "A Chat stream has a chunk of usage only if the client asked for one.",
        _OPTIONS,
    ),
    Rule("identity.named", "response.identity", "MUST", "Answers have the id, type and time of their dialect.", CHAT),
    Rule(
        "identity.model",
        "response.identity",
        "MUST",
        "The model named is one that was asked for, sent or that answered.",
        CHAT,
    ),
    Rule("identity.stable", "response.identity", "SHOULD", "Id, model and time do not change within a stream.", CHUNK),
    Rule(
        "other.declared",
        "response.other",
        "MUST",
        "A leaf with no place in the client's dialect is a declared loss; none vanishes in silence.",
        GEMINI,
    ),
    Rule("error.class", "response.error", "MUST", "A failure arrives as a failure of its class and status.", ERRORS),
    Rule("error.retry", "response.error", "MUST", "A hint when to try again arrives, in a header or the body.", _RETRY),
    Rule(
        "error.no_exchange",
        "response.error",
        "MUST",
        "An error never turns into an answer, nor an answer into an error.",
        ERRORS,
    ),
    Rule(
        "error.visible_end",
        "response.error",
        "MUST",
        "A failure after the first event is an error event or an end that no client takes for success.",
        CHUNK,
    ),
    Rule(
        "error.no_secret",
        "client.no_secret",
        "MUST",
        "No error that a client sees holds the provider's key or what looks like a credential.",
        SECRET,
    ),
    Rule("wire.client", "client.wire_shape", "MUST", "What the client receives has the shape of its dialect.", BREAKS),
    Rule("wire.framing", "client.framing", "MUST", "A stream is framed as its dialect's clients can read it.", BREAKS),
    Rule(
        "wire.gemini_lines",
        "client.framing",
        "MUST",
        "A Gemini stream is `data: ` lines and empty ones: no comment, no event name, no [DONE], no byte order mark, "
        "no bare U+2028.",
        Basis("client-breaks", "gemini-cli 0.61.0, google-genai 3.4.0", TRIED),
    ),
    Rule("wire.done", "client.framing", "SHOULD", "A Chat stream ends with [DONE], and nothing follows.", _OPTIONS),
    Rule(
        "stream.one_end", "stream.terminates_once", "MUST", "Each choice of a stream ends once; nothing follows.", CHUNK
    ),
    Rule(
        "stream.usage_last",
        "stream.terminates_once",
        "SHOULD",
        "The chunk of usage comes after the last end.",
        _OPTIONS,
    ),
    Rule("stream.grammar", "stream.blocks", "MUST", "Blocks of an Anthropic stream open, close and count.", MESSAGES),
    Rule("stream.deltas", "stream.blocks", "MUST", "Deltas stand in an open block of their kind.", MESSAGES),
    Rule(
        "stream.contiguous",
        "stream.calls_contiguous",
        "MUST",
        "Deltas of one call in a Chat stream stand together, under an index of its own.",
        Basis("client-breaks", "openai 3.52.0, openai 7.55.0 (JavaScript)", TRIED),
    ),
    Rule(
        "stream.incremental",
        "stream.incremental",
        "SHOULD",
        "The client's first text comes before the provider's last.",
        Basis("convention", "router-for-me/CLIProxyAPI#460, aws-samples/bedrock-access-gateway#149", READ),
    ),
)
