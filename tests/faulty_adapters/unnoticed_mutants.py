"""Faults that once passed unseen, and plausible ones from public reports beside them; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"
_CONVERT: Final = f"{_REFERENCE}/convert"


def _fault(
    name: str, edits: tuple[tuple[str, str, str], ...], check: str, scenarios: tuple[str, ...], source: str
) -> Mutant:
    return Mutant(name, edits, frozenset({check}), scenarios, f"https://github.com/{source}")


_STREAMS: Final = (
    _fault(
        "broken-stream-ends-in-silence",
        (
            (
                f"{_REFERENCE}/streams.py",
                ("            raise self._map_error(error) from None\n\n    async def aclose"),
                ("            self._ended = True\n\n    async def aclose"),
            ),
        ),
        "response.error",
        ("broken-streams/reset::bridged-*-sdk",),
        "SamSaffron/term-llm/pull/954",
    ),
    _fault(
        "two-ends-under-two-indices",
        (
            (
                f"{_CONVERT}/gemini/stream_to_openai.py",
                "        return chunks + self._create_usage_chunk()",
                (
                    '        more = {**self._base, "choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}\n'
                    "        return [*chunks, more, *self._create_usage_chunk()]"
                ),
            ),
        ),
        "response.choices",
        ("messages/plain-text::bridged-*-wire",),
        "BerriAI/litellm/pull/40864",
    ),
    _fault(
        "nothing-read-behind-the-first-finish",
        (
            (
                f"{_CONVERT}/gemini/stream_to_openai.py",
                "        plain = _PLAIN_CANDIDATE_KEYS.issuperset(candidate)\n",
                (
                    "        if self.native_reason:\n"
                    "            return None\n"
                    "        plain = _PLAIN_CANDIDATE_KEYS.issuperset(candidate)\n"
                ),
            ),
        ),
        "response.text",
        (
            "chunks/stop-on-every-chunk::bridged-*-wire",
            "finish/said-twice::bridged-*-wire",
        ),
        "songquanpeng/one-api/issues/1408",
    ),
    _fault(
        "equal-piece-of-gemini-dropped",
        (
            (
                f"{_CONVERT}/gemini/parts_to_openai.py",
                ("        if len(parts) == 1 and self._held is None:\n            part = parts[0]"),
                (
                    "        if len(parts) == 1 and self._held is None:\n"
                    "            part = parts[0]\n"
                    "            if self.indexed_seen(part):\n"
                    "                return {}"
                ),
            ),
            (
                f"{_CONVERT}/gemini/parts_to_openai.py",
                (
                    "    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:\n"
                    '        """Convert parts to fields'
                ),
                (
                    "    def indexed_seen(self, part):\n"
                    "        import builtins\n"
                    "        store = builtins.__dict__.setdefault('_bc_last', {})\n"
                    "        same = 'text' in part and store.get(id(self)) == part\n"
                    "        store[id(self)] = part\n"
                    "        return same\n"
                    "\n"
                    "    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:\n"
                    '        """Convert parts to fields'
                ),
            ),
        ),
        "response.text",
        ("chunks/equal-pieces::bridged-*-wire",),
        "diegosouzapw/OmniRoute/issues/9170",
    ),
    _fault(
        "equal-chunk-of-chat-dropped",
        (
            (
                f"{_CONVERT}/gemini/stream_from_openai.py",
                ("        if self.failed:\n            return []\n        if not self._known_keys"),
                (
                    "        if self.failed:\n"
                    "            return []\n"
                    '        if chunk == self.__dict__.get("before"):\n'
                    "            return []\n"
                    "        self.before = chunk\n"
                    "        if not self._known_keys"
                ),
            ),
        ),
        "response.text",
        ("chunks/equal-pieces::bridged-*-wire",),
        "diegosouzapw/OmniRoute/issues/9170",
    ),
    _fault(
        "equal-event-of-anthropic-dropped",
        (
            (
                f"{_CONVERT}/anthropic/stream_to_openai.py",
                '        if self._base and event.get("type") == "content_block_delta"',
                (
                    '        if event == self.__dict__.get("before"):\n'
                    "            return []\n"
                    "        self.before = event\n"
                    '        if self._base and event.get("type") == "content_block_delta"'
                ),
            ),
        ),
        "response.text",
        ("chunks/equal-pieces::bridged-*-wire",),
        "diegosouzapw/OmniRoute/issues/9170",
    ),
    _fault(
        "null-calls-crash-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/choices_from_openai.py",
                ('            self._calls.add_fragments(delta)\n        if "audio" in delta:'),
                (
                    '            len(delta.get("tool_calls", ()))\n'
                    "            self._calls.add_fragments(delta)\n"
                    '        if "audio" in delta:'
                ),
            ),
        ),
        "adapter.completes",
        ("chunks/calls-null::bridged-*-wire",),
        "anomalyco/opencode/issues/43328",
    ),
    _fault(
        "null-calls-crash-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/blocks_from_openai.py",
                ("            self._queue.feed(delta)\n        self._end_block_if"),
                (
                    '            len(delta.get("tool_calls", ()))\n'
                    "            self._queue.feed(delta)\n"
                    "        self._end_block_if"
                ),
            ),
        ),
        "adapter.completes",
        ("chunks/calls-null::bridged-*-wire",),
        "anomalyco/opencode/issues/43328",
    ),
    _fault(
        "first-piece-of-a-block-twice",
        (
            (
                f"{_CONVERT}/anthropic/block_events.py",
                (
                    '            self.begin_block({"type": "text", "text": ""})\n'
                    '        self.write_delta({"type": "text_delta"'
                ),
                (
                    '            self.begin_block({"type": "text", "text": content})\n'
                    '        self.write_delta({"type": "text_delta"'
                ),
            ),
        ),
        "response.text",
        ("messages/plain-text::bridged-*-wire",),
        "BerriAI/litellm/issues/32357",
    ),
    _fault(
        "first-piece-of-thinking-lost",
        (
            (
                f"{_CONVERT}/anthropic/block_events.py",
                (
                    '            self.begin_block({"type": "thinking", "thinking": "", "signature": ""})\n'
                    "        self._thought.append(content)"
                ),
                (
                    '            self.begin_block({"type": "thinking", "thinking": "", "signature": ""})\n'
                    "            return\n"
                    "        self._thought.append(content)"
                ),
            ),
        ),
        "response.reasoning",
        ("thinking/thought-before-call::bridged-*-wire",),
        "BerriAI/litellm/pull/25411",
    ),
    _fault(
        "call-without-its-type",
        (
            (
                f"{_CONVERT}/anthropic/blocks_to_openai.py",
                '"id": text(block.get("id")), "type": "function"}',
                '"id": text(block.get("id"))}',
            ),
        ),
        "client.wire_shape",
        ("tools/single-call::bridged-*-wire",),
        "mcowger/plexus/issues/702",
    ),
    _fault(
        "thinking-without-text-dropped",
        (
            (
                f"{_CONVERT}/anthropic/blocks_to_openai.py",
                '        if block.kind == "thinking" and (block.signature',
                '        if block.kind == "thinking" and block.thinking and (block.signature',
            ),
        ),
        "relay.thinking",
        ("thinking/omitted-text-replay::bridged-*-wire",),
        "anomalyco/opencode/issues/6176",
    ),
    _fault(
        "input-counted-at-the-start-ignored",
        ((f"{_CONVERT}/anthropic/stream_to_openai.py", '        self._update_usage(message.get("usage"))\n', ""),),
        "response.usage",
        ("messages/plain-text::bridged-*-wire",),
        "BerriAI/litellm/issues/41406",
    ),
)

