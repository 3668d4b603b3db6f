"""response.text, response.reasoning, response.order, response.refusal: the text of a response."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import ANSWERED, CHAT, CHUNK, GEMINI, MEASURED, RECORDED, SEAMS
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs, response_pairs
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.compare.kept_order import is_order_kept
from bridgecheck.compare.text import is_joined_from, is_same_but_for_half_characters, is_same_text
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.express import response_can_express
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.outcome import Channel, Choice
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import AppliedLoss, Difference, Level

DECODED: Final = "choices[].message.content."
"""Where the leaves of a Chat message stand whose content some hosts decoded as JSON."""
_CONVENTION: Final = Basis("convention", "reasoning_content, images: OpenAI-compatible hosts and gateways", MEASURED)
_FILTERED: Final = Basis(
    "documented",
    "https://platform.openai.com/docs/api-reference/chat/object (content_filter: content was omitted due "
    "to a flag), https://ai.google.dev/api/generate-content#FinishReason",
    "2026-11-23",
)
_LAST_LINE: Final = Basis(
    "convention", "langchain-google-genai 4.4.2 trims line breaks at the end of a part", "2026-11-23"
)
_TWO_FIELDS: Final = Basis("recorded", "OpenRouter says reasoning in two fields at once", MEASURED)


def check_text(evidence: Evidence) -> Iterator[Result]:
    """Every byte of visible text arrives once, in order, and nothing else is added to it."""
    for pair in response_pairs(evidence):
        if pair.allows_error or not pair.either_has_error:
            yield from _judge_text(pair)


TEXT: Final = Check(
    "response.text", "messages", "MUST", RECORDED, "Visible text arrives byte for byte, once.",
    check_text, "response", ANSWERED,
    rules=(
        Rule("text.bytes", "MUST", "Text of one segment arrives byte for byte, once. In place of half a surrogate "
            "pair there may be a replacement character or nothing.", RECORDED),
        Rule("text.adjacent", "MUST",
            "Pieces of one text join with nothing between them; only where a part of another kind stood may white "
            "space be added, and only where the client's dialect has one string for all.", GEMINI),
        Rule("text.no_reasoning", "MUST", "Reasoning never shows up in visible text.", CHAT),
        Rule("text.partial", "MUST",
            "Where a response breaks off, the client has a beginning of the provider's text and nothing else.", CHUNK),
        Rule("text.withheld", "SHOULD", "Text that a filter stopped arrives as far as the provider sent it, beside a "
            "finish that names the filter.", _FILTERED),
        Rule("text.seams", "SHOULD", "Texts of one whole response that the provider sent separately, none of them "
            "cited, join with nothing between them.", SEAMS),
        Rule("text.end_of_line", "SHOULD", "A line break at the very beginning or end of a whole response arrives.",
            _LAST_LINE),
    ),
)  # fmt: skip


def _judge_text(pair: ResponsePair) -> Iterator[Result]:
    rows: list[Difference] = []
    arguable: dict[str, list[Difference]] = {}
    rules: list[str] = []
    losses: list[AppliedLoss] = []
    for expected, actual in pair.choice_pairs:
        if expected.text == actual.text:
            continue
        found = _compare_choice_text(pair, expected, actual)
        rule = _find_arguable_rule(pair, expected, actual) if found else ""
        (arguable.setdefault(rule, []) if rule else rows).extend(found)
        if not found:
            rules.append("text.prefix" if pair.either_has_error else "text.segments")
            lost = not pair.either_has_error and not pair.ends.can_express("text.segments")
            if lost and response_can_express("text.segments", [pair.ends.target]):
                losses += pair.ends.split_losses(["text.segments"])[0]
    if rows or not arguable:
        yield Result(rows, rules=rules, losses=losses, turn=pair.turn)
    for rule, found in arguable.items():
        yield Result(found, level="SHOULD", rules=[rule], turn=pair.turn)


def _find_arguable_rule(pair: ResponsePair, expected: Choice, actual: Choice) -> str:
    """Return the rule, weaker than a MUST, that names the whole difference of two texts, "" if none does."""
    sent, received = expected.joined_text, actual.joined_text
    if pair.either_has_error:
        return ""
    if expected.finish.kind == actual.finish.kind == "content_filter" and sent.startswith(received):
        return "text.withheld"
    if pair.client_response.mode != "unary" or not received:
        return ""
    if sent in (f"{received}{end}" for end in _LINE_ENDS) or sent in (f"{end}{received}" for end in _LINE_ENDS):
        return "text.end_of_line"
    pieces = _find_separate_texts(pair.upstream_response, expected.index)
    return "text.seams" if "".join(pieces) == sent and is_joined_from(pieces, received) else ""


_LINE_ENDS: Final = ("\n", "\r\n")


def _find_separate_texts(response: Response, index: int) -> list[str]:
    """Return the texts of a choice of a whole Anthropic or Gemini response as the provider separated them; [] if any is
    cited, since it is then a piece of a sentence."""
    document = obj(response.documents[0]) if response.mode == "unary" and response.documents else {}
    if response.dialect == "anthropic":
        blocks = [block for block in objs(document.get("content")) if block.get("type") == "text"]
        return [] if any(block.get("citations") for block in blocks) else [text(block.get("text")) for block in blocks]
    for candidate in objs(document.get("candidates")):
        if (integer(candidate.get("index")) or 0) == index and not {"citationMetadata", "groundingMetadata"} & set(
            candidate
        ):
            parts = objs(obj(candidate.get("content")).get("parts"))
            return [text(part.get("text")) for part in parts if not part.get("thought")]
    return []


def _compare_choice_text(pair: ResponsePair, expected: Choice, actual: Choice) -> list[Difference]:
    path = pair.path_in_choice(expected, "text")
    if is_same_but_for_half_characters(expected.joined_text, actual.joined_text):
        return []
    if pair.either_has_error:
        is_prefix = expected.joined_text.startswith(actual.joined_text)
        return [] if is_prefix else _segment_differences(expected.text, actual.text, path)
    if pair.ends.unconverted:
        return list(differences(expected.text, actual.text, path))
    carried = texts_for_inexpressible(pair, expected)
    if pair.ends.can_express("text.segments") and not carried:
        if expected.joined_text == actual.joined_text:
            return []
    elif is_same_text(expected.text, actual.text, carried):
        return []
    return _find_leaked_reasoning(expected, actual, path) or _segment_differences(expected.text, actual.text, path)


def texts_for_inexpressible(pair: ResponsePair, expected: Choice) -> tuple[str, ...]:
    """Return what the client's dialect can only express as text, and so may stand in the actual text. Some hosts put
    decoded JSON where the text of a Chat message belongs; its leaves count too."""
    decoded = tuple(
        value.strip('"')
        for path, value in pair.expected.other
        if path.startswith(DECODED) and not pair.ends.unconverted
    )
    code = () if pair.ends.can_express("code") else tuple(body for _, body in expected.code)
    refusal = () if pair.ends.can_express("refusal") or not expected.refusal else (expected.refusal,)
    return (*decoded, *code, *refusal)


def _find_leaked_reasoning(expected: Choice, actual: Choice, path: str) -> list[Difference]:
    """Return a difference where reasoning turned up in the visible text."""
    for thought in expected.reasoning:
        if thought.strip() and thought in actual.joined_text and thought not in expected.joined_text:
            note = "reasoning leaked into visible text"
            return [Difference(path, shorten(expected.joined_text), shorten(actual.joined_text), note)]
    return []


def _segment_differences(expected: tuple[str, ...], actual: tuple[str, ...], path: str) -> list[Difference]:
    """Return the differences of two texts, of their segments where the joined texts are equal."""
    return list(differences("".join(expected), "".join(actual), path)) or list(differences(expected, actual, path))


def check_reasoning_channel(evidence: Evidence) -> list[Result]:
    """The model's reasoning arrives in the channel of reasoning: MUST in its own dialect, SHOULD in others."""
    results: list[Result] = []
    for pair in error_free_response_pairs(evidence):
        rows: list[Difference] = []
        losses: list[AppliedLoss] = []
        rules: list[str] = []
        for expected, actual in pair.choice_pairs:
            path = pair.path_in_choice(expected, "reasoning")
            if expected.reasoning and not actual.reasoning and not pair.ends.can_express("reasoning"):
                losses += pair.ends.split_losses(["reasoning"])[0]
            elif not actual.reasoning and pair.lets_reasoning_be_omitted:
                rules += ["reasoning.not_requested"] if expected.reasoning else []
            elif expected.reasoning and not is_same_text(expected.reasoning, actual.reasoning):
                rows += _segment_differences(expected.reasoning, actual.reasoning, path)
            elif actual.reasoning and not expected.reasoning:
                rows.append(Difference(path, "(absent)", shorten("".join(actual.reasoning))))
        if rows or any(expected.reasoning for expected, _ in pair.choice_pairs):
            level: Level | None = "MUST" if pair.ends.unconverted else None
            results.append(Result(rows, level=level, rules=rules, losses=losses, turn=pair.turn))
    return results


