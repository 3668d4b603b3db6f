"""Whether one failure explains another of the same case: only where a difference of each is about the same thing.

A lost image explains no wrong setting, and wrong arguments explain no wrong end. What a difference is about follows
from its path: a location in the normal form, or one in a document as it went over the wire. Where that cannot be told,
or a failure has no differences, it explains whatever its check is said to explain."""

import re
from typing import Final

from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.normalise.anthropic import request as anthropic_request
from bridgecheck.normalise.gemini import request as gemini_request
from bridgecheck.normalise.openai_chat import request as chat_request
from bridgecheck.report.fingerprint import lost_added_or_differs, part_kind, path_shape, response_concept

_HISTORY: Final = "history"
"""Turns or parts that are lost, added or out of place: all that stands in a history may be elsewhere then."""
_IN_HISTORY: Final = frozenset({_HISTORY, "text", "calls", "results", "media", "reasoning", "signatures", "ids"})

_SETTING_OF_MEMBER: Final = {
    **{name: f"settings.{setting}" for name, setting in gemini_request.SETTINGS.items()},
    **{name: f"settings.{setting}" for name, setting in chat_request.SETTINGS.items()},
    **{name: f"settings.{setting}" for name, setting in anthropic_request.SETTINGS.items()},
}
_REQUEST_MEMBERS: Final = (
    (re.compile(r"^(?:settings\.\w+)"), ""),
    (re.compile(r"hinking|^reasoning"), "thinking"),
    (re.compile(r"tool_?[cC](?:hoice|onfig)|parallel_tool_calls|^function_call\b"), "tool_choice"),
    (re.compile(r"response_?(?:format|MimeType|Schema|JsonSchema)|output_(?:config|format)"), "response_format"),
    (re.compile(r"^(?:tools|functions)\b"), "tools"),
    (re.compile(r"^system"), "system"),
)
"""Locations in a request outside of its history, and what they are about; "" is the match itself."""
_HISTORY_MEMBERS: Final = (
    (re.compile(r"[sS]ignature"), "signatures"),
    (re.compile(r"(?:^|[._])(?:id|callId|toolCallId)$|tool_call_id|tool_use_id|^ids?\b"), "ids"),
    (re.compile(r"[rR]esponse\b|\.value|\.is_error|results|tool_result"), "results"),
    (re.compile(r"[cC]all\b|calls|arguments|\.args|tool_use"), "calls"),
    (re.compile(r"media|inlineData|fileData|image|audio|\bfile\b|source"), "media"),
    (re.compile(r"reasoning|thinking|thought"), "reasoning"),
    (re.compile(r"text$"), "text"),
)
_HISTORY_START: Final = re.compile(r"^(?:turns|messages|contents)\b")
_KIND_OF_MEMBER: Final = {"call": "calls", "value": "results", "thinking": "reasoning"}
_DOCUMENT: Final = re.compile(r"^(\w+)\[\d+\] ")

_ABOUT_WHOLE: Final = frozenset({
    "adapter.completes", "relay.expected_calls", "response.error", "response.choices", "response.order",
    "client.wire_shape", "stream.blocks", "sdk.agrees",
})  # fmt: skip
"""Checks whose failure may show anywhere on their side."""
_ABOUT: Final[dict[str, frozenset[str]]] = {
    "response.text": frozenset({"text", "reasoning"}), "response.reasoning": frozenset({"reasoning", "text"}),
    "response.refusal": frozenset({"text", "refusal", "finish"}),
    "response.tool_calls": frozenset({"calls"}), "response.number_text": frozenset({"calls"}),
    "stream.calls_contiguous": frozenset({"calls"}), "response.media": frozenset({"media", "text"}),
    "response.code": frozenset({"code", "text"}), "response.finish": frozenset({"finish"}),
    "stream.terminates_once": frozenset({"finish", "error"}), "response.usage": frozenset({"usage"}),
    "request.system": frozenset({"system", "text"}), "request.tools": frozenset({"tools", "tool_choice"}),
    "request.tool_choice": frozenset({"tool_choice", "tools"}), "request.thinking": frozenset({"thinking"}),
    "request.response_format": frozenset({"response_format", "tools"}),
    "relay.signatures": frozenset({"signatures", "calls", "text"}),
    "relay.thinking": frozenset({"reasoning", "signatures", "text"}),
    "relay.ids": frozenset({"ids", "calls", "results"}),
}  # fmt: skip
"""Check -> what its differences are about, where their paths do not say it."""
_JUDGED_BY_SUBJECT: Final = frozenset({
    "expect.outcome", "expect.prompt", "expect.wire", "relay.signatures", "relay.thinking", "relay.ids",
    "request.added", "request.acceptable", "response.finish",
})  # fmt: skip


