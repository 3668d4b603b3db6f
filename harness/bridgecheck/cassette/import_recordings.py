"""Recordings of other tools as cassettes: scrubbed, searched for secrets, and labelled with where they come from."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from bridgecheck.cassette import redact, traffic
from bridgecheck.cassette.formats.documents import recorded_or_encoded
from bridgecheck.cassette.formats.item import UNMODELLED, TrafficItem
from bridgecheck.cassette.formats.names import FormatName
from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.prepare import prepare_for_writing
from bridgecheck.cassette.stand_ins import StandIns
from bridgecheck.codec.body import decompress_body_if_possible
from bridgecheck.errors import BadRecording, BadTraffic
from bridgecheck.model.exchange import Headers
from bridgecheck.wire import JsonObject

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_OTHER_ADDRESS: Final = "to an address of no API that bridgecheck knows"
_ENCODING: Final = "content-encoding"


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """``cassettes``: by their path below the folder of the import. ``left_out``: per reason how many interactions have
    no place in them. ``headers``: the names of those that were dropped. ``masked``: how many addresses were, and
    ``stand_ins``: how many ids have a stand-in."""

    file: Path
    format: FormatName
    cassettes: dict[PurePosixPath, Cassette]
    left_out: Counter[str]
    headers: frozenset[str]
    masked: int
    stand_ins: int

    @property
    def interactions(self) -> int:
        return sum(len(cassette.interactions) for cassette in self.cassettes.values())


def import_file(file: Path, base: Path, name: FormatName) -> ImportedFile:
    """Return the cassettes of a file; paths begin with that of the file below ``base``. Raises BadRecording for a
    broken one, SecretFound for one that holds something that looks like a credential."""
    items = _read_or_refuse(file, base, name)
    preserved = [item for item in items if UNMODELLED not in item.notes]
    recordings = {id(item): recorded_or_encoded(item) for item in preserved}
    headers, masked, replaced = set[str](), 0, 0
    cassettes: dict[PurePosixPath, Cassette] = {}
    for path, group in _group_items(preserved, traffic.stem_of(file, base), name).items():
        stand_ins = StandIns()
        before = [recordings[id(item)] for item in group]
        after = prepare_for_writing([_without_false_encoding(recorded) for recorded in before], stand_ins)
        cassettes[path] = Cassette(_metadata(group, file.relative_to(base), name), after, str(file))
        redact.refuse_secrets(cassettes[path], str(file))
        for raw, prepared in zip(before, after, strict=True):
            headers |= _dropped_header_names(raw, prepared)
            masked += redact.mask_request(raw.request).path != raw.request.path
        replaced += len(stand_ins.known)
    left_out = Counter({_OTHER_ADDRESS: len(items) - len(preserved)})
    return ImportedFile(file, name, cassettes, +left_out, frozenset(headers), masked, replaced)


def _without_false_encoding(recorded: RecordedInteraction) -> RecordedInteraction:
    """Return an interaction without the header that names an encoding where the body was preserved decoded, or a client
    would try to decode it again."""
    if decompress_body_if_possible(recorded.body, recorded.headers) != recorded.body:
        return recorded
    headers = tuple((name, value) for name, value in recorded.headers if name.lower() != _ENCODING)
    return replace(recorded, headers=headers)


def _read_or_refuse(file: Path, base: Path, name: FormatName) -> list[TrafficItem]:
    found = list(traffic.read_file(file, base, name))
    bad = [item for item in found if isinstance(item, BadTraffic)]
    if bad:
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        expected = bad[0].expected or FORMATS[name].expected
        next_step = f"bridgecheck import {file} --format NAME, if it is of another format; else mend it"
        raise BadRecording(f"{bad[0].what}{more}", bad[0].where, expected, next_step)
    return [item for item in found if isinstance(item, TrafficItem)]


def _group_items(items: list[TrafficItem], stem: str, name: FormatName) -> dict[PurePosixPath, list[TrafficItem]]:
    """Return the items by the cassette they belong in: one a file, of JSON lines one a conversation."""
    groups: dict[PurePosixPath, list[TrafficItem]] = {}
    for item in items:
        inside = f"/{_UNSAFE.sub('-', item.group or item.id).strip('-.')}" if name == "jsonl" else ""
        groups.setdefault(PurePosixPath(f"{stem}{inside}.yaml"), []).append(item)
    return groups


def _metadata(items: list[TrafficItem], file: Path, name: FormatName) -> JsonObject:
    """Return the metadata of a cassette; dialect, mode and model where all interactions share one."""
    responses = [item.interaction.response for item in items]
    models = [item.interaction.request.model for item in items if item.interaction.request is not None]
    shared = {
        "dialect": _common_value(response.dialect for response in responses),
        "mode": _common_value(response.mode for response in responses),
        "model": _common_value(models),
        "recorded_at": min((item.recorded_at for item in items if item.recorded_at), default=""),
    }
    notes = sorted({note for item in items for note in item.notes})
    notes += ["no_request"] if any(item.interaction.request is None for item in items) else []
    return {
        "source": "imported", **{key: value for key, value in shared.items() if value},
        "imported_from": {"format": name, "file": file.as_posix(), **({"notes": notes} if notes else {})},
        "not_carried": list(FORMATS[name].not_read),
    }  # fmt: skip


def _common_value(values: Iterator[str] | list[str]) -> str:
    found = set(values)
    return found.pop() if len(found) == 1 else ""


def _dropped_header_names(before: RecordedInteraction, after: RecordedInteraction) -> set[str]:
    return (_names(before.headers) - _names(after.headers)) | (
        _names(before.request.headers) - _names(after.request.headers)
    )


def _names(headers: Headers) -> set[str]:
    return {name for name, _ in headers}