REASONING: Final = Check(
    "response.reasoning", "thinking", "SHOULD", _CONVENTION, "Reasoning arrives in the channel of reasoning.",
    check_reasoning_channel, "response", ANSWERED,
    rules=(
        Rule("reasoning.text", "SHOULD",
            "Reasoning arrives in the channel of reasoning, between dialects where the client asked for it.",
            _CONVENTION),
        Rule("reasoning.once", "SHOULD", "Reasoning that stands in two equal fields arrives once.", _TWO_FIELDS),
    ),
)  # fmt: skip


def check_order(evidence: Evidence) -> list[Result]:
    """Text, reasoning, calls and media arrive in the order in which the provider sent them."""
    results: list[Result] = []
    for pair in error_free_response_pairs(evidence):
        rows = [row for expected, actual in pair.choice_pairs for row in _compare_order(pair, expected, actual)]
        if pair.ends.can_express("order"):
            is_text_first = all(_has_only_text_before_calls(*choices) for choices in pair.choice_pairs)
            is_kept = bool(rows) and _is_kept_in_order(pair)
            is_lighter = (is_text_first or is_kept) and not pair.ends.unconverted
            level: Level | None = "SHOULD" if is_lighter else None
            results.append(Result(rows, level=level, rules=["order.kept"] if is_kept else [], turn=pair.turn))
        elif rows:
            losses, _ = pair.ends.split_losses(["order"])
            results += [Result(losses=losses, turn=pair.turn)] if losses else []
    return results


