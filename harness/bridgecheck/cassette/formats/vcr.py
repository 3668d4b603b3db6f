"""vcrpy: YAML and JSON of version 1, in every form that vcrpy has written since.

Responses have had two forms: ``status`` with ``body.string``, and of httpx with vcrpy 4 and 5 ``status_code`` with
``content``, which is decoded although the header still names an encoding. A header is a list or, in old files, one
text. Source: vcr/stubs/httpx_stubs.py and vcr/serializers of vcrpy 5.1.0 and 9.4.2, read 2026-11-23.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from bridgecheck.cassette import store, yaml_text
from bridgecheck.cassette.formats.interaction_list import list_interactions
from bridgecheck.cassette.formats.item import Found, item_of_bytes
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject

SHAPE: Final = "a vcrpy v1 cassette"


def read_vcr(data: bytes, file: str, stem: str) -> Iterator[Found]:
    """Yield the items of a cassette. ``stem``: the beginning of their ids."""
    for raw in list_interactions(data, file, SHAPE):
        if raw.bad is not None:
            yield raw.bad
            continue
        parse = partial(store.parse_interaction, _to_current_form(raw.value))
        yield item_of_bytes(parse, raw.where, f"{stem}/{raw.number:04d}", SHAPE)


def write_vcr(cassette: Cassette) -> str:
    """Return a cassette with what vcrpy itself writes and nothing else."""
    interactions: list[JsonObject] = []
    for recorded in cassette.interactions:
        mapping = store.interaction_mapping(recorded)
        response = {name: value for name, value in obj(mapping["response"]).items() if name != "stream"}
        interactions.append({**mapping, "response": response})
    return yaml_text.dump_yaml({"version": 1, "interactions": interactions})


def _to_current_form(value: object) -> object:
    """Return an interaction with ``status`` and ``body``, whatever form its response has."""
    response = obj(obj(value).get("response"))
    if "status_code" not in response:
        return value
    body = {"string": response.get("content")} if "content" in response else response.get("body")
    current = {"status": {"code": response["status_code"]}, "headers": response.get("headers"), "body": body}
    return {**obj(value), "response": current}
