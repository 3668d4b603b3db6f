"""What the real tools recorded of one provider is read as the same calls, whichever tool it was."""

import gzip
from pathlib import Path

import pytest
from provider import CALLS, GZIPPED

from bridgecheck.cassette import traffic
from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.jsonvalue import obj

from .conftest import RECORDINGS

WHOLE = sorted(
    file.relative_to(RECORDINGS).as_posix()
    for pattern in ("vcrpy-*/*", "cassetter-*/*", "mitmproxy-*/*")
    for file in RECORDINGS.glob(pattern)
)
FORMAT_OF_FOLDER = {
    "vcrpy": "vcrpy", "cassetter": "cassetter", "mitmproxy": "har", "google-genai": "google-genai",
    "gemini-cli": "gemini-cli", "aimock": "aimock",
}  # fmt: skip
HELLO = "Hello, Zoë!"


def read(file: Path) -> list[TrafficItem]:
    items = list(traffic.read_traffic(file))
    assert all(isinstance(item, TrafficItem) for item in items), items
    return [item for item in items if isinstance(item, TrafficItem)]


def texts(interaction: Interaction) -> str:
    """Return the text of an answer, in whatever dialect."""
    found = ""
    for document in interaction.response.documents:
        for candidate in obj(document).get("candidates", []):  # type: ignore[attr-defined]
            found += "".join(part.get("text", "") for part in candidate["content"]["parts"])
        for choice in obj(document).get("choices", []):  # type: ignore[attr-defined]
            found += obj(choice.get("message") or choice.get("delta")).get("content") or ""  # type: ignore[operator]
        for block in obj(document).get("content", []):  # type: ignore[attr-defined]
            found += block["text"]
    return found


def test_every_tool_is_here() -> None:
    names = {folder.name.rpartition("-")[0] for folder in RECORDINGS.iterdir()}
    assert names == FORMAT_OF_FOLDER.keys()
    assert len(WHOLE) == 2 * 4 + 6 + 1


@pytest.mark.parametrize(
    "file", sorted(RECORDINGS.rglob("*.*")), ids=lambda file: file.relative_to(RECORDINGS).as_posix()
)
def test_the_format_is_found_by_the_content(file: Path) -> None:
    if file.is_file():
        tool = file.relative_to(RECORDINGS).parts[0].rpartition("-")[0]
        assert traffic.find_format(file) == FORMAT_OF_FOLDER[tool]


@pytest.mark.parametrize("name", WHOLE)
def test_the_same_calls_in_the_same_order(name: str) -> None:
    items = read(RECORDINGS / name)
    expected = [*CALLS.items(), *([("gzip", GZIPPED)] if len(items) > len(CALLS) else [])]
    assert len(items) == len(expected) and (len(items) > len(CALLS) or name.endswith(".json"))
    for item, (title, call) in zip(items, expected, strict=True):
        request, response = item.interaction.request, item.interaction.response
        assert request is not None
        assert request.body == call.body, title
        assert request.path == call.path, title
        assert response.mode == ("stream" if title.endswith("stream") else "unary"), title
        assert response.status == (429 if title == "chat-error" else 200), title
        assert dict(response.headers).get("retry-after") == ("1" if title == "chat-error" else None)
        assert texts(item.interaction) == ("" if title == "chat-error" else "Hello" if "claude" in title else HELLO)
        assert response.text == ""


def test_google_genai_replays() -> None:
    unary, stream = read(RECORDINGS / "google-genai-3.4.0" / "replays" / "answers" / "mldev.json")
    assert [len(item.interaction.response.documents) for item in (unary, stream)] == [1, 2]
    assert [texts(item.interaction) for item in (unary, stream)] == [HELLO, HELLO]
    assert [item.interaction.response.mode for item in (unary, stream)] == ["unary", "stream"]
    assert unary.interaction.request is not None
    assert unary.interaction.request.model == "gemini-2.5-flash"
    assert unary.interaction.request.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert unary.notes == ("url_assumed",)


def test_gemini_cli_responses() -> None:
    (item,) = read(next(RECORDINGS.glob("gemini-cli-*/*.responses")))
    assert texts(item.interaction) == HELLO
    assert (item.interaction.request, item.interaction.response.mode) == (None, "stream")
    assert item.notes == ("sdk_level", "url_assumed")


def test_aimock_fixtures() -> None:
    found = {file.name.partition("-")[0]: [] for file in RECORDINGS.glob("aimock-*/*.json")}  # type: ignore[var-annotated]
    for file in sorted(RECORDINGS.glob("aimock-*/*.json")):
        found[file.name.partition("-")[0]] += read(file)
    assert {name: len(items) for name, items in found.items()} == {"anthropic": 1, "gemini": 1, "openai": 2}
    answers = [item.interaction for items in found.values() for item in items]
    assert sorted(map(texts, answers)) == ["", "Hello", HELLO, HELLO]
    assert sorted(answer.response.status for answer in answers) == [200, 200, 200, 429]
    prompts = {answer.request.body["messages"][0]["content"] for answer in answers if answer.request}  # type: ignore[index]
    assert prompts == {"Say hello", "Say hello to Zoë", "Too fast"}


@pytest.mark.parametrize("name", [*WHOLE[::4], "gemini-cli-0.61.0/hello.responses"])
def test_packed_files_are_read_alike(tmp_path: Path, name: str) -> None:
    plain = RECORDINGS / name
    packed = tmp_path / f"{plain.name}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [item.interaction for item in read(packed)] == [item.interaction for item in read(plain)]


def test_cassetter_sorts_by_address_and_is_put_in_order_again() -> None:
    text = next(RECORDINGS.glob("cassetter-*/httpx.yaml")).read_text()
    assert text.index("/v1/chat/completions") < text.index("/v1beta/models")
    first = read(next(RECORDINGS.glob("cassetter-*/httpx.yaml")))[0]
    assert first.interaction.response.dialect == "gemini"