ORDER: Final = Check(
    "response.order", "messages", "MUST", GEMINI, "Channels arrive in the provider's order where both ends have one.",
    check_order, "response",
    (
        "response.text", "response.refusal", "response.reasoning", "response.tool_calls", "response.media",
        "response.code",
    ),
    rules=(
        Rule("order.same", "MUST", "Text, reasoning, calls and media keep their order wherever both dialects have one.",
            GEMINI),
        Rule("order.text_first", "SHOULD", "Text that came behind a call stays there; many convert by way of Chat, "
            "where text stands before all calls.", CHAT),
        Rule("order.kept", "SHOULD", "The pieces of a library's stream come in the order of what it keeps for the next "
            "turn.", GEMINI),
    ),
)  # fmt: skip


def _is_kept_in_order(pair: ResponsePair) -> bool:
    """Return whether a library's stream, which may give thoughts or calls apart from the rest, ends with what it keeps
    of the answer in the provider's order: what its caller gives back is right."""
    if pair.ends.target != "outcome" or pair.client_response.mode != "stream":
        return False
    preserved = [obj(document).get("keep") for document in pair.client_response.documents]
    return all(is_order_kept(expected, preserved) for expected, _ in pair.choice_pairs)


def _compare_order(pair: ResponsePair, expected: Choice, actual: Choice) -> tuple[Difference, ...]:
    """Compare the order of channels only: how many items each has is judged by another check."""
    channels = [channel for channel, _ in expected.order], [channel for channel, _ in actual.order]
    if sorted(channels[0]) != sorted(channels[1]) and not pair.ends.unconverted:
        return ()
    return differences(*channels, pair.path_in_choice(expected, "order"))


def _has_only_text_before_calls(expected: Choice, actual: Choice) -> bool:
    """Return whether both have one order, but for text that moved in front of calls."""
    for moved in ("text", "call"):
        orders = ([item for item in choice.order if item[0] != moved] for choice in (expected, actual))
        if next(orders) != next(orders):
            return False
    texts = [item for item in expected.order if item[0] == "text"]
    return all(_count_calls_before(text, actual) <= _count_calls_before(text, expected) for text in texts)


def _count_calls_before(item: tuple[Channel, int], choice: Choice) -> int:
    before = choice.order[: choice.order.index(item)]
    return sum(channel == "call" for channel, _ in before)


def check_refusal(evidence: Evidence) -> list[Result]:
    """A refusal arrives as one, or as text where the client's dialect has no place for it; it is never dropped."""
    results: list[Result] = []
    for pair in error_free_response_pairs(evidence):
        for expected, actual in pair.choice_pairs:
            if expected.refusal != actual.refusal:
                results.append(_judge_refusal(pair, expected, actual))
            elif expected.refusal:
                results.append(Result(turn=pair.turn))
    return results


REFUSAL: Final = Check(
    "response.refusal", "safety", "MUST", CHAT, "A refusal is never dropped.", check_refusal, "response", ANSWERED,
    rules=(
        Rule("refusal.arrives", "MUST", "A refusal arrives as one, or as text where the dialect has none; a filtered "
            "response may be explained by one.", CHAT),
        Rule("refusal.library", "SHOULD", "A library whose types have no place for a refusal (cannot_say) gives its "
            "words as text, not an empty answer.", CHAT),
    ),
)  # fmt: skip


def _judge_refusal(pair: ResponsePair, expected: Choice, actual: Choice) -> Result:
    path = pair.path_in_choice(expected, "refusal")
    if not expected.refusal and not pair.ends.unconverted and expected.finish.kind == "content_filter":
        return Result(rules=["refusal_explains_filter"], turn=pair.turn)
    if pair.ends.can_express("refusal") or not expected.refusal:
        return Result(differences(expected.refusal, actual.refusal, path), turn=pair.turn)
    if expected.refusal in actual.joined_text:
        return Result(rules=["refusal_as_text"], turn=pair.turn)
    if actual.finish.kind != "content_filter":
        row = Difference(path, shorten(expected.refusal), shorten(actual.joined_text), "became silence")
        is_unsayable = "refusal" in pair.ends.inexpressible and not actual.joined_text
        rules = ["refusal.library"] if is_unsayable else []
        return Result([row], level="SHOULD" if is_unsayable else None, rules=rules, turn=pair.turn)
    losses, unlisted = pair.ends.split_losses(["refusal"])
    return Result(silent_losses(unlisted), losses=losses, turn=pair.turn)
