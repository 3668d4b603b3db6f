"""Settings of the gateway, from a TOML file and the command line, into one immutable ``GatewayConfig``.

listen = "127.0.0.1:3999"
allow_hosts = ["gateway.internal"]
client_key_env = "GATEWAY_CLIENT_KEY"
max_body_bytes = 67108864
profile = "native"
[upstreams.gemini]
url = "https://generativelanguage.googleapis.com"
key_env = "GEMINI_API_KEY"
[models]
"gpt-*" = "openai-chat"
[models_mapping]
"gemini-2.5-flash" = "gpt-5-mini"
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck_reference.config import load_profile
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.errors import ConfigError

DEFAULT_LISTEN: Final = "127.0.0.1:3999"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""Hosts that are this machine."""

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class UpstreamUrlAndKey:
    """``url``: as the dialect's SDK takes its base URL. ``key``: sent to this upstream, "" = the client's own key."""

    dialect: Dialect
    url: str = field(repr=False)
    key: str = field(default="", repr=False)


GEMINI_CLI: Final = "gemini-cli"
"""Name of the upstream that is a program, which speaks Chat Completions to the gateway."""
CLI_MODELS: Final = (
    "gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite",
)  # fmt: skip
"""Models that are listed; the program is given any other name too."""


@dataclass(frozen=True, slots=True)
class UpstreamCommand:
    """``command``: how gemini-cli is started, as in a shell. ``key``: its GEMINI_API_KEY, "" = the environment's; the
    client's key is never passed on. ``processes`` at once, ``queue`` more that wait."""

    command: str
    key: str = field(default="", repr=False)
    processes: int = 4
    queue: int = 16
    dialect: Dialect = "openai-chat"
    url: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """How to serve.

    ``upstreams``: at most one a dialect, the first is the default. ``models``: model name or glob -> the dialect of
    the upstream that has it; an exact name wins, then the first glob that fits. ``models_mapping``: the name a client
    uses -> its name at the upstream. ``profile``: how to convert between two dialects. ``max_body_bytes`` of a
    request, as sent and unpacked; ``max_answer_bytes`` of a unary answer, and of one event of a stream.
    ``signature_memory_bytes``: what the signatures that clients drop may take together.
    ``connect_timeout_s``; ``read_timeout_s``: without a byte of the answer, and for a request's body to arrive;
    ``header_timeout_s``: for a request's headers to arrive.
    ``listen_host``: what it listens on. ``allow_hosts``: further names that clients may call it by, in lower case.
    ``client_key``: what every client has to send, "" for any.
    """

    upstreams: tuple[UpstreamUrlAndKey | UpstreamCommand, ...]
    models: Mapping[str, Dialect] = field(default_factory=dict)
    models_mapping: Mapping[str, str] = field(default_factory=dict)
    profile: Profile = NATIVE
    max_body_bytes: int = 64 * _MIB
    max_answer_bytes: int = 256 * _MIB
    signature_memory_bytes: int = 64 * _MIB
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 600.0
    header_timeout_s: float = 30.0
    listen_host: str = LOOPBACK[0]
    allow_hosts: tuple[str, ...] = ()
    client_key: str = field(default="", repr=False)

    @property
    def holds_key(self) -> bool:
        """Whether a client can spend a key that is not its own; gemini-cli has its own login."""
        return any(upstream.key or not upstream.url for upstream in self.upstreams)

    def __post_init__(self) -> None:
        dialects = [upstream.dialect for upstream in self.upstreams]
        if not dialects:
            raise ConfigError("no upstream: name one with --upstream DIALECT=URL or [upstreams.DIALECT]")
        for dialect in dialects:
            if dialects.count(dialect) > 1:
                raise ConfigError(f"upstream {dialect!r} is given twice")
        for model, dialect in self.models.items():
            if dialect not in dialects:
                raise ConfigError(
                    f"models: {model!r} is on {dialect!r}, which is no upstream of: {', '.join(dialects)}"
                )
        keyless = [upstream.dialect for upstream in self.upstreams if upstream.url and not upstream.key]
        if self.client_key and keyless:
            raise ConfigError(
                f"--client-key-env: {keyless[0]} has no key of its own, and would be sent the client's; "
                f"name one with --key-env {keyless[0]}=NAME"
            )
        if self.holds_key and not self.client_key and self.listen_host not in LOOPBACK:
            raise ConfigError(
                f"whoever reaches {self.listen_host} could use the upstream's key: name the variable of a key that "
                "clients have to send with --client-key-env NAME, or listen on 127.0.0.1"
            )


@dataclass(frozen=True, slots=True)
class FileSettings:
    """The content of a settings file. ``upstreams``: dialect -> (url, name of its key variable or ""); ``rest``: other
    fields of ``GatewayConfig`` by name, ``profile`` by its own. ``listen``, ``client_key_env``: "" for none."""

    listen: str = ""
    client_key_env: str = ""
    upstreams: Mapping[Dialect, tuple[str, str]] = field(default_factory=dict)
    rest: Mapping[str, object] = field(default_factory=dict)


_NUMBERS: Final[dict[str, tuple[type, ...]]] = {
    "max_body_bytes": (int,),
    "max_answer_bytes": (int,),
    "signature_memory_bytes": (int,),
    "connect_timeout_s": (int, float),
    "read_timeout_s": (int, float),
    "header_timeout_s": (int, float),
}
_TABLES: Final = ("models", "models_mapping")


