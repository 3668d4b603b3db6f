"""Recorded answers, varied as other models and hosts are recorded or documented to answer: none is a failure.

A variation changes what a provider sends, and never what its answer means; the adapter that passes it on and the
reference are judged over it."""

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from bridgecheck.cassette.traffic import TrafficItem, read_traffic
from bridgecheck.drivers.resolve import load_converter
from bridgecheck.model.jsonvalue import arr, obj, objs
from bridgecheck.run.plan import Selection
from bridgecheck.run.traffic import plan, run_case
from bridgecheck.wire import Dialect, JsonObject

pytestmark = pytest.mark.traffic

Change: TypeAlias = Callable[[JsonObject], None]
"""Changes one document, or one event of a stream, in place."""

CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/object"
DEEPSEEK: Final = "https://api-docs.deepseek.com/api/create-chat-completion"
OPENROUTER: Final = "https://openrouter.ai/docs/api-reference/overview"
GROQ: Final = "https://console.groq.com/docs/api-reference"
XAI: Final = "https://docs.x.ai/docs/api-reference"
MISTRAL: Final = "https://docs.mistral.ai/api"
PERPLEXITY: Final = "https://docs.perplexity.ai/api-reference/chat-completions-post"
VLLM: Final = "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html"
AZURE: Final = "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming"
GEMINI: Final = "https://ai.google.dev/api/generate-content"
ANTHROPIC: Final = "https://docs.anthropic.com/en/api/messages"


@dataclass(frozen=True, slots=True)
class Variation:
    name: str
    source: str
    dialect: Dialect
    change: Change
    stream_only: bool = False
    insert: "Insert | None" = None


def choices(document: JsonObject) -> Iterator[JsonObject]:
    return objs(document.get("choices"))


def messages(document: JsonObject) -> Iterator[JsonObject]:
    """Yield every message, or every delta of a chunk."""
    for choice in choices(document):
        for key in ("message", "delta"):
            if isinstance(choice.get(key), dict):
                yield obj(choice[key])


def candidates(document: JsonObject) -> Iterator[JsonObject]:
    return objs(document.get("candidates"))


def usage_of(document: JsonObject) -> JsonObject:
    """Return the usage of a document or event itself, {} without effect if it has none."""
    for holder in (document, obj(document.get("message"))):
        for key in ("usage", "usageMetadata"):
            if isinstance(holder.get(key), dict):
                return obj(holder[key])
    return {}


def in_usage(**members: object) -> Change:
    return lambda document: usage_of(document).update(copy.deepcopy(members)) if usage_of(document) else None


def without_usage(*names: str) -> Change:
    def change(document: JsonObject) -> None:
        for name in names:
            usage_of(document).pop(name, None)

    return change


def at_top(**members: object) -> Change:
    def change(document: JsonObject) -> None:
        if "choices" in document or "candidates" in document or document.get("type") == "message":
            document.update({key: copy.deepcopy(value) for key, value in members.items() if key not in document})

    return change


def drop_top(*names: str) -> Change:
    def change(document: JsonObject) -> None:
        for name in names:
            document.pop(name, None)

    return change


def in_messages(**members: object) -> Change:
    def change(document: JsonObject) -> None:
        for message in messages(document):
            message.update({key: copy.deepcopy(value) for key, value in members.items() if key not in message})

    return change


def in_choices(**members: object) -> Change:
    def change(document: JsonObject) -> None:
        for choice in [*choices(document), *candidates(document)]:
            choice.update({key: copy.deepcopy(value) for key, value in members.items() if not choice.get(key)})

    return change


def move_reasoning(document: JsonObject) -> None:
    """Spell reasoning as OpenRouter does."""
    for message in messages(document):
        reasoning = message.pop("reasoning_content", None)
        if reasoning:
            message["reasoning"] = reasoning
            message["reasoning_details"] = [
                {"type": "reasoning.text", "text": reasoning, "format": "unknown", "index": 0}
            ]


def add_log_probabilities(document: JsonObject) -> None:
    for choice in choices(document):
        for message in (obj(choice.get("message")), obj(choice.get("delta"))):
            if isinstance(message.get("content"), str) and message["content"] and not choice.get("logprobs"):
                token = {"token": message["content"], "logprob": -0.25, "bytes": None, "top_logprobs": []}
                choice["logprobs"] = {"content": [token], "refusal": None}


def null_members(document: JsonObject) -> None:
    in_messages(refusal=None, annotations=[], audio=None, function_call=None, tool_calls=None)(document)


def drop_role(document: JsonObject) -> None:
    for message in messages(document):
        message.pop("role", None)


