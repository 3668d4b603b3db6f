"""response.choices, response.finish, response.usage: how many choices, why each ended, and the token counts."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import ANSWERED, CHAT, GEMINI, MEASURED, OPTIONS, READ
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs, response_pairs
from bridgecheck.compare.classes import SUCCESS, RouteAndForcedCall, finish_rule, right_finishes
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.compare.usage import DETAIL, MAIN, NO_COUNT, usage_differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.express import finish_without_place
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.model.outcome import Choice, Outcome, Usage
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import AppliedLoss, Difference
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS

_FINISH: Final = Basis("documented", "https://ai.google.dev/api/generate-content#FinishReason", READ)
_NAMED: Final = Basis("recorded", "mirascope/0258, mirascope/0232, maruel-genai/0644", MEASURED)


def check_choices(evidence: Evidence) -> list[Result]:
    """Every candidate arrives under its index, also one without content; none is invented."""
    return [_judge_choices(pair) for pair in error_free_response_pairs(evidence)]


CHOICES: Final = Check(
    "response.choices", "messages", "MUST", GEMINI, "Every candidate arrives under its index.", check_choices,
    "response", ("response.error",),
    rules=(
        Rule("choices.index", "MUST", "Every candidate arrives under its index, none is invented.", GEMINI),
        Rule("choices.empty", "MUST", "A candidate without content arrives too.", GEMINI),
    ),
)  # fmt: skip


def _judge_choices(pair: ResponsePair) -> Result:
    expected = sorted(choice.index for choice in pair.expected.choices)
    actual = sorted(choice.index for choice in pair.actual.choices)
    if expected == actual:
        return Result(turn=pair.turn)
    if not expected and actual == [0] and _is_empty_and_unsuccessful(pair.actual.first):
        return Result(rules=["choices.empty"], turn=pair.turn)
    if len(expected) > 1 and len(actual) == 1 and not pair.ends.can_express("choices"):
        losses, unlisted = pair.ends.split_losses(["choices"])
        return Result(silent_losses(unlisted), losses=losses, turn=pair.turn)
    return Result(differences(expected, actual, "choices"), turn=pair.turn)


def _is_empty_and_unsuccessful(choice: Choice) -> bool:
    content = (*choice.text, *choice.reasoning, *choice.tool_calls, *choice.media)
    return not content and choice.finish.kind not in ("stop", "tool_calls")


def check_finish(evidence: Evidence) -> Iterator[Result]:
    """The client learns why the response ended, in a class that is right for it, and no end is a success where the
    provider reported an error, or a library raises for what the provider stopped."""
    yield from compare_finishes(evidence)
    for pair in response_pairs(evidence):
        if pair.expected.error is not None or pair.raises_named_stop:
            yield _find_invented_clean_ends(pair)


FINISH: Final = Check(
    "response.finish", "finish", "MUST", CHAT, "The client learns why the response ended, in a class that is right for "
    "it.", check_finish, "response", ("response.choices", "response.tool_calls", "response.refusal"),
    rules=(
        Rule("finish.class", "MUST", "The client learns why the response ended, in the right class.", _FINISH),
        Rule("finish.promoted", "MUST", "A Gemini response that stops with calls in it ends in tool_calls for clients "
            "of Chat and Anthropic.", CHAT),
        Rule("finish.forced", "MUST",
            "Where the request named or required a function, stop is right beside calls as well.", _NAMED),
        Rule("finish.unclassed", "SHOULD", "A library's class for an end is not other if its word has one.", CHAT),
        Rule("finish.silent", "SHOULD", "A library tells of an end that was a success too.", CHAT),
        Rule("finish.no_success", "MUST", "What was cut, filtered or broken never ends in a clean stop.", CHAT),
    ),
)  # fmt: skip


def compare_finishes(evidence: Evidence) -> Iterator[Result]:
    """Yield a result per turn without an error of the provider: calls are promoted, truncation and filters are not,
    and nothing that went wrong ends in a clean stop."""
    for pair in response_pairs(evidence):
        if pair.expected.error is not None or (pair.either_has_error and not pair.allows_error):
            continue
        if not pair.expected.choices and not pair.actual.choices:
            continue
        rows: list[Difference] = []
        silent_successes: list[Difference] = []
        unclassed: list[Difference] = []
        rules: list[str] = []
        losses: list[AppliedLoss] = []
        for expected, actual in pair.choice_pairs:
            if pair.has_no_place_for_finish(actual):
                losses += pair.ends.split_losses(
                    [finish_without_place(pair.client_response.mode, pair.ends.inexpressible)]
                )[0]
                continue
            found, rule = _compare_finish(pair, expected, actual)
            (silent_successes if _is_silent_success(pair, expected, actual) else rows).extend(found)
            rules.append(rule)
            if not found and actual.finish.kind == "other" != pair.class_by_native_word(expected, actual):
                word, path = actual.finish.native, pair.path_in_choice(expected, "finish")
                unclassed.append(
                    Difference(path, expected.finish.kind, f"other ({word})", "in the provider's word alone")
                )
        yield Result(rows, rules=rules, losses=losses, turn=pair.turn)
        if unclassed:
            yield Result(unclassed, level="SHOULD", rules=["finish.unclassed"], turn=pair.turn)
        if silent_successes:
            yield Result(silent_successes, level="SHOULD", rules=["finish.silent"], turn=pair.turn)


def _is_silent_success(pair: ResponsePair, expected: Choice, actual: Choice) -> bool:
    """Return whether a library says nothing of an end that was a success: its caller takes what is there for whole."""
    if pair.ends.target != "outcome" or pair.actual.error is not None:
        return False
    is_silent = actual.finish.kind == "incomplete" and not actual.finish.native
    return is_silent and expected.finish.kind in SUCCESS


def _compare_finish(pair: ResponsePair, expected: Choice, actual: Choice) -> tuple[list[Difference], str]:
    """Return the difference of two finishes, and the rule that allows another class than the provider's, "" if none."""
    converted = not pair.ends.unconverted
    prompt = pair.client_prompt
    # A request that is not known may have forced a call.
    may_force_a_call = prompt is None or prompt.tool_choice.mode in ("named", "required", "allowed")
    context = RouteAndForcedCall(pair.ends.origin, pair.ends.target, converted, may_force_a_call)
    right = right_finishes(expected, context)
    kind = pair.class_by_native_word(expected, actual)
    if pair.actual.error is not None and kind == "incomplete":
        kind = "error"
    if kind in right or (not pair.expected.choices and kind in ("incomplete", "error")):
        return [], finish_rule(expected, context) if kind != expected.finish.kind else ""
    shown = f"{' or '.join(sorted(right))} (provider: {expected.finish.native or 'none'})"
    path = pair.path_in_choice(expected, "finish")
    return [Difference(path, shown, f"{kind} ({actual.finish.native or 'none'})")], ""