_SCHEMAS: Final = (
    _fault(
        "definitions-lost-towards-openai",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                ("            )\n        return schema\n    made"),
                ('            )\n        return {k: v for k, v in schema.items() if k != "$defs"}\n    made'),
            ),
        ),
        "request.acceptable",
        (
            "schema/circular-reference::bridged-*-wire",
            "schema/references-kept::bridged-*-wire",
        ),
        "Rahularya01/pi-antigravity/pull/33",
    ),
    _fault(
        "definitions-lost-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                '        result["parametersJsonSchema"] = parameters',
                '        result["parametersJsonSchema"] = {k: v for k, v in parameters.items() if k != "$defs"}',
            ),
        ),
        "request.acceptable",
        (
            "schema/circular-reference::bridged-*-wire",
            "schema/references-kept::bridged-*-wire",
        ),
        "Rahularya01/pi-antigravity/pull/33",
    ),
    _fault(
        "definitions-lost-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                '    made["input_schema"] = schema if',
                (
                    '    schema = {k: v for k, v in schema.items() if k != "$defs"}\n'
                    '    made["input_schema"] = schema if'
                ),
            ),
        ),
        "request.acceptable",
        (
            "schema/circular-reference::bridged-*-wire",
            "schema/references-kept::bridged-*-wire",
        ),
        "Rahularya01/pi-antigravity/pull/33",
    ),
    _fault(
        "definitions-renamed-without-their-references",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                ("            )\n        return schema\n    made"),
                (
                    "            )\n"
                    '        return {"definitions" if k == "$defs" else k: v for k, v in schema.items()}\n'
                    "    made"
                ),
            ),
        ),
        "request.acceptable",
        ("schema/circular-reference::bridged-*-wire",),
        "langchain4j/langchain4j/pull/5790",
    ),
    _fault(
        "recursion-without-an-end",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                (
                    '    if isinstance(parameters, dict) and profile.schema_mode == "json":\n'
                    '        result["parametersJsonSchema"] = parameters'
                ),
                (
                    '    if isinstance(parameters, dict) and profile.schema_mode == "json":\n'
                    '        result["parameters"] = to_gemini_schema(parameters, losses)'
                ),
            ),
            (f"{_CONVERT}/gemini/schema.py", "            if reference in inside:", "            if False:"),
            (f"{_CONVERT}/gemini/schema.py", "        if depth > DEEPEST:", "        if False:"),
            (
                f"{_CONVERT}/gemini/schema.py",
                "            if self._in_place >= _MOST_IN_PLACE:",
                "            if False:",
            ),
        ),
        "adapter.completes",
        ("schema/circular-reference::bridged-*-wire",),
        "su-kaka/gcli2api/issues/334",
    ),
    _fault(
        "types-of-gemini-sent-to-openai",
        (
            (
                f"{_CONVERT}/gemini/schema.py",
                "    lowered = value.lower() if isinstance(value, str) else value",
                "    lowered = value",
            ),
        ),
        "request.acceptable",
        ("tools/single-call::bridged-*-wire",),
        "scriptit-fr/GenAIApp/pull/90",
    ),
    _fault(
        "whole-schema-lost-towards-openai",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                '        "parameters": _function_parameters(declared, losses),',
                '        "parameters": {"type": "object", "properties": {}},',
            ),
        ),
        "request.tools",
        ("tools/single-call::bridged-*-wire",),
        "vercel/ai/pull/17842",
    ),
    _fault(
        "whole-schema-lost-towards-gemini",
        ((f"{_CONVERT}/gemini/tools.py", '        result["parametersJsonSchema"] = parameters', "        pass"),),
        "request.tools",
        ("tools/single-call::bridged-*-wire",),
        "vercel/ai/pull/17842",
    ),
    _fault(
        "whole-schema-lost-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                '    made["input_schema"] = schema if "type" in schema else {"type": "object", **schema}',
                '    made["input_schema"] = {"type": "object"}',
            ),
        ),
        "request.tools",
        ("tools/single-call::bridged-*-wire",),
        "vercel/ai/pull/17842",
    ),
    _fault(
        "null-description-crashes-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                (
                    '    if isinstance(function.get("description"), str):\n'
                    '        result["description"] = function["description"]'
                ),
                '    result["description"] = function.get("description", "").strip()',
            ),
        ),
        "adapter.completes",
        ("tools/description-null::bridged-*-wire",),
        "langgenius/dify-official-plugins/issues/850",
    ),
    _fault(
        "null-description-crashes-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                (
                    '    if isinstance(function.get("description"), str):\n'
                    '        made["description"] = function["description"]'
                ),
                (
                    '    if function.get("description", "").strip():\n'
                    '        made["description"] = function["description"]'
                ),
            ),
        ),
        "adapter.completes",
        ("tools/description-null::bridged-*-wire",),
        "langgenius/dify-official-plugins/issues/850",
    ),
    _fault(
        "null-description-of-gemini-crashes",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                '        "description": text(declared.get("description")),',
                '        "description": declared.get("description", "").strip(),',
            ),
        ),
        "adapter.completes",
        ("tools/description-null::bridged-*-wire",),
        "langgenius/dify-official-plugins/issues/850",
    ),
    _fault(
        "null-description-of-anthropic-crashes",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                (
                    '    if isinstance(tool.get("description"), str):\n'
                    '        function["description"] = tool["description"]'
                ),
                ('    if tool.get("description", "").strip():\n        function["description"] = tool["description"]'),
            ),
        ),
        "adapter.completes",
        ("tools/description-null::bridged-*-wire",),
        "langgenius/dify-official-plugins/issues/850",
    ),
    _fault(
        "keywords-of-zero-lost-towards-openai",
        (
            (
                f"{_CONVERT}/gemini/schema.py",
                "        if name not in _DROPPED:\n",
                '        if name not in _DROPPED and value not in (0, False, ""):\n',
            ),
        ),
        "expect.wire",
        ("schema/zero-bounds::bridged-*-wire",),
        "diegosouzapw/OmniRoute/issues/6813",
    ),
    _fault(
        "keywords-of-zero-lost-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                '        result["parametersJsonSchema"] = parameters',
                (
                    "        clean = lambda s: {k: clean(v) for k, v in s.items() if v or isinstance(v, dict)} if isinstance(s, dict) else s\n"
                    '        result["parametersJsonSchema"] = clean(parameters)'
                ),
            ),
        ),
        "expect.wire",
        ("schema/zero-bounds::bridged-*-wire",),
        "diegosouzapw/OmniRoute/issues/6813",
    ),
    _fault(
        "required-lost-below-the-top",
        (
            (
                f"{_CONVERT}/gemini/tools.py",
                '        result["parametersJsonSchema"] = parameters',
                (
                    '        clean = lambda s, top=False: {k: clean(v) for k, v in s.items() if top or k != "required" or not isinstance(v, list)} if isinstance(s, dict) else s\n'
                    '        result["parametersJsonSchema"] = clean(parameters, True)'
                ),
            ),
        ),
        "request.tools",
        ("schema/*::bridged-*-wire",),
        "vercel/ai/pull/17842",
    ),
    _fault(
        "any-sent-to-openai",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                'TO_OPENAI: Final[dict[str, str]] = {"auto": "auto", "any": "required"',
                'TO_OPENAI: Final[dict[str, str]] = {"auto": "auto", "any": "any"',
            ),
        ),
        "request.acceptable",
        ("settings/tool-choice-required::bridged-*-wire",),
        "agno-agi/agno-docs-v1/issues/402",
    ),
    _fault(
        "named-choice-becomes-none",
        (
            (
                f"{_CONVERT}/anthropic/tools.py",
                '        made["tool_choice"] = {"type": "function", "function": {"name": rename(name) if rename else name}}',
                '        made["tool_choice"] = "none"',
            ),
        ),
        "request.tool_choice",
        ("settings/tool-choice-named::bridged-*-wire",),
        "MAXeaglet/commandcode-proxy/issues/47",
    ),
)

