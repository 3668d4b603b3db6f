"""Settings and environment -> one typed, immutable ``Config``.

The only module of the reference that reads the environment. Its ``repr`` never shows a credential.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit, urlunsplit

from bridgecheck_reference.conversion_profile import NATIVE, PROFILES, Profile
from bridgecheck_reference.convert.gemini.thinking import HIGH_VARIABLE, LOW_VARIABLE, MOST_VARIABLE
from bridgecheck_reference.convert.older_mappings.profiles import OLDER_PROFILES
from bridgecheck_reference.errors import REDACTED, ConfigError, NotSupportedError

FLAG: Final = "GEMINI_CLI_USE_PROVIDER_ABSTRACTION"
"""Switches the provider layer on. Only "1" is on: unset, "", "0", "true", "yes" and everything else are off."""

AuthKind: TypeAlias = Literal["api-key", "gateway", "oauth", "vertex-ai"]
"""``gateway``: a base URL that needs no key. ``oauth`` and ``vertex-ai`` (the credentials of a cloud account)
exist in gemini-cli, not here; an API key can be used at a base URL of Vertex AI too."""

_IMPLEMENTED: Final[frozenset[AuthKind]] = frozenset({"api-key", "gateway"})

KEY_VARIABLES: Final[dict[str, tuple[str, ...]]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "claude": ("ANTHROPIC_API_KEY",),
}
"""provider -> the environment variables its API key is taken from, the first that is set."""

URL_VARIABLES: Final[dict[str, str]] = {
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "claude": "ANTHROPIC_BASE_URL",
}
"""provider -> the environment variable of its base URL, used when the settings give none."""

PROFILE_VARIABLES: Final[dict[str, str]] = {
    LOW_VARIABLE: "low_budget",
    HIGH_VARIABLE: "high_budget",
    MOST_VARIABLE: "reasoning_max_tokens",
    "ANTHROPIC_MAX_TOKENS": "anthropic_max_tokens",
}
"""Environment variable -> the number of a ``Profile`` it sets."""

NO_KEY: Final = "unused"
"""What is sent as the key where there is none: the SDKs refuse to start without one."""


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """What one provider needs. ``base_url`` None: the provider's own. ``timeout_s`` None: the SDK's own.

    ``http_client``: an ``httpx2.AsyncClient`` to use in place of an own one (it is then never closed here).
    ``profile``: how it converts; settings name it. ``options``: what only one provider understands (``replies`` of the
    fake one, ``betas`` of claude).
    """

    api_key: str = field(default="", repr=False)
    base_url: str | None = field(default=None, repr=False)
    timeout_s: float | None = None
    http_client: object | None = field(default=None, repr=False)
    profile: Profile = NATIVE
    options: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def api_key_secrets(self) -> tuple[str, ...]:
        """Credentials that no message may contain."""
        return (self.api_key,) if self.api_key else ()


@dataclass(frozen=True, slots=True)
class Config:
    """How to make a content generator.

    ``provider``: the one called when the flag is on. ``model``: used for requests that name none, "" = none.
    ``profile``: how the provider converts; settings name it. ``api_keys`` and ``base_urls``: by provider name.
    ``fake_responses`` and ``record_responses``: paths of files in gemini-cli's format, None = not used;
    ``fake_strict``: calls have to come in the file's order. Two options keep the behaviour of the older design:
    ``flag_first`` asks for the flag before anything else, so that neither file is used when it is on; ``lazy_stream``
    opens the bridge's stream with its first event (mapping rows R-04, R-02).
    """

    provider: str = "gemini"
    model: str = ""
    auth: AuthKind = "api-key"
    profile: Profile = NATIVE
    api_keys: Mapping[str, str] = field(default_factory=dict)
    base_urls: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    http_client: object | None = None
    fake_responses: str | None = None
    fake_strict: bool = True
    record_responses: str | None = None
    flag_first: bool = False
    lazy_stream: bool = False

    def __repr__(self) -> str:
        urls = {name: public_url(url) for name, url in self.base_urls.items()}
        shown = replace(self, api_keys=dict.fromkeys(self.api_keys, REDACTED), base_urls=urls, http_client=None)
        return f"Config({', '.join(f'{item.name}={getattr(shown, item.name)!r}' for item in fields(shown))})"

    def for_provider(self, name: str) -> ProviderConfig:
        """Return what the provider of that name gets; ``NotSupportedError`` for a kind of authentication not built."""
        if self.auth not in _IMPLEMENTED:
            raise NotSupportedError(f"authentication by {self.auth}", "this implementation (api-key and gateway are)")
        return ProviderConfig(
            api_key=self.api_keys.get(name, ""),
            base_url=self.base_urls.get(name),
            timeout_s=self.timeout_s,
            http_client=self.http_client,
            profile=self.profile,
        )


def public_url(url: str | None) -> str:
    """Scheme, host and path: what of a base URL may be shown. User info and query can hold credentials."""
    parts = urlsplit(url or "")
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def is_provider_flag_set_to_1(env: Mapping[str, str] | None = None) -> bool:
    """Return whether ``FLAG`` switches the provider layer on; ``env`` None: the process's environment."""
    return (os.environ if env is None else env).get(FLAG) == "1"