def _find_invented_clean_ends(pair: ResponsePair) -> Result:
    """Return the choices that end in a success where the provider reported an error and no success of theirs."""
    succeeded = {choice.index for choice in pair.expected.choices if choice.finish.kind in SUCCESS}
    ends = [choice.finish for choice in pair.actual.choices if choice.index not in succeeded]
    invented = [end.native or end.kind for end in ends if end.kind in SUCCESS]
    note = "a clean end was invented"
    return Result([Difference("finish", "an error, or no finish", end, note) for end in invented], turn=pair.turn)


_XAI: Final = Basis("recorded", "vercel-ai/0101: api.x.ai counts reasoning outside of completion", MEASURED)
_OPTIONAL: Final = Basis(
    "documented",
    "https://platform.openai.com/docs/api-reference/chat/object (usage: *_tokens_details are optional), "
    "https://docs.anthropic.com/en/api/messages (usage: output_tokens holds the thoughts)",
    "2026-11-23",
)
_FALLING: Final = Basis("recorded", "pydantic-ai/0346: a count that falls in the last chunk", MEASURED)


def check_usage(evidence: Evidence) -> Iterator[Result]:
    """Every token count that the provider gave and the client's dialect can express arrives, counted its way."""
    for pair in error_free_response_pairs(evidence):
        yield from _judge_usage(pair)
        if pair.expected.usage is not None:
            yield from _find_unrequested_usage(pair)
            yield from _find_repeated_usage(pair)


USAGE: Final = Check(
    "response.usage", "usage", "MUST", CHAT, "Token counts arrive as the client's dialect counts.", check_usage,
    "response", ANSWERED,
    rules=(
        Rule("usage.counts", "MUST", "Counts arrive as the client counts: with or without the cached tokens.", CHAT),
        Rule("usage.reasoning", "MUST", "Reasoning that a host counts outside of completion is not subtracted again.",
            _XAI),
        Rule("usage.last", "MUST", "Counts in several events are the last or the highest, never their sum.", _FALLING),
        Rule("usage.breakdown", "SHOULD", "How many tokens of a right total were cached or thought arrives: optional "
            "members, which are never wrong.", _OPTIONAL),
        Rule("usage.completion", "SHOULD", "A library that counts thoughts counts them inside of completion.", GEMINI),
        Rule("usage.not_invented", "SHOULD", "Counts that the provider did not give are not invented.", CHAT),
        Rule("usage.once", "SHOULD", "A Chat stream has usage on one chunk; on others it is null.", OPTIONS),
        Rule("usage.optional", "MAY", "A Chat stream has a chunk of usage only if the client requested it.", OPTIONS),
    ),
)  # fmt: skip


_DETAIL_PATHS: Final = frozenset(f"usage.{name}" for name in DETAIL)


