"""Faults by which real clients lose an answer, or do not show it: a rule of their models each; see mutants.py for what an
entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"


def _fault(
    name: str, file: str, old: str, new: str, checks: tuple[str, ...], scenarios: tuple[str, ...], source: str
) -> Mutant:
    return Mutant(name, ((f"{_REFERENCE}/{file}.py", old, new),), frozenset(checks), scenarios, source)


CLIENTS: Final[tuple[Mutant, ...]] = (
    _fault(
        "last-event-without-content",
        "convert/gemini/stream_from_openai",
        'if self._whole or self._profile.finish_parts == "omit":',
        "if True:",
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-gemini-to-*-stream-wire",),
        "https://github.com/google-gemini/gemini-cli/issues/26956",
    ),
    _fault(
        "last-event-without-role",
        "convert/gemini/stream_from_openai",
        '{"content": {"parts": [*parts], "role": "model"}, **candidate}',
        '{"content": {"parts": [*parts]}, **candidate}',
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-gemini-to-*-stream-wire",),
        "https://github.com/google-gemini/gemini-cli/issues/26956",
    ),
    _fault(
        "empty-text-beside-each-part",
        "convert/gemini/stream_from_openai",
        'if "content" not in candidate:',
        'if "content" in candidate:\n'
        '                obj(candidate["content"])["parts"] = [*arr(obj(candidate["content"])["parts"]), {"text": ""}]\n'
        "            else:",
        ("relay.client_remembers",),
        ("conversations/two-parallel-tools::bridged-gemini-to-*-stream-wire",),
        "https://github.com/google-gemini/gemini-cli/pull/27170",
    ),
    _fault(
        "details-of-reasoning-without-index",
        "convert/anthropic/blocks_to_openai",
        '{**detail, "index": self._detail_count}',
        "detail",
        ("relay.client_remembers",),
        ("interleaved/two-thoughts-around-calls::bridged-openai-chat-to-anthropic-stream-wire",),
        "https://github.com/agno-agi/agno/pull/5802",
    ),
    _fault(
        "empty-thinking-before-each-text",
        "convert/anthropic/block_events",
        '        self._events.append({"type": "content_block_start", "index": self.count, "content_block": block})\n',
        '        if self._kind == "text":\n'
        '            empty = {"type": "thinking", "thinking": "", "signature": "Z2VtaW5p"}\n'
        '            self._events.append({"type": "content_block_start", "index": self.count, "content_block": empty})\n'
        '            self._events.append({"type": "content_block_stop", "index": self.count})\n'
        "            self.count += 1\n"
        '        self._events.append({"type": "content_block_start", "index": self.count, "content_block": block})\n',
        ("client.shows",),
        ("conversations/plain-text::bridged-anthropic-to-openai-chat-*-wire",),
        "https://github.com/anthropics/claude-code/issues/40326",
    ),
    _fault(
        "empty-thinking-behind-each-text",
        "convert/anthropic/block_events",
        '        self._kind, self._sealed, self._thought = "", False, []\n\n\n_PATH',
        '        if self._kind == "text":\n'
        '            empty = {"type": "thinking", "thinking": "", "signature": "Z2VtaW5p"}\n'
        '            self._events.append({"type": "content_block_start", "index": self.count, "content_block": empty})\n'
        '            self._events.append({"type": "content_block_stop", "index": self.count})\n'
        "            self.count += 1\n"
        '        self._kind, self._sealed, self._thought = "", False, []\n\n\n_PATH',
        ("client.shows",),
        ("conversations/plain-text::bridged-anthropic-to-openai-chat-*-wire",),
        "https://github.com/anthropics/claude-code/issues/40326",
    ),
    _fault(
        "last-event-without-parts",
        "convert/gemini/stream_from_openai",
        'parts = [{"text": ""}] if self._profile.finish_parts == "text" else []',
        "parts: list[JsonObject] = []",
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-gemini-to-*-stream-wire",),
        "https://github.com/google-gemini/gemini-cli/issues/26956",
    ),
    _fault(
        "last-event-with-an-empty-part",
        "convert/gemini/stream_from_openai",
        'parts = [{"text": ""}] if self._profile.finish_parts == "text" else []',
        "parts: list[JsonObject] = [{}]",
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-gemini-to-*-stream-wire",),
        "https://github.com/google-gemini/gemini-cli/pull/27170",
    ),
    _fault(
        "calls-without-index",
        "convert/gemini/calls_to_openai",
        '{"index": number, "id": id, "type": "function", "function": function}',
        '{"id": id, "type": "function", "function": function}',
        ("relay.client_remembers",),
        ("conversations/two-parallel-tools::bridged-openai-chat-to-gemini-stream-wire",),
        "https://github.com/openai/openai-python/issues/2806",
    ),
    _fault(
        "calls-without-type",
        "convert/gemini/calls_to_openai",
        '{"index": number, "id": id, "type": "function", "function": function}',
        '{"index": number, "id": id, "function": function}',
        ("relay.client_remembers",),
        ("conversations/two-parallel-tools::bridged-openai-chat-to-gemini-stream-wire",),
        "https://github.com/vllm-project/vllm/issues/16340",
    ),
    Mutant(
        "name-in-each-piece-of-a-call",
        (
            (
                f"{_REFERENCE}/convert/anthropic/blocks_to_openai.py",
                '        name = text(block.get("name"))\n',
                '        name = text(block.get("name"))\n        opened.citations = [block]\n',
            ),
            (
                f"{_REFERENCE}/convert/anthropic/blocks_to_openai.py",
                '"function": {"arguments": fragment}',
                '"function": {"name": block.citations[0]["name"], "arguments": fragment}',
            ),
        ),
        frozenset({"relay.client_remembers"}),
        ("conversations/two-parallel-tools::bridged-openai-chat-to-anthropic-stream-wire",),
        "https://github.com/NousResearch/hermes-agent/pull/12230",
    ),
    _fault(
        "stream-without-role",
        "convert/gemini/stream_to_openai",
        'delta = {"role": "assistant", **delta}',
        "delta = {**delta}",
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-openai-chat-to-gemini-stream-wire",),
        "https://github.com/danny-avila/LibreChat/issues/1221",
    ),
    _fault(
        "deltas-of-no-block",
        "convert/anthropic/block_events",
        '"index": self.count - 1, "delta": delta',
        '"index": self.count, "delta": delta',
        ("relay.client_remembers",),
        ("conversations/plain-text::bridged-anthropic-to-openai-chat-stream-wire",),
        "https://github.com/Oaklight/llm-rosetta/issues/246",
    ),
    _fault(
        "input-without-its-end",
        "convert/anthropic/block_events",
        '{"type": "input_json_delta", "partial_json": piece}',
        '{"type": "input_json_delta", "partial_json": piece.removesuffix("}")}',
        ("relay.client_remembers",),
        ("relay/text-beside-call-kept::bridged-anthropic-to-openai-chat-stream-wire",),
        "https://github.com/openai/openai-python/pull/3425",
    ),
)
