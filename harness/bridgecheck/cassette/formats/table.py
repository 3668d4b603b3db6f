"""The formats by name: how each is read and written, and what it cannot carry. docs/formats.md is written from it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final, TypeAlias

from bridgecheck.cassette.formats import aimock, cassetter, gemini_cli, google_genai, har, json_lines, vcr
from bridgecheck.cassette.formats.item import Found
from bridgecheck.cassette.formats.names import FormatName
from bridgecheck.cassette.formats.output import Written
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.errors import BadTraffic

MAX_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a file that is read as a whole."""

Reader: TypeAlias = Callable[[IO[bytes], str, str], Iterator[Found]]
"""(stream, name of the file, beginning of the ids) -> interactions, and what is wrong with others."""


@dataclass(frozen=True, slots=True)
class Format:
    """``title``: with its owner; ``expected``: a file of it, in words; ``suffixes``: of files of it in a folder;
    ``not_read``: what an import cannot carry, since the format does not hold it or bridgecheck does not take it;
    ``write``: None for a format that is only read; ``suffix``: of a written file; ``not_written``: what an export
    cannot carry; ``play``: how a written file is played."""

    name: FormatName
    title: str
    expected: str
    suffixes: tuple[str, ...]
    read: Reader
    not_read: tuple[str, ...]
    write: Callable[[Cassette], Written] | None = None
    suffix: str = ""
    not_written: tuple[str, ...] = ()
    play: str = ""


def _whole(read: Callable[[bytes, str, str], Iterator[Found]]) -> Reader:
    """Return a reader of files that are read as a whole."""

    def read_stream(stream: IO[bytes], file: str, stem: str) -> Iterator[Found]:
        data = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(data) > MAX_DOCUMENT_BYTES:
            yield BadTraffic(f"the file has more than {MAX_DOCUMENT_BYTES} bytes", file, "several smaller files")
            return
        yield from read(data, file, stem)

    return read_stream


def _write_vcr(cassette: Cassette) -> Written:
    return Written(vcr.write_vcr(cassette), len(cassette.interactions), Counter())


_PACE: Final = "where chunks began and when they arrived"
_ENDING: Final = "how a stream broke off"
_SPACING: Final = "spacing of JSON and framing of streams as they were sent"

FORMATS: Final[dict[FormatName, Format]] = {
    entry.name: entry
    for entry in (
        Format(
            "vcrpy", "vcrpy (kevin1024/vcrpy), YAML or JSON", vcr.SHAPE, (".yaml", ".yml", ".json"),
            _whole(vcr.read_vcr), (_PACE, _ENDING), _write_vcr, ".yaml",
            (_PACE, f"{_ENDING}: it is played as a whole one", "the metadata of the cassette"),
            "put it where vcr.use_cassette or pytest --record-mode=none looks for it",
        ),
        Format(
            "cassetter", "cassetter (Kludex/cassetter), YAML or TOML", cassetter.SHAPE,
            (".yaml", ".yml", ".json", ".toml"), _whole(cassetter.read_cassetter),
            (_PACE, _ENDING, "spacing of JSON bodies", "content encodings", "gRPC and WebSocket calls"),
        ),
        Format(
            "gemini-cli", "gemini-cli (google-gemini/gemini-cli) --record-responses", gemini_cli.SHAPE,
            (".responses", ".jsonl", ".json"), gemini_cli.read_gemini_cli,
            ("requests, models and addresses", "statuses, headers and failures", _PACE, _SPACING,
             "all members but candidates and usageMetadata, and the ids of calls before the CLI renamed them"),
            gemini_cli.write_gemini_cli, ".responses",
            ("requests, models and addresses", "statuses, headers and failures", _PACE, _ENDING,
             "what other dialects say", "metadata of the cassette"),
            "gemini --fake-responses FILE -p PROMPT -m MODEL",
        ),
        Format(
            "google-genai", "google-genai (googleapis/python-genai) replay file", google_genai.SHAPE, (".json",),
            _whole(google_genai.read_google_genai),
            ("host, API version, project and location", "details of errors", _PACE, _ENDING, _SPACING),
            google_genai.write_google_genai, ".json",
            ("host, API version, project and location", _PACE, _ENDING, _SPACING, "what other dialects say",
             "calls that generate nothing", "repeated headers", "metadata of the cassette"),
            "DebugConfig(client_mode='replay', replay_id='A/B/C', replays_directory=DIR) for the file DIR/A/B/C.json",
        ),
        Format(
            "har", "HTTP archive (HAR 1.2)", har.SHAPE, (".har", ".json"), _whole(har.read_har),
            (_PACE, _ENDING, "cookies, timings, pages and caches", "content encodings"),
            har.write_har, ".har", (_PACE, _ENDING, "content encodings", "metadata of the cassette"),
            "mitmdump --server-replay FILE, or routeFromHAR of Playwright",
        ),
        Format(
            "aimock", "aimock (CopilotKit/aimock) fixtures", aimock.SHAPE, (".json",), _whole(aimock.read_aimock),
            ("requests but for the user and system message that is matched", "headers", _PACE, _SPACING,
             "the dialect: read as Chat Completions", "conditions on turns, tools and sequence",
             "thinking signatures, searches, chaos and streaming profiles"),
        ),
        Format(
            "jsonl", "JSON lines of recorded traffic", json_lines.SHAPE, (".jsonl",), json_lines.read_json_lines,
            ("headers but for the content type", _PACE, _ENDING, _SPACING),
        ),
    )
}  # fmt: skip

SUFFIXES: Final = tuple(dict.fromkeys(suffix for entry in FORMATS.values() for suffix in entry.suffixes))
WRITABLE: Final = tuple(name for name, entry in FORMATS.items() if entry.write is not None)
