"""The options of ``bridgecheck record``, checked before anything listens."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.errors import RefusedAtStart
from bridgecheck.model.jsonvalue import text
from bridgecheck.record.canonical import VolatilePath, parse_volatile_path
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.providers import SERVED, BadServe, Provider, parse_serve
from bridgecheck.record.traffic_edge import RecordMode
from bridgecheck.secrets import remember_environment
from bridgecheck.upstream.listener import HOST


class BadListen(RefusedAtStart):
    """--listen is no address of this machine."""


class BadVolatile(RefusedAtStart):
    """--volatile is no path."""


class MissingKey(RefusedAtStart):
    """--key-env names a variable that is not set."""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """The command line. ``key_env``: ``NAME`` or ``DIALECT=NAME``; ``command``: () to listen until interrupted."""

    serve: Sequence[str]
    out: Path
    mode: RecordMode = "record"
    listen: str = f"{HOST}:0"
    key_env: Sequence[str] = ()
    ca_file: Path | None = None
    volatile: Sequence[str] = ()
    unplayed: Literal["warn", "fail"] = "warn"
    pace: float = 0
    timeout: float = 600
    command: Sequence[str] = ()


def parse_listen(option: str) -> int:
    """Return the port of ``HOST:PORT``. Raises BadListen."""
    host, _, port = option.rpartition(":")
    expected = f"{HOST}:PORT, or {HOST}:0 for any free port"
    if not port.isdecimal() or int(port) > 65535:
        raise BadListen(f"no port in {option!r}", f"--listen {option}", expected)
    if host not in (HOST, "localhost"):
        what = "whoever reaches the edge spends your key, so it listens on this machine alone"
        raise BadListen(what, f"--listen {option}", expected)
    return int(port)


def parse_volatile(options: Iterable[str]) -> list[VolatilePath]:
    """Return the paths of --volatile. Raises BadVolatile."""
    try:
        return [parse_volatile_path(path) for path in options]
    except ValueError as error:
        raise BadVolatile(
            f"--volatile: {error}", expected="names with dots: metadata.user_id, messages.*.id"
        ) from error


def parse_providers(
    options: RecordOptions, cassettes: Mapping[ConversationKey, Cassette], environment: Mapping[str, str] = os.environ
) -> list[Provider]:
    """Return the providers of --serve, with their keys; to replay without it, those that were recorded. What the
    environment holds that may be a credential is masked from now on, and the keys however short. Raises BadServe and
    MissingKey."""
    remember_environment(environment, [option.rpartition("=")[2] for option in options.key_env])
    serve = list(options.serve)
    if not serve and options.mode == "replay":
        recorded = {key.dialect: text(cassette.metadata.get("endpoint")) for key, cassette in cassettes.items()}
        serve = [f"{dialect}={url}" for dialect, url in recorded.items() if url]
    if not serve:
        expected = f"--serve DIALECT=https://HOST with one of {', '.join(SERVED)}"
        raise BadServe("no provider is named, and none was recorded", str(options.out), expected)
    dialects = [option.partition("=")[0] for option in serve]
    for dialect in dialects:
        if dialects.count(dialect) > 1:
            raise BadServe(
                f"{dialect} is served twice", "--serve", "each dialect once; start a second edge for another"
            )
    keys = {} if options.mode == "replay" else _read_keys(options.key_env, dialects, environment)
    return [parse_serve(option, keys) for option in serve]


def _read_keys(options: Sequence[str], dialects: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    keys = {}
    for option in options:
        dialect, _, name = option.rpartition("=")
        if not dialect and len(dialects) > 1:
            what = "one key for several providers"
            raise BadServe(what, f"--key-env {option}", f"--key-env DIALECT=NAME for each of {', '.join(dialects)}")
        dialect = dialect or dialects[0]
        if dialect not in dialects:
            raise BadServe(f"{dialect} is not served", f"--key-env {option}", f"one of {', '.join(dialects)}")
        if not environment.get(name):
            what, next_step = f"the environment variable {name} is not set", f"export {name}=..., then the same command"
            raise MissingKey(what, f"--key-env {option}", "the provider's key in it", next_step)
        if not environment[name].isascii() or not environment[name].isprintable():
            raise MissingKey(f"what {name} holds is no key", f"--key-env {option}", "letters and digits of ASCII")
        keys[dialect] = environment[name]
    return keys


def command_that_records(providers: Iterable[Provider], options: RecordOptions) -> str:
    """Return the command line that records what was missed."""
    serve = [part for provider in providers for part in ("--serve", f"{provider.dialect}={provider.url}")]
    keys = [part for key_env in options.key_env for part in ("--key-env", key_env)]
    volatile = [part for path in options.volatile for part in ("--volatile", path)]
    command = ["--", *options.command] if options.command else []
    line = ["bridgecheck", "record", *serve, *keys, *volatile, "--mode", "new", "--out", str(options.out), *command]
    return shlex.join(line)
