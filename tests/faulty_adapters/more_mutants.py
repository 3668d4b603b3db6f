"""Further faults, one for each class that the corpus has to notice; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_CONVERT: Final = "bridgecheck_reference/convert"


def _fault(name: str, file: str, old: str, new: str, check: str, *scenarios: str) -> Mutant:
    return Mutant(name, ((f"{_CONVERT}/{file}.py", old, new),), frozenset({check}), scenarios)


_ANSWERS: Final = (
    _fault(
        "ids-not-unique-in-an-answer",
        "gemini_stream",
        'return given or f"call_{self._key[:16]}_{self._calls}"',
        'return given or f"call_{name}"',
        "response.tool_calls",
        "tools/parallel-same-name-no-ids",
    ),
    _fault(
        "ids-the-same-in-every-answer",
        "gemini_stream",
        'return given or f"call_{self._key[:16]}_{self._calls}"',
        'return given or f"call_{self._calls}"',
        "relay.ids",
        "correlation/ids-unique-across-answers",
    ),
    _fault(
        "name-overwritten-by-null",
        "openai_choice",
        'text(function.get("name")) or self.name',
        'text(function.get("name"))',
        "response.tool_calls",
        "tools/id-name-null-continuation",
    ),
    _fault(
        "text-after-call-lost",
        "parts_to_message",
        '        words = text(part.get("text"))\n        kind',
        '        words = "" if self.call_count else text(part.get("text"))\n        kind',
        "response.text",
        "tools/text-after-call",
    ),
    _fault(
        "recitation-told-as-stop",
        "finish",
        '    return "tool_calls" if kind == "stop" and has_calls else kind',
        '    return "stop" if native == "RECITATION" else "tool_calls" if kind == "stop" and has_calls else kind',
        "response.finish",
        "safety/recitation",
    ),
    _fault(
        "null-members-of-arguments-dropped",
        "message_to_parts",
        "if args is None else args",
        "if args is None else {key: value for key, value in args.items() if value is not None}",
        "response.tool_calls",
        "tools/argument-values",
    ),
    _fault(
        "empty-text-for-no-arguments",
        "parts_to_message",
        'spoken["function"] = {"name": name, "arguments": arguments}',
        'spoken["function"] = {"name": name, "arguments": "" if arguments == "{}" else arguments}',
        "expect.wire",
        "tools/no-arguments",
    ),
    _fault(
        "refusal-lost",
        "message_to_parts",
        'parts.append({"text": said.refusal})',
        "pass",
        "expect.wire",
        "safety/refusal-text",
    ),
    _fault(
        "reasoning-outside-completion-subtracted",
        "usage",
        "return total == prompt + completion + reasoning",
        "return False",
        "response.usage",
        "usage/reasoning-outside-completion",
    ),
    _fault(
        "usage-of-the-last-chunk-alone",
        "usage",
        "return {**held, **{key: value for key, value in new.items() if value is not None}}",
        "return new",
        "response.usage",
        "usage/stream-partial-last",
    ),
    _fault(
        "retry-hint-lost",
        "errors",
        'details.append({"@type": RETRY_INFO, "retryDelay": f"{wait:g}s"})',
        "pass",
        "expect.wire",
        "errors/retry-hint-in-words",
    ),
    _fault(
        "answer-without-id",
        "gemini_stream",
        '"id": self._id or text(event.get("responseId")) or f"chatcmpl-{self._key}",',
        '"id": "",',
        "expect.wire",
        "messages/answer-names-itself",
    ),
)

_SETTINGS: Final = (
    _fault(
        "zero-dropped",
        "settings",
        "if config.get(gemini) is not None}",
        "if config.get(gemini)}",
        "request.settings",
        "settings/zero-values",
    ),
    _fault(
        "penalty-dropped",
        "settings",
        "if request.get(openai) is not None}",
        'if request.get(openai) is not None and openai != "presence_penalty"}',
        "request.settings",
        "settings/penalties-and-logprobs",
    ),
    _fault(
        "first-stop-alone",
        "settings",
        '        result["stop"] = stops',
        '        result["stop"] = arr(stops)[0]',
        "request.settings",
        "settings/several-stops",
    ),
    _fault(
        "effort-dropped",
        "openai_request",
        'config["thinkingConfig"] = thinking',
        "pass",
        "request.thinking",
        "thinking/effort-and-limit",
    ),
    _fault(
        "level-sent-to-a-model-of-budgets",
        "thinking",
        "    if speaks_levels(model):\n        if effort",
        "    if True:\n        if effort",
        "expect.wire",
        "thinking/effort-and-limit",
    ),
    _fault(
        "validated-told-as-required",
        "tool_choice",
        '"VALIDATED": "auto"}',
        '"VALIDATED": "required"}',
        "request.tool_choice",
        "settings/tool-choice-validated",
    ),
    _fault(
        "stream-flag-lost",
        "gemini_request",
        '        value["stream"] = True\n',
        "        pass\n",
        "request.acceptable",
        "chunks/*",
    ),
    _fault(
        "key-of-the-other-dialect-sent",
        "gemini_request",
        "    _limits(config, value, profile, losses)\n    if",
        '    _limits(config, value, profile, losses)\n    value["generationConfig"] = config\n    if',
        "request.acceptable",
        "settings/*",
    ),
)

_TOOLS: Final = (
    _fault(
        "nullable-lost",
        "schema",
        '    if schema.get("nullable") is True:',
        "    if False:",
        "request.response_format",
        "schema/response-schema",
    ),
    _fault(
        "schema-without-enum",
        "schema",
        '_DROPPED: Final = frozenset({"nullable",',
        '_DROPPED: Final = frozenset({"enum", "nullable",',
        "expect.wire",
        "schema/constraints-kept",
    ),
    _fault(
        "names-not-made-legal",
        "gemini_request",
        "rename = names.renaming(declared)",
        "rename = None",
        "expect.wire",
        "tools/names-made-legal",
    ),
    _fault(
        "two-functions-under-one-name",
        "names",
        "if len(clean) <= LONGEST and clean not in used:",
        "if len(clean) <= LONGEST:",
        "request.tools",
        "tools/names-made-legal",
    ),
)

_HISTORY: Final = (
    _fault(
        "user-text-normalised",
        "gemini_messages",
        'self.messages.append({"role": "user", "content": part["text"]})',
        'import unicodedata; self.messages.append({"role": "user", "content": '
        'unicodedata.normalize("NFC", part["text"])})',
        "request.turns",
        "unicode/request-bytes",
    ),
    _fault(
        "user-text-trimmed",
        "openai_messages",
        'parts: list[JsonObject] = [{"text": content}]',
        'parts = [{"text": content.strip()}]',
        "request.turns",
        "unicode/request-bytes",
    ),
    _fault(
        "text-beside-call-lost",
        "openai_messages",
        'if message.keys() <= _CALLS_ONLY and not message.get("content"):',
        "if made:",
        "request.turns",
        "correlation/text-beside-call-in-history",
    ),
    _fault(
        "late-system-message-lost",
        "openai_messages",
        '            self._say("user", [{"text": words}])',
        "            pass",
        "request.turns",
        "messages/system-in-mid-conversation",
    ),
    _fault(
        "first-text-of-a-user-turn-alone",
        "openai_messages",
        "parts = [part for part in made if part]\n        if parts:",
        'parts = [part for part in made if part]\n        parts = parts[:1] if all("text" in one for one in parts) '
        "else parts\n        if parts:",
        "request.turns",
        "messages/several-users-in-a-row",
    ),
    _fault(
        "image-url-dropped",
        "media",
        'return {"fileData": {"mimeType": MIME_OF_ENDING.get(ending, default_mime), "fileUri": url}}',
        'return {"text": ""}',
        "expect.wire",
        "multimodal/image-by-url",
    ),
    _fault(
        "image-of-a-result-dropped",
        "gemini_messages",
        "content += [part for file in files if (part := user_part(file, self._losses, False))]",
        "pass",
        "expect.wire",
        "correlation/image-in-result",
    ),
    _fault(
        "unanswered-call-left-alone",
        "gemini_messages",
        "if not (self._profile.result_placeholder and unanswered) or",
        "if True or",
        "expect.wire",
        "correlation/call-never-answered",
    ),
)

MORE: Final[tuple[Mutant, ...]] = (*_ANSWERS, *_SETTINGS, *_TOOLS, *_HISTORY)
