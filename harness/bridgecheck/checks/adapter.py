"""adapter.completes, relay.expected_calls, relay.next_turn, relay.one_call, relay.cancel: what the adapter did in the
whole case, before any response or request is compared."""

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck import normalise
from bridgecheck.accept import refusals
from bridgecheck.checks.bases import BREAKS, GEMINI, PLAYED, READ, RECORDED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import case_ends, has_only_unmodelled_misses
from bridgecheck.compare.losses import Ends
from bridgecheck.compare.turns import KINDS, find_parts_of_kind
from bridgecheck.model.evidence import AND_THEN, FAILED, OWN_ERROR, REFUSED, Evidence, exception_line
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.prompt import MediaPart, Prompt, ReasoningPart, ResultPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference

CHUNKS_UNDERWAY: Final = 2
"""Chunks that may be on their way when the client disconnects."""

_RETRIED: Final = Basis(
    "client-breaks", "clients that accumulate a stream get its beginning twice: endolith/open-interpreter#291", READ
)
_CANCELLED: Final = Basis("convention", "QuantumNous/new-api#4184, BerriAI/litellm#31499", READ)


def check_completes(evidence: Evidence) -> list[Result]:
    """The adapter does not raise, hang or return something that is no response. It may refuse, naming the field, what
    the scenario lets it refuse, what it does not claim, what the provider's dialect cannot express and what the
    client's own provider would refuse; a library refuses by an exception of its own before it sends anything."""
    transcript = evidence.transcript
    loud = _exception_before_sending(evidence)
    refusal = loud or transcript.refused
    each = refusal.split(AND_THEN)
    unclaimed = [
        any(_names_feature(text.lower(), feature, evidence) for feature in evidence.unclaimed) for text in each
    ]
    if refusal and all(unclaimed):
        return [Result(status="NOT_APPLICABLE", message=refusal)]
    if refusal and all(_may_refuse(evidence, text) for text in each):
        return [Result(status="REJECTED", message=refusal)]
    if refusal and all(_names_keyword_of_json_schema(evidence, text.lower()) for text in each):
        return [Result(status="WARN", message=f"refused a schema: {refusal}", rules=["adapter.refuses_keyword"])]
    if refusal and all(_names_rare_setting(evidence, text.lower()) for text in each):
        return [Result(status="WARN", message=f"refused a setting: {refusal}", rules=["adapter.refuses_setting"])]
    if transcript.crash:
        return [Result(status="FAIL", message=f"{FAILED}{exception_line(transcript.crash)}")]
    if not transcript.refused and transcript.no_method:
        return [Result(status="NOT_APPLICABLE", message=transcript.no_method)]
    if not transcript.refused:
        return [Result(status="PASS", rules=_outcome_from_dialect_rule_names(evidence))]
    return [Result(status="FAIL", message=f"{REFUSED}{transcript.refused}")]


COMPLETES: Final = Check(
    "adapter.completes", "adapter", "MUST", BREAKS, "The adapter answers every request that it should take.",
    check_completes, "case",
    rules=(
        Rule("adapter.answers", "MUST", "It does not raise, hang or return something that is no response.", BREAKS),
        Rule("adapter.refuses", "MUST", "It refuses only what it may, and names the field.", BREAKS),
        Rule("adapter.refuses_keyword", "SHOULD", "A library that writes Gemini's Schema takes JSON Schema: it leaves "
            "out a keyword or a value that Schema cannot hold, or sends parametersJsonSchema.", GEMINI),
        Rule("adapter.refuses_setting", "SHOULD", "It takes the settings that both ends have; one that not everybody "
            "sends may be refused as a whole, by name: nothing is lost in silence.", BREAKS),
    ),
)  # fmt: skip


def _outcome_from_dialect_rule_names(evidence: Evidence) -> list[str]:
    """Return rule names with the dialects that the requests of a client with types of its own were made from."""
    requests = [turn.request for turn in evidence.transcript.client if turn.request is not None]
    sources = dict.fromkeys(request.made_from.dialect for request in requests if request.made_from is not None)
    return [f"outcome.from_{dialect.replace('-', '_')}" for dialect in sources]


