"""Faults that only show in a stream sent in another way, and such as make the adapter contradict itself; see mutants.py
for what an entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"
_CONVERT: Final = f"{_REFERENCE}/convert"
_CHAT_STREAM: Final = "convert/gemini/stream_from_openai"
_FEED_USAGE: Final = (
    "        if usage:\n            self._usage = merge_usage(self._usage, obj(usage))\n        candidates: list"
)


def _fault(
    name: str, file: str, old: str, new: str, relations: tuple[str, ...], scenarios: tuple[str, ...], source: str
) -> Mutant:
    checks = frozenset(f"relation.{relation}" for relation in relations)
    return Mutant(name, ((f"{_REFERENCE}/{file}.py", old, new),), checks, scenarios, source, relations="all")


_BYTES: Final = (
    _fault(
        "each-chunk-read-by-itself",
        "sse",
        "        self._rest.append(data)\n",
        "        self._rest = [data]\n",
        ("bytes_1", "bytes_7"),
        ("messages/plain-text::bridged-*-to-gemini-stream-sdk",),
        "https://github.com/spiceai/spiceai/issues/12588",
    ),
    _fault(
        "each-chunk-decoded-by-itself",
        "sse",
        "        self._rest.append(data)\n",
        '        self._rest.append(data.decode("utf-8", "replace").encode())\n',
        ("mid_codepoint",),
        ("unicode/not-normalised::bridged-*-to-gemini-stream-sdk",),
        "https://github.com/spiceai/spiceai/issues/12597",
    ),
    _fault(
        "empty-line-torn-from-its-event",
        "sse",
        "        self._rest.append(data)\n",
        "        self._rest.append(data)\n        self._data = []\n",
        ("mid_crlf",),
        ("messages/plain-text::bridged-*-to-gemini-stream-sdk",),
        "https://github.com/modelcontextprotocol/inspector/issues/2134",
    ),
    _fault(
        "one-event-of-a-chunk",
        "sse",
        "        return found\n\n    def _check_limit",
        "        return found[:1]\n\n    def _check_limit",
        ("one_write",),
        ("messages/plain-text::bridged-*-to-gemini-stream-sdk",),
        "https://github.com/jawah/urllib3.future/pull/344",
    ),
    _fault(
        "events-end-in-two-lf-only",
        "providers/openai",
        "        return FinishRequiringOpenAIStream("
        "SdkStream(await self._errors.call(opening), self._errors), self._secrets)",
        "        stream = await self._errors.call(opening)\n\n"
        "        async def split(bodies):\n"
        '            rest = b""\n'
        "            async for body in bodies:\n"
        '                *whole, rest = (rest + body).split(b"\\n\\n")\n'
        "                for one in whole:\n"
        '                    yield one + b"\\n\\n"\n\n'
        "        bodies = stream.response.aiter_bytes()\n"
        "        stream.response.aiter_bytes = lambda: split(bodies)\n"
        "        return FinishRequiringOpenAIStream(SdkStream(stream, self._errors), self._secrets)",
        ("crlf",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-sdk",),
        "https://github.com/miruamel/xuan/issues/194",
    ),
)

_EVENTS: Final = (
    _fault(
        "ping-taken-for-an-error",
        "convert/anthropic/stream_to_openai",
        '            if kind != "ping":\n',
        '            if kind == "ping":\n'
        '                return [self._fail(create_openai_error("unknown event", "malformed_event"))]\n'
        '            if kind != "ping":\n',
        ("heartbeats",),
        ("messages/plain-text::bridged-*-to-anthropic-stream-wire",),
        "https://github.com/vercel/ai/pull/447",
    ),
    _fault(
        "chunk-without-choices-fails",
        _CHAT_STREAM,
        _FEED_USAGE,
        '        if not usage and not chunk.get("choices"):\n'
        '            return [self._fail(create_gemini_error("no choices"))]\n' + _FEED_USAGE,
        ("empty_chunks",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/digitalocean/langchain-gradient/pull/27",
    ),
    _fault(
        "finish-without-content-passed-over",
        "convert/gemini/stream_to_openai",
        'reason = candidate.get("finishReason")',
        'reason = candidate.get("finishReason") if delta else None',
        ("finish_alone",),
        ("messages/plain-text::bridged-*-to-gemini-stream-wire",),
        "https://github.com/envoyproxy/ai-gateway/pull/2399",
    ),
    _fault(
        "text-beside-the-finish-lost",
        "convert/gemini/choices_from_openai",
        "        self.read_finish_and_carried_members(choice)\n        visible_text",
        "        self.read_finish_and_carried_members(choice)\n        if self.finish:\n            return []\n        visible_text",
        ("finish_with_text",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/Routstr/routstr-core/pull/543",
    ),
    _fault(
        "text-beside-the-role-lost",
        "convert/gemini/choices_from_openai",
        "        self.read_finish_and_carried_members(choice)\n        visible_text",
        '        self.read_finish_and_carried_members(choice)\n        if delta.get("role"):\n            return []\n        visible_text',
        ("deltas_merged",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/router-for-me/CLIProxyAPI/issues/5640",
    ),
    _fault(
        "blank-pieces-dropped",
        "convert/gemini/choices_from_openai",
        '        if type(visible_text) is str:\n            return [{"text": visible_text}] if visible_text else []',
        '        if type(visible_text) is str:\n            return [{"text": visible_text}] if visible_text.strip() else []',
        ("deltas_split",),
        ("safety/mid-answer::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/spacedriveapp/spacebot/pull/413",
    ),
    _fault(
        "one-call-of-a-chunk",
        "convert/chat_calls",
        'for call in objs(delta.get("tool_calls")):',
        'for call in list(objs(delta.get("tool_calls")))[:1]:',
        ("calls_together",),
        ("tools/parallel-separate-chunks-indices::bridged-*-to-openai-chat-stream-wire",),
        "https://github.com/QuantumNous/new-api/pull/2701",
    ),
    _fault(
        "calls-of-the-first-chunk-alone",
        "convert/gemini/parts_to_openai",
        "        if len(parts) == 1 and self._held is None:\n",
        "        if self.call_count:\n"
        '            parts = [part for part in parts if not isinstance(part, dict) or "functionCall" not in part]\n'
        "        if len(parts) == 1 and self._held is None:\n",
        ("calls_apart",),
        ("tools/parallel-one-chunk::bridged-*-to-gemini-stream-wire",),
        "https://github.com/BerriAI/litellm/pull/11999",
    ),
    Mutant(
        "one-state-for-all-streams",
        (
            (
                f"{_CONVERT}/gemini/stream_from_openai.py",
                "class OpenAIToGeminiStream:",
                "_SHARED = {}\n\n\nclass OpenAIToGeminiStream:",
            ),
            (
                f"{_CONVERT}/gemini/stream_from_openai.py",
                "self._choices: dict[int, ChoiceReader] = {}",
                "_SHARED.clear()\n        self._choices: dict[int, ChoiceReader] = _SHARED",
            ),
        ),
        frozenset({"relation.two_streams"}),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/QwenLM/qwen-code/pull/3550",
        relations="all",
    ),
)

_COUNTS: Final = (
    _fault(
        "counts-of-chunks-added-up",
        _CHAT_STREAM,
        _FEED_USAGE,
        "        if usage:\n            self._usage = {\n"
        "                key: value + self._usage.get(key, 0) if type(value) is int else value\n"
        "                for key, value in obj(usage).items()\n            }\n        candidates: list",
        ("usage_every",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/ogx-ai/ogx/issues/5122",
    ),
    _fault(
        "counts-beside-choices-lost",
        _CHAT_STREAM,
        _FEED_USAGE,
        _FEED_USAGE.replace("if usage:", 'if usage and not chunk.get("choices"):'),
        ("usage_last",),
        ("messages/plain-text::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/odysseus-dev/odysseus/pull/1703",
    ),
    _fault(
        "counts-without-choices-lost",
        _CHAT_STREAM,
        _FEED_USAGE,
        _FEED_USAGE.replace("if usage:", 'if usage and chunk.get("choices"):'),
        ("usage_alone",),
        ("chunks/finish-with-content::bridged-gemini-to-openai-chat-stream-wire",),
        "https://github.com/0xPlaygrounds/rig/issues/1212",
    ),
)

_LAWS: Final = (
    Mutant(
        "thoughts-lost-in-one-piece",
        (
            (
                f"{_CONVERT}/gemini/responses.py",
                "        message[key] = [_without_index(item)",
                '        if key == "reasoning_content":\n            continue\n        message[key] = [_without_index(item)',
            ),
        ),
        frozenset({"law.fold_square"}),
        (),
        "https://github.com/omnigent-ai/omnigent/pull/28",
        traffic=("thinking/thought-parts-stream",),
    ),
    Mutant(
        "seed-lost-on-the-way-back",
        (
            (
                f"{_CONVERT}/gemini/request_from_openai.py",
                "    thinking = request_to_thinking_config(request, model, losses)\n",
                '    config.pop("seed", None)\n    thinking = request_to_thinking_config(request, model, losses)\n',
            ),
        ),
        frozenset({"law.request_roundtrip"}),
        (),
        "https://github.com/diegosouzapw/OmniRoute/pull/7206",
        traffic=("settings/zero-values",),
    ),
)

RELATIONS: Final[tuple[Mutant, ...]] = (*_BYTES, *_EVENTS, *_COUNTS, *_LAWS)
