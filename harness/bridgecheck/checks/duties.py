"""What makes each MUST a duty: the section that states it and what that section says, in our own words.

A page that merely lists a field makes nobody convey it, so a MUST without an entry here is refused by ``bridgecheck
lint`` and belongs to SHOULD. Measured and recorded duties name who breaks, or who sends it."""

from typing import Final, NamedTuple


class Duty(NamedTuple):
    """``section``: the page with its section or member, or whose measurement it is. ``text``: what it demands."""

    section: str
    text: str


_GEMINI: Final = "https://ai.google.dev/api/generate-content"
_CONTENT: Final = "https://ai.google.dev/api/caching#Content"
_CALL: Final = "https://ai.google.dev/api/caching#FunctionCall"
_DECLARATION: Final = "https://ai.google.dev/api/caching#FunctionDeclaration"
_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/object"
_CREATE: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_CHUNK: Final = "https://platform.openai.com/docs/api-reference/chat-streaming"
_EVENTS: Final = "https://docs.anthropic.com/en/api/messages-streaming"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"
_SIGNATURES: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures, Signatures in function calling parts"
_BLOCKS: Final = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks"
_TOOL_CALLS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"
_SDKS: Final = "measured: google-genai 3.4.0, openai 3.52.0, anthropic 2.11.0"
_CORE: Final = "measured: @google/gemini-cli-core 0.61.0"
_RFC9112: Final = "https://www.rfc-editor.org/rfc/rfc9112"
_SCHEMA: Final = "https://json-schema.org/draft/2020-12/json-schema-core#section-7.6"
_SCENARIO: Final = Duty("the basis of the scenario", "The scenario names its own source; a MUST rests on a strong one.")

_CHUNKING: Final = Duty(
    f"{_RFC9112}#section-7.1", "Chunks are the transfer's, not the content's: a recipient puts them together first."
)
_DELTAS: Final = Duty(
    f"{_CHUNK}, {_EVENTS}, {_GEMINI}", "A stream is the response in pieces: the pieces in order are the whole."
)

