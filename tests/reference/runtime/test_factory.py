"""Which generator is made: the flag, the order of the branches, the decorators, and what is imported on the way."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from bridgecheck_reference.config import FLAG, Config, ProviderConfig, load_config
from bridgecheck_reference.conversion_profile import SIGNED_IDS
from bridgecheck_reference.errors import (
    ConfigError,
    MockResponseError,
    NotSupportedError,
    ProviderError,
    UnknownProviderError,
)
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.decorators import (
    LoggingContentGenerator,
    RecordingContentGenerator,
    layers,
    unwrap,
)
from bridgecheck_reference.generator.factory import create_content_generator
from bridgecheck_reference.generator.fake import FakeContentGenerator
from bridgecheck_reference.generator.native import NativeContentGenerator
from bridgecheck_reference.providers.protocol import create_provider

KEY = "AIza-a-key-that-must-not-show"
ON = {FLAG: "1"}


@pytest.mark.row("S1.6", "S1.45")
@pytest.mark.parametrize(
    ("value", "made"),
    [
        (None, NativeContentGenerator),
        ("", NativeContentGenerator),
        ("0", NativeContentGenerator),
        ("true", NativeContentGenerator),
        ("yes", NativeContentGenerator),
        ("on", NativeContentGenerator),
        (" 1", NativeContentGenerator),
        ("11", NativeContentGenerator),
        ("1", ProviderBridge),
    ],
)
def test_only_1_switches_the_provider_layer_on(value: str | None, made: type) -> None:
    generator = create_content_generator(Config(), {} if value is None else {FLAG: value})
    assert type(unwrap(generator)) is made
    asyncio.run(generator.close())


def test_the_flag_is_read_from_the_process_when_no_environment_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLAG, "1")
    on = create_content_generator(Config())
    monkeypatch.delenv(FLAG)
    off = create_content_generator(Config())
    assert (type(unwrap(on)), type(unwrap(off))) == (ProviderBridge, NativeContentGenerator)
    asyncio.run(on.close())
    asyncio.run(off.close())


@pytest.mark.row("S1.46")
@pytest.mark.parametrize("env", [{}, ON])
def test_fake_responses_come_before_the_flag(tmp_path: Path, env: dict[str, str]) -> None:
    path = tmp_path / "fake.jsonl"
    path.write_text('{"method": "countTokens", "response": {"totalTokens": 4}}\n', encoding="utf-8")
    generator = create_content_generator(Config(fake_responses=str(path)), env)
    assert isinstance(unwrap(generator), FakeContentGenerator)
    assert asyncio.run(generator.count_tokens({})) == {"totalTokens": 4}


@pytest.mark.row("S1.46")
@pytest.mark.parametrize(("env", "inner"), [({}, NativeContentGenerator), (ON, ProviderBridge)])
def test_recording_is_outermost_and_logging_inside(tmp_path: Path, env: dict[str, str], inner: type) -> None:
    generator = create_content_generator(Config(record_responses=str(tmp_path / "r")), env)
    assert [type(layer) for layer in layers(generator)] == [RecordingContentGenerator, LoggingContentGenerator, inner]
    asyncio.run(generator.close())


@pytest.mark.row("S1.46")
def test_flag_first_puts_the_flag_before_both_files(tmp_path: Path) -> None:
    record = tmp_path / "r"
    config = Config(fake_responses=str(tmp_path / "absent"), record_responses=str(record), flag_first=True)
    generator = create_content_generator(config, ON)
    assert [type(layer) for layer in layers(generator)] == [LoggingContentGenerator, ProviderBridge]
    asyncio.run(generator.close())
    with pytest.raises(MockResponseError, match="cannot be read"):
        create_content_generator(config, {})


def test_another_provider_without_the_flag_is_reported_as_unused(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        generator = create_content_generator(Config(provider="openai"), {})
    assert isinstance(unwrap(generator), NativeContentGenerator)
    assert "provider openai is not used" in caplog.text
    asyncio.run(generator.close())


@pytest.mark.row("S1.3", "S1.47")
def test_an_unknown_provider_lists_those_there_are() -> None:
    with pytest.raises(
        UnknownProviderError, match="unknown provider 'x'; known: claude, fake, gemini, gemini-cli, openai"
    ):
        create_content_generator(Config(provider="x"), ON)


@pytest.mark.row("S1.22", "S1.27", "S1.47", "S1.50")
@pytest.mark.parametrize("name", ["claude", "fake", "gemini", "openai"])
def test_every_provider_hides_its_key_and_may_be_closed_twice(name: str) -> None:
    provider = create_provider(name, {"api_key": KEY})
    assert provider.name == name
    assert KEY not in repr(provider)
    with pytest.raises(AttributeError):
        provider.name = "other"
    asyncio.run(provider.close())
    asyncio.run(provider.close())


@pytest.mark.row("S1.59")
@pytest.mark.parametrize("auth", ["oauth", "vertex-ai"])
@pytest.mark.parametrize("env", [{}, ON])
def test_kinds_of_authentication_not_built_are_refused_by_name(auth: str, env: dict[str, str]) -> None:
    with pytest.raises(NotSupportedError, match=f"authentication by {auth}"):
        create_content_generator({"auth": auth}, env)


@pytest.mark.row("S1.59")
def test_a_gateway_needs_no_key() -> None:
    generator = create_content_generator({"auth": "gateway", "base_url": "http://127.0.0.1:9"}, {})
    assert "127.0.0.1" in repr(generator)
    asyncio.run(generator.close())


@pytest.mark.row("S1.50")
def test_settings_beat_the_environment() -> None:
    env = {"GEMINI_API_KEY": "g", "GOOGLE_API_KEY": "other", "OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://o"}
    env |= {"ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "http://a"}
    found = load_config({"api_key": "set", "base_url": "http://g"}, env)
    assert found.for_provider("gemini") == ProviderConfig(api_key="set", base_url="http://g")
    assert found.for_provider("openai") == ProviderConfig(api_key="o", base_url="http://o")
    assert found.for_provider("claude") == ProviderConfig(api_key="a", base_url="http://a")
    assert load_config(None, env).for_provider("gemini").api_key == "g"
    assert load_config({}, {}).for_provider("gemini") == ProviderConfig()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"modle": "x"}, "unknown setting 'modle'; known: api_keys, auth"),
        ({"model": 5}, "setting 'model': expected str"),
        ({"provider": None}, "setting 'provider': expected str"),
        ({"auth": "magic"}, "setting 'auth': expected one of api-key, gateway"),
        ({"api_keys": {"gemini": 5}}, "setting 'api_keys': expected strings by provider name"),
        ({"http_client": "no client"}, "setting 'http_client': expected an httpx2.AsyncClient"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        create_content_generator(settings, {})
    assert message in str(caught.value)


@pytest.mark.row("S1.50")
def test_no_key_shows(caplog: pytest.LogCaptureFixture) -> None:
    config = load_config({"api_keys": {"gemini": KEY, "openai": KEY}, "base_url": "http://127.0.0.1:9"}, {})
    with caplog.at_level(logging.DEBUG):
        generator = create_content_generator(config, ON)
        with pytest.raises(ProviderError) as caught:
            asyncio.run(generator.generate_content({"model": "m", "contents": [{"parts": [{"text": "hi"}]}]}, "p"))
    texts = [repr(config), repr(generator), repr(config.for_provider("gemini")), repr(caught.value), caplog.text]
    assert KEY not in "".join(texts)
    assert "[redacted]" in repr(config)
    secret_url = load_config({"base_url": f"https://user:{KEY}@host/v1?key={KEY}"}, {})
    bridged = create_content_generator(secret_url, ON)
    assert "host/v1" in repr(secret_url) and "host/v1" in repr(bridged)
    assert KEY not in f"{secret_url!r} {bridged!r} {secret_url.for_provider('gemini')!r}"
    asyncio.run(bridged.close())
    asyncio.run(generator.close())


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules, sep='\\n')"
    terminator = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(terminator.stdout.split("\n"))


def below(modules: set[str], *packages: str) -> set[str]:
    return {name for name in modules for package in packages if name == package or name.startswith(f"{package}.")}


SDKS = ("openai", "google.genai", "anthropic", "httpx2")


@pytest.mark.row("S1.1")
def test_with_the_flag_off_no_provider_is_imported() -> None:
    make = "from bridgecheck_reference import create_content_generator as c; c({'api_key': 'k'}, {})"
    modules = modules_after(make)
    assert below(modules, "bridgecheck_reference.providers", "openai") == set()
    assert below(modules, "google.genai"), "the native generator was not made"
    bridged = modules_after(make.replace("{})", "{'" + FLAG + "': '1'})"))
    assert "bridgecheck_reference.providers.gemini" in bridged
    assert below(bridged, "openai") == set()


def test_importing_the_package_loads_nothing_of_it() -> None:
    modules = modules_after("import bridgecheck_reference")
    assert below(modules, *SDKS) == set()
    assert below(modules, "bridgecheck_reference") == {"bridgecheck_reference"}


def test_every_public_name_is_there_and_loads_no_sdk() -> None:
    modules = modules_after(
        "import bridgecheck_reference as r\nfor name in r.__all__: assert getattr(r, name) is getattr(r, name)\n"
        "assert set(r.__all__) <= set(dir(r))\nassert not hasattr(r, 'no_such_name')"
    )
    assert below(modules, *SDKS) == set()


def test_settings_choose_the_profile_by_its_name() -> None:
    env = {"OPENAI_REASONING_MAX_TOKENS": "99"}
    found = load_config({"profile": "letter"}, env)
    assert (found.profile.name, found.for_provider("openai").profile.reasoning_max_tokens) == ("letter", 99)
    assert create_provider("fake", {"profile": "signed-ids"}).profile == SIGNED_IDS
    assert create_provider("fake", found.for_provider("fake")).profile is found.profile
    with pytest.raises(ConfigError, match="unknown profile"):
        load_config({"profile": "x"}, {})
    with pytest.raises(ConfigError, match="'profile': expected Profile"):
        load_config({"profile": 1}, {})
