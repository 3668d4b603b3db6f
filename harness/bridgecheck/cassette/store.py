"""Where cassettes lie, and reading and writing them.

One file per scenario, upstream dialect and mode: ``<root>/<topic>/<slug>/<dialect>.<mode>.yaml``, so that two workers
never share one. A file is written whole or not at all; nothing is written when no byte would change.
"""

import filecmp
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final, cast, get_args
from urllib.parse import urlsplit

from bridgecheck.cassette import redact, yaml_text
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.yaml_limits import TooLargeWhenRead, load_yaml
from bridgecheck.cassette.yaml_text import body_as_text_or_bytes
from bridgecheck.errors import BadCassette
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.model.scenario import file_id
from bridgecheck.wire import Dialect, JsonObject, Mode

_NEXT_STEP: Final = "bridgecheck regenerate"
_VERSION: Final = 1


def cassette_path(root: Path, scenario_id: str, dialect: Dialect, mode: Mode) -> Path:
    """``root`` is the folder ``cassettes``; ``scenario_id`` is ``topic/slug``; what is played for a client
    model has the same."""
    return root / file_id(scenario_id) / f"{dialect}.{mode}.yaml"


def find_cassette(folders: Sequence[Path], scenario_id: str, dialect: Dialect, mode: Mode) -> Path:
    """Return the path in the first of the folders that has the cassette, in the last where none has."""
    paths = [cassette_path(folder, scenario_id, dialect, mode) for folder in folders]
    return next((path for path in paths if path.is_file()), paths[-1])


def load_cassette(path: Path) -> Cassette:
    """Read a cassette. Raises BadCassette with file, position and what was expected."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise BadCassette("the cassette is not there", str(path), "a vcrpy YAML file", _NEXT_STEP) from error
    except (OSError, UnicodeDecodeError) as error:
        what = f"the cassette cannot be read: {error}"
        raise BadCassette(what, str(path), "a UTF-8 text file", _NEXT_STEP) from error
    return parse_cassette(text, str(path))


def parse_cassette(text: str, where: str) -> Cassette:
    """Return the cassette in a text. Raises BadCassette."""
    raw = _load_mapping(text, where)
    recorded = []
    for number, item in enumerate(_interaction_list(raw, where)):
        try:
            recorded.append(parse_interaction(item))
        except MalformedInteraction as error:
            position = f"{where}: interactions[{number}]"
            raise BadCassette(str(error), position, "an interaction as vcrpy writes it", _NEXT_STEP) from error
    return Cassette(obj(raw.get("metadata")), tuple(recorded), where)


def raw_interactions(text: str, where: str) -> list[object]:
    """Return the interactions of a file as raw YAML values. Raises BadCassette."""
    return _interaction_list(_load_mapping(text, where), where)


_METADATA: Final = re.compile(r"^metadata:.*\n(?:[ #].*\n|\n)*", re.MULTILINE)
_TOP_LEVEL_KEY: Final = re.compile(r"^[A-Za-z_]+:", re.MULTILINE)


def load_metadata(path: Path) -> JsonObject:
    """Return the metadata alone, without reading the interactions where the file is written in blocks; {} for a
    cassette without any. Raises BadCassette."""
    try:
        content = path.read_bytes().decode("utf-8") + "\n"
    except (OSError, UnicodeDecodeError):
        return load_cassette(path).metadata  # which says what is wrong
    block = _METADATA.search(content)
    if _TOP_LEVEL_KEY.search(content) is None:
        return obj(_load_mapping(content, str(path)).get("metadata"))
    if block is None:
        return {}
    try:
        return obj(_load_mapping(block.group(), str(path)).get("metadata"))
    except BadCassette:  # it goes on in a way of writing that is not ours
        return obj(_load_mapping(content, str(path)).get("metadata"))


def dump_cassette(cassette: Cassette) -> str:
    """Return the text of a cassette; the same cassette always gives the same text."""
    return "".join(_cassette_lines(cassette))


def _cassette_lines(cassette: Cassette) -> Iterator[str]:
    """Yield the lines of a cassette's text, of one interaction after another."""
    interactions = map(interaction_mapping, cassette.interactions) if cassette.interactions else []
    document = {"version": _VERSION, "metadata": cassette.metadata, "interactions": interactions}
    return (f"{line}\n" for line in yaml_text.yaml_lines(document))