DUTIES: Final[dict[str, Duty]] = {
    "adapter.answers": Duty(_SDKS, "A client waits for a response; on anything else it raises, or waits for ever."),
    "adapter.refuses": Duty(_SDKS,
        "A request that the documentation allows gets its response; the client has no other."),
    "calls.expected": Duty("every recorded conversation",
        "A response is the provider's: no call, no response of its own."),
    "turns.continue": Duty(_SDKS,
        "The client sends back what it received; without it the next request cannot be made."),
    "calls.one": Duty("measured: endolith/open-interpreter#291",
        "Pieces are appended: a repeated call shows its beginning twice."),
    "error.class": Duty("https://platform.openai.com/docs/guides/error-codes#api-errors",
        "Clients decide by the status whether to repeat, wait or give up."),
    "error.retry": Duty("https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
        "Retry-After says how long the client ought to wait before its next request."),
    "error.no_exchange": Duty("https://www.rfc-editor.org/rfc/rfc9110#section-15",
        "The class of a status says whether the request succeeded."),
    "error.visible_end": Duty(f"{_EVENTS}, Error events",
        "An error within a stream comes as an event that says so, no end that looks whole."),
    "choices.index": Duty(f"{_GEMINI}, Candidate.index; {_CHAT}, choices.index",
        "The index is the place of a candidate in the list of all."),
    "choices.empty": Duty(f"{_GEMINI}, Candidate.finishReason",
        "A candidate says why it ended, also one without content."),
    "text.bytes": Duty("every recorded conversation", "The text is what the model generated."),
    "text.adjacent": Duty(f"{_CONTENT}, parts",
        "The parts in their order are one message; nothing stands between them."),
    "text.no_reasoning": Duty("https://ai.google.dev/api/caching#Part, thought",
        "A part that is marked so is the model's thought, no part of the answer."),
    "text.partial": Duty(f"{_CHUNK}, delta", "A delta holds what the model generated, up to where the stream broke."),
    "order.same": Duty(f"{_CONTENT}, parts", "The parts of a message are ordered."),
    "refusal.arrives": Duty(f"{_CHAT}, message.refusal",
        "The refusal is the message that the model generated in place of content."),
    "calls.once": Duty(f"{_CALL}; {_CHAT}, tool_calls", "A call is to be executed under the name it gives, once."),
    "calls.args": Duty(f"{_CALL}, args", "The arguments are a JSON object: the values count, not how they are spelt."),
    "calls.ids": Duty(f"{_CREATE}, messages.tool_call_id", "A result must name the call that it answers, by its id."),
    "calls.names_back": Duty(f"{_CREATE}, tools.function.name", "A call names the function as the client declared it."),
    "media.bytes": Duty("https://ai.google.dev/api/caching#Blob",
        "The data are raw bytes of the type that stands beside them."),
    "code.arrives": Duty(f"{_CONTENT}, parts",
        "Code and its output are parts of the message, and all parts make it up."),
    "citations.arrive": Duty(
        "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool#citations",
        "Who shows such text to users has to show its citations.",
    ),
    "finish.class": Duty(f"{_GEMINI}#FinishReason; {_CHAT}, finish_reason",
        "The reason says why the model stopped: each word has one meaning."),
    "finish.promoted": Duty(f"{_CHAT}, finish_reason", "The reason is tool_calls if the model called a tool."),
    "finish.forced": Duty("mirascope/0258, mirascope/0232, maruel-genai/0644",
        "OpenAI itself ends a call that was demanded by name in stop."),
    "finish.no_success": Duty(f"{_CHAT}, finish_reason",
        "stop is for a natural end or a stop sequence, and for nothing else."),
    "usage.counts": Duty(f"{_CHAT}, usage; {_MESSAGES}, usage",
        "Each API says what its counts include; Anthropic's input_tokens exclude the cache."),
    "usage.reasoning": Duty("vercel-ai/0101",
        "A host that counts reasoning beside the completion: taken off again, the count is negative."),
    "usage.last": Duty(f"{_EVENTS}, Event types", "Counts of a stream's events are cumulative."),
    "identity.named": Duty(f"{_CHAT}, id, object and created",
        "id, object and created are members that every response has; the SDKs' types require them."),
    "identity.model": Duty(f"{_CHAT}, model", "The model is the one that was used for the response."),
    "wire.client": Duty(_SDKS, "A response of another shape raises in the client, or is read as empty."),
    "client.remembered": Duty("measured: google-genai 3.4.0, gemini-cli 0.61.0, openai 3.52.0, anthropic 2.11.0",
        "Their chats and helpers build the next request of an answer of the shape that the API gives."),
    "client.shown": Duty("measured: Claude Code 2.1.197, anthropic 2.11.0",
        "They print the text of the first or the last block, where the API has the text of such an answer."),
    "error.no_secret": Duty("https://platform.openai.com/docs/api-reference/authentication, API keys",
        "A key is a secret that is not shared with others or exposed to a client."),
    "wire.length": Duty(f"{_RFC9112}#section-6.3",
        "A message whose connection ends before its Content-Length is incomplete and has to be taken so."),
    "wire.framing": Duty("https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",
        "An event is its data lines up to an empty line; what is framed otherwise is no event."),
    "wire.gemini_lines": Duty("measured: gemini-cli 0.61.0, google-genai 3.4.0",
        "Google's clients raise on any other line, or lose the event."),
    "stream.one_end": Duty(f"{_CHUNK}, finish_reason",
        "The reason stands where the model stopped; what follows is not generated any more."),
    "stream.grammar": Duty(f"{_EVENTS}, Event types",
        "Each block has a start, deltas and a stop, under its index in the final content."),
    "stream.deltas": Duty(f"{_EVENTS}, Content block delta types",
        "A delta updates the block at its index, of the type that it names."),
    "stream.contiguous": Duty("measured: openai 3.52.0, openai 7.55.0 (JavaScript)",
        "The SDKs take another index for the end of the call before it."),
    "system.whole": Duty(f"{_GEMINI}, systemInstruction; {_MESSAGES}, system",
        "The model follows the instructions that are sent, whatever messages there are."),
    "system.middle": Duty(f"{_CREATE}, messages", "The messages are the conversation so far, in order."),
    "turns.order": Duty(f"{_CREATE}, messages; {_GEMINI}, contents",
        "The messages are the conversation so far, in order."),
    "turns.merge": Duty(f"{_MESSAGES}, messages",
        "Consecutive turns of one role are combined; a result follows the call it answers."),
    "turns.empty": Duty(f"{_MESSAGES}, messages", "Text blocks have to be non-empty: the API refuses others."),
    "turns.pairs": Duty(f"{_CALL}, id; {_CREATE}, messages.tool_call_id",
        "The result of a call is sent with the id of that call."),
    "results.value": Duty("https://ai.google.dev/api/caching#FunctionResponse",
        "The result is used as context by the model, under any key of the caller's choice."),
    "results.error": Duty(f"{_TOOL_CALLS}, Handling errors with is_error",
        "A call that failed is reported with is_error, so that the model knows."),
    "media.request": Duty("https://ai.google.dev/api/caching#Blob",
        "The data are raw bytes of the type that stands beside them."),
    "tools.all": Duty(f"{_DECLARATION}; {_CREATE}, tools",
        "The model may call the functions that are declared, by what their descriptions say."),
    "schema.narrowed": Duty(_SCHEMA,
        "A schema says which instances are valid: one that allows less forbids what the client takes."),
    "schema.all_lost": Duty(f"{_DECLARATION}, parameters; {_CREATE}, tools.function.parameters",
        "A schema tells the model which arguments there are: without a property it names none of them."),
    "tools.builtin": Duty("https://ai.google.dev/api/caching#Tool",
        "A tool that is named in the request is one that the model may use."),
    "choice.class": Duty(f"{_CREATE}, tool_choice; https://ai.google.dev/api/caching#FunctionCallingConfig",
        "none: the model calls no tool; required or ANY: it must call one; a name: that one."),
    "choice.parallel": Duty(f"{_CREATE}, parallel_tool_calls; {_MESSAGES}, tool_choice.disable_parallel_tool_use",
        "At most one call comes where several at a time are switched off."),
    "settings.value": Duty(f"{_CREATE}#chat-create-temperature; {_GEMINI}#GenerationConfig",
        "A setting that is given replaces the default, zero included."),
    "settings.alias": Duty(f"{_CREATE}, max_completion_tokens",
        "max_tokens gave way to it, and reasoning models do not take the old name."),
    "thinking.effort": Duty("https://ai.google.dev/gemini-api/docs/openai#thinking",
        "More budget or a higher level allows more thinking."),
    "thinking.off": Duty("https://ai.google.dev/gemini-api/docs/thinking#set-budget",
        "A budget of 0 turns thinking off, where the model can be without."),
    "thinking.one_setting": Duty("https://ai.google.dev/gemini-api/docs/gemini-3, Thinking level",
        "A request with a level and a budget is refused with 400."),
    "format.requested": Duty(f"{_CREATE}, response_format",
        "The format that is named is one that the model must output."),
    "format.schema": Duty(_SCHEMA,
        "A schema says which instances are valid: one that allows less forbids what the client takes."),
    "losses.request_declared": Duty(f"{_CREATE}, body parameters; {_GEMINI}, request body",
        "A member of a request asks for what its page describes, and nobody asks for nothing."),
    "accept.documented": Duty("harness/bridgecheck/accept: each rule its own page",
        "Each rule cites where the provider says that it refuses."),
    "accept.results": Duty("recorded refusal in earendil-works/pi#5528",
        "The number of function responses has to equal that of the calls of the turn."),
    "accept.stream": Duty(f"{_CREATE}, stream; {_MESSAGES}, stream",
        "The response is streamed if the member is true, and not otherwise."),
    "wire.upstream": Duty(
        "https://ai.google.dev/api/generate-content, https://platform.openai.com/docs/api-reference/chat/create",
        "Members marked as required are, of the type that is stated."),
    "signatures.back": Duty(_SIGNATURES,
        "The signature is to be returned exactly as received; Gemini 3 refuses a call without its own."),
    "signatures.place": Duty(_SIGNATURES,
        "It is returned in the part that it came in; parts with one are not merged with others."),
    "thinking.back": Duty(_BLOCKS, "Thinking blocks of the last turn go back complete, unmodified and in their order."),
    "ids.unique": Duty(f"{_CALL}, id; {_MESSAGES}, tool_use.id",
        "The id of a call is a unique identifier: a result is matched by it."),
    "ids.paired": Duty(f"{_CREATE}, messages.tool_call_id", "The result names the call that it is responding to."),
    "ids.back": Duty(f"{_CALL}, id", "Where the model gave an id, the response is returned with the matching id."),
    "scenario.answer": _SCENARIO,
    "scenario.request": _SCENARIO,
    "scenario.literal": _SCENARIO,
    "judge.sdk": Duty(_SDKS, "What the official SDK reads is what its users get."),
    "flag.same": Duty(_SDKS, "A flag that changes the transport changes nothing that its users get."),
    "chat.shown": Duty(f"{_CORE}, Turn.run", "A person acts on what is shown, and a tool runs for each call."),
    "chat.kept": Duty(f"{_CORE}, GeminiChat", "The model knows of a conversation what the request holds, and no more."),
    "chat.signed": Duty(_SIGNATURES, "Gemini refuses a request whose calls lack the signatures that it gave them."),
    "flag.same_conversation": Duty(f"{_CORE}, createContentGenerator",
        "A flag that changes the transport changes no conversation."),
    "law.fold": _DELTAS,
    "law.square": _DELTAS,
    "law.there_and_back": Duty("the duties of the request checks",
        "What may not be lost one way may not be lost both ways."),
    "relation.crlf": Duty("https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",
        "Lines end in CRLF, LF or CR alike."),
    "relation.heartbeats": Duty(
        "https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",
        "A comment is ignored; so is a ping by Anthropic's page."),
    "relation.usage_every": Duty(f"{_EVENTS}, Event types", "Counts of a stream's events are cumulative."),
    "relation.usage_last": Duty(f"{_CREATE}, stream_options.include_usage",
        "The counts of the whole request come in the last chunk."),
    "relation.usage_alone": Duty(f"{_CREATE}, stream_options.include_usage",
        "They come in a chunk of their own, whose choices are empty."),
    "relation.two_streams": Duty("measured: askalf/dario#646",
        "A response belongs to one request; mixed, a client reads another's."),
    **dict.fromkeys((
        "relation.bytes_1", "relation.bytes_7", "relation.mid_codepoint", "relation.mid_crlf", "relation.one_write",
    ), _CHUNKING),
    **dict.fromkeys((
        "relation.empty_chunks", "relation.finish_alone", "relation.finish_with_text", "relation.deltas_merged",
        "relation.deltas_split", "relation.calls_together", "relation.calls_apart",
    ), _DELTAS),
}  # fmt: skip
"""By the id of the rule."""
