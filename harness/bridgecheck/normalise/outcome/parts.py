"""The parts that requests and answers share: calls and media."""

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields, decode_arguments


def read_call_without_signature(part: Fields) -> ToolCall:
    """Read the call in ``tool_call``; what was not understood is put back."""
    with part.child("tool_call") as call:
        name, call_id = call.take_text("name"), call.take_text("id")
        args, bad = decode_arguments(call.take_text("args_text"))
        if isinstance(call.rest.get("args"), dict):
            args, bad = call.take_child("args").rest, None
    return ToolCall(name, args, call_id, bad)


def read_media(part: Fields) -> Media:
    with part.child("media") as media_object:
        return read_media_data_or_uri(media_object)


def read_media_data_or_uri(media_object: Fields) -> Media:
    mime, data, uri = media_object.take_text("mime"), media_object.take_text("data"), media_object.take_text("uri")
    if data:
        return media.media_from_base64(mime, data)
    return media.media_from_url(uri, mime) if uri.startswith("data:") else Media(media.usual_mime(mime), uri=uri)
