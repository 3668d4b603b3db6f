"""Faults in answers: what they hold, how they are streamed, and how calls are made; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"
_CONVERT: Final = f"{_REFERENCE}/convert"


_STRAIGHT: Final = (f"{_REFERENCE}/default_adapter.py", "pivots: Final = PIVOTS", "pivots: Final = {}")
"""The adapter declares that it passes its client's own dialect through: then nothing may be lost."""


def _fault(
    name: str, file: str, old: str, new: str, checks: tuple[str, ...], scenarios: tuple[str, ...], source: str
) -> Mutant:
    return Mutant(name, ((f"{_REFERENCE}/{file}.py", old, new),), frozenset(checks), scenarios, source)


def _loss(name: str, file: str, old: str, new: str, check: str, scenarios: tuple[str, ...], source: str) -> Mutant:
    """A mutant that drops something on a route from a dialect to itself."""
    return Mutant(name, (_STRAIGHT, (f"{_REFERENCE}/{file}.py", old, new)), frozenset({check}), scenarios, source)


_CONTENT: Final = (
    _fault(
        "candidates-all-numbered-0",
        "convert/gemini/stream_to_openai",
        'index = candidate.get("index", position)',
        "index = position = 0",
        ("response.choices",),
        ("messages/several-candidates",),
        "https://github.com/BerriAI/litellm/pull/40864",
    ),
    Mutant(
        "thoughts-dropped",
        (
            (f"{_CONVERT}/gemini/part_order.py", 'message["reasoning_content"] = reasoning', "pass"),
            (
                f"{_CONVERT}/gemini/parts_to_openai.py",
                'return {"reasoning_content": content} if content else {}',
                "return {}",
            ),
        ),
        frozenset({"response.reasoning"}),
        ("thinking/thought-parts-*",),
        "https://github.com/diegosouzapw/OmniRoute/issues/6222",
    ),
    _fault(
        "text-beside-calls-sent-last",
        "convert/anthropic/blocks_from_openai",
        "if self._queue.has_no_current_call:",
        'if kind != "text" and self._queue.has_no_current_call:',
        ("response.order",),
        ("relay/text-beside-call-kept::bridged-anthropic-to-gemini-*-wire",),
        "https://github.com/stacklok/mecatl/issues/1465",
    ),
    _fault(
        "whole-numbers-made-floats",
        "convert/arguments",
        "json.JSONDecoder(parse_constant=_refuse_constant)",
        "json.JSONDecoder(parse_constant=_refuse_constant, parse_int=float)",
        ("response.number_text",),
        ("tools/integer-arguments",),
        "https://github.com/langchain-ai/langchain-google/pull/1110",
    ),
    _fault(
        "image-of-an-answer-dropped",
        "convert/gemini/parts_to_openai",
        'if mime.startswith("image/") and not part.get("thought"):',
        "if False:",
        ("response.media",),
        ("multimodal/image-output",),
        "https://github.com/maximhq/bifrost/issues/7032",
    ),
    _loss(
        "executed-code-dropped",
        "convert/gemini/parts_to_openai",
        '        if self._carries:\n            fields.layout.append({"part": part})\n        elif kinds:',
        '        if self._carries and "executableCode" not in part:\n'
        '            fields.layout.append({"part": part})\n        elif kinds:',
        "response.code",
        ("multimodal/code-execution-parts::bridged-gemini-to-gemini-*-wire",),
        "https://github.com/vercel/ai/pull/17399",
    ),
    _loss(
        "citations-dropped",
        "convert/anthropic/blocks_to_openai",
        '            return _carry_mark({}, {"delta": delta})\n        if kind == "citations_delta":',
        '            return {} if kind == "citations_delta" else _carry_mark({}, {"delta": delta})\n'
        '        if kind == "citations_delta":',
        "response.citations",
        ("grounding/document-citations::bridged-anthropic-to-anthropic-*-wire",),
        "https://github.com/openai/openai-agents-python/pull/4222",
    ),
    _loss(
        "annotations-dropped",
        "convert/chat_members",
        "for key, value in own.items() if key not in converted}}",
        'for key, value in own.items() if key not in converted and key != "annotations"}}',
        "response.citations",
        ("grounding/annotations::bridged-openai-chat-to-openai-chat-unary-wire",),
        "https://github.com/openai/openai-agents-python/pull/4222",
    ),
    _loss(
        "safety-ratings-dropped",
        "convert/gemini/stream_to_openai",
        '        if rest:\n            choice["extra_content"] =',
        '        if False:\n            choice["extra_content"] =',
        "response.other",
        ("safety/mid-answer::bridged-gemini-to-gemini-*-wire",),
        "https://github.com/envoyproxy/ai-gateway/pull/1287",
    ),
    _fault(
        "refusal-of-a-stream-dropped",
        "convert/gemini/parts_from_openai",
        'parsed = MessageTextsAndMedia(refusal=text(message.get("refusal")))',
        "parsed = MessageTextsAndMedia()",
        ("response.refusal",),
        ("safety/refusal-streamed", "safety/refusal-text"),
        "https://github.com/openclaw/openclaw/pull/102349",
    ),
)

