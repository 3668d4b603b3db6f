"""Where cassettes lie, and reading and writing them.

One file per scenario, upstream dialect and mode: ``<root>/<topic>/<slug>/<dialect>.<mode>.yaml``, so that two workers
never share one. A file is written whole or not at all; nothing is written when no byte would change.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridgecheck.cassette import parse, redact, yaml_text
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.errors import BadCassette
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, Mode

_MEND: Final = "bridgecheck regenerate"
_VERSION: Final = 1


def cassette_path(root: Path, scenario_id: str, dialect: Dialect, mode: Mode) -> Path:
    """``root`` is the folder ``cassettes``; ``scenario_id`` is ``topic/slug``."""
    return root / scenario_id / f"{dialect}.{mode}.yaml"


def load(path: Path) -> Cassette:
    """Raises BadCassette with file, position and what was expected."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise BadCassette("the cassette is not there", str(path), "a vcrpy YAML file", _MEND) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadCassette(f"the cassette cannot be read: {error}", str(path), "a UTF-8 text file", _MEND) from error
    return parsed(text, str(path))


def parsed(text: str, where: str) -> Cassette:
    """A cassette from its text. Raises BadCassette."""
    raw = _mapping(text, where)
    recorded = []
    for number, item in enumerate(_interactions(raw, where)):
        try:
            recorded.append(parse.interaction(item))
        except parse.Malformed as error:
            position = f"{where}: interactions[{number}]"
            raise BadCassette(str(error), position, "an interaction as vcrpy writes it", _MEND) from error
    return Cassette(obj(raw.get("metadata")), tuple(recorded), where)


def interactions_of(text: str, where: str) -> list[object]:
    """The interactions as they stand in the file, not yet looked at. Raises BadCassette."""
    return _interactions(_mapping(text, where), where)


def dumped(cassette: Cassette) -> str:
    """The text of a cassette; the same cassette always gives the same text."""
    return yaml_text.document(
        {
            "version": _VERSION,
            "metadata": cassette.metadata,
            "interactions": [parse.to_yaml(recorded) for recorded in cassette.interactions],
        }
    )


def save(path: Path, cassette: Cassette) -> bool:
    """Writes atomically; returns whether a byte changed. Raises SecretFound before anything is written."""
    redact.refuse_secrets(cassette, str(path))
    data = dumped(cassette).encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    # The process id keeps two processes that write the same cassette from sharing a half-written file.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _interactions(raw: Mapping[str, object], where: str) -> list[object]:
    interactions = raw.get("interactions")
    if not isinstance(interactions, list):
        raise BadCassette("this is no cassette", where, "a top-level list `interactions`", _MEND)
    return interactions


def _mapping(text: str, where: str) -> Mapping[str, object]:
    import yaml

    try:
        raw = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = error.problem or "broken YAML"
        raise BadCassette(f"broken YAML: {problem}", f"{where}:{line}", "a vcrpy v1 cassette", _MEND) from error
    except yaml.YAMLError as error:
        raise BadCassette(f"broken YAML: {error}", where, "a vcrpy v1 cassette", _MEND) from error
    if not isinstance(raw, dict):
        raise BadCassette("this is no cassette", where, "a mapping with `interactions`", _MEND)
    return raw
