"""What a user of the adapter notices of a finding: one sentence for a reader who knows neither rules nor normal form.

``EFFECTS`` is read from the top; the first row that fits says it. A row asks for the check, for the shape of the
location that the first difference is at, and for what became of what was there. What a scenario alone expects has no
meaning that a table can know: there the scenario's title says what should be so.
"""

import json
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.checks.stream_grammar import NO_INDEX, TWO_UNDER_ONE_INDEX
from bridgecheck.model.evidence import FAILED, REFUSED
from bridgecheck.model.verdict import Difference
from bridgecheck.report.findings import Finding
from bridgecheck.report.fingerprint import ABSENT, SYSTEM_IN_A_TURN, SYSTEM_OF_MODEL, path_shape
from bridgecheck.report.side_by_side import clip

Change: TypeAlias = Literal["lost", "added", "shortened", "repeated", "changed"]
"""What became of a value: nothing arrives, something arrives for nothing, a part, more than it, something else."""

_NOTHING: Final = frozenset({ABSENT, '""', "null", "[]", "nothing is there", "is missing", '"absent"'})
MAX_EFFECT: Final = 160
"""Characters of one sentence, so that three fit on the first screen of a phone."""
MAX_CLASSES: Final = 2
"""Classes of errors that are named in one sentence."""
MAX_VALUE: Final = 40
"""Characters of a value within a sentence."""

CLASS_WORDS: Final = {
    "auth": "a wrong key", "permission": "a missing permission", "not_found": "something not found",
    "invalid": "an invalid request", "too_large": "a request too large", "rate_limit": "a rate limit",
    "overloaded": "an overloaded provider", "server": "a server error", "timeout": "a timeout",
    "truncated": "a broken connection", "content": "blocked content", "unknown": "an unknown error",
}  # fmt: skip
"""Classes of errors, for a reader."""