def repeat_role(document: JsonObject) -> None:
    for choice in choices(document):
        if isinstance(choice.get("delta"), dict):
            obj(choice["delta"])["role"] = "assistant"


def cite(document: JsonObject) -> None:
    citation = {"start_index": 0, "end_index": 1, "title": "A harbour", "url": "https://harbour.example/"}
    for choice in choices(document):
        message = obj(choice.get("message"))
        if message.get("content"):
            message["annotations"] = [{"type": "url_citation", "url_citation": citation}]


def drop_candidate_index(document: JsonObject) -> None:
    if len(arr(document.get("candidates"))) == 1:
        for candidate in candidates(document):
            candidate.pop("index", None)


def drop_content_role(document: JsonObject) -> None:
    for candidate in candidates(document):
        obj(candidate.get("content")).pop("role", None)


def add_empty_text(document: JsonObject) -> None:
    for candidate in candidates(document):
        parts = obj(candidate.get("content")).get("parts")
        if candidate.get("finishReason") == "STOP" and isinstance(parts, list) and parts:
            parts.append({"text": ""})


def empty_details(document: JsonObject) -> None:
    usage = usage_of(document)
    if usage:
        usage |= {"prompt_tokens_details": None, "completion_tokens_details": None}


def in_text_blocks(**members: object) -> Change:
    def change(document: JsonObject) -> None:
        blocks = [*objs(document.get("content")), obj(document.get("content_block"))]
        for block in blocks:
            if block.get("type") == "text":
                block.update({key: value for key, value in members.items() if key not in block})

    return change


def in_stop(**members: object) -> Change:
    def change(document: JsonObject) -> None:
        holder = document if document.get("type") == "message" else obj(document.get("delta"))
        if "stop_reason" in holder:
            holder.update({key: value for key, value in members.items() if key not in holder})

    return change


def spell_as_parts(document: JsonObject) -> None:
    for message in messages(document):
        if isinstance(message.get("content"), str) and message["content"]:
            message["content"] = [{"type": "text", "text": message["content"]}]


def drop_call_index(document: JsonObject) -> None:
    """Leave the index of whole calls out, as Google does behind its Chat endpoint."""
    for message in messages(document):
        for call in objs(message.get("tool_calls")):
            if obj(call.get("function")).get("name") and obj(call["function"]).get("arguments"):
                call.pop("index", None)


Insert: TypeAlias = Callable[[list[JsonObject]], list[JsonObject]]
"""Makes other events of the events of a stream."""


def like_first(events: list[JsonObject], **members: object) -> JsonObject:
    return {**events[0], **copy.deepcopy(members)}


def between(*inserted: JsonObject) -> Insert:
    """Return what puts these events behind the first and in front of the last."""
    return lambda events: [events[0], *copy.deepcopy(inserted), *events[1:-1], *copy.deepcopy(inserted), *events[-1:]]


def put_filter_first(events: list[JsonObject]) -> list[JsonObject]:
    filters = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}]
    first = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": filters}
    return [first, *events]


def put_empty_chunks(events: list[JsonObject]) -> list[JsonObject]:
    empty = like_first(events, choices=[], usage=None)
    return [events[0], empty, *events[1:], empty]


def put_empty_delta_last(events: list[JsonObject]) -> list[JsonObject]:
    return [*events, like_first(events, choices=[{"index": 0, "delta": {}, "finish_reason": None}])]


def repeat_finish(events: list[JsonObject]) -> list[JsonObject]:
    """Say the finish again beside the usage."""
    finishes = [event for event in events if any(choice.get("finish_reason") for choice in choices(event))]
    bare = [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]} for event in finishes[-1:]
            for choice in choices(event)]  # fmt: skip
    return [*events, like_first(events, choices=bare)] if len(bare) == 1 else events


def put_usage_alone(events: list[JsonObject]) -> list[JsonObject]:
    last = events[-1]
    usage = last.get("usageMetadata")
    rest = {key: value for key, value in last.items() if key != "usageMetadata"}
    ids = {key: last[key] for key in ("responseId", "modelVersion") if key in last}
    return [*events[:-1], rest, {"usageMetadata": usage, **ids}] if usage and rest.get("candidates") else events