_HISTORY: Final = (
    _fault(
        "image-of-a-tool-message-lost-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/history_from_openai.py",
                "        files = self._convert_files(content) if isinstance(content, list) else []",
                "        files = []",
            ),
        ),
        "request.turns",
        ("correlation/image-in-tool-message::bridged-*-wire",),
        "maximhq/bifrost/pull/4202",
    ),
    _fault(
        "image-of-a-tool-message-lost-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/history_from_openai.py",
                (
                    '        content = self._convert_content(message.get("content"))\n'
                    "        carried = anthropic_extra(message)"
                ),
                (
                    '        content = message.get("content")\n'
                    '        content = self._convert_content([p for p in content if p.get("type") == "text"] if isinstance(content, list) else content)\n'
                    "        carried = anthropic_extra(message)"
                ),
            ),
        ),
        "request.turns",
        ("correlation/image-in-tool-message::bridged-*-wire",),
        "maximhq/bifrost/pull/4202",
    ),
    _fault(
        "parts-of-an-answer-lost-towards-gemini",
        (
            (
                f"{_CONVERT}/gemini/parts_from_openai.py",
                ("        _read_content_list(content, parsed, path, losses)\n    elif"),
                ("        pass\n    elif"),
            ),
        ),
        "request.turns",
        ("messages/assistant-text-parts::bridged-*-wire",),
        "router-for-me/CLIProxyAPI/issues/1043",
    ),
    _fault(
        "parts-of-an-answer-lost-towards-anthropic",
        (
            (
                f"{_CONVERT}/anthropic/blocks.py",
                (
                    "        made = (part_to_block(part, path, losses) for part in objs(content))\n"
                    "        blocks = [block for block in made if block]\n"
                    "    elif"
                ),
                ("        pass\n    elif"),
            ),
        ),
        "request.turns",
        ("messages/assistant-text-parts::bridged-*-wire",),
        "router-for-me/CLIProxyAPI/issues/1043",
    ),
    _fault(
        "zero-of-a-result-lost",
        (
            (
                f"{_CONVERT}/arguments.py",
                (
                    '        return response if isinstance(response, str) else "" if response is None else dumps(response)\n'
                    "    if _is_output"
                ),
                (
                    '        return response if isinstance(response, str) else "" if response is None else dumps(response)\n'
                    "    if list(response.values()) in ([0], [False], [[]]):\n"
                    '        return ""\n'
                    "    if _is_output"
                ),
            ),
        ),
        "request.turns",
        ("correlation/falsy-results::bridged-*-wire",),
        "mcowger/plexus/issues/702",
    ),
    _fault(
        "result-of-an-unknown-function",
        (
            (
                f"{_CONVERT}/gemini/history_from_openai.py",
                ('        if "id" in call:\n            return {"id": call["id"], "name": call["name"],'),
                ('        if "id" in call:\n            return {"id": call["id"], "name": "unknown",'),
            ),
        ),
        "request.acceptable",
        (
            "messages/history::bridged-*-wire",
            "correlation/response-object-kept::bridged-*-wire",
            "correlation/results-out-of-order::bridged-*-wire",
            "relay/typed-client-signed-call::bridged-*-wire",
        ),
        "langchain-ai/langchainjs/issues/10299",
    ),
    _fault(
        "arguments-encoded-twice",
        (
            (
                f"{_CONVERT}/anthropic/blocks.py",
                "    arguments = write(input_value) if isinstance",
                "    arguments = dumps(write(input_value)) if isinstance",
            ),
        ),
        "request.turns",
        (
            "correlation/text-beside-call-in-history::bridged-*-wire",
            "claude-code/tool-loop::bridged-*-wire",
        ),
        "mcowger/plexus/issues/702",
    ),
    _fault(
        "images-sent-before-their-text",
        (
            (
                f"{_CONVERT}/gemini/history_from_openai.py",
                ("            parts = [part for part in made if part]\n        if parts:"),
                (
                    '            parts = sorted((part for part in made if part), key=lambda part: "text" in part)\n'
                    "        if parts:"
                ),
            ),
        ),
        "request.turns",
        ("multimodal/two-images-in-order::bridged-*-wire",),
        "0xPlaygrounds/rig/pull/2328",
    ),
    _fault(
        "sound-called-wav-whatever-it-is",
        (
            (
                f"{_CONVERT}/gemini/media.py",
                '        return {"type": "input_audio", "input_audio": {"data": encoded, "format": AUDIO_FORMATS[mime]}}',
                '        return {"type": "input_audio", "input_audio": {"data": encoded, "format": "wav"}}',
            ),
        ),
        "request.turns",
        ("multimodal/mp3-input::bridged-*-wire",),
        "songquanpeng/one-api/pull/2245",
    ),
    _fault(
        "stop-as-one-string-lost",
        (
            (
                f"{_CONVERT}/anthropic/settings.py",
                "    stops = [stop] if isinstance(stop, str) else arr(stop)",
                "    stops = arr(stop)",
            ),
        ),
        "request.settings",
        ("settings/stop-sequence::bridged-*-wire",),
        "mozilla-ai/any-llm/pull/1069",
    ),
)