def explains(cause: Verdict, verdict: Verdict) -> bool:
    """Return whether a failure explains another, whose check it is said to explain."""
    if cause.check in _ABOUT_WHOLE or verdict.check not in _JUDGED_BY_SUBJECT:
        return True
    causes = frozenset[str]().union(*(_subjects_of_cause(cause.check, row) for row in cause.differences))
    if not causes or not verdict.differences:
        return True
    subjects = frozenset[str]().union(*(_subjects(verdict.check, row) for row in verdict.differences))
    return not subjects or bool(_reach(causes) & subjects)


def _reach(causes: frozenset[str]) -> frozenset[str]:
    return causes | _IN_HISTORY if _HISTORY in causes else causes


def _subjects_of_cause(check: str, row: Difference) -> frozenset[str]:
    """Return what a failure may show in. Whole calls that are lost or made up change the end of a response too."""
    if check == "request.turns":
        return frozenset({_subject_of_history(row)})
    subjects = _ABOUT.get(check) or _subjects(check, row)
    is_whole_call = check == "response.tool_calls" and not re.search(r"args|\.(?:id|name|signature)$", row.path)
    return subjects | {"finish"} if is_whole_call else subjects


_OWN: Final[dict[str, frozenset[str]]] = {
    "relay.signatures": frozenset({"signatures"}), "relay.thinking": frozenset({"reasoning", "signatures"}),
    "relay.ids": frozenset({"ids"}),
}  # fmt: skip
"""Check -> what has to be wrong for its failure to be a consequence."""


def _subjects(check: str, row: Difference) -> frozenset[str]:
    """Return what a difference is about, empty where its path does not say."""
    if own := _OWN.get(check) or _ABOUT.get(check):
        return own
    if row.path == "ids_unique":
        return frozenset({"calls"})
    document = _DOCUMENT.match(row.path)
    path = row.path[document.end() :] if document else row.path
    if check.startswith("request.") or check in ("expect.prompt", "upstream.wire_shape"):
        return _subjects_of_request(path)
    if document and document[1] == "upstream_request":
        return _subjects_of_request(path)
    concept = response_concept(path_shape(row.path))
    return frozenset({concept}) if concept.isidentifier() else frozenset()


def _subjects_of_request(path: str) -> frozenset[str]:
    """Return what a location in a request is about. Chat keeps its instructions among its messages."""
    path = path.removeprefix("generationConfig.").removeprefix("generation_config.")
    if not _HISTORY_START.match(path):
        member = re.split(r"[.\[]", path, maxsplit=1)[0]
        found = next((name or match[0] for pattern, name in _REQUEST_MEMBERS if (match := pattern.search(path))), "")
        subject = found or _SETTING_OF_MEMBER.get(member, "")
        return frozenset({subject}) if subject else frozenset()
    shape = re.sub(r"\[-?\d*\]", "[]", path)
    subject = next((name for pattern, name in _HISTORY_MEMBERS if pattern.search(shape)), "")
    return frozenset({subject}) if subject else _IN_HISTORY


def _subject_of_history(row: Difference) -> str:
    """Return what a difference of two histories is about; of a part in place of another, both."""
    path = re.sub(r"\[-?\d*\]", "[]", row.path)
    if lost_added_or_differs(row) == "added" or (".parts[]." in path and lost_added_or_differs(row) != "differs"):
        return _HISTORY
    if path.endswith("parts[]"):
        kind = part_kind(row.expected) or part_kind(row.actual)
        return _KIND_OF_MEMBER.get(kind, kind) or _HISTORY
    if path.endswith(("[]", ".role", "turns")):
        return _HISTORY
    return next((name for pattern, name in _HISTORY_MEMBERS if pattern.search(path)), _HISTORY)