PING: Final = {"type": "ping"}
TIDE: Final = {"type": "tide_turned", "at": 17}
BARE: Final = {"candidates": [{"content": {"role": "model", "parts": []}, "index": 0}]}
INSERTS: Final[tuple[tuple[str, str, Dialect, Insert], ...]] = (
    ("filter-first", AZURE, "openai-chat", put_filter_first),
    ("empty-chunks", AZURE, "openai-chat", put_empty_chunks),
    ("empty-delta-last", VLLM, "openai-chat", put_empty_delta_last),
    ("finish-again", OPENROUTER, "openai-chat", repeat_finish),
    ("usage-alone", GEMINI, "gemini", put_usage_alone),
    ("no-parts", GEMINI, "gemini", between(BARE)),
    ("pings", ANTHROPIC, "anthropic", between(PING)),
    ("new-events", ANTHROPIC, "anthropic", between(TIDE)),
)
RATINGS: Final = [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE", "wasFiltered": False}]
VARIATIONS: Final[tuple[Variation, ...]] = tuple(
    Variation(*row)
    for row in (
        ("no-details", CHAT, "openai-chat", without_usage("prompt_tokens_details", "completion_tokens_details")),
        ("null-details", CHAT, "openai-chat", empty_details),
        ("cache-hits", DEEPSEEK, "openai-chat", in_usage(prompt_cache_hit_tokens=0, prompt_cache_miss_tokens=17)),
        ("cost", OPENROUTER, "openai-chat", in_usage(cost=0.00123, is_byok=False,
            cost_details={"upstream_inference_cost": None, "upstream_inference_prompt_cost": 0.0007})),
        ("provider", OPENROUTER, "openai-chat", at_top(provider="Harbour AI")),
        ("native-finish", OPENROUTER, "openai-chat", in_choices(native_finish_reason="STOP")),
        ("reasoning-twice", OPENROUTER, "openai-chat", move_reasoning),
        ("queue-time", GROQ, "openai-chat", in_usage(queue_time=0.017, prompt_time=0.004, completion_time=0.3)),
        ("x-groq", GROQ, "openai-chat", at_top(x_groq={"id": "req_01k9harbour"}, usage_breakdown=None)),
        ("sources", XAI, "openai-chat", in_usage(num_sources_used=0, cost_in_usd_ticks=17000)),
        ("citations-at-top", XAI, "openai-chat", at_top(citations=["https://harbour.example/"])),
        ("audio-seconds", MISTRAL, "openai-chat", in_usage(prompt_audio_seconds={}, num_cached_tokens=0)),
        ("prefix", MISTRAL, "openai-chat", in_messages(prefix=False)),
        ("search", PERPLEXITY, "openai-chat", at_top(search_results=[{"title": "A", "url": "https://a.example/",
            "date": None}], related_questions=["When is high tide?"])),
        ("search-size", PERPLEXITY, "openai-chat", in_usage(search_context_size="low", citation_tokens=3)),
        ("token-ids", VLLM, "openai-chat", in_choices(token_ids=[151, 17], stop_reason=None, matched_stop=None)),
        ("prompt-ids", VLLM, "openai-chat", at_top(prompt_logprobs=None, kv_transfer_params=None,
            prompt_token_ids=[1, 2, 3])),
        ("null-members", CHAT, "openai-chat", null_members),
        ("no-role", CHAT, "openai-chat", drop_role, True),
        ("role-in-every-delta", VLLM, "openai-chat", repeat_role, True),
        ("no-fingerprint", CHAT, "openai-chat", drop_top("system_fingerprint", "service_tier")),
        ("null-fingerprint", CHAT, "openai-chat", at_top(system_fingerprint=None, service_tier=None)),
        ("log-probabilities", CHAT, "openai-chat", add_log_probabilities),
        ("annotations", CHAT, "openai-chat", cite),
        ("null-log-probabilities", CHAT, "openai-chat", in_choices(logprobs=None, content_filter_results={
            "hate": {"filtered": False, "severity": "safe"}})),
        ("filters", AZURE, "openai-chat", at_top(prompt_filter_results=[{"prompt_index": 0,
            "content_filter_results": {"jailbreak": {"filtered": False, "detected": False}}}])),
        ("no-id", MISTRAL, "openai-chat", drop_top("id", "created")),
        ("text-in-parts", MISTRAL, "openai-chat", spell_as_parts),
        ("null-reasoning", DEEPSEEK, "openai-chat", in_messages(reasoning_content=None, reasoning=None)),
        ("calls-without-index", "https://ai.google.dev/gemini-api/docs/openai", "openai-chat", drop_call_index, True),
        ("no-id", GEMINI, "gemini", drop_top("responseId", "createTime", "modelVersion")),
        ("no-index", GEMINI, "gemini", drop_candidate_index),
        ("no-role", GEMINI, "gemini", drop_content_role),
        ("ratings", GEMINI, "gemini", in_choices(safetyRatings=RATINGS)),
        ("mean", GEMINI, "gemini", in_choices(avgLogprobs=-0.173)),
        ("finish-message", GEMINI, "gemini", in_choices(finishMessage="Model generated to the end.")),
        ("citation-sources", GEMINI, "gemini", in_choices(citationMetadata={"citationSources": [
            {"startIndex": 0, "endIndex": 3, "uri": "https://a.example/", "license": ""}]})),
        ("grounding", GEMINI, "gemini", in_choices(groundingMetadata={"webSearchQueries": ["tide"],
            "retrievalMetadata": {}, "searchEntryPoint": {"renderedContent": "<b/>", "sdkBlob": "aa"}})),
        ("pages", GEMINI, "gemini", in_choices(urlContextMetadata={"urlMetadata": [
            {"retrievedUrl": "https://a.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}]})),
        ("tier", GEMINI, "gemini", in_usage(trafficType="PROVISIONED_THROUGHPUT", serviceTier="priority")),
        ("modalities", GEMINI, "gemini", in_usage(promptTokensDetails=[{"modality": "DOCUMENT", "tokenCount": 3}],
            candidatesTokensDetails=[])),
        ("no-details", GEMINI, "gemini", without_usage("promptTokensDetails", "candidatesTokensDetails")),
        ("empty-text", GEMINI, "gemini", add_empty_text),
        ("model-status", GEMINI, "gemini", at_top(modelStatus={"modelStage": "STABLE", "message": "Retires soon."})),
        ("null-members", ANTHROPIC, "anthropic", in_stop(stop_sequence=None, stop_details=None, container=None)),
        ("null-usage", ANTHROPIC, "anthropic", in_usage(server_tool_use=None, cache_creation=None, service_tier=None)),
        ("no-cache", ANTHROPIC, "anthropic", without_usage("cache_creation", "service_tier", "inference_geo")),
        ("tier", ANTHROPIC, "anthropic", in_usage(service_tier="priority", inference_geo="eu", speed="standard")),
        ("cache-lifetimes", ANTHROPIC, "anthropic", in_usage(cache_creation={"ephemeral_5m_input_tokens": 0,
            "ephemeral_1h_input_tokens": 0, "ephemeral_7d_input_tokens": 0})),
        ("thinking-tokens", ANTHROPIC, "anthropic", in_usage(output_tokens_details={"thinking_tokens": 0})),
        ("iterations", ANTHROPIC, "anthropic", in_usage(iterations=[{"type": "message", "input_tokens": 1,
            "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}])),
        ("null-citations", ANTHROPIC, "anthropic", in_text_blocks(citations=None)),
        ("edits", ANTHROPIC, "anthropic", at_top(context_management={"applied_edits": []})),
    )
)  # fmt: skip
VARIED_STREAMS: Final = tuple(
    Variation(name, source, dialect, lambda _: None, True, insert) for name, source, dialect, insert in INSERTS
)
A_VARIATION: Final = 5
"""Recordings that each variation is made of."""


def vary(item: TrafficItem, variation: Variation) -> TrafficItem:
    response = item.interaction.response
    documents = copy.deepcopy([obj(document) for document in response.documents])
    if variation.insert and response.mode == "stream" and len(documents) > 1:
        documents = variation.insert(documents)
    for document in documents:
        variation.change(document)
    made = replace(response, documents=tuple(documents), chunks=None)
    return replace(item, id=f"{item.id}-{variation.name}", interaction=replace(item.interaction, response=made))


def varied_items(items: list[TrafficItem], variation: Variation) -> Iterator[TrafficItem]:
    """Yield a few recordings that the variation changes."""
    rng = random.Random(f"{variation.dialect} {variation.name}")
    made = 0
    for item in rng.sample(items, len(items)):
        response = item.interaction.response
        fits = response.dialect == variation.dialect and response.status < 400 and item.operation == "generate"
        if not fits or (variation.stream_only and response.mode != "stream"):
            continue
        varied = vary(item, variation)
        if varied.interaction.response.documents != response.documents:
            yield varied
            made += 1
        if made == A_VARIATION:
            return


def test_varied_recordings_are_no_failure(traffic_folder: Path) -> None:
    items = [item for item in read_traffic(traffic_folder) if isinstance(item, TrafficItem)]
    reference = load_converter("")
    worse: list[str] = []
    made = 0
    for variation in (*VARIATIONS, *VARIED_STREAMS):
        for item in varied_items(items, variation):
            made += 1
            for case in plan(item, reference, Selection()):
                result = run_case(case, item, reference)
                worse += [
                    f"{result.key} {verdict.check}: {verdict.message}"
                    for verdict in result.verdicts
                    if verdict.status in ("FAIL", "ERROR")
                ]
    assert worse == []
    assert made >= 250
