"""The events of a stream, cut, joined and framed in another way that folds to the same response."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Final

from liberty import Conversion, Liberty, PassingOn

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

CHUNK: Final = "https://platform.openai.com/docs/api-reference/chat-streaming (2026-11-23)"
ERRORS: Final = "https://docs.anthropic.com/en/api/errors (2026-11-23)"
CANDIDATE: Final = "https://ai.google.dev/api/generate-content#v1beta.Candidate (2026-11-23)"

Cut = Callable[[JsonObject], list[JsonObject]]
"""One event into the events that stand for it."""


def _cut(name: str, source: str, allows: str, client: Dialect, cut: Cut) -> Liberty:
    class Cutting(PassingOn):
        def feed(self, event: JsonObject) -> list[JsonObject]:
            return [event] if "error" in event else cut(deepcopy(event))

    return Liberty(name, source, allows, (client,), client_events=Cutting)


def _run(name: str, source: str, allows: str, client: Dialect, machine: type[PassingOn]) -> Liberty:
    return Liberty(name, source, allows, (client,), client_events=machine)


class _Holding(PassingOn):
    """Holds one event back; ``join`` gives the event that stands for two, None if they stay two."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion)
        self._held: JsonObject | None = None

    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        raise NotImplementedError

    def feed(self, event: JsonObject) -> list[JsonObject]:
        event, held = deepcopy(event), self._held
        if held is None:
            self._held = event
            return []
        joined = self.join(held, event)
        self._held = None if joined else event
        return [joined] if joined else [held]

    def close(self) -> list[JsonObject]:
        held, self._held = self._held, None
        return [held] if held else []


# --- Chat ---


def _only_choice(chunk: JsonObject) -> JsonObject:
    choices = list(objs(chunk.get("choices")))
    return choices[0] if len(choices) == 1 else {}


def _with_delta(chunk: JsonObject, delta: JsonObject, **members: object) -> JsonObject:
    """Return a chunk of the same choice with another delta and no finish."""
    choice = {"index": _only_choice(chunk).get("index", 0), "delta": delta, "finish_reason": None, **members}
    return {**{key: value for key, value in chunk.items() if key != "usage"}, "choices": [choice]}


def _repeat_role(chunk: JsonObject) -> list[JsonObject]:
    for choice in objs(chunk.get("choices")):
        if isinstance(choice.get("delta"), dict):
            obj(choice["delta"])["role"] = "assistant"
    return [chunk]


def _say_content_in_every_delta(chunk: JsonObject) -> list[JsonObject]:
    for choice in objs(chunk.get("choices")):
        if isinstance(choice.get("delta"), dict):
            obj(choice["delta"]).setdefault("content", "")
    return [chunk]


def _role_in_a_chunk_of_its_own(chunk: JsonObject) -> list[JsonObject]:
    delta = obj(_only_choice(chunk).get("delta"))
    if "role" not in delta or len(delta) < 2:
        return [chunk]
    return [_with_delta(chunk, {"role": delta.pop("role"), "content": "", "refusal": None}), chunk]


def _append_empty_deltas(chunk: JsonObject) -> list[JsonObject]:
    choice = _only_choice(chunk)
    if not choice or choice.get("finish_reason"):
        return [chunk]
    return [chunk, _with_delta(chunk, {}), _with_delta(chunk, {"content": ""})]