def _exception_before_sending(evidence: Evidence) -> str:
    """Return what the adapter raised where it had sent nothing of that turn and the exception may be a refusal: one of
    its own, or one that says that a value is wrong. "" elsewhere: a slip in the code refuses nothing."""
    transcript = evidence.transcript
    line = exception_line(transcript.crash)
    kind = line.partition(":")[0]
    if OWN_ERROR in kind and _tells_that_fetch_failed(evidence, line):
        return line
    if transcript.crash_kind or (not kind.isidentifier() and not kind.replace(".", "").isidentifier()):
        return ""
    calls = [evidence.answering_call_index(turn) for turn in sorted(transcript.unanswered)[:1]]
    sent = [0 <= call < len(transcript.upstream) and transcript.upstream[call].request is not None for call in calls]
    sent = sent or [
        exchange.request is not None for exchange in transcript.upstream
    ]  # both halves are played at wire level
    may_refuse = kind in _SAY_THAT_A_VALUE_IS_WRONG or (kind == "TypeError" and _SAYS_SO.search(line) is not None)
    may_refuse = may_refuse or (kind in _TELL_OF_NETWORK and _tells_that_fetch_failed(evidence, line))
    if all(sent) or (hasattr(builtins, kind) and not may_refuse):
        return ""
    return transcript.crash[transcript.crash.rfind(line) :]


_SAY_THAT_A_VALUE_IS_WRONG: Final = frozenset({"ValueError", "RuntimeError"})
"""Exceptions of Python that libraries raise to refuse a request."""
_SAYS_SO: Final = re.compile(
    r"not (?:yet )?(?:supported|allowed|implemented|available|permitted)|unsupported(?! operand)|unexpected keyword"
    r"|does(?: not|n't) (?:support|take|accept|know)|(?:no such|unknown|unrecogni[sz]ed) (?:setting|option|param|arg)"
)
"""What a TypeError, of Python or JavaScript, says where it is no slip."""
_TELL_OF_NETWORK: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, OSError)
) | {"TypeError"}
"""What Python raises where a host is not reached; fetch() of JavaScript raises a TypeError."""


_FETCH: Final = re.compile(
    r"\b(?:download|fetch|connect|resol[uv]|getaddrinfo|name or service|offline|unreachable|dns|urlopen|no such host"
    r"|timed out|enotfound|eai_again|econnrefused)"
)
_SLIP: Final = re.compile(r"has no attribute|\bkeyerror|nonetype|not subscriptable|not callable|unexpected keyword")


def _has_media_by_address(evidence: Evidence) -> bool:
    parts = [part for prompt in evidence.client_prompts if prompt for turn in prompt.turns for part in turn.parts]
    return any(isinstance(part, MediaPart) and part.media.uri for part in parts)


def _tells_that_fetch_failed(evidence: Evidence, line: str) -> bool:
    """Return whether an adapter, which is offline here, could not fetch what the client gave by address."""
    line = line.lower()
    return bool(_FETCH.search(line)) and not _SLIP.search(line) and _has_media_by_address(evidence)


_ADDRESS: Final = re.compile(r"\b(?:url|uri|address|host)(?:e?s)?\b|https?://")


def _may_refuse(evidence: Evidence, refusal: str) -> bool:
    """Return whether the adapter may refuse this case, by the field that its refusal names."""
    refusal = refusal.lower()
    scenario = evidence.scenario
    if scenario is not None and scenario.level != "MUST" and evidence.transcript.refused:
        return True
    if scenario is not None and any(field == "*" or _names_field(refusal, field) for field in scenario.may_refuse):
        return True
    ends = case_ends(evidence, "request")
    prompts = [prompt for prompt in evidence.client_prompts if prompt]
    if any(_names_path(refusal, path) for prompt in prompts for path in _declared_loss_paths(prompt, ends)):
        return True
    if any(_names_feature(refusal, feature, evidence) for feature in evidence.inexpressible):
        return True
    if any(_names_what_no_claim_covers(refusal, prompt) for prompt in prompts):
        return True
    if _tells_that_fetch_failed(evidence, refusal) or (_ADDRESS.search(refusal) and _has_media_by_address(evidence)):
        return True  # what the client gave by address may not be there, or not be allowed to be fetched
    if _refuses_in_own_words(evidence, refusal, prompts):
        return True
    if any(_refuses_json_or_redacted(evidence, refusal, prompt) for prompt in prompts):
        return True
    stated = [turn.request.wire_source_or_self for turn in evidence.transcript.client if turn.request is not None]
    return any(
        _names_path(refusal, fault.path) for request in stated for fault in refusals(request.dialect, request.body)
    )


