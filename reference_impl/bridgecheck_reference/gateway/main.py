"""The command ``bridgecheck-reference``. The web server is imported when it is started."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck_reference.errors import ConfigError
from bridgecheck_reference.gateway.config import (
    DEFAULT_LISTEN,
    GEMINI_CLI,
    FileSettings,
    GatewayConfig,
    UpstreamCommand,
    base_url,
    build_config,
    dialect_of,
    read_hosts,
    read_key,
    read_toml_file,
    repeated_version,
)
from bridgecheck_reference.providers.gemini_cli import read_command

EXIT_BAD_SETTINGS: Final = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 stopped by a signal, 2 settings that cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        config, (host, port) = settings(options, os.environ)
        _serve(config, host, port, log_problems_only=options.quiet)
    except ConfigError as error:
        _print_to_stderr(str(error))
        sys.exit(EXIT_BAD_SETTINGS)


def settings(options: argparse.Namespace, env: Mapping[str, str]) -> tuple[GatewayConfig, tuple[str, int]]:
    """What to serve, and where. The command line comes before the file. ``ConfigError`` for what cannot be used."""
    file = read_toml_file(options.config) if options.config is not None else FileSettings()
    listed: dict[Dialect, tuple[str, str]] = {}
    program, upstreams, key_envs = _split_program(options, env)
    for text in upstreams:
        dialect, url = _parse_dialect_setting("--upstream", text)
        if dialect in listed:
            raise ConfigError(f"--upstream: {dialect} is given twice")
        listed[dialect] = (base_url(url), "")
    for dialect, upstream in file.upstreams.items():
        listed.setdefault(dialect, upstream)
    for text in key_envs:
        dialect, name = _parse_key_env_with_or_without_dialect(text, tuple(listed))
        listed[dialect] = (listed[dialect][0], name)
    host, port = parse_listen_setting(options.listen or file.listen or DEFAULT_LISTEN)
    access: dict[str, object] = {"listen_host": host}
    if options.allow_host:
        access["allow_hosts"] = read_hosts("--allow-host", options.allow_host)
    if variable := options.client_key_env or file.client_key_env:
        access["client_key"] = read_key(variable, env)
    return build_config(listed, {**file.rest, **access}, env, program), (host, port)


def _split_program(
    options: argparse.Namespace, env: Mapping[str, str]
) -> tuple[UpstreamCommand | None, list[str], list[str]]:
    """Return gemini-cli as an upstream, and the settings of ``--upstream`` and ``--key-env`` that are of others."""
    lead = f"{GEMINI_CLI}="
    commands = [text.removeprefix(lead) for text in options.upstream if text.startswith(lead)]
    remaining = [text for text in options.upstream if not text.startswith(lead)]
    if not commands:
        return None, remaining, options.key_env
    if len(commands) > 1:
        raise ConfigError(f"--upstream: {GEMINI_CLI} is given twice")
    read_command(commands[0])
    names = [text.removeprefix(lead) for text in options.key_env if text.startswith(lead)]
    key = read_key(names[-1], env) if names else ""
    program = UpstreamCommand(commands[0], key, processes=options.processes, queue=options.queue)
    if program.processes < 1 or program.queue < 0:
        raise ConfigError("--processes: expected 1 or more; --queue: expected 0 or more")
    return program, remaining, [text for text in options.key_env if not text.startswith(lead)]


def parse_listen_setting(text: str) -> tuple[str, int]:
    """(host, port) of ``HOST:PORT``; an IPv6 host stands in brackets."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--listen: expected HOST:PORT, got {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _parse_dialect_setting(option: str, text: str) -> tuple[Dialect, str]:
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise ConfigError(f"{option}: expected DIALECT=VALUE with DIALECT one of {', '.join(DIALECTS)}")
    return dialect_of(name), value


def _parse_key_env_with_or_without_dialect(text: str, listed: tuple[Dialect, ...]) -> tuple[Dialect, str]:
    """A bare name is for the only upstream: one provider's key must not go to another one."""
    if "=" in text:
        dialect, name = _parse_dialect_setting("--key-env", text)
        if dialect not in listed:
            raise ConfigError(f"--key-env: {dialect} is no upstream")
        return dialect, name
    if len(listed) != 1:
        raise ConfigError("--key-env NAME needs exactly one upstream; with several, write --key-env DIALECT=NAME")
    return listed[0], text


def _serve(config: GatewayConfig, host: str, port: int, *, log_problems_only: bool) -> None:
    try:
        from bridgecheck_reference.gateway.server import GatewayServer, listening_socket
    except ImportError as error:
        raise ConfigError(f"{error.name} is missing: pip install 'bridgecheck[gateway]'") from None
    _log_to_stderr(log_problems_only=log_problems_only)
    for upstream in config.upstreams:
        if end := repeated_version(upstream):
            _print_to_stderr(
                f"warning: the URL of {upstream.dialect} ends in {end}, with which every path begins: leave it out"
            )
    try:
        listener = listening_socket(host, port)
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    with listener:
        asyncio.run(GatewayServer(config, _print_url).serve([listener]))


def _print_url(url: str) -> None:
    sys.stdout.write(f"listening on {url}\n")
    sys.stdout.flush()


def _log_to_stderr(*, log_problems_only: bool) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("bridgecheck_reference.gateway")
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING if log_problems_only else logging.INFO)
    logger.propagate = False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bridgecheck-reference", description="The reference implementation.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="run the gateway until SIGTERM or SIGINT")
    serve.add_argument("--listen", metavar="HOST:PORT", default="", help=f"default {DEFAULT_LISTEN}; port 0: any")
    serve.add_argument(
        "--upstream",
        metavar="DIALECT=URL",
        action="append",
        default=[],
        help=f"{', '.join(DIALECTS)}, with the base URL as its SDK takes it, or {GEMINI_CLI}=COMMAND; may repeat, "
        "the first is the default",
    )
    serve.add_argument(
        "--processes", type=int, metavar="N", default=4, help=f"of {GEMINI_CLI}: how many run at once; default 4"
    )
    serve.add_argument(
        "--queue", type=int, metavar="N", default=16, help="how many more wait, before requests get 429; default 16"
    )
    serve.add_argument(
        "--key-env",
        metavar="NAME",
        action="append",
        default=[],
        help="variable with the upstream's key, DIALECT=NAME with several; without it the client's key is passed on",
    )
    serve.add_argument(
        "--client-key-env",
        metavar="NAME",
        default="",
        help="variable with a key that every client has to send; needed to listen beyond this machine with the "
        "upstream's key",
    )
    serve.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="a further name that clients may call this gateway by, as in a container; may repeat",
    )
    serve.add_argument("--config", metavar="FILE", type=Path, help="settings in TOML")
    serve.add_argument("--quiet", action="store_true", help="log problems only")
    return parser


def _print_to_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