def _split_text(chunk: JsonObject) -> list[JsonObject]:
    delta = obj(_only_choice(chunk).get("delta"))
    body = text(delta.get("content"))
    if len(body) < 2:
        return [chunk]
    first = {"content": body[: len(body) // 2]} | ({"role": delta.pop("role")} if "role" in delta else {})
    delta["content"] = body[len(body) // 2 :]
    return [_with_delta(chunk, first), chunk]


def _split_arguments(chunk: JsonObject) -> list[JsonObject]:
    calls = list(objs(obj(_only_choice(chunk).get("delta")).get("tool_calls")))
    if len(calls) != 1 or _only_choice(chunk).get("finish_reason"):
        return [chunk]
    function = obj(calls[0].get("function"))
    raw = text(function.get("arguments"))
    if "function" in calls[0]:
        function["arguments"] = ""
    index = calls[0].get("index")
    pieces = [raw[at : at + 3] for at in range(0, len(raw), 3)]
    return [
        chunk,
        *(_with_delta(chunk, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces),
    ]


class _JoinChatText(_Holding):
    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        choices = _only_choice(first), _only_choice(second)
        deltas = obj(choices[0].get("delta")), obj(choices[1].get("delta"))
        same = choices[0].get("index") == choices[1].get("index") and not choices[0].get("finish_reason")
        if not same or not all(set(delta) == {"content"} and isinstance(delta["content"], str) for delta in deltas):
            return None
        deltas[1]["content"] = f"{deltas[0]['content']}{deltas[1]['content']}"
        return second


class _FinishWithLastChatDelta(_Holding):
    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        choices = _only_choice(first), _only_choice(second)
        bare = choices[1].get("finish_reason") and not obj(choices[1].get("delta"))
        if not bare or choices[0].get("finish_reason") or choices[0].get("index") != choices[1].get("index"):
            return None
        if not obj(choices[0].get("delta")) or set(choices[1]) - {"index", "delta", "finish_reason", "logprobs"}:
            return None
        choices[0]["finish_reason"] = choices[1]["finish_reason"]
        return {**second, **first}


class _UsageWithFinish(_Holding):
    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        if not second.get("usage") or second.get("choices") or not _only_choice(first).get("finish_reason"):
            return None
        return {**first, "usage": second["usage"]}


class _WholeCalls(PassingOn):
    """Arguments of a call come at once, in its first delta."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion)
        self._held: JsonObject | None = None

    def feed(self, event: JsonObject) -> list[JsonObject]:
        event = deepcopy(event)
        calls = list(objs(obj(_only_choice(event).get("delta")).get("tool_calls")))
        bare = len(calls) == 1 and set(obj(_only_choice(event).get("delta"))) == {"tool_calls"}
        if self._held is not None and bare and self._call(self._held).get("index") == calls[0].get("index"):
            held, piece = obj(self._call(self._held)["function"]), obj(calls[0].get("function"))
            if not calls[0].get("id") and set(calls[0]) <= {"index", "function", "type"}:
                held["arguments"] = text(held.get("arguments")) + text(piece.get("arguments"))
                return []
        before, self._held = self.close(), None
        if (
            len(calls) == 1
            and isinstance(calls[0].get("function"), dict)
            and not _only_choice(event).get("finish_reason")
        ):
            self._held = event
            return before
        return [*before, event]

    def close(self) -> list[JsonObject]:
        held, self._held = self._held, None
        return [held] if held else []

    def _call(self, chunk: JsonObject) -> JsonObject:
        return next(objs(obj(_only_choice(chunk)["delta"])["tool_calls"]))


class _NullUsage(PassingOn):
    def feed(self, event: JsonObject) -> list[JsonObject]:
        return [event if "error" in event else {**event, "usage": event.get("usage")}]


class _PromptFilterFirst(PassingOn):
    """Azure begins with a chunk without choices, and ends with an empty one."""

    begun = False

    def feed(self, event: JsonObject) -> list[JsonObject]:
        if self.begun or "error" in event:
            return [event]
        self.begun = True
        results = [{"prompt_index": 0, "content_filter_results": {}}]
        first = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": results}
        return [first, event]


class _TrailingChunk(PassingOn):
    last: JsonObject | None = None

    def feed(self, event: JsonObject) -> list[JsonObject]:
        self.last = None if "error" in event else event
        return [event]

    def close(self) -> list[JsonObject]:
        return [{**self.last, "choices": [], "usage": None}] if self.last else []


# --- Anthropic ---


def _ping_after(*types: str) -> Cut:
    return lambda event: [event, {"type": "ping"}] if event.get("type") in types else [event]


def _split_delta(kind: str, member: str, size: int) -> Cut:
    def cut(event: JsonObject) -> list[JsonObject]:
        delta = obj(event.get("delta"))
        whole = text(delta.get(member))
        if delta.get("type") != kind or len(whole) < 2:
            return [event]
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        return [{**event, "delta": {**delta, member: piece}} for piece in pieces]

    return cut


_EMPTY_DELTAS: Final[dict[str, JsonObject]] = {
    "tool_use": {"type": "input_json_delta", "partial_json": ""},
    "text": {"type": "text_delta", "text": ""},
    "thinking": {"type": "thinking_delta", "thinking": ""},
}


def _begin_with_empty_delta(event: JsonObject) -> list[JsonObject]:
    delta = _EMPTY_DELTAS.get(text(obj(event.get("content_block")).get("type")))
    if event.get("type") != "content_block_start" or delta is None:
        return [event]
    return [event, {"type": "content_block_delta", "index": event.get("index"), "delta": dict(delta)}]


def _count_twice(event: JsonObject) -> list[JsonObject]:
    if event.get("type") != "message_delta":
        return [event]
    return [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 1}}, event]


def _start_at_one(event: JsonObject) -> list[JsonObject]:
    usage = obj(obj(event.get("message")).get("usage"))
    if "output_tokens" in usage:
        usage["output_tokens"] = 1
    return [event]


class _JoinAnthropicDeltas(_Holding):
    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        deltas = obj(first.get("delta")), obj(second.get("delta"))
        for kind, member in (
            ("text_delta", "text"),
            ("input_json_delta", "partial_json"),
            ("thinking_delta", "thinking"),
        ):
            if all(delta.get("type") == kind for delta in deltas) and first.get("index") == second.get("index"):
                return {**second, "delta": {**deltas[1], member: text(deltas[0][member]) + text(deltas[1][member])}}
        return None


# --- Gemini ---


def _only_parts(event: JsonObject) -> list[JsonObject]:
    candidates = list(objs(event.get("candidates")))
    return list(objs(obj(candidates[0].get("content")).get("parts"))) if len(candidates) == 1 else []


def _with_parts(event: JsonObject, parts: list[JsonObject]) -> JsonObject:
    """Return an event of the same candidate with these parts alone."""
    candidate = next(objs(event["candidates"]))
    content = {**obj(candidate.get("content")), "parts": parts}
    index = {"index": candidate["index"]} if "index" in candidate else {}
    rest = {key: value for key, value in event.items() if key not in ("usageMetadata", "promptFeedback")}
    return {**rest, "candidates": [{"content": content, **index}]}


def _part_by_part(event: JsonObject) -> list[JsonObject]:
    parts = _only_parts(event)
    if len(parts) < 2:
        return [event]
    obj(next(objs(event["candidates"]))["content"])["parts"] = parts[-1:]
    return [*(_with_parts(event, [part]) for part in parts[:-1]), event]


def _split_gemini_text(event: JsonObject) -> list[JsonObject]:
    parts = _only_parts(event)
    body = text(parts[0].get("text")) if len(parts) == 1 else ""
    if len(body) < 2 or set(parts[0]) - {"text", "thought"}:
        return [event]
    first = {**parts[0], "text": body[: len(body) // 2]}
    parts[0]["text"] = body[len(body) // 2 :]
    return [_with_parts(event, [first]), event]


def _finish_apart(event: JsonObject) -> list[JsonObject]:
    parts = _only_parts(event)
    candidate = next(objs(event.get("candidates")), {})
    if not parts or not candidate.get("finishReason"):
        return [event]
    before = _with_parts(event, parts)
    candidate["content"] = {"role": "model", "parts": [{"text": ""}]}
    return [before, event]


def _usage_apart(event: JsonObject) -> list[JsonObject]:
    if not event.get("usageMetadata") or not event.get("candidates"):
        return [event]
    rest = {key: value for key, value in event.items() if key != "usageMetadata"}
    # With a candidate that holds nothing: Google's chats forget the turn where an event has none.
    return [rest, {**event, "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}]}]


class _JoinGeminiEvents(_Holding):
    """Parts of two events stand in one; equal neighbours of text become one part. No blank text stands beside others:
    gemini-cli forgets an event that has one."""

    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        parts = [_only_parts(first), _only_parts(second)]
        candidates = [next(objs(event.get("candidates")), {}) for event in (first, second)]
        same = candidates[0].get("index") == candidates[1].get("index")
        if not all(parts) or not same or set(candidates[0]) - {"content", "index"} or "usageMetadata" in first:
            return None
        joined = [part for part in (*parts[0], *parts[1]) if part != {"text": ""}]
        obj(candidates[1]["content"])["parts"] = joined or parts[1]
        return {**first, **second}


class _FinishWithLastParts(_Holding):
    def join(self, first: JsonObject, second: JsonObject) -> JsonObject | None:
        candidates = [next(objs(event.get("candidates")), {}) for event in (first, second)]
        bare = candidates[1].get("finishReason") and _only_parts(second) in ([], [{"text": ""}])
        if not bare or not _only_parts(first) or candidates[0].get("index") != candidates[1].get("index"):
            return None
        if set(candidates[0]) - {"content", "index"} or "usageMetadata" in first:
            return None
        candidates[1]["content"] = candidates[0]["content"]
        return {**first, **second}


class _IdInFirstEvent(PassingOn):
    begun = False

    def feed(self, event: JsonObject) -> list[JsonObject]:
        once = ("responseId", "modelVersion", *(() if self.conversion.upstream == "gemini" else ("createTime",)))
        remaining = {key: value for key, value in event.items() if key not in once}
        first, self.begun = not self.begun, True
        return [event if first or not remaining else remaining]


# --- Streams that break off ---


_OF_THE_MODEL: Final = re.compile("call|argument", re.IGNORECASE)


class _BrokenStream(PassingOn):
    """A failure of the provider after the first event ends the stream without a word; one of the model is told."""

    begun = False

    def feed(self, event: JsonObject) -> list[JsonObject]:
        if "error" not in event:
            self.begun = True
            return [event]
        is_sent_on = not self.begun or _OF_THE_MODEL.search(text(obj(event["error"]).get("message")))
        return [event] if is_sent_on else []


class _ChatErrorFinish(PassingOn):
    """A failure after the first choice is a chunk with error and finish_reason "error"."""

    def feed(self, event: JsonObject) -> list[JsonObject]:
        if "error" not in event:
            return [event]
        choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
        return [
            {
                **event,
                "object": "chat.completion.chunk",
                "id": "gen-1",
                "created": 0,
                "model": self.conversion.model,
                "choices": [choice],
            }
        ]


def _broken_streams(client: Dialect, source: str) -> Iterator[Liberty]:
    yield Liberty(
        f"{client}-broken-stream", source, "A failure may end the stream before its finish, and without one the model has not stopped.", (client,),
        client_events=_BrokenStream,
    )  # fmt: skip


STREAM_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _cut("chat-role-in-every-delta", "recorded: chatlas/0063", "Hosts repeat the role.", "openai-chat", _repeat_role),
    _cut("chat-content-in-every-delta", "recorded: maruel-genai/0488", "Content may be empty.", "openai-chat", _say_content_in_every_delta),
    _cut("chat-role-apart", "recorded: ai-gateway/0014", "The first delta holds the role alone.", "openai-chat", _role_in_a_chunk_of_its_own),
    _cut("chat-empty-deltas", "recorded: chatlas/0125", "A delta may be empty.", "openai-chat", _append_empty_deltas),
    _cut("chat-split-text", "recorded: ai-gateway/0015", "Text comes in pieces of any length.", "openai-chat", _split_text),
    _cut("chat-split-arguments", "recorded: braintrust/0066", "Arguments come in pieces of any length.", "openai-chat", _split_arguments),
    _run("chat-joined-text", CHUNK, "Text comes in pieces of any length.", "openai-chat", _JoinChatText),
    _run("chat-finish-with-text", "recorded: chatlas/0130", "The last delta may bring the finish.", "openai-chat", _FinishWithLastChatDelta),
    _run("chat-usage-with-finish", "recorded: chatlas/0055", "Usage stands on the last chunk.", "openai-chat", _UsageWithFinish),
    _run("chat-whole-calls", "recorded: llm/0006", "Arguments may come at once.", "openai-chat", _WholeCalls),
    _run("chat-null-usage", "recorded: ai-gateway/0014", "All other chunks have a usage of null.", "openai-chat", _NullUsage),
    _run("chat-prompt-filter-first", "recorded: dd-trace-py/0124", "The first chunk has no choices.", "openai-chat", _PromptFilterFirst),
    _run("chat-trailing-chunk", "recorded: maruel-genai/0677", "A last chunk may be empty.", "openai-chat", _TrailingChunk),
    _cut("anthropic-pings", "recorded: chatlas/0011", "There may be any number of pings.", "anthropic",
        _ping_after("message_start", "content_block_start", "content_block_delta", "content_block_stop")),
    _cut("anthropic-split-text", "recorded: chatlas/0001", "Text comes in pieces.", "anthropic", _split_delta("text_delta", "text", 2)),
    _cut("anthropic-split-arguments", "recorded: chatlas/0001", "partial_json comes in pieces.", "anthropic",
        _split_delta("input_json_delta", "partial_json", 3)),
    _cut("anthropic-split-thinking", "recorded: dd-trace-py/0072", "Thinking comes in pieces.", "anthropic",
        _split_delta("thinking_delta", "thinking", 4)),
    _cut("anthropic-empty-first-delta", "recorded: chatlas/0001", "The first delta of a block may be empty.", "anthropic",
        _begin_with_empty_delta),
    _cut("anthropic-two-message-deltas", "recorded: vercel-ai/0035", "One or more message_delta events, whose usage is cumulative.",
        "anthropic", _count_twice),
    _cut("anthropic-start-at-one", "recorded: braintrust/0039", "message_start counts what there is by then.", "anthropic", _start_at_one),
    _run("anthropic-joined-deltas", "recorded: pydantic-ai/0245", "Deltas are of any length.", "anthropic", _JoinAnthropicDeltas),
    _cut("gemini-part-by-part", "recorded: chatlas/0105", "Each event holds what is new.", "gemini", _part_by_part),
    _cut("gemini-split-text", "recorded: firebase-vertexai-sdk-test-data/0007", "Text comes in pieces.", "gemini", _split_gemini_text),
    _cut("gemini-finish-apart", "recorded: chatlas/0105", "The finish comes with an empty text.", "gemini", _finish_apart),
    _cut("gemini-usage-apart", "recorded: gemini-cli/0001", "Usage may have an event of its own, with an empty text.", "gemini", _usage_apart),
    _run("gemini-joined-events", "recorded: chatlas/0087", "An event holds any number of parts.", "gemini", _JoinGeminiEvents),
    _run("gemini-finish-with-parts", "recorded: braintrust/0045", "The last parts bring the finish.", "gemini", _FinishWithLastParts),
    _run("gemini-id-once", "recorded: dd-trace-py/0055", "responseId and modelVersion are optional.", "gemini", _IdInFirstEvent),
    *_broken_streams("openai-chat", CHUNK),
    *_broken_streams("gemini", CANDIDATE),
    *_broken_streams("anthropic", ERRORS),
    _run("chat-error-finish", "https://openrouter.ai/docs/api/reference/streaming (2026-11-23)",
        "An error in the stream comes with the finish reason error.", "openai-chat", _ChatErrorFinish),
)  # fmt: skip
