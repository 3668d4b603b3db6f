"""Faults of the conversion to and from Anthropic Messages; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_CONVERT: Final = "bridgecheck_reference/convert"


def _fault(name: str, file: str, old: str, new: str, check: str, scenarios: tuple[str, ...], source: str) -> Mutant:
    return Mutant(
        f"anthropic-{name}", ((f"{_CONVERT}/anthropic/{file}.py", old, new),), frozenset({check}), scenarios, source
    )


_THINKING: Final = (
    _fault(
        "signature-of-thinking-dropped",
        "blocks_to_openai",
        "            if block.signature:\n",
        "            if False:\n",
        "relay.thinking",
        ("thinking/interleaved-replay",),
        "https://github.com/anomalyco/opencode/issues/6176",
    ),
    _fault(
        "redacted-thinking-dropped",
        "blocks_to_openai",
        'if opened.kind == "redacted_thinking":',
        'if opened.kind == "redacted_thinking":\n            return {}\n        if False:',
        "relay.thinking",
        ("thinking/redacted-replay",),
        "https://github.com/langchain-ai/langchain/pull/29971",
    ),
    _fault(
        "thinking-not-sent-back",
        "blocks",
        "if all_refused or not taken",
        "if True",
        "relay.thinking",
        ("thinking/interleaved-replay",),
        "https://github.com/router-for-me/CLIProxyAPI/issues/420",
    ),
    _fault(
        "thinking-behind-a-search-signed",
        "blocks_to_openai",
        "        self._left_out = True\n",
        "",
        "expect.wire",
        ("thinking/around-server-tools",),
        "https://github.com/BerriAI/litellm/pull/23093",
    ),
    _fault(
        "thinking-sent-back-without-its-end",
        "blocks",
        "if all_refused or not taken",
        "if not taken",
        "expect.wire",
        ("thinking/around-server-tools",),
        "https://github.com/BerriAI/litellm/pull/23093",
    ),
    _fault(
        "thinking-text-in-content",
        "blocks_to_openai",
        'return {"reasoning_content": content}',
        'return {"content": content}',
        "response.text",
        ("thinking/thought-before-call",),
        "https://github.com/decolua/9router/pull/1752",
    ),
    _fault(
        "thinking-gathered-in-front-of-calls",
        "blocks",
        "order_of_message(message) or order_from_positions_if_any(details, _text_length(texts), len(calls))",
        "order_of_message(message)",
        "expect.wire",
        ("interleaved/two-thoughts-around-calls",),
        "https://github.com/NousResearch/hermes-agent/pull/41266",
    ),
    _fault(
        "signature-of-google-not-given-back",
        "thinking_blocks",
        "            waiting = signature\n",
        '            waiting = ""\n',
        "expect.wire",
        ("google-openai/signature-on-call",),
        "https://github.com/open-webui/computer/issues/224",
    ),
    Mutant(
        "long-ids-not-cut",
        (
            (
                f"{_CONVERT}/ids.py",
                "return CallIds(None if profile.extended or profile.carries_gemini else shorten_openai_id_if_long)",
                "return CallIds()",
            ),
        ),
        frozenset({"expect.wire"}),
        ("provider-switch/long-ids",),
        "https://github.com/BerriAI/litellm/issues/41534",
    ),
    Mutant(
        "anthropic-signature-of-gemini-not-given-back",
        (
            (
                f"{_CONVERT}/gemini/parts_from_openai.py",
                'kind, own = split_gemini_signature_prefix(signature) or ("", "")',
                'kind, own = "", ""',
            ),
        ),
        frozenset({"relay.signatures"}),
        ("signatures/call-roundtrip",),
        "https://github.com/anomalyco/opencode/issues/4832",
    ),
)

_ANSWERS: Final = (
    _fault(
        "parallel-calls-merged",
        "blocks_to_openai",
        "opened.call, self.call_count = self.call_count, self.call_count + 1",
        "opened.call, self.call_count = 0, self.call_count + 1",
        "response.tool_calls",
        ("tools/parallel-separate-chunks-indices",),
        "https://github.com/su-kaka/gcli2api/pull/406",
    ),
    _fault(
        "fragments-of-input-lost",
        "blocks_to_openai",
        "        if not fragment:\n            return {}\n        block.fragments = True",
        "        if not fragment or block.fragments:\n            return {}\n        block.fragments = True",
        "response.tool_calls",
        ("tools/args-fragments-accumulate", "tools/parallel-separate-chunks-indices"),
        "https://github.com/mcowger/plexus/issues/702",
    ),
    _fault(
        "input-without-deltas-is-empty-text",
        "blocks_to_openai",
        'if block.kind == "tool_use" and not block.fragments:',
        "if False:",
        "expect.wire",
        ("tools/input-without-deltas",),
        "https://github.com/sigoden/aichat/pull/1217",
    ),
    _fault(
        "tool-use-becomes-stop",
        "finish",
        'return "tool_calls" if has_calls else "stop"',
        'return "stop"',
        "response.finish",
        ("tools/parallel-one-body",),
        "https://github.com/envoyproxy/ai-gateway/pull/2399",
    ),
    _fault(
        "limit-becomes-stop",
        "finish",
        '"max_tokens": "length",',
        '"max_tokens": "stop",',
        "response.finish",
        ("finish/terminal-reason-beats-calls", "finish/length"),
        "https://github.com/NousResearch/hermes-agent/pull/43478",
    ),
    _fault(
        "refusal-becomes-stop",
        "finish",
        '"refusal": "content_filter",',
        '"refusal": "stop",',
        "response.finish",
        ("safety/refusal-stop-reason",),
        "https://github.com/BerriAI/litellm/issues/39721",
    ),
    _fault(
        "limit-becomes-end-turn",
        "finish",
        '"length": "max_tokens",',
        '"length": "end_turn",',
        "response.finish",
        ("finish/length",),
        "https://github.com/QwenLM/qwen-code/issues/12113",
    ),
    _fault(
        "clean-end-of-a-cut-stream",
        "stream_to_openai",
        'native = text(self._stop.get("stop_reason"))',
        'native = text(self._stop.get("stop_reason")) or "end_turn"',
        "response.finish",
        ("broken-streams/reset", "broken-streams/cut-no-finish"),
        "https://github.com/tashfeenahmed/freellmapi/pull/1288",
    ),
    _fault(
        "error-event-swallowed",
        "stream_to_openai",
        '        if kind == "error" or event.get("error"):\n'
        "            return [self._fail(anthropic_error_to_openai(event, 200)[1])]",
        '        if kind == "error" or event.get("error"):\n'
        '            self._stop = {"stop_reason": "end_turn"}\n'
        "            return []",
        "response.error",
        ("errors/midstream",),
        "https://github.com/diegosouzapw/OmniRoute/pull/4182",
    ),
    _fault(
        "blocks-all-numbered-0",
        "block_events",
        '"content_block_delta", "index": self.count - 1,',
        '"content_block_delta", "index": 0,',
        "stream.blocks",
        ("tools/parallel-separate-chunks-indices",),
        "https://github.com/su-kaka/gcli2api/pull/406",
    ),
    _fault(
        "block-never-closed",
        "block_events",
        '        if self._kind:\n            self._events.append({"type": "content_block_stop", "index": self.count - 1})\n',
        "",
        "stream.blocks",
        ("messages/plain-text",),
        "https://github.com/BerriAI/litellm/issues/37273",
    ),
    _fault(
        "rate-limit-without-its-hint",
        "errors",
        'anthropic_error["retry_after_seconds"] = wait',
        "pass",
        "response.error",
        ("errors/rate-limit",),
        "https://github.com/CherryHQ/cherry-studio/pull/16921",
    ),
)

_USAGE: Final = (
    _fault(
        "cache-beside-the-prompt",
        "usage",
        'prompt = (_count_or_zero_if_negative(usage.get("input_tokens")) or 0) + (read or 0) + (written or 0)',
        'prompt = _count_or_zero_if_negative(usage.get("input_tokens")) or 0',
        "response.usage",
        ("usage/cached-input", "usage/cache-written-and-read"),
        "https://github.com/mozilla-ai/any-llm/pull/815",
    ),
    _fault(
        "cache-counted-twice",
        "usage",
        "inside = cached if cached <= prompt else 0",
        "inside = 0",
        "response.usage",
        ("usage/cached-input",),
        "https://github.com/router-for-me/CLIProxyAPI/pull/1643",
    ),
    _fault(
        "cache-writes-not-named",
        "usage",
        'counts = (("cached_tokens", read), ("cache_write_tokens", written))',
        'counts = (("cached_tokens", read),)',
        "response.usage",
        ("usage/cache-written-and-read",),
        "https://github.com/mozilla-ai/any-llm/pull/815",
    ),
)

_REQUESTS: Final = (
    _fault(
        "failure-of-a-result-lost",
        "history_from_openai",
        'if obj(message.get("extra_content")).get("is_error") is True:',
        "if False:",
        "request.turns",
        ("correlation/failed-result",),
        "https://github.com/brightwave-inc/tidebreak/pull/1535",
    ),
    _fault(
        "image-of-a-result-lost",
        "history_to_openai",
        'user_parts += [part for part in made if part["type"] != "text"]',
        "pass",
        "request.turns",
        ("correlation/image-in-result",),
        "https://github.com/maximhq/bifrost/pull/4202",
    ),
    _fault(
        "first-system-block-alone",
        "history_to_openai",
        'content = _message_content(_convert_parts(system, "system[]", profile, losses), isinstance(system, list), profile)',
        'content = _message_content(_convert_parts(system, "system[]", profile, losses)[:1], isinstance(system, list), profile)',
        "request.system",
        ("messages/system-blocks",),
        "https://github.com/ferro-labs/ai-gateway/issues/144",
    ),
    _fault(
        "ids-not-made-legal",
        "history_from_openai",
        "self._ids = CallIds(None if self._keeps else legal_anthropic_id_cut_if_long)",
        "self._ids = CallIds(None)",
        "request.acceptable",
        ("correlation/ids-made-legal",),
        "https://github.com/QwenLM/qwen-code/issues/8160",
    ),
    _fault(
        "no-limit-sent",
        "settings",
        "limit = profile.anthropic_max_tokens",
        "return made",
        "request.acceptable",
        ("messages/history",),
        "https://github.com/earendil-works/pi/issues/2294",
    ),
    _fault(
        "one-call-at-a-time-lost",
        "tools",
        'made = {**(made or {"type": "auto"}), "disable_parallel_tool_use": not parallel}',
        'made = made or {"type": "auto"}',
        "request.tool_choice",
        ("settings/parallel-calls-off",),
        "https://github.com/BerriAI/litellm/issues/6148",
    ),
)

_JUDGE: Final = (
    Mutant(
        "judge-counts-no-cache-of-anthropic",
        (
            (
                "bridgecheck/normalise/anthropic/response.py",
                "uncached + (read or 0) + (written or 0)",
                "uncached",
            ),
        ),
        frozenset({"expect.outcome", "response.usage"}),
        ("usage/cache-written-and-read",),
        "https://github.com/mozilla-ai/any-llm/pull/815",
    ),
)

ANTHROPIC: Final[tuple[Mutant, ...]] = (*_THINKING, *_ANSWERS, *_USAGE, *_REQUESTS, *_JUDGE)
