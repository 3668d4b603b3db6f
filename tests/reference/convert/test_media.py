"""Images, sound and files."""

import pytest

from bridgecheck_reference.convert.gemini import media
from bridgecheck_reference.convert.media import decode_base64_or_empty
from bridgecheck_reference.loss import Losses

PNG = "iVBORw0KGgo="


@pytest.mark.parametrize(
    ("blob", "content"),
    [
        ({"mimeType": "image/png", "data": PNG}, {"url": f"data:image/png;base64,{PNG}"}),
        ({"mime_type": "image/png", "data": PNG}, {"url": f"data:image/png;base64,{PNG}"}),
        ({"data": "_-8"}, {"url": "data:image/jpeg;base64,/+8="}),
    ],
)
def test_inline_images(blob: object, content: object) -> None:
    assert media.inline_to_content(blob, "p", Losses()) == {"type": "image_url", "image_url": content}


@pytest.mark.parametrize(("mime", "form"), [("audio/wav", "wav"), ("audio/x-wav", "wav"), ("audio/mpeg", "mp3")])
def test_inline_sound(mime: str, form: str) -> None:
    converted = media.inline_to_content({"mimeType": mime, "data": "UklGRg=="}, "p", Losses())
    assert converted == {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": form}}


@pytest.mark.parametrize("mime", ["video/mp4", "audio/flac"])
def test_what_openai_does_not_take_is_named_in_text_and_a_loss(mime: str) -> None:
    losses = Losses()
    converted = media.inline_to_content({"mimeType": mime, "data": "AAAA"}, "here", losses)
    assert converted == {"type": "text", "text": f"[inlineData: mimeType={mime}]"}
    assert [loss.path for loss in losses] == ["here"]


@pytest.mark.parametrize(
    ("audio", "expected"),
    [
        ("UklGRg==", {"mimeType": "audio/wav", "data": "UklGRg=="}),
        ("data:audio/mpeg;base64,SUQz", {"mimeType": "audio/mpeg", "data": "SUQz"}),
        ({"data": "SUQz", "format": "mp3"}, {"mimeType": "audio/mpeg", "data": "SUQz"}),
    ],
)
def test_sound_in_any_form(audio: object, expected: object) -> None:
    assert media.audio_to_part(audio) == {"inlineData": expected}


@pytest.mark.parametrize("audio", ["", {}, {"format": "wav"}, None, 5])
def test_no_sound_is_no_part(audio: object) -> None:
    assert media.audio_to_part(audio) is None


def test_documents_become_files() -> None:
    converted = media.inline_to_content({"mimeType": "application/pdf", "data": "JVBERi0="}, "p", Losses())
    assert converted == {
        "type": "file",
        "file": {"filename": "file.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    }


def test_file_references() -> None:
    image = {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}
    assert media.file_to_content(image, "p", Losses())["image_url"] == {"url": "https://example.com/a.png"}
    stored = {"mime_type": "video/mp4", "file_uri": "gs://bucket/v.mp4"}
    assert media.file_to_content(stored, "p", Losses()) == {
        "type": "text",
        "text": "[fileData: mimeType=video/mp4, uri=gs://bucket/v.mp4]",
    }


@pytest.mark.parametrize(
    ("url", "part"),
    [
        (f"data:image/webp;base64,{PNG}", {"inlineData": {"mimeType": "image/webp", "data": PNG}}),
        (f"DATA:Image/PNG;charset=x;Base64,{PNG[:8]}\n{PNG[8:]}",
         {"inlineData": {"mimeType": "image/png", "data": PNG}}),
        ("data:text/plain,a%20b%zz", {"inlineData": {"mimeType": "text/plain", "data": "YSBiJXp6"}}),
        ("https://example.com/a.PNG?x=1", {"fileData": {"mimeType": "image/png",
                                                        "fileUri": "https://example.com/a.PNG?x=1"}}),
        ("https://example.com/a", {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://example.com/a"}}),
    ],
)  # fmt: skip
def test_urls(url: str, part: object) -> None:
    assert media.image_to_part({"url": url}) == part
    assert media.image_to_part(url) == part


def test_files_with_data_and_by_id() -> None:
    bare = {"filename": "notes.csv", "file_data": "YSxi"}
    assert media.file_to_part(bare) == {"inlineData": {"mimeType": "text/csv", "data": "YSxi"}}
    assert media.file_to_part({"file_id": "file-123"}) is None


def test_spoken_output_is_known_by_its_first_bytes() -> None:
    assert media.sound_to_part_with_detected_mime(b"RIFF....")["inlineData"] == {
        "mimeType": "audio/wav",
        "data": "UklGRi4uLi4=",
    }
    assert media.sound_to_part_with_detected_mime(b"\x01\x02")["inlineData"] == {
        "mimeType": "audio/pcm",
        "data": "AQI=",
    }


@pytest.mark.parametrize(("encoded", "raw"), [("_-8", b"\xff\xef"), ("YQ==", b"a"), ("no base64!", b"")])
def test_decoding(encoded: str, raw: bytes) -> None:
    assert decode_base64_or_empty(encoded) == raw