_STREAMS: Final = (
    _fault(
        "finish-on-every-chunk",
        "convert/gemini/stream_to_openai",
        'return {"index": self.index, "delta": delta, "finish_reason": None}',
        'return {"index": self.index, "delta": delta, "finish_reason": "stop" if self.native_reason else None}',
        ("stream.terminates_once",),
        ("chunks/stop-on-every-chunk",),
        "https://github.com/songquanpeng/one-api/issues/1408",
    ),
    Mutant(
        "stream-held-to-its-end",
        (
            (
                f"{_REFERENCE}/default_adapter.py",
                "if self._members is None:\n            return self._through([event], closing=False)",
                "if self._members is None:\n            self.__dict__.setdefault('held', []).append(event); return []",
            ),
            (
                f"{_REFERENCE}/default_adapter.py",
                "events = self._through([], closing=True)",
                "events = self._through(self.__dict__.pop('held', []), closing=True)",
            ),
        ),
        frozenset({"stream.incremental"}),
        ("chunks/*::bridged-*-wire",),
        "https://github.com/gbaptista/gemini-ai/issues/11",
    ),
    _fault(
        "named-events-for-a-gemini-client",
        "session",
        'return await self._generator.generate_content_stream({**body, "model": model}, "session")',
        'events = await self._generator.generate_content_stream({**body, "model": model}, "session")\n'
        "            import json\n\n"
        '            return (b"event: message\\ndata: " + json.dumps(one).encode() + b"\\n\\n" async for one in events)',
        ("client.framing",),
        ("messages/plain-text",),
        "https://github.com/mnfst/llm-gateway/issues/2053",
    ),
    _fault(
        "key-shown-to-the-client",
        "errors",
        "            text = text.replace(secret, REDACTED)\n",
        "            pass\n",
        ("client.no_secret",),
        ("errors/key-not-echoed::bridged-*-unary-http",),
        "https://github.com/nyroway/nyro/issues/67",
    ),
    _fault(
        "key-added-to-errors",
        "errors",
        "            text = text.replace(secret, REDACTED)\n",
        '            text = f"{text} (key {secret})"\n',
        ("client.no_secret",),
        ("errors/unauthenticated::bridged-*-unary-http",),
        "https://github.com/nyroway/nyro/issues/67",
    ),
)

_CALLS: Final = (
    _fault(
        "provider-called-twice",
        "providers/openai",
        "        return await self._errors.document(",
        "        await self._errors.document(self._client.post(_PATH, cast_to=object, body=body))\n"
        "        return await self._errors.document(",
        ("relay.expected_calls",),
        ("messages/plain-text",),
        "https://github.com/routatic/proxy/issues/54",
    ),
    _fault(
        "retried-in-mid-stream",
        "providers/openai",
        "        return FinishRequiringOpenAIStream("
        "SdkStream(await self._errors.call(opening), self._errors), self._secrets)",
        "        first = FinishRequiringOpenAIStream("
        "SdkStream(await self._errors.call(opening), self._errors), self._secrets)\n\n"
        "        async def persistent():\n"
        "            try:\n"
        "                async for chunk in first:\n"
        "                    yield chunk\n"
        "            except Exception:\n"
        '                if self.__dict__.setdefault("tried", 0):\n'
        "                    raise\n"
        "                self.tried = 1\n"
        "                async for chunk in await self._open_openai_chunks(params):\n"
        "                    yield chunk\n\n"
        "        return persistent()",
        ("relay.one_call",),
        ("broken-streams/no-second-call",),
        "https://github.com/NuGuardAI/nuguard/issues/455",
    ),
    _fault(
        "provider-connection-left-open",
        "streams",
        "        await self._events.aclose()",
        "        pass",
        ("relay.cancel",),
        ("relay/client-goes-away",),
        "https://github.com/QuantumNous/new-api/issues/4184",
    ),
    Mutant(
        "calls-dropped",
        (
            (f"{_CONVERT}/gemini/part_order.py", 'message["tool_calls"] = self.calls', "pass"),
            (f"{_CONVERT}/gemini/parts_to_openai.py", 'return {"tool_calls": [tool_call]}', "return {}"),
        ),
        frozenset({"relay.next_turn"}),
        ("relay/typed-client-signed-call", "relay/legal-name-through-three-turns"),
        "https://github.com/justlovemaki/AIClient2API/issues/305",
    ),
)

ANSWERS: Final[tuple[Mutant, ...]] = (*_CONTENT, *_STREAMS, *_CALLS)
