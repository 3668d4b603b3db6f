"""Which checks, rows of the table of losses and scenarios of the corpus a change touches."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from bridgecheck.checks import choices, documents, errors, media, signatures, stream_grammar, streams, text, tool_calls
from bridgecheck.compare.losses import LOSSES, find_declared_loss
from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.finding import Change, Finding
from bridgecheck.files import scenario_files, scenarios_root
from bridgecheck.wire import DIALECTS

_AREAS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    (r"^error", "error", (errors.ERROR.id,)),
    (r"finishreason|stopreason", "finish", (choices.FINISH.id,)),
    (r"usage", "usage", (choices.USAGE.id,)),
    (r"signature", "signatures", (signatures.SIGNATURES.id,)),
    (r"functioncall|toolcalls|tooluse", "tool_calls", (tool_calls.TOOL_CALLS.id, signatures.IDS.id)),
    (r"reasoning|thinking|thought", "reasoning", (text.REASONING.id,)),
    (r"refusal", "refusal", (text.REFUSAL.id,)),
    (r"inlinedata|filedata|audio|images", "media", (media.MEDIA.id,)),
    (r"executablecode|codeexecution", "code", (media.CODE.id,)),
    (r"citation|grounding|annotations", "citations", (media.CITATIONS.id,)),
    (r"^candidates$|^choices$|candidates\.index|choices\.index", "choices", (choices.CHOICES.id,)),
    (r"\.text$|content$|parts$|delta$|contentblock$", "text", (text.TEXT.id,)),
    (r"^(?:id|model|created|object|modelversion|responseid|message\.id|message\.model)$", "",
     (documents.IDENTITY.id,)),
)  # fmt: skip
"""Pattern over a path as ``path_keys`` spells it -> feature of ``compare/losses``, checks."""

_CHECKS_OF_CHANGE: Final[Mapping[Change, tuple[str, ...]]] = {
    "order": (stream_grammar.BLOCKS.id, stream_grammar.CALLS_CONTIGUOUS.id),
    "terminator": (streams.TERMINATES_ONCE.id,), "framing": (streams.FRAMING.id,), "ending": (errors.ERROR.id,),
    "status": (errors.ERROR.id,), "error": (errors.ERROR.id,), "kind": (documents.RESPONSE_OTHER.id,),
    "new": (documents.RESPONSE_OTHER.id,),
}  # fmt: skip


def add_touches(findings: Sequence[Finding], corpus: Mapping[str, Mapping[str, str]]) -> list[Finding]:
    """Return the findings with the checks, loss rows and scenarios that they touch. ``corpus``: scenario -> dialect ->
    its scripted answers as text, see ``read_corpus``."""
    return [
        replace(finding, checks=_checks(finding), losses=_losses(finding), scenarios=_scenarios(finding, corpus))
        for finding in findings
    ]  # fmt: skip


def _checks(finding: Finding) -> tuple[str, ...]:
    found = [check for path in finding.paths for check in _area(path)[1]]
    return tuple(dict.fromkeys([*found, *_CHECKS_OF_CHANGE.get(finding.change, ())]))


def _area(path: str) -> tuple[str, tuple[str, ...]]:
    keys = ".".join(path_keys(path))
    tags = " ".join(path_keys(tag)[0] for tag in re.findall(r"[\[(]([a-z_]+)[\])]", path))
    return next(((feature, checks) for pattern, feature, checks in _AREAS if re.search(pattern, keys)
                 or (tags and re.search(pattern, tags))), ("", ()))  # fmt: skip


def _losses(finding: Finding) -> tuple[str, ...]:
    """Return the rows that declare what becomes of these members on the way to another dialect."""
    rows = []
    for path in finding.paths:
        feature = _area(path)[0]
        for target in DIALECTS:
            hops = [(finding.dialect, target)] if target != finding.dialect else []
            loss = find_declared_loss("response", f"other:{path}", hops)
            rows += [loss.rule] if loss is not None else []
        rows += [row.name for row in LOSSES if feature and row.side == "response" and row.origin == finding.dialect
                 and any(stated.split(".")[0] == feature for stated in row.paths)]  # fmt: skip
    return tuple(dict.fromkeys(rows))


def _scenarios(finding: Finding, corpus: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """Return the scenarios whose scripted answers of this dialect have the member, all its names on the way too."""
    found = []
    for path in finding.paths:
        names = [name for name in re.split(r"[.\[\]()]+", path) if name and name != "type"]
        found += [
            scenario
            for scenario, answers in corpus.items()
            if finding.dialect in answers and names and all(f'"{name}"' in answers[finding.dialect] for name in names)
        ]
    return tuple(sorted(set(found)))


@lru_cache(maxsize=2)
def read_corpus() -> dict[str, dict[str, str]]:
    """Return scenario -> dialect -> its scripted answers as JSON text. Raises MissingPath without a corpus."""
    found: dict[str, dict[str, str]] = {}
    for path in scenario_files(scenarios_root()):
        document = json.loads(path.read_text(encoding="utf-8"))
        turns: Iterable[dict[str, object]] = document.get("turns") or [document]
        answers: dict[str, str] = {}
        for turn in turns:
            upstream = turn.get("upstream")
            for dialect, scripts in (upstream if isinstance(upstream, dict) else {}).items():
                answers[dialect] = answers.get(dialect, "") + json.dumps(scripts)
        found[f"{path.parent.name}/{path.stem}"] = answers
    return found
