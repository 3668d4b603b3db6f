"""What is exported is played by plain vcrpy and by google-genai's replay client, as the tools are installed here."""

from pathlib import Path

import pytest
import vcr
from google import genai
from google.genai.client import DebugConfig
from google.genai.errors import APIError
from httpx import Client

from bridgecheck.cassette import store
from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction

from .conftest import RECORDINGS, ROOT

CORPUS = ROOT / "cassettes"
REPLAY = RECORDINGS / "google-genai-3.4.0" / "replays" / "answers" / "mldev.json"
PROMPT = "Say hello to Zoë"
MODEL = "gemini-2.5-flash"


def write_text(cassette: Cassette, name: str) -> str:
    write = FORMATS[name].write  # type: ignore[index]
    assert write is not None
    return write(cassette).text


def corpus_cassette(pattern: str) -> Path:
    return next(iter(sorted(CORPUS.glob(pattern))))


@pytest.mark.parametrize(
    "path", [corpus_cassette(f"{topic}/*/{kind}.yaml") for topic, kind in (
        ("unicode", "gemini.stream"), ("errors", "openai-chat.unary"), ("tools", "anthropic.stream"))],
    ids=lambda path: "/".join(path.parts[-3:]),
)  # fmt: skip
def test_vcrpy_plays_an_export(tmp_path: Path, path: Path) -> None:
    cassette = store.load_cassette(path)
    file = tmp_path / "export.yaml"
    file.write_text(write_text(cassette, "vcrpy"), encoding="utf-8")
    with vcr.use_cassette(str(file), record_mode="none") as played, Client() as client:
        for recorded in cassette.interactions:
            request = recorded.request
            response = client.request(
                request.method, recorded.origin + request.path, content=request.body, headers=list(request.headers)
            )
            assert (response.status_code, response.content) == (recorded.status, recorded.body)
    assert played.all_played


@pytest.fixture
def imported_replay() -> Cassette:
    """The calls of google-genai's own replay file, as an import makes cassettes of them."""
    from bridgecheck.cassette.import_recordings import import_file

    (cassette,) = import_file(REPLAY, REPLAY.parent, "google-genai").cassettes.values()
    return cassette


def replay_client(folder: Path, cassette: Cassette) -> genai.Client:
    file = folder / "a" / "b" / "mldev.json"
    file.parent.mkdir(parents=True)
    file.write_text(write_text(cassette, "google-genai"), encoding="utf-8")
    debug = DebugConfig(client_mode="replay", replay_id="a/b/mldev", replays_directory=str(folder))
    return genai.Client(api_key="unused", vertexai=False, debug_config=debug)


def test_google_genai_plays_an_export(tmp_path: Path, imported_replay: Cassette) -> None:
    client = replay_client(tmp_path, imported_replay)
    assert client.models.generate_content(model=MODEL, contents=PROMPT).text == "Hello, Zoë!"
    events = client.models.generate_content_stream(model=MODEL, contents=PROMPT)
    assert [event.text for event in events] == ["Hello, ", "Zoë!"]


def test_google_genai_refuses_another_request_for_an_export(tmp_path: Path, imported_replay: Cassette) -> None:
    with pytest.raises(AssertionError, match="Request body mismatch"):
        replay_client(tmp_path, imported_replay).models.generate_content(model=MODEL, contents="Another")


def test_google_genai_plays_a_failure(tmp_path: Path, imported_replay: Cassette) -> None:
    first = imported_replay.interactions[0]
    body = b'{"error": {"code": 429, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}}'
    failed = RecordedInteraction(first.request, 429, first.headers, (body,), origin=first.origin)
    with pytest.raises(APIError, match="Slow down") as raised:
        replay_client(tmp_path, Cassette({}, (failed,))).models.generate_content(model=MODEL, contents=PROMPT)
    assert raised.value.code == 429
