"""The parts that requests and answers share: calls and media."""

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields, decode_arguments


def read_call(part: Fields) -> ToolCall:
    """The call in ``tool_call``; what was not understood is put back."""
    call = part.take_child("tool_call")
    name, call_id = call.take_text("name"), call.take_text("id")
    args, bad = decode_arguments(call.take_text("args_text"))
    if isinstance(call.rest.get("args"), dict):
        args, bad = call.take_child("args").rest, None
    part.put_back("tool_call", call.rest)
    return ToolCall(name, args, call_id, bad)


def read_media(part: Fields) -> Media:
    """What is shown in ``media``."""
    media_object = part.take_child("media")
    found = read_media_object(media_object)
    part.put_back("media", media_object.rest)
    return found


def read_media_object(media_object: Fields) -> Media:
    """By the bytes in ``data`` or the address in ``uri``."""
    mime, data, uri = media_object.take_text("mime"), media_object.take_text("data"), media_object.take_text("uri")
    if data:
        return media.media_from_base64(mime, data)
    return media.media_from_url(uri, mime) if uri.startswith("data:") else Media(media.mime_type(mime), uri=uri)