def _judge_usage(pair: ResponsePair) -> Iterator[Result]:
    """Compare the counts of one turn; nothing where neither end has any."""
    expected, actual = pair.expected.usage, pair.actual.usage
    if expected is None:
        invented = actual is not None and any(getattr(actual, name) for name in MAIN)
        row = Difference("usage", "(absent)", shorten(actual), "invented")
        if invented:
            yield Result([row], level="SHOULD", turn=pair.turn)
        return
    if expected == actual:
        yield Result(turn=pair.turn)
        return
    if actual is None and _is_usage_unrequested(pair):
        yield Result(rules=["usage.not_requested"], turn=pair.turn)
        return
    if pair.ends.unconverted:
        rows = differences(expected, actual, "usage")
        zeros = [row for row in rows if {row.expected, row.actual} == {"null", "0"} and row.path in _DETAIL_PATHS]
        yield Result(rows, "NOTE" if len(zeros) == len(rows) and rows else None, turn=pair.turn)
        return
    if _is_broken_off(pair.expected) and not any(getattr(actual, name, None) for name in MAIN):
        yield Result(rules=["usage.broken_off"], turn=pair.turn)
        return
    highest = _highest_gemini_usage(pair.upstream_response)
    rows, rules = usage_differences(expected, actual, pair.ends.dialects, highest, pair.ends.inexpressible)
    uncounted = [name for name in (*MAIN, *DETAIL) if getattr(expected, name) and getattr(actual, name, None) is None]
    paths = [f"usage.{name}" for name in uncounted]
    losses, unlisted = pair.ends.split_losses(path for path in paths if not pair.ends.can_express(path))
    separate = [row for row in rows if row.path == "usage.completion" and pair.counts_thoughts_beside_completion]
    rest = [row for row in rows if row not in separate]
    if rest and not unlisted and all(_is_optional_detail_absent(row, pair.ends.target) for row in rest):
        yield Result(rules=rules, losses=losses, turn=pair.turn)
        yield Result(rest, level="SHOULD", rules=["usage.breakdown"], turn=pair.turn)
    else:
        yield Result((*rest, *silent_losses(unlisted)), rules=rules, losses=losses, turn=pair.turn)
    if separate:
        yield Result(separate, level="SHOULD", turn=pair.turn)


def _is_optional_detail_absent(row: Difference, client: Dialect) -> bool:
    """Return whether all that differs is a breakdown of a right total that is absent. Anthropic's input_tokens are no
    total but what was not cached, so its cached tokens belong to every right count."""
    needed = {"usage.cached", "usage.cache_write"} if client == "anthropic" else set[str]()
    return row.actual == NO_COUNT and row.path in _DETAIL_PATHS - needed


def _is_broken_off(outcome: Outcome) -> bool:
    """Return whether no choice came to its end: counts given so far are not those of the whole response."""
    return {choice.finish.kind for choice in outcome.choices} == {"incomplete"}


def _is_usage_unrequested(pair: ResponsePair) -> bool:
    """Return whether the client receives a Chat stream and requested no usage. Unknown requests count as requests."""
    is_optional = bool(RECORDS[pair.ends.target].usage_members)
    if not is_optional or pair.client_response.mode != "stream" or pair.client_prompt is None:
        return False
    if dict(pair.client_prompt.other).get("stream_options.include_usage") == "true":
        return False
    return dict(pair.client_prompt.settings).get("include_usage") is not True


def _find_unrequested_usage(pair: ResponsePair) -> Iterator[Result]:
    """Yield a NOTE for usage that was not requested: gateways that always send it are many, but a strict client may
    not expect the chunk without choices."""
    usage = pair.actual.usage
    is_converted = pair.ends.origin != pair.ends.target
    if usage is not None and is_converted and _is_usage_unrequested(pair):
        rows = [Difference("usage", "none without stream_options.include_usage", shorten(usage))]
        yield Result(rows, "NOTE", rules=["usage.optional"], turn=pair.turn)


def _find_repeated_usage(pair: ResponsePair) -> Iterator[Result]:
    """Yield a WARN for usage on more than one chunk: most clients take the last, some add them up."""
    count = _count_chunks_with_usage(pair.client_response)
    if count > 1 and _count_chunks_with_usage(pair.upstream_response) < 2 and not _is_usage_unrequested(pair):
        rows = [Difference("usage", "on one chunk", f"on {count} chunks")]
        yield Result(rows, level="SHOULD", rules=["usage.once"], turn=pair.turn)


def _count_chunks_with_usage(response: Response) -> int:
    """Return on how many chunks of a Chat stream usage stands, 0 for anything but one."""
    is_chat_stream = response.dialect == "openai-chat" and response.mode == "stream"
    return sum(bool(obj(document).get("usage")) for document in response.documents) if is_chat_stream else 0


def _highest_gemini_usage(response: Response) -> Usage | None:
    """Return per field the highest count in a Gemini stream: its prompt count is recorded falling in the last chunk.
    None for any other response."""
    if response.dialect != "gemini" or len(response.documents) < 2:
        return None
    counts = [obj(obj(document).get("usageMetadata")) for document in response.documents]

    def highest(name: str) -> int | None:
        numbers = [number for number in (integer(count.get(name)) for count in counts) if number is not None]
        return max(numbers, default=None)

    candidates, thoughts = highest("candidatesTokenCount"), highest("thoughtsTokenCount")
    completion = None if candidates is None and thoughts is None else (candidates or 0) + (thoughts or 0)
    prompt, total, cached = highest("promptTokenCount"), highest("totalTokenCount"), highest("cachedContentTokenCount")
    return Usage(prompt, completion, total, cached, None, thoughts, None)
