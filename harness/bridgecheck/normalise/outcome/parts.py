"""The parts that requests and answers share: calls and media."""

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields, decode_arguments


def call_of(part: Fields) -> ToolCall:
    """The call in ``tool_call``; what was not understood is put back."""
    call = part.take_child("tool_call")
    name, given = call.take_text("name"), call.take_text("id")
    args, bad = decode_arguments(call.take_text("args_text"))
    if isinstance(call.rest.get("args"), dict):
        args, bad = call.take_child("args").rest, None
    part.put_back("tool_call", call.rest)
    return ToolCall(name, args, given, bad)


def media_of(part: Fields) -> Media:
    """What is shown in ``media``."""
    shown = part.take_child("media")
    found = one_media(shown)
    part.put_back("media", shown.rest)
    return found


def one_media(shown: Fields) -> Media:
    """By the bytes in ``data`` or the address in ``uri``."""
    mime, data, uri = shown.take_text("mime"), shown.take_text("data"), shown.take_text("uri")
    if data:
        return media.media_from_base64(mime, data)
    return media.media_from_url(uri, mime) if uri.startswith("data:") else Media(media.mime_type(mime), uri=uri)