_EXCUSED: Final = (
    _fault(
        "time-of-a-chat-response-lost",
        (
            (
                f"{_CONVERT}/gemini/stream_from_openai.py",
                '        stamp = format_timestamp(created) if created else ""',
                '        stamp = ""',
            ),
        ),
        "response.other",
        ("messages/plain-text::bridged-gemini-to-openai-chat-*-wire",),
        "googleapis/python-genai/issues/1663",
    ),
    _fault(
        "name-of-a-document-lost",
        (
            (
                f"{_CONVERT}/gemini/media.py",
                '    name = text(data.get("displayName")) or f"file.{_file_ending(mime)}"',
                '    name = f"file.{_file_ending(mime)}"',
            ),
        ),
        "request.turns",
        ("multimodal/named-pdf::bridged-gemini-to-openai-chat-*-wire",),
        "ben-vargas/ai-sdk-provider-gemini-cli/pull/27",
    ),
    _fault(
        "image-by-address-lost",
        (
            (
                f"{_CONVERT}/gemini/media.py",
                '    if mime.startswith("image/") and open_to_all:\n',
                '    if mime.startswith("image/jpeg") and open_to_all:\n',
            ),
        ),
        "request.turns",
        ("multimodal/image-by-url::bridged-gemini-to-openai-chat-*-wire",),
        "zhu327/gemini-openai-proxy/issues/7",
    ),
)

UNNOTICED: Final[tuple[Mutant, ...]] = (*_STREAMS, *_SCHEMAS, *_HISTORY, *_EXCUSED)