def _refuses_in_own_words(evidence: Evidence, refusal: str, prompts: Sequence[Prompt]) -> bool:
    """Return whether a client with types of its own is refused, in lower case, by what says so: that the library has no
    such type, option or parameter. What it says when a value does not suit it is no refusal, and a feature that the
    adapter claims and the request has may not be refused as a whole (``tools are not supported``)."""
    if evidence.key.client != "outcome":
        return False
    if not evidence.transcript.refused or _READS_AS_AN_ERROR.search(refusal):
        return _SAYS_SO.search(refusal) is not None and not _names_required_parameter(refusal)
    named = set(_split_refusal(refusal)) - _SAY_NOTHING
    return not any(
        named and named <= {*_split_refusal(feature.replace(".", " ")), *_WORDS_OF_FEATURE[feature]}
        for feature in _WORDS_OF_FEATURE.keys() - evidence.unclaimed - evidence.inexpressible
        if any(map(_HAS_FEATURE[feature], prompts))
    )


_SAY_NOTHING: Final = frozenset({
    "a", "an", "and", "are", "by", "does", "for", "has", "have", "input", "is", "it", "its", "library", "no", "none",
    "not", "of", "only", "support", "supported", "text", "the", "this", "unsupported", "yet",
})  # fmt: skip
"""Words of a refusal that name no feature."""


_READS_AS_AN_ERROR: Final = re.compile(
    r"^\{|^answered |should be |must be |extra inputs|validation error|unexpected keyword"
    r"|only supported in|expected .* got "
)
"""How the error of a library reads, or of what validates for it, where a recipe passes it on as a refusal."""


def _names_required_parameter(refusal: str) -> bool:
    """Return whether an error names a parameter that every provider's API has, and one of them requires."""
    return re.search(r"'(?:messages|contents|max_(?:completion_|output_)?tokens)'", refusal) is not None


def _refuses_json_or_redacted(evidence: Evidence, refusal: str, prompt: Prompt) -> bool:
    """Return whether an explicit refusal, in lower case, names what the request has and no capability covers: JSON
    without a schema, or another provider's redacted thoughts."""
    if (not evidence.transcript.refused or refusal.startswith(("{", "answered "))) and not _SAYS_SO.search(refusal):
        return False
    form = prompt.response_format
    if form is not None and form.kind == "json_object" and re.search(r"json|response_?(?:format|mime)", refusal):
        return True
    parts = [part for turn in prompt.turns for part in turn.parts]
    redacted = any(isinstance(part, ReasoningPart) and part.redacted for part in parts)
    return redacted and evidence.key.upstream != "anthropic" and "redacted" in refusal


_USUAL_SETTINGS: Final = frozenset({
    "max_tokens", "maxOutputTokens", "temperature", "top_p", "topP", "stop", "stop_sequences", "stopSequences",
})  # fmt: skip
"""Fields that clients send with most requests, so that refusing them refuses the client."""
_FIELDS_OF_PARALLEL: Final = ("parallel_tool_calls", "disable_parallel_tool_use")


def _names_rare_setting(evidence: Evidence, refusal: str) -> bool:
    """Return whether an explicit refusal, in lower case, names a setting of the request that clients rarely send, and
    not its value."""
    if not evidence.transcript.refused or (_READS_AS_AN_ERROR.search(refusal) and not _SAYS_SO.search(refusal)):
        return False
    if "unexpected keyword" in refusal:
        return False
    prompts = [prompt for prompt in evidence.client_prompts if prompt]
    fields = {field for prompt in prompts for name, _ in prompt.settings for field in normalise.setting_fields(name)}
    if any(prompt.tool_choice.parallel is not None for prompt in prompts):
        fields |= {*_FIELDS_OF_PARALLEL}
    if any("include_usage" in dict(prompt.settings) for prompt in prompts):
        fields.add("stream_options")
    return any(_names_field(refusal, field) for field in fields - _USUAL_SETTINGS)


_OF_GEMINI_SCHEMA: Final = frozenset({
    "type", "format", "title", "description", "nullable", "enum", "maxitems", "minitems", "properties", "required",
    "minproperties", "maxproperties", "minlength", "maxlength", "pattern", "example", "anyof", "propertyordering",
    "default", "items", "minimum", "maximum",
})  # fmt: skip
"""The members of https://ai.google.dev/api/caching#Schema (read 2026-11-23), in lower case."""