def read_toml_file(path: Path) -> FileSettings:
    """``ConfigError``, naming the key, for a file that cannot be read or has an unknown key."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        return _read_settings(settings)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _read_settings(settings: dict[str, object]) -> FileSettings:
    _check_names(
        settings,
        ("listen", "allow_hosts", "client_key_env", "profile", "upstreams", *_TABLES, *_NUMBERS),
        "key",
    )
    listen, client_key_env = settings.get("listen", ""), settings.get("client_key_env", "")
    if not isinstance(listen, str):
        raise ConfigError("listen: expected a string, HOST:PORT")
    if not isinstance(client_key_env, str):
        raise ConfigError("client_key_env: expected a string, the name of an environment variable")
    rest: dict[str, object] = {name: _check_number(name, settings[name]) for name in _NUMBERS if name in settings}
    if "profile" in settings:
        rest["profile"] = settings["profile"]
    if "allow_hosts" in settings:
        rest["allow_hosts"] = read_hosts("allow_hosts", settings["allow_hosts"])
    if "models" in settings:
        rest["models"] = {
            name: dialect_of(value) for name, value in _check_strings("models", settings["models"]).items()
        }
    if "models_mapping" in settings:
        rest["models_mapping"] = _check_strings("models_mapping", settings["models_mapping"])
    return FileSettings(
        listen,
        client_key_env,
        dict(map(_read_upstream, _check_table("upstreams", settings.get("upstreams", {})).items())),
        rest,
    )


def _read_upstream(item: tuple[str, object]) -> tuple[Dialect, tuple[str, str]]:
    dialect = dialect_of(item[0])
    settings = _check_strings(f"upstreams.{dialect}", item[1])
    _check_names(settings, ("url", "key_env"), f"key of upstreams.{dialect}")
    if "url" not in settings:
        raise ConfigError(f"upstreams.{dialect}: url is missing")
    return dialect, (base_url(settings["url"]), settings.get("key_env", ""))


def read_hosts(setting: str, value: object) -> tuple[str, ...]:
    """The host names of a list, in lower case; ``ConfigError`` for what is none."""
    names = value if isinstance(value, list | tuple) else [None]
    for name in names:
        if not isinstance(name, str) or not name or any(character in name for character in "/@: "):
            raise ConfigError(f"{setting}: expected host names without scheme and port, got {name!r}")
    return tuple(str(name).lower() for name in names)


def dialect_of(name: str) -> Dialect:
    """``ConfigError`` for a name that is no dialect."""
    if name not in DIALECTS:
        raise ConfigError(f"unknown dialect {name!r}; known: {', '.join(DIALECTS)}")
    return name


def base_url(url: str) -> str:
    """The URL without its closing slash; ``ConfigError``, without the URL, which may hold a credential."""
    if not _is_base_url(url):
        raise ConfigError("an upstream's URL has to be http(s)://HOST[:PORT][/PATH], without query and white space")
    return url.rstrip("/")


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # brackets without an address, a port that is no number
        return False
    named = parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0
    return named and not parts.query and not parts.fragment and url.isprintable() and " " not in url


def repeated_version(upstream: UpstreamUrlAndKey | UpstreamCommand) -> str:
    """What ends an upstream's URL though every path begins with it; "" mostly. A proxy may really be there."""
    ends = {"gemini": ("/v1", "/v1beta", "/v1alpha"), "anthropic": ("/v1",)}.get(upstream.dialect, ())
    return next((end for end in ends if upstream.url.endswith(end)), "")


def build_config(
    listed: Mapping[Dialect, tuple[str, str]],
    rest: Mapping[str, object],
    env: Mapping[str, str],
    program: UpstreamCommand | None = None,
) -> GatewayConfig:
    """``listed``: dialect -> (url, name of the key's variable or ""), ``rest``: as in ``FileSettings``. ``program``:
    gemini-cli as an upstream, None for none; it comes first."""
    upstreams: tuple[UpstreamUrlAndKey | UpstreamCommand, ...] = tuple(
        UpstreamUrlAndKey(dialect, url, read_key(name, env)) for dialect, (url, name) in listed.items()
    )
    if program is not None:
        if program.dialect in listed:
            raise ConfigError(f"{GEMINI_CLI} and {program.dialect} are one kind of upstream: give one of them")
        upstreams = (program, *upstreams)
    settings = {**rest, "profile": load_profile(str(rest.get("profile", NATIVE.name)), env)}
    # Names and types were checked by ``read_toml_file``, which no static checker can see.
    return GatewayConfig(upstreams, **cast("dict[str, Any]", settings))


def read_key(variable: str, env: Mapping[str, str]) -> str:
    """The key in that variable, "" for no name; ``ConfigError`` if it is not set or cannot stand in a header."""
    if not variable:
        return ""
    if not variable.isidentifier():  # not in the message: it may be the key itself
        raise ConfigError(
            "--key-env, --client-key-env: expected the name of an environment variable, not the key itself"
        )
    key = env.get(variable, "").strip()
    if not key:
        raise ConfigError(f"the environment variable {variable} of a key is not set")
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"the environment variable {variable} holds what cannot stand in a header")
    return key


def _check_names(settings: Mapping[str, object], known: tuple[str, ...], kind: str) -> None:
    for name in settings:
        if name not in known:
            raise ConfigError(f"unknown {kind}: {name!r}; known: {', '.join(known)}")


def _check_number(name: str, value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, _NUMBERS[name]) or not cast(float, value) > 0:
        raise ConfigError(f"{name}: expected a number above 0, got {value!r}")
    return value


def _check_table(name: str, value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    raise ConfigError(f"{name}: expected a table")


def _check_strings(name: str, value: object) -> dict[str, str]:
    table = _check_table(name, value)
    for key, item in table.items():
        if not isinstance(item, str):
            raise ConfigError(f"{name}.{key}: expected a string, got {item!r}")
    return cast("dict[str, str]", table)