def save_cassette(path: Path, cassette: Cassette) -> bool:
    """Write atomically; return whether a byte changed. Raises SecretFound before anything is written."""
    redact.refuse_secrets(cassette, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    # The process id keeps two processes that write the same cassette from sharing a half-written file.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines(_cassette_lines(cassette))
        if path.is_file() and filecmp.cmp(path, draft, shallow=False):
            return False
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _interaction_list(raw: Mapping[str, object], where: str) -> list[object]:
    interactions = raw.get("interactions")
    if not isinstance(interactions, list):
        raise BadCassette("this is no cassette", where, "a top-level list `interactions`", _NEXT_STEP)
    return interactions


def _load_mapping(text: str, where: str) -> Mapping[str, object]:
    import yaml

    try:
        raw = load_yaml(text)
    except TooLargeWhenRead as error:
        raise BadCassette(f"this YAML cannot be read: {error}", where, "a vcrpy v1 cassette", _NEXT_STEP) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = error.problem or "broken YAML"
        raise BadCassette(f"broken YAML: {problem}", f"{where}:{line}", "a vcrpy v1 cassette", _NEXT_STEP) from error
    except yaml.YAMLError as error:
        raise BadCassette(f"broken YAML: {error}", where, "a vcrpy v1 cassette", _NEXT_STEP) from error
    if not isinstance(raw, dict):
        raise BadCassette("this is no cassette", where, "a mapping with `interactions`", _NEXT_STEP)
    return raw


_STREAM_ENDS: Final[frozenset[str]] = frozenset(get_args(End))


class MalformedInteraction(ValueError):
    """An interaction lacks something it must have; the text says what."""


def parse_interaction(raw: object) -> RecordedInteraction:
    """Return the interaction in one YAML value. Raises MalformedInteraction.

    vcrpy's shapes: header values are lists (a single string in old files); a request body is text, ``!!binary`` or
    null; a response body stands in ``body.string``. Ours adds ``response.stream``; without it the body is one chunk
    with a complete end.
    """
    request, response = obj(obj(raw).get("request")), obj(obj(raw).get("response"))
    if not request or not response:
        raise MalformedInteraction("an interaction needs a request and a response mapping")
    address = urlsplit(_required_text(request, "uri"))
    path = address.path + (f"?{address.query}" if address.query else "")
    status = integer(obj(response.get("status")).get("code"))
    if status is None:
        raise MalformedInteraction("response.status.code is no number")
    body = _body_bytes(obj(response.get("body")).get("string"), "response.body.string")
    chunks, t_ms, end = _split_chunks(body, response)
    return RecordedInteraction(
        HttpRequest(
            _required_text(request, "method"),
            path,
            _flatten_header_lists(request),
            _body_bytes(request.get("body"), "request.body"),
        ),
        status, _flatten_header_lists(response), chunks, end, t_ms, f"{address.scheme}://{address.netloc}",
    )  # fmt: skip


def interaction_mapping(recorded: RecordedInteraction) -> JsonObject:
    """Return the mapping that ``parse_interaction`` reads back."""
    request = recorded.request
    response: JsonObject = {
        "headers": _header_lists(recorded.headers),
        "body": {"string": body_as_text_or_bytes(recorded.body)},
        "stream": {"ends": list(_chunk_ends(recorded.chunks)), "t_ms": list(recorded.t_ms), "end": recorded.end},
        # Last, as vcrpy has it, and required: a truncated file lacks it.
        "status": {"code": recorded.status, "message": reason_phrase(recorded.status)},
    }
    return {
        "request": {
            "method": request.method, "uri": recorded.origin + request.path, "headers": _header_lists(request.headers),
            "body": body_as_text_or_bytes(request.body) if request.body else None,
        },
        "response": response,
    }  # fmt: skip


def _split_chunks(body: bytes, response: JsonObject) -> tuple[tuple[bytes, ...], tuple[int, ...], End]:
    stream = response.get("stream")
    if stream is None:
        return ((body,) if body else ()), (), "complete"
    end = obj(stream).get("end", "complete")
    if end not in _STREAM_ENDS:
        raise MalformedInteraction(f"response.stream.end is {end!r}, expected one of {', '.join(sorted(_STREAM_ENDS))}")
    ends = _check_integers(obj(stream).get("ends"), "ends")
    if list(ends) != sorted(ends) or (ends[-1] if ends else 0) != len(body):
        raise MalformedInteraction(f"response.stream.ends must rise and end at the body's {len(body)} bytes")
    t_ms = _check_integers(obj(stream).get("t_ms"), "t_ms")
    starts = (0, *ends[:-1])
    return tuple(body[start:stop] for start, stop in zip(starts, ends, strict=False)), t_ms, cast(End, end)


def _chunk_ends(chunks: tuple[bytes, ...]) -> Iterator[int]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        yield total


def _check_integers(value: object, name: str) -> tuple[int, ...]:
    integers = tuple(number for item in arr(value) if (number := integer(item)) is not None)
    if len(integers) != len(arr(value)):
        raise MalformedInteraction(f"response.stream.{name} is no list of integers")
    return integers


def _required_text(mapping: JsonObject, key: str) -> str:
    value = mapping.get(key)
    if not isinstance(value, str) or not value:
        raise MalformedInteraction(f"request.{key} is missing")
    return value


def _body_bytes(value: object, name: str) -> bytes:
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode("utf-8")
    if not isinstance(value, bytes):
        raise MalformedInteraction(f"{name} is neither text nor bytes")
    return value


def _flatten_header_lists(mapping: JsonObject) -> Headers:
    return tuple(
        (name.lower(), str(value))
        for name, values in obj(mapping.get("headers")).items()
        for value in (values if isinstance(values, list) else [values])
    )


def _header_lists(headers: Headers) -> JsonObject:
    return {name: [value for key, value in headers if key == name] for name, _ in headers}


def reason_phrase(status: int) -> str:
    """Return the words of a status, "" for one that has none."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