def _names_keyword_of_json_schema(evidence: Evidence, refusal: str) -> bool:
    """Return whether a library's refusal, in lower case, names a keyword of a schema in the request that Gemini's
    Schema lacks, or one whose value it cannot hold."""
    if evidence.key.client != "outcome" or evidence.key.upstream != "gemini":
        return False
    prompts = [prompt for prompt in evidence.client_prompts if prompt]
    schemas = [tool.schema for prompt in prompts for tool in prompt.tools or ()]
    schemas += [prompt.response_format.schema for prompt in prompts if prompt.response_format is not None]
    lacking = {keyword for schema in schemas for keyword in _keywords_beyond_gemini_schema(schema)}
    return not lacking.isdisjoint(_split_refusal(refusal))


def _keywords_beyond_gemini_schema(schema: object) -> Iterator[str]:
    """Yield the keywords of a JSON Schema, in lower case, that Gemini's Schema lacks or whose value it cannot hold: a
    list of types, members of an enumeration that are no texts."""
    for keyword, value in obj(schema).items():
        is_beyond = keyword == "type" and isinstance(value, list)
        is_beyond = is_beyond or (keyword == "enum" and not all(isinstance(item, str) for item in arr(value)))
        if keyword.lower() not in _OF_GEMINI_SCHEMA or is_beyond:
            yield keyword.lower().lstrip("$")
        is_named = keyword in ("properties", "$defs", "definitions")
        inner = obj(value).values() if is_named else value if isinstance(value, list) else [value]
        for part in inner:
            yield from _keywords_beyond_gemini_schema(part)


def _declared_loss_paths(prompt: Prompt, ends: Ends) -> list[str]:
    """Return the paths in the request that the table of losses has a row for, with every name of a setting."""
    paths = [path for kind in KINDS for path, _ in find_parts_of_kind(prompt.turns, kind)]
    settings = [f"settings.{name}" for name, _ in prompt.settings if ends.split_losses([f"settings.{name}"])[0]]
    paths += [f"other:{path}" for path, _ in prompt.other]
    paths += ["tool_choice.parallel"] if prompt.tool_choice.parallel is not None else []
    paths += [f"tools.builtin.{tool.name}" for tool in prompt.tools or () if tool.builtin]
    fields = [
        f"settings.{field}" for path in settings for field in normalise.setting_fields(path.removeprefix("settings."))
    ]
    return [*fields, *(path for path in paths if ends.split_losses([path])[0])]


_WORDS_OF_FEATURE: Final[dict[str, tuple[str, ...]]] = {
    "turns.media": ("media", "image", "images", "audio", "video", "file", "files", "pdf", "document", "multimodal"),
    "media": ("modality", "modalities", "image", "audio"),
    "settings.n": ("n", "candidatecount", "choices", "candidates"), "choices": ("n", "candidatecount", "candidates"),
    "thinking": ("reasoning", "reasoningeffort", "thinkingconfig", "thoughts"),
    "response_format": ("jsonschema", "schema", "structured", "responseschema", "responsejsonschema"),
    "tools": ("tool", "functions", "function"),
}  # fmt: skip
"""Feature -> the words by which libraries refuse it, besides its own."""
_HAS_FEATURE: Final[dict[str, Callable[[Prompt], bool]]] = {
    "turns.media": lambda prompt: any(isinstance(part, MediaPart) for turn in prompt.turns for part in turn.parts),
    "turns.results.media": lambda prompt: any(
        isinstance(part, ResultPart) and part.media for turn in prompt.turns for part in turn.parts
    ),
    "media": lambda prompt: "modalities" in dict(prompt.settings),
    "settings.n": lambda prompt: dict(prompt.settings).get("n") not in (None, 1),
    "choices": lambda prompt: dict(prompt.settings).get("n") not in (None, 1),
    "thinking": lambda prompt: prompt.thinking is not None,
    "response_format": lambda prompt: prompt.response_format is not None, "tools": lambda prompt: bool(prompt.tools),
}  # fmt: skip
"""Feature -> whether a request has it; of those that are not here nobody asks."""


