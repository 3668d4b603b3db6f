"""response.media, response.code, response.citations: what an answer holds besides text and calls."""

from bridgecheck.checks.text import carried
from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import ResponseView, complete_response_views
from bridgecheck.compare.diff import differences
from bridgecheck.compare.rewrites import media_alias
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.outcome import Choice, Media
from bridgecheck.model.verdict import Verdict


def media(evidence: Evidence) -> list[Verdict]:
    """Images, sound and files arrive byte for byte, in order, with their MIME type."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        for said, got in view.choice_pairs:
            if said.media or got.media:
                verdicts.append(_media(view, said, got))
    return verdicts


def code(evidence: Evidence) -> list[Verdict]:
    """Code that the provider ran, and its output, arrive as such or, where the dialect has no place for them, as
    text."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        for said, got in view.choice_pairs:
            if said.code or got.code:
                verdicts.append(_code(view, said, got))
    return verdicts


def citations(evidence: Evidence) -> list[Verdict]:
    """Citations arrive unchanged in their own dialect; between dialects their loss is declared."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        for said, got in view.choice_pairs:
            if said.citations == got.citations and said.citations:
                verdicts.append(result("response.citations", turn=view.turn))
            elif said.citations and (view.ends.same_dialect or not got.citations):
                losses, unlisted = view.ends.split_losses(["citations"])
                rows = differences(said.citations, got.citations, "citations") if unlisted else ()
                verdicts.append(result("response.citations", rows, losses=losses, turn=view.turn))
    return verdicts


def _media(view: ResponseView, said: Choice, got: Choice) -> Verdict:
    ours, theirs = [media_alias(item) for item in said.media], [media_alias(item) for item in got.media]
    rows = differences(ours, theirs, "media")
    if not rows or view.ends.same_dialect:
        rules = ["media_bytes"] if not rows and said.media != got.media else []
        return result("response.media", rows, rules=rules, turn=view.turn)
    if not view.ends.can_express("media"):
        losses, unlisted = view.ends.split_losses(["media"])
        return result("response.media", silent(unlisted), losses=losses, turn=view.turn)
    ours = [_as_told(item, theirs) for item in ours]
    missing = [item for item in ours if item not in theirs]
    losses, unlisted = view.ends.split_losses([_media_path(item) for item in missing])
    kept = [item for item in ours if _media_path(item) in unlisted or item not in missing]
    rows = differences(kept, theirs, "media")
    return result("response.media", rows, losses=losses, turn=view.turn)


def _as_told(item: Media, theirs: list[Media]) -> Media:
    """Where the provider gave no exact type (Chat's audio is ``audio/*``), any type of that kind for the same bytes."""
    kind = item.mime.removesuffix("*")
    if kind == item.mime:
        return item
    return next((one for one in theirs if one.mime.startswith(kind) and one.sha256 == item.sha256), item)


def _media_path(item: Media) -> str:
    """``media.audio.l16``, so that a row can name a type (``media.video``) or a subtype."""
    return f"media.{item.mime.replace('.', '_').replace('/', '.')}"


def _code(view: ResponseView, said: Choice, got: Choice) -> Verdict:
    if said.code == got.code:
        return result("response.code", turn=view.turn)
    if view.ends.can_express("code"):
        return result("response.code", differences(said.code, got.code, "code"), turn=view.turn)
    if got.joined_text != said.joined_text and all(body in got.joined_text for body in carried(view, said)):
        return result("response.code", rules=["code_as_text"], turn=view.turn)
    losses, unlisted = view.ends.split_losses(["code"])
    return result("response.code", silent(unlisted), losses=losses, turn=view.turn)