_ANSWERS_THAT_END: Final = {
    "length": "An answer that was cut off at the token limit",
    "content_filter": "An answer that a safety filter stopped",
    "malformed_call": "An answer with a tool call that the model got wrong",
    "error": "An answer that broke off with an error",
    "incomplete": "An answer that broke off",
    "tool_calls": "An answer that asks for a tool",
    "stop": "A finished answer",
    "pause": "An answer that the model wants to continue",
}
_ENDS_AS: Final = {
    "stop": "looks like a finished one", "tool_calls": "looks like a whole tool call",
    "length": "looks cut off at the token limit", "content_filter": "looks like one that a safety filter stopped",
    "incomplete": "ends without a reason", "error": "looks like one that failed",
    "other": "ends for a reason that clients do not know",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effect:
    """One row. ``check``, ``shape``: patterns of the whole id and of the whole location, "" for any. ``change``: "" for
    any. ``note``: what the first difference says beside its values, "" for any. ``sentence``: with ``{expected}``,
    ``{actual}``, ``{path}`` and ``{name}``, the last word of the path."""

    check: str
    sentence: str
    shape: str = ""
    change: Change | Literal[""] = ""
    note: str = ""

    def fits(self, check: str, shape: str, change: str, note: str) -> bool:
        return (
            re.fullmatch(self.check, check) is not None
            and (not self.shape or re.fullmatch(self.shape, shape) is not None)
            and self.change in ("", change)
            and self.note in ("", note)
        )


_TURN_PART: Final = r"turns\[\](?:\.parts\[\])?"

EFFECTS: Final = (
    Effect("relay.expected_calls", "The provider is called too often, too rarely or for something else"),
    Effect("relay.next_turn", "A conversation cannot go on: the answer lacks what the next request must send back"),
    Effect("relay.one_call", "After the answer has begun the provider is asked again, so text can come and cost twice"),
    Effect("relay.cancel", "Stopping an answer does not stop the provider: it goes on writing, and charging"),
    Effect("response.error", "A good answer of the provider reaches the client as an error", "error", "added"),
    Effect("response.error", "A failure at the provider reaches the client as a normal answer", "error", "lost"),
    Effect("response.error", "After a refusal clients do not learn how long to wait: the retry hint is lost",
           "error.retry_after"),
    Effect("response.error", "{Expected} looks like {actual}, so clients react to the wrong failure", "error.kind"),
    Effect("response.error", "The provider's own explanation of an error is lost or replaced", "error.message"),
    Effect("response.error", "An error reaches the client without its {name} ({expected})", "error.*", "lost"),
    Effect("response.error", "An error reaches the client under another name: {actual} instead of {expected}",
           "error.native"),
    Effect("response.error", "An error reaches the client with another {name}: {actual} instead of {expected}"),
    Effect("response.choices", "One of several answers that were asked for is lost", "", "lost"),
    Effect("response.choices", "The client gets an answer where the model gave none", "", "added"),
    Effect("response.text", "The text of the answer is lost", "", "lost"),
    Effect("response.text", "A part of the answer's text is lost", "", "shortened"),
    Effect("response.text", "The client gets text that the model did not write", "", "added"),
    Effect("response.text", "The client gets text twice, or text that is not the answer", "", "repeated"),
    Effect("response.text", "The text of the answer is not the text that the model wrote"),
    Effect("response.reasoning", "The model's reasoning does not reach the client", "", "lost"),
    Effect("response.reasoning", "The model's reasoning reaches the client incomplete or in the wrong place"),
    Effect("response.order", "Text, reasoning and tool calls reach the client in another order"),
    Effect("response.refusal", "The client does not learn that the model refused"),
    Effect("response.tool_calls", "A tool call of the model is lost, so the tool never runs", r"tool_calls\[\]",
           "lost"),
    Effect("response.tool_calls", "The client is asked to run a tool call that the model did not make",
           r"tool_calls\[\]", "added"),
    Effect("response.tool_calls", "A tool is called without arguments that the model gave", r".*\.args", "lost"),
    Effect("response.tool_calls", "A tool is called with arguments that the model did not give", r".*args"),
    Effect("response.tool_calls", "A tool call reaches the client with a wrong {name}"),
    Effect("response.number_text", "Exact numbers in the arguments of a tool call are rounded or rewritten"),
    Effect("response.media", "An image or file of the answer is lost or damaged"),
    Effect("response.code", "Code that the model ran, or its output, is lost"),
    Effect("response.citations", "The sources that the answer cites are lost"),
    Effect("response.usage", "The client is shown token counts that the provider never gave", "usage", "added"),
    Effect("response.usage", "All token counts are lost, so costs cannot be computed", "usage", "lost"),
    Effect("response.usage", "The count of {name} tokens is lost, so costs cannot be explained", "usage.*", "lost"),
    Effect("response.usage", "Token counts are wrong, and costs with them: {actual} {name} tokens, the provider "
           "counted {expected}"),
    Effect("response.identity", "The answer has no {name}, or not the one it should have", "", "lost"),
    Effect("response.identity", "The {name} of an answer is wrong or changes while it streams"),
    Effect("response.other", "A field of the provider's answer is dropped silently: {name}"),
    Effect("client.wire_shape", "Errors do not have the form of the client's API, so its SDK cannot read them",
           "(client )?error.*"),
    Effect("client.wire_shape", "The answer breaks the format of the client's API, so strict clients cannot read it"),
    Effect("relay.client_remembers", "Real clients lose a part of the answer when they store the conversation"),
    Effect("client.shows", "A person sees only a part of the answer"),
    Effect("client.no_secret", "An error message shows the client {actual}"),
    Effect("client.framing", "Clients cannot split the stream into its events"),
    Effect("stream.terminates_once", "A stream ends twice, or goes on after its end, which breaks clients"),
    Effect("stream.calls_contiguous", "Two streamed tool calls share one index, so clients take them for one",
           note=TWO_UNDER_ONE_INDEX),
    Effect("stream.calls_contiguous", "Streamed tool calls come without an index, so the client's SDK cannot read them",
           note=NO_INDEX),
    Effect("stream.calls_contiguous", "Streamed tool calls are interleaved, so clients mix up their arguments"),
    Effect("stream.blocks", "Streamed blocks open and close in an order that the client's SDK cannot follow"),
    Effect("stream.incremental", "Streamed text is held back instead of being passed on as it comes"),
    Effect("request.system", "A part of the system prompt does not reach the model", "", "shortened"),
    Effect("request.system", "The system prompt does not reach the model", "", "lost"),
    Effect("request.system", "The model gets another system prompt than the client wrote"),
    Effect("request.tools", "A tool that the client offers does not reach the model", r"tools\[\]", "lost"),
    Effect("request.tools", "The model is offered a tool that the client did not offer: {actual}", r"tools\[\]",
           "added"),
    Effect("request.tools", "The model is not told which arguments a tool takes", r"tools\.schema", "lost"),
    Effect("request.tools", "The model may not give a tool arguments that the client allows", r"tools\.schema",
           "changed"),
    Effect("request.tools", "Strict checking of a tool's arguments is switched off", r".*strict", "lost"),
    Effect("request.tools", "What the client says of a tool's arguments is lost or changed ({name})"),
    Effect("request.tool_choice", "The model may make several tool calls at once where the client wants one",
           ".*parallel"),
    Effect("request.tool_choice", "The model is not told whether it must, may or must not call a tool", "", "lost"),
    Effect("request.tool_choice", "The model may call tools that the client ruled out, or not call the one demanded"),
    Effect("request.settings", "The client's setting {name} ({expected}) does not reach the model", "", "lost"),
    Effect("request.settings", "The client's setting {name} arrives as {actual} instead of {expected}"),
    Effect("request.thinking", "How much the model should think does not reach it", "", "lost"),
    Effect("request.thinking", "The model thinks more or less than the client asked for"),
    Effect("request.response_format", "The model is not held to the format that the client demands, such as JSON"),
    Effect("request.other", "A field of the client's request is dropped silently: {name}"),
    Effect("request.added", "The adapter adds what the client did not ask for: {name} {actual}"),
    Effect("request.acceptable", "The provider refuses the request because of {path}, where it demands: {expected}"),
    Effect("request.features", "Features that the client switches on by a header stay off"),
    Effect("request.deterministic|request.prefix_stable", "The provider's cache cannot be used: what was sent before "
           "is sent again in another form"),
    Effect("upstream.wire_shape", "The provider gets a request that breaks the format of its API"),
    Effect("relay.signatures|relay.thinking", "The model's signed thoughts are not sent back whole, so the next "
           "request can be refused"),
    Effect("relay.ids", "Tool results can no longer be matched to their calls: ids are lost, changed or used twice"),
    Effect("sdk.agrees", "The client's official SDK reads something else than was sent"),
    Effect("law.*", "An answer means something else streamed than whole"),
    Effect("relation.two_streams", "Two answers that stream at the same time get mixed up"),
    Effect("relation.*", "The same answer means something else when it arrives in other pieces"),
    Effect("chat.*|sdk.*", "In a chat the conversation is not what it should be"),
)  # fmt: skip

_TURN_EFFECTS: Final = (
    (SYSTEM_OF_MODEL, "The model reads the system prompt as if it had said it itself"),
    (SYSTEM_IN_A_TURN, "The model reads the system prompt as if the user had said it"),
    ("file or image in a tool result is sent as text", "The model gets an image of a tool's result as text"),
    ("file or image in a turn is lost", "An image or file that the client sends does not reach the model"),
    ("file or image in a turn", "The model gets another image or file than the client sends"),
    ("turns.media.detail", "The name of a file that the client sends does not reach the model"),
    ("mark of a failed result", "The model is not told that a tool failed: the mark of a failed result is lost"),
    ("result of a tool call is lost", "The result of a tool does not reach the model"),
    ("result of a tool call is added", "The model gets a tool result that the client did not send"),
    ("result of a tool call", "The model reads a tool result that is changed or belongs to another call"),
    ("id of a tool call", "Tool results are attached to the wrong call, or to none"),
    ("name of a tool call", "The model does not learn which tool a call or a result belongs to"),
    ("tool call in a turn", "A tool call of the conversation does not reach the model as it was"),
    ("citation", "The sources cited earlier in the conversation are lost"),
    ("role of a turn", "The model takes a message for somebody else's: its role changes"),
    ("joined to other text", "Separate messages of the conversation reach the model as one"),
    ("made up", "The model reads a message that nobody wrote"),
    ("text in a turn is lost", "A part of the conversation does not reach the model"),
    ("text in a turn is added", "The model reads text that the client did not send"),
    ("text in a turn", "The model reads a message in other words than the client sent"),
)
"""Words of the headline of a change of turns, and its effect."""


def describe_effect(finding: Finding) -> str:
    """Return what a user of the adapter notices, without a full stop."""
    return clip(_describe_effect(finding), MAX_EFFECT)


def _describe_effect(finding: Finding) -> str:
    check, first = finding.check, finding.differences[0] if finding.differences else None
    if check == "request.turns" or finding.changes[:1] in ((SYSTEM_OF_MODEL,), (SYSTEM_IN_A_TURN,)):
        changes = "; ".join(finding.changes) or finding.one_line_summary
        return next((effect for phrase, effect in _TURN_EFFECTS if phrase in changes), _capitalise(changes))
    if check == "response.finish" or (first is not None and _is_finish(first)):
        return _describe_finish(first)
    if check == "adapter.completes":
        return _describe_missing_answer(finding.one_line_summary)
    if check.startswith("expect.") and finding.title:
        return f"This should hold and does not: {finding.title}"
    shape, change, note = (path_shape(first.path), find_change(first), first.note) if first else ("", "", "")
    effect = next((row for row in EFFECTS if row.fits(check, shape, change, note)), None)
    if effect is None or first is None:
        return _capitalise(finding.one_line_summary)
    return effect.sentence.format(**_fill_words(check, first)).rstrip(": ")


_NOT_READ: Final = re.compile(r"the SDK of [\w-]+ cannot read the answer: ")
_OWN_WORDS: Final = re.compile(f"{re.escape(FAILED)}|{re.escape(REFUSED)}|refused a schema: ")


def _describe_missing_answer(message: str) -> str:
    """Return what became of a request that got no answer. ``message``: what was raised, with the judge's words before
    it."""
    raised = _OWN_WORDS.sub("", message, count=1)
    if _NOT_READ.match(raised):
        return f"The client's own SDK cannot read the answer: {_NOT_READ.sub('', raised)}"
    return f"A valid request ends in an error instead of an answer: {raised}"


def find_change(difference: Difference) -> Change:
    """Return what became of the expected value."""
    expected, actual = difference.expected, difference.actual
    if actual in _NOTHING and expected not in _NOTHING:
        return "lost"
    if expected in _NOTHING:
        return "added"
    sides = [_read_text(side) for side in (expected, actual)]
    if all(sides) and sides[0] != sides[1]:
        if sides[1] in sides[0]:
            return "shortened"
        if sides[0] in sides[1]:
            return "repeated"
    return "changed"


def _read_text(side: str) -> str:
    """Return the text of one side, "" where it is no text."""
    try:
        value = json.loads(side)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _is_finish(difference: Difference) -> bool:
    return re.fullmatch(r"(?:choices\[\d+\]\.)?finish", difference.path) is not None


def _describe_finish(difference: Difference | None) -> str:
    """Return ``An answer that was cut off at the token limit looks like a finished one``."""
    if difference is None:
        return "The client does not learn why the answer ended"
    expected, actual = (side.partition(" (")[0].split(" or ") for side in (difference.expected, difference.actual))
    if set(expected) == {"error", "incomplete"}:
        expected = ["incomplete"]
    answer = (
        _ANSWERS_THAT_END.get(expected[0], "An answer") if len(expected) == 1 else "An answer that did not end well"
    )
    end = _ENDS_AS.get(actual[0], "ends for another reason")
    consequence = ", so the tool may never run" if (expected, actual[0]) == (["tool_calls"], "stop") else ""
    return f"{'An answer' if 'stop' in expected[1:] else answer} {end}{consequence}"


def _fill_words(check: str, difference: Difference) -> dict[str, str]:
    """Return what the sentences of ``EFFECTS`` can name."""
    sides = difference.expected, difference.actual
    expected, actual = (_name_classes(side) or clip(side, MAX_VALUE) for side in sides)
    if check == "request.added" and len(actual) == MAX_VALUE:
        actual = ""  # the start of a document says nothing
    path = re.sub(r"\[\d*\]", "", difference.path).removeprefix("other:")
    return {
        "expected": difference.expected if check == "request.acceptable" else expected,
        "Expected": _capitalise(expected), "actual": actual, "path": path,
        "name": "one that is not documented" if path == "other" else path.rpartition(".")[2],
    }  # fmt: skip


def _name_classes(side: str) -> str:
    """Return the classes of errors of one side, ``a wrong key or a missing permission``, for a reader; several are an
    error of the provider. "" where these are none."""
    names = [CLASS_WORDS.get(name, "") for name in side.split(" or ")]
    if not all(names):
        return ""
    return " or ".join(names) if len(names) <= MAX_CLASSES else "an error of the provider"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