_ANSWER_HAS_FEATURE: Final[dict[str, Callable[[Outcome], bool]]] = {
    "media": lambda outcome: any(choice.media for choice in outcome.choices),
    "settings.n": lambda outcome: len(outcome.choices) > 1, "choices": lambda outcome: len(outcome.choices) > 1,
    "thinking": lambda outcome: any(choice.reasoning for choice in outcome.choices),
}  # fmt: skip
"""Of some of them -> whether an answer has it."""


def _names_feature(refusal: str, feature: str, evidence: Evidence) -> bool:
    """Return whether a refusal, in lower case, names a feature that the case has, by its path or by a word that is
    usual for it: a line break written as an escape reads as n, and "unsupported media type" names no media."""
    known = _HAS_FEATURE.get(feature)
    is_in_answer = _ANSWER_HAS_FEATURE.get(feature, lambda outcome: False)
    prompts = [prompt for prompt in evidence.client_prompts if prompt]
    if known and not any(map(known, prompts)) and not any(map(is_in_answer, evidence.upstream_outcomes)):
        return False
    usual_words = _WORDS_OF_FEATURE.get(feature, ())
    return _names_path(refusal, feature) or not set(_split_refusal(refusal)).isdisjoint(usual_words)


def _split_refusal(refusal: str) -> list[str]:
    """Return the words of a refusal in lower case, escaped line breaks aside; names in snake_case are one word."""
    return re.findall(r"[a-z0-9]+", re.sub(r"\\[nrt]", " ", refusal).replace("_", ""))


_NAMES_BUILTIN: Final = re.compile(r"built-?_? ?in|(?:server|hosted|provider)[-_ ]?(?:side)?[-_ ]?(?:executed )?tool")


def _names_what_no_claim_covers(refusal: str, prompt: Prompt) -> bool:
    """Return whether a refusal, in lower case, names media other than images or a tool that the provider runs: no
    capability covers these, so an adapter cannot say beforehand that it lacks them."""
    media = [part.media.mime for turn in prompt.turns for part in turn.parts if isinstance(part, MediaPart)]
    kinds = {word for mime in media if not mime.startswith("image/") for word in re.findall(r"[a-z0-9]{3,}", mime)}
    kinds |= {"file", "document"} if any(mime.startswith(("application/", "text/")) for mime in media) else set()
    tools = {tool.name.lower() for tool in prompt.tools or () if tool.builtin}
    kinds |= {re.sub(r"[^a-z0-9]|_?\d{6,}$", "", name) for name in tools}
    named = set(_split_refusal(re.sub(r"_\d{6,}", "", refusal)))
    return not named.isdisjoint(kinds) or (bool(tools) and _NAMES_BUILTIN.search(refusal) is not None)


def _names_field(refusal: str, field: str) -> bool:
    """Return whether a refusal, in lower case, names a field in a word: its path or last key, in either spelling."""
    last = field.lower().replace("[]", "").rpartition(".")[2]
    named = re.findall(r"\w+", refusal.replace("_", ""))
    return field.lower() in refusal if re.search(r"[^\w.\[\]]", field) else last.replace("_", "") in named


def _names_path(refusal: str, path: str) -> bool:
    """Return whether a refusal, in lower case, names a key of the path behind its first; a short one as a word."""
    split = path.lower().replace("[]", "").replace(":", ".").replace("/", ".").split(".")
    keys = [key for key in split if len(key) > 2]
    is_in_text = any(key.replace("_", "") in refusal.replace("_", "") for key in keys[1:] or keys)
    return is_in_text or (len(split) > 1 and len(split[-1]) <= 2 and _names_field(refusal, split[-1]))


def check_makes_recorded_calls(evidence: Evidence) -> list[Result]:
    """The adapter makes the calls that the cassette holds, all of them, and no others. INCONCLUSIVE where it called an
    endpoint that is not modelled: it may well be right to."""
    transcript = evidence.transcript
    if has_only_unmodelled_misses(evidence):
        return [Result(status="INCONCLUSIVE", message=transcript.misses[0])]
    rows = [Difference("upstream", "a recorded call", miss, "not in the cassette") for miss in transcript.misses]
    if transcript.unplayed and not (transcript.unanswered or transcript.stopped):
        rows.append(Difference("upstream", f"{transcript.unplayed} more calls", "(absent)", "recorded, never called"))
    if not rows and (not transcript.upstream or transcript.unanswered):
        return []
    return [Result(rows)]


