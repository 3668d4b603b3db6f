"""response.media, response.code, response.citations: what a response holds besides text and calls."""

import json
from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import ANSWERED, CHAT, GEMINI
from bridgecheck.checks.check import Check, Result, Rule, silent_losses, undocumented_difference
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs
from bridgecheck.checks.text import texts_for_inexpressible
from bridgecheck.compare.diff import differences
from bridgecheck.compare.rewrites import media_with_canonical_mime
from bridgecheck.documented_leaves import drop_undocumented_members
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, Media


def check_media(evidence: Evidence) -> Iterator[Result]:
    """Images, sound and files arrive byte for byte, in order, with their MIME type."""
    for pair in error_free_response_pairs(evidence):
        for expected, actual in pair.choice_pairs:
            if expected.media or actual.media:
                yield _judge_media(pair, expected, actual)


MEDIA: Final = Check(
    "response.media", "multimodal", "MUST", GEMINI, "Media arrive byte for byte.", check_media, "response", ANSWERED,
    rules=(Rule("media.bytes", "MUST", "Media are the same bytes of the same type, in whatever encoding.", GEMINI),),
)  # fmt: skip


def _judge_media(pair: ResponsePair, expected: Choice, actual: Choice) -> Result:
    expected_media = [media_with_canonical_mime(media) for media in expected.media]
    actual_media = [media_with_canonical_mime(media) for media in actual.media]
    rows = differences(expected_media, actual_media, "media")
    if not rows or pair.ends.unconverted:
        rules = ["media_bytes"] if not rows and expected.media != actual.media else []
        return Result(rows, rules=rules, turn=pair.turn)
    if not pair.ends.can_express("media"):
        losses, unlisted = pair.ends.split_losses(["media"])
        return Result(silent_losses(unlisted), losses=losses, turn=pair.turn)
    expected_media = [_with_exact_type(media, actual_media) for media in expected_media]
    missing = [media for media in expected_media if media not in actual_media]
    losses, unlisted = pair.ends.split_losses([_media_type_path(media) for media in missing])
    compared = [media for media in expected_media if _media_type_path(media) in unlisted or media not in missing]
    return Result(differences(compared, actual_media, "media"), losses=losses, turn=pair.turn)


def _with_exact_type(media: Media, received: list[Media]) -> Media:
    """Return the received media of equal bytes and kind where the provider's type is inexact (Chat: ``audio/*``)."""
    kind = media.mime.removesuffix("*")
    if kind == media.mime:
        return media
    same = (item for item in received if item.mime.startswith(kind) and item.sha256 == media.sha256)
    return next(same, media)


def _media_type_path(media: Media) -> str:
    """Return ``media.audio.l16``, so that a row of losses can name a type (``media.video``) or a subtype."""
    return f"media.{media.mime.replace('.', '_').replace('/', '.')}"


def check_code(evidence: Evidence) -> Iterator[Result]:
    """Code that the provider ran, and its output, arrive as such, or as text where the dialect has no place."""
    for pair in error_free_response_pairs(evidence):
        for expected, actual in pair.choice_pairs:
            if expected.code or actual.code:
                yield _judge_code(pair, expected, actual)


CODE: Final = Check(
    "response.code", "messages", "MUST", GEMINI, "Executed code arrives as such or as text.",
    check_code, "response", ANSWERED,
    rules=(
        Rule("code.arrives", "MUST",
            "Code that was run, and its output, arrive as such or as text, or their loss is declared.", GEMINI),
    ),
)  # fmt: skip


def _judge_code(pair: ResponsePair, expected: Choice, actual: Choice) -> Result:
    if expected.code == actual.code:
        return Result(turn=pair.turn)
    if pair.ends.can_express("code"):
        return Result(differences(expected.code, actual.code, "code"), turn=pair.turn)
    bodies = texts_for_inexpressible(pair, expected)
    if actual.joined_text != expected.joined_text and all(body in actual.joined_text for body in bodies):
        return Result(rules=["code_as_text"], turn=pair.turn)
    losses, unlisted = pair.ends.split_losses(["code"])
    return Result(silent_losses(unlisted), losses=losses, turn=pair.turn)


def check_citations(evidence: Evidence) -> Iterator[Result]:
    """Citations arrive unchanged in their own dialect; between dialects their loss is declared."""
    for pair in error_free_response_pairs(evidence):
        for expected, actual in pair.choice_pairs:
            if not expected.citations:
                continue
            if expected.citations == actual.citations:
                yield Result(turn=pair.turn)
            elif pair.ends.unconverted and _documented_citations(pair, expected) == _documented_citations(pair, actual):
                extra = undocumented_difference("citations", ["members of citations"], pair.ends.origin)
                yield Result([extra], level="SHOULD", turn=pair.turn)
            elif pair.ends.unconverted or not actual.citations:
                is_of_web = any('"url":' in citation for citation in expected.citations)
                losses, unlisted = pair.ends.split_losses(["citations.web" if is_of_web else "citations"])
                rows = differences(expected.citations, actual.citations, "citations") if unlisted else ()
                yield Result(rows, losses=losses, turn=pair.turn)


def _documented_citations(pair: ResponsePair, choice: Choice) -> list[object]:
    return [drop_undocumented_members(pair.ends.origin, json.loads(citation)) for citation in choice.citations]


CITATIONS: Final = Check(
    "response.citations", "messages", "MUST", GEMINI, "Citations arrive in their own dialect.", check_citations,
    "response", ANSWERED,
    rules=(
        Rule("citations.arrive", "MUST",
            "Citations arrive unchanged in their own dialect; between dialects their loss is declared.", GEMINI),
        Rule("citations.expressible", "SHOULD", "A cited page of the web is an annotation of Chat.", CHAT),
    ),
)  # fmt: skip
