"""Faults of the judge: normalisers that misread and comparisons that look away. Expectations and laws have to notice, and
the official SDKs; see mutants.py for what an entry is.

A lenient comparison is paired with a fault of the adapter, which only the scenario's own expectations then notice.
"""

from typing import Final

from mutants import ADAPTERS, Mutant

_JUDGE: Final = "bridgecheck"
_REFERENCE: Final = "bridgecheck_reference"


def _misread(
    name: str, file: str, old: str, new: str, checks: tuple[str, ...], scenarios: tuple[str, ...], source: str
) -> Mutant:
    edits = ((f"{_JUDGE}/{file}.py", old, new),)
    return Mutant(f"judge-{name}", edits, frozenset(checks), scenarios, source)


def _overlook(name: str, file: str, old: str, new: str, fault: str, check: str, scenarios: tuple[str, ...]) -> Mutant:
    """A mutant of the judge that hides the adapter's mutant ``fault``."""
    planted = next(mutant for mutant in ADAPTERS if mutant.name == fault)
    edits = ((f"{_JUDGE}/compare/{file}.py", old, new), *planted.edits)
    return Mutant(f"judge-{name}", edits, frozenset({check}), scenarios, planted.source)


_NORMALISERS: Final = (
    _misread(
        "takes-the-limit-for-a-stop",
        "normalise/finish",
        '"MAX_TOKENS": "length",',
        '"MAX_TOKENS": "stop",',
        ("expect.outcome",),
        ("finish/length",),
        "https://github.com/envoyproxy/ai-gateway/pull/2399",
    ),
    _misread(
        "takes-a-rate-limit-for-a-breakdown",
        "normalise/errors",
        '429: "rate_limit",',
        '429: "server",',
        ("expect.outcome",),
        ("errors/rate-limit",),
        "https://github.com/CherryHQ/cherry-studio/pull/16921",
    ),
    _misread(
        "counts-no-cache-of-chat",
        "normalise/openai_chat/response",
        'cached=_take_first_count((prompt_details, "cached_tokens"), *((fields, name) for name in CACHED_TOKEN_FIELDS)),',
        "cached=None,",
        ("expect.outcome",),
        ("usage/cached-input",),
        "https://github.com/mozilla-ai/any-llm/pull/815",
    ),
    Mutant(
        "judge-joins-texts-with-a-newline",
        ((f"{_JUDGE}/normalise/gemini/stream.py", '"text": "".join(pieces)', '"text": "\\n".join(pieces)'),),
        frozenset({"law.fold"}),
        (),
        "https://github.com/HIllya51/LunaTranslator/pull/2273",
        traffic=("chunks/multi-part-frame", "messages/plain-text"),
    ),
    _misread(
        "keeps-the-last-data-line",
        "codec/sse",
        "            self._data.append(value)\n",
        "            self._data = [value]\n",
        ("sdk.agrees",),
        ("sse/data-over-several-lines",),
        "https://github.com/milady-ai/milady/pull/1653",
    ),
    _misread(
        "forgets-a-loss",
        "compare/losses_from_chat",
        "other:safety_identifier ",
        "",
        ("request.other",),
        ("features/openai-only-fields",),
        "https://github.com/Kong/kong/issues/14837",
    ),
    Mutant(
        "judge-and-adapter-read-bytes-as-latin-1",
        (
            (f"{_JUDGE}/codec/sse.py", 'line.decode("utf-8", errors="replace")', 'line.decode("latin-1")'),
            (
                f"{_REFERENCE}/sse.py",
                "        document: object = json.loads(data)\n        return [document]",
                '        document: object = json.loads(data.decode("latin-1"))\n        return [document]',
            ),
        ),
        frozenset({"sdk.native_equals_bridged"}),
        ("unicode/not-normalised",),
        "https://github.com/aixplain/aiXplain/pull/923",
    ),
)

_COMPARISONS: Final = (
    _overlook(
        "text-without-white-space",
        "text",
        'return is_joined_from(expected, "".join(actual), carried) or is_joined_from(actual, "".join(expected))',
        'return "".join("".join(expected).split()) == "".join("".join(actual).split())',
        "parts-joined-with-newlines",
        "expect.outcome",
        ("chunks/*::bridged-*-wire",),
    ),
    _overlook(
        "any-end-beside-calls",
        "classes",
        '    return frozenset({"tool_calls"})\n',
        '    return frozenset({"tool_calls", "stop"})\n',
        "stop-kept-beside-calls",
        "expect.outcome",
        ("finish/*::bridged-*-wire",),
    ),
    _overlook(
        "results-in-any-pairing",
        "tool_results",
        "return replace(part, id=found.number, name=found.name)",
        'return replace(part, id="1", name="", value="")',
        "responses-paired-by-last-call",
        "expect.prompt",
        ("correlation/*::bridged-*-wire",),
    ),
    _overlook(
        "counts-that-are-too-high",
        "usage",
        "        if rule is None:\n",
        "        if rule is None and (found or 0) < value:\n",
        "usage-summed-over-chunks",
        "expect.outcome",
        ("usage/*::bridged-*-wire",),
    ),
)

JUDGES: Final[tuple[Mutant, ...]] = (*_NORMALISERS, *_COMPARISONS)