def load_config(settings: Mapping[str, object] | None = None, env: Mapping[str, str] | None = None) -> Config:
    """Settings first, then the environment, then defaults. ``ConfigError`` on an unknown setting or a wrong type.

    ``settings`` has the field names of ``Config``; ``api_key`` and ``base_url`` are short for those of ``provider``.
    """
    values = dict(settings or {})
    variables = os.environ if env is None else env
    provider = values.get("provider", "gemini")
    for short_name, long_name in (("api_key", "api_keys"), ("base_url", "base_urls")):
        if (value := values.pop(short_name, None)) is not None:
            values[long_name] = {**_check_strings(long_name, values.get(long_name, {})), str(provider): value}
    values["api_keys"] = {**_read_keys(variables), **_check_strings("api_keys", values.get("api_keys", {}))}
    values["profile"] = _load_profile_setting(values, variables)
    values["base_urls"] = {**_read_urls(variables), **_check_strings("base_urls", values.get("base_urls", {}))}
    return Config(**_check_settings(values, _CONFIG_TYPES))


def load_profile(name: str = "native", env: Mapping[str, str] | None = None) -> Profile:
    """Return the profile of that name with the numbers that the environment sets (``PROFILE_VARIABLES``).

    ``ConfigError`` for a name there is none of, a value that is no whole number above 0, or a low bound above the high
    one.
    """
    profiles = {**PROFILES, **OLDER_PROFILES}
    if name not in profiles:
        raise ConfigError(f"setting 'profile': unknown profile {name!r}; known: {', '.join(sorted(profiles))}")
    variables = os.environ if env is None else env
    numbers = {
        field: _read_positive_integer(key, variables[key])
        for key, field in PROFILE_VARIABLES.items()
        if variables.get(key)
    }
    profile = _with_numbers(profiles[name], numbers)
    low, high = profile.low_budget, profile.high_budget
    if low is not None and high is not None and low > high:
        raise ConfigError(f"{LOW_VARIABLE} is above {HIGH_VARIABLE}: {low} > {high}")
    return profile


def _with_numbers(profile: Profile, numbers: Mapping[str, int]) -> Profile:
    return replace(
        profile,
        low_budget=numbers.get("low_budget", profile.low_budget),
        high_budget=numbers.get("high_budget", profile.high_budget),
        reasoning_max_tokens=numbers.get("reasoning_max_tokens", profile.reasoning_max_tokens),
        anthropic_max_tokens=numbers.get("anthropic_max_tokens", profile.anthropic_max_tokens),
    )


def _read_positive_integer(variable: str, value: str) -> int:
    if value.strip().isdecimal() and int(value) > 0:
        return int(value)
    raise ConfigError(f"environment variable {variable}: expected a whole number above 0")


def provider_config(settings: Mapping[str, object]) -> ProviderConfig:
    """Settings with the field names of ``ProviderConfig``. ``ConfigError`` on an unknown one or a wrong type."""
    values = {**settings, "profile": _load_profile_setting(settings, os.environ)}
    return ProviderConfig(**_check_settings(values, _PROVIDER_TYPES))


def _load_profile_setting(settings: Mapping[str, object], env: Mapping[str, str]) -> object:
    """Return the profile that the settings name, with the environment's numbers; anything but a name as it is."""
    values = settings.get("profile", "native")
    return load_profile(values, env) if isinstance(values, str) else values


def _read_keys(env: Mapping[str, str]) -> dict[str, str]:
    found = {name: next((env[key] for key in keys if env.get(key)), "") for name, keys in KEY_VARIABLES.items()}
    return {name: key for name, key in found.items() if key}


def _read_urls(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[variable] for name, variable in URL_VARIABLES.items() if env.get(variable)}


def _check_strings(name: str, value: object) -> dict[str, str]:
    if isinstance(value, Mapping) and all(isinstance(item, str) for pair in value.items() for item in pair):
        return dict(value)
    raise ConfigError(f"setting {name!r}: expected strings by provider name")


_SECONDS: Final = (int, float, type(None))

_CONFIG_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "provider": (str,),
    "model": (str,),
    "auth": (str,),
    "profile": (Profile,),
    "api_keys": (dict,),
    "base_urls": (dict,),
    "timeout_s": _SECONDS,
    "http_client": (object,),
    "fake_responses": (str, type(None)),
    "fake_strict": (bool,),
    "record_responses": (str, type(None)),
    "flag_first": (bool,),
    "lazy_stream": (bool,),
}

_PROVIDER_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "api_key": (str,),
    "base_url": (str, type(None)),
    "timeout_s": _SECONDS,
    "http_client": (object,),
    "profile": (Profile,),
    "options": (Mapping,),
}


def _check_settings(values: dict[str, object], types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """The settings as keyword arguments; their names and types are right then, which no static checker can see."""
    for name, value in values.items():
        if name not in types:
            raise ConfigError(f"unknown setting {name!r}; known: {', '.join(sorted(types))}")
        if not isinstance(value, types[name]):
            raise ConfigError(f"setting {name!r}: expected {' or '.join(kind.__name__ for kind in types[name])}")
    if values.get("auth", "api-key") not in get_args(AuthKind):
        raise ConfigError(f"setting 'auth': expected one of {', '.join(get_args(AuthKind))}")
    return values