EXPECTED_CALLS: Final = Check(
    "relay.expected_calls", "relay", "MUST", RECORDED,
    "The adapter makes the recorded calls to the provider, all of them, and no others.",
    check_makes_recorded_calls, "case", ("adapter.completes",),
    rules=(Rule("calls.expected", "MUST", "It makes the recorded calls, all of them.", RECORDED),),
)  # fmt: skip


def check_response_allows_next_turn(evidence: Evidence) -> list[Result]:
    """A conversation of several turns can go on: every response holds what the client's next request sends back."""
    transcript = evidence.transcript
    if transcript.stopped and not transcript.misses:
        turn = min(transcript.recorded_history, default=len(transcript.client))
        return [Result(status="FAIL", message=transcript.stopped, turn=turn)]
    if len(transcript.client) > 1 and not (transcript.unanswered or transcript.misses):
        return [Result(turn=len(transcript.client) - 1)]
    return []


NEXT_TURN: Final = Check(
    "relay.next_turn", "relay", "MUST", BREAKS,
    "A conversation can go on: every response holds what the client's next request sends back.",
    check_response_allows_next_turn, "case", ("response.error", "response.tool_calls", "response.choices"),
    rules=(Rule("turns.continue", "MUST", "A response holds what the next request sends back.", BREAKS),),
)  # fmt: skip


def check_no_retry_after_first_event(evidence: Evidence) -> list[Result]:
    """Once the client has received a part of a response, the call is not repeated: the client would get its beginning
    twice, and be billed for both. Events that only open a response tell nothing of it (a role, an id): a client may
    receive them before any call was made, and between calls that failed."""
    results: list[Result] = []
    for turn, arrivals in enumerate(evidence.transcript.arrivals):
        calls = [at for at, letter in enumerate(arrivals) if letter == "r"]
        events = [count for at in calls[1:] if (count := arrivals[:at].count("c"))]
        response = evidence.transcript.client[turn].response if events else None
        repeated = sum(_tells_something(response, count) for count in events) if response is not None else 0
        if repeated:
            row = Difference("upstream", "no request after the client's first event", f"{repeated} more")
            results.append(Result([row], turn=turn))
        elif calls and "c" in arrivals:
            results.append(Result(turn=turn))
    return results


def _tells_something(response: Response, events: int) -> bool:
    """Return whether the first events of a stream hold a part of an answer, its end or an error."""
    if events > len(response.documents):
        return True
    outcome = normalise.response(replace(response, documents=response.documents[:events], terminated=None, chunks=None))
    is_opened_only = all(
        choice == Choice(choice.index, finish=choice.finish) and choice.finish.kind == "incomplete"
        for choice in outcome.choices
    )
    return outcome.error is not None or not is_opened_only


ONE_CALL: Final = Check(
    "relay.one_call", "relay", "MUST", _RETRIED,
    "A call is not repeated once the client has begun to read its response.",
    check_no_retry_after_first_event, "case", PLAYED,
    rules=(Rule("calls.one", "MUST", "A call whose response the client has begun to read is not repeated.", _RETRIED),),
)  # fmt: skip


def check_cancel(evidence: Evidence) -> list[Result]:
    """Where the client disconnects, the adapter closes the provider's stream: what nobody reads is billed too."""
    return [
        Result(_find_reading_after_disconnect(arrivals), turn=turn)
        for turn, arrivals in enumerate(evidence.transcript.arrivals)
        if "x" in arrivals
    ]


CANCEL: Final = Check(
    "relay.cancel", "relay", "SHOULD", _CANCELLED,
    "Where the client disconnects, the adapter disconnects from the provider.", check_cancel, "case", PLAYED,
    rules=(Rule("calls.cancel", "SHOULD", "Where the client disconnects, the adapter does so upstream.", _CANCELLED),),
)  # fmt: skip


def _find_reading_after_disconnect(arrivals: str) -> list[Difference]:
    """Return what was read too late. ``arrivals``: letters as in ``CaseTranscript``; x: the client disconnected, q: the
    connection to the provider was closed, u: a chunk of the provider was read."""
    before, _, after = arrivals.partition("x")
    if "q" in before:
        return [Difference("upstream", "a stream that is read as the client reads", "read to its end before that")]
    if "q" not in after:
        return [Difference("upstream", "the connection closed", "still open after the client disconnected")]
    if after.count("u") <= CHUNKS_UNDERWAY:
        return []
    return [Difference("upstream", "nothing more read", f"more than {CHUNKS_UNDERWAY} chunks")]
