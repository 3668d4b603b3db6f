"""Faults in requests: what is lost, added or changed from one time to the next; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"


def _fault(name: str, file: str, old: str, new: str, check: str, scenarios: tuple[str, ...], source: str) -> Mutant:
    return Mutant(name, ((f"{_REFERENCE}/convert/{file}.py", old, new),), frozenset({check}), scenarios, source)


REQUESTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "cached-content-dropped",
        (
            (f"{_REFERENCE}/default_adapter.py", "pivots: Final = PIVOTS", "pivots: Final = {}"),
            (f"{_REFERENCE}/convert/gemini/request_to_openai.py", 'carried[path or "request"] = rest', "pass"),
        ),
        frozenset({"request.other"}),
        ("caching/cached-content::bridged-gemini-to-gemini-*-wire",),
        "https://github.com/Kong/kong/issues/14837",
    ),
    _fault(
        "temperature-added",
        "gemini/request_to_openai",
        "    value.update(settings_to_openai(config, profile, losses))\n",
        '    value["temperature"] = 0.7\n    value.update(settings_to_openai(config, profile, losses))\n',
        "request.added",
        ("messages/plain-text",),
        "https://github.com/jaseci-labs/jac/pull/7699",
    ),
    _fault(
        "ids-at-random",
        "ids",
        'call_id = provider_id or f"call_{name}_{number:04d}"',
        'import uuid; call_id = provider_id or f"call_{uuid.uuid4().hex}"',
        "request.deterministic",
        ("correlation/history-without-ids",),
        "https://github.com/NousResearch/hermes-agent/pull/3991",
    ),
    _fault(
        "beginning-changes-with-the-length",
        "gemini/request_to_openai",
        '    value["messages"] = messages\n',
        '    messages[0]["content"] = f"({len(messages)} messages) {messages[0][\'content\']}"\n'
        '    value["messages"] = messages\n',
        "request.prefix_stable",
        ("caching/prefix-stays",),
        "https://github.com/veryfront/veryfront-code/issues/1045",
    ),
    _fault(
        "results-sent-as-objects",
        "arguments",
        "    if not isinstance(response, dict):\n        return response if",
        "    if isinstance(response, dict):\n        return response\n"
        "    if not isinstance(response, dict):\n        return response if",
        "upstream.wire_shape",
        ("correlation/response-object-kept",),
        "https://github.com/mcowger/plexus/issues/702",
    ),
    Mutant(
        "beta-header-dropped",
        (
            (
                f"{_REFERENCE}/providers/claude.py",
                "return {**headers, _BETA: betas} if betas else dict(headers)",
                "return {}",
            ),
        ),
        frozenset({"request.features"}),
        ("settings/beta-header::bridged-anthropic-to-anthropic-*-sdk",),
        "https://github.com/BerriAI/litellm/issues/9016",
    ),
)
