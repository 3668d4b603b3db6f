"""The parts that requests and answers share: calls and media."""

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.calls import decoded_args
from bridgecheck.normalise.tree import Fields


def call_of(part: Fields) -> ToolCall:
    """The call in ``tool_call``; what was not understood is put back."""
    call = part.child("tool_call")
    name, given = call.text("name"), call.text("id")
    args, bad = decoded_args(call.text("args_text"))
    if isinstance(call.left.get("args"), dict):
        args, bad = call.child("args").left, None
    part.put("tool_call", call.left)
    return ToolCall(name, args, given, bad)


def media_of(part: Fields) -> Media:
    """What is shown in ``media``."""
    shown = part.child("media")
    found = one_media(shown)
    part.put("media", shown.left)
    return found


def one_media(shown: Fields) -> Media:
    """By the bytes in ``data`` or the address in ``uri``."""
    mime, data, uri = shown.text("mime"), shown.text("data"), shown.text("uri")
    if data:
        return media.from_base64(mime, data)
    return media.from_url(uri, mime) if uri.startswith("data:") else Media(media.mime_type(mime), uri=uri)
