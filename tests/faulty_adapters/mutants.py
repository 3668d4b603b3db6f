"""The faults: one exact replacement in one source file each, modelled on public bugs, and the check that has to notice.

A replacement that no longer fits its file is an error, so the table cannot go stale behind a refactoring.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mutant:
    """``edits``: (file, old, new); the file is relative to its source root. ``expected``: checks that all must fail.
    ``scenarios``: globs that are enough to see it, for the quick test; ``traffic``: cassettes that are played as recorded
    traffic, where laws are tried; ``relations``: none, fast or all. ``source``: a public report of this bug."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    expected: frozenset[str]
    scenarios: tuple[str, ...]
    source: str
    traffic: tuple[str, ...] = ()
    relations: str = "none"

    @property
    def layer(self) -> str:
        """Return ``http`` where the mutant shows in the reference's gateway alone, else ``wire``."""
        return "http" if any(glob.endswith("-http") for glob in self.scenarios) else "wire"


_CONVERT: Final = "bridgecheck_reference/convert"
_NORMALISE: Final = "bridgecheck/normalise"

ADAPTERS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "tool-index-stuck-at-0",
        (
            (
                f"{_CONVERT}/gemini/calls_to_openai.py",
                '{"index": number, "id": id,',
                '{"index": 0, "id": id,',
            ),
        ),
        frozenset({"response.tool_calls", "stream.calls_contiguous"}),
        ("tools/parallel*::bridged-*-wire",),
        "https://github.com/su-kaka/gcli2api/pull/406",
    ),
    Mutant(
        "thought-text-in-content",
        (
            (
                f"{_CONVERT}/gemini/parts_to_openai.py",
                '(fields.reasoning if kind == "thought" else fields.content).append(content)',
                "fields.content.append(content)",
            ),
            (f"{_CONVERT}/gemini/parts_to_openai.py", '{"reasoning_content": content}', '{"content": content}'),
        ),
        frozenset({"response.text"}),
        ("thinking/*::bridged-*-wire",),
        "https://github.com/decolua/9router/pull/1752",
    ),
    Mutant(
        "usage-summed-over-chunks",
        (
            (
                f"{_CONVERT}/usage.py",
                "return {**held, **{key: value for key, value in new.items() if value is not None}}",
                (
                    "return {k: held[k] + new[k] if isinstance(held.get(k), int) and isinstance(new.get(k), int) "
                    "else new.get(k, held.get(k)) for k in {**held, **new}}"
                ),
            ),
        ),
        frozenset({"response.usage"}),
        ("usage/*::bridged-*-wire",),
        "https://github.com/agno-agi/agno/pull/6624",
    ),
    Mutant(
        "stop-kept-beside-calls",
        (
            (
                f"{_CONVERT}/gemini/finish.py",
                'return "tool_calls" if kind == "stop" and has_calls else kind',
                "return kind",
            ),
        ),
        frozenset({"response.finish"}),
        ("finish/*::bridged-*-wire",),
        "https://github.com/envoyproxy/ai-gateway/pull/2399",
    ),
    Mutant(
        "arguments-as-object",
        (
            (
                f"{_CONVERT}/gemini/calls_to_openai.py",
                'function = {"name": name, "arguments": arguments}',
                'import json; function = {"name": name, "arguments": json.loads(arguments)}',
            ),
        ),
        frozenset({"client.wire_shape", "upstream.wire_shape"}),
        ("tools/*::bridged-*-wire",),
        "https://github.com/mcowger/plexus/issues/702",
    ),
    Mutant(
        "responses-paired-by-last-call",
        (
            (
                f"{_CONVERT}/ids.py",
                "if call_id == provider_id and (call_id or call_name == name):",
                "if False:",
            ),
            (f"{_CONVERT}/ids.py", "position = queue.popleft()", "position = queue.pop()"),
        ),
        frozenset({"request.turns"}),
        ("correlation/*::bridged-*-wire",),
        "https://github.com/justlovemaki/AIClient2API/pull/674",
    ),
    Mutant(
        "signature-dropped",
        (
            (
                f"{_CONVERT}/gemini/calls_to_openai.py",
                "if signature and (self._carries or self._may_carry_signature_or_record(signature)):",
                "if False:",
            ),
        ),
        frozenset({"relay.signatures"}),
        ("signatures/*::bridged-*-wire",),
        "https://github.com/anomalyco/opencode/issues/4832",
    ),
    Mutant(
        "empty-chunk-crashes",
        (
            (
                f"{_CONVERT}/gemini/stream_to_openai.py",
                "enumerate(candidates if type(candidates) is list else ())",
                'enumerate([event["candidates"][0]])',
            ),
            (
                f"{_CONVERT}/gemini/stream_from_openai.py",
                'usage = chunk.get("usage")\n',
                'usage = chunk.get("usage")\n        chunk["choices"][0]\n',
            ),
        ),
        frozenset({"adapter.completes"}),
        ("chunks/*::bridged-*-wire",),
        "https://github.com/BerriAI/litellm/pull/32519",
    ),
    Mutant(
        "finish-invented-on-cut-stream",
        (
            (
                f"{_CONVERT}/gemini/stream_to_openai.py",
                'if not self.native_reason or (self.reader.has_open_partial_call and self.native_reason == "STOP"):\n            return ""',
                'if not self.native_reason:\n            return "stop"',
            ),
        ),
        frozenset({"response.finish"}),
        ("broken-streams/*::bridged-*-wire",),
        "https://github.com/tashfeenahmed/freellmapi/pull/1288",
    ),
    Mutant(
        "parts-joined-with-newlines",
        ((f"{_CONVERT}/gemini/part_order.py", '"".join(self.content)', '"\\n".join(self.content)'),),
        frozenset({"response.text"}),
        ("chunks/*::bridged-*-wire",),
        "https://github.com/HIllya51/LunaTranslator/pull/2273",
    ),
    Mutant(
        "second-image-lost",
        (
            (
                f"{_CONVERT}/gemini/history_to_openai.py",
                "content += [converted] if converted else []",
                (
                    'content += [converted] if converted and (converted["type"] != "image_url" or '
                    'all(item["type"] != "image_url" for item in content)) else []'
                ),
            ),
        ),
        frozenset({"request.turns"}),
        ("multimodal/*::bridged-*-wire",),
        "https://github.com/0xPlaygrounds/rig/pull/2328",
    ),
    Mutant(
        "second-system-part-lost",
        ((f"{_CONVERT}/gemini/request_to_openai.py", 'content = "".join(texts)', 'content = "".join(texts[:1])'),),
        frozenset({"request.system"}),
        ("messages/system*::bridged-*-wire",),
        "https://github.com/ferro-labs/ai-gateway/issues/144",
    ),
)

NORMALISERS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "judge-reads-thoughts-as-text",
        (
            (
                f"{_NORMALISE}/gemini/parts.py",
                'if fields.take_flag("thought") else',
                'if fields.take_flag("thought") and False else',
            ),
        ),
        frozenset({"expect.outcome"}),
        ("thinking/*::bridged-*-wire",),
        "https://github.com/BerriAI/litellm/pull/16854",
    ),
    Mutant(
        "judge-loses-arguments",
        (
            (
                f"{_NORMALISE}/tree.py",
                "return (obj(value), None) if isinstance(value, dict) else ({}, raw)",
                "return ({}, None) if isinstance(value, dict) else ({}, raw)",
            ),
        ),
        frozenset({"expect.outcome"}),
        ("tools/*::bridged-*-wire",),
        "https://github.com/mcowger/plexus/issues/702",
    ),
    Mutant(
        "judge-counts-no-thoughts",
        ((f"{_NORMALISE}/gemini/response.py", "(candidates or 0) + (thoughts or 0)", "(candidates or 0)"),),
        frozenset({"expect.outcome", "response.usage"}),
        ("usage/*::bridged-*-wire",),
        "https://github.com/router-for-me/CLIProxyAPI/issues/5733",
    ),
)
