"""Settings: the file, the command line over it, and what each refusal says."""

import pytest

from bridgecheck_reference.errors import ConfigError
from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey, repeated_version
from bridgecheck_reference.gateway.main import _parser, main, settings

FILE = """
listen = "127.0.0.1:4001"
max_body_bytes = 1000
read_timeout_s = 2.5
[upstreams.gemini]
url = "https://example.test/"
key_env = "G_KEY"
[upstreams.openai-chat]
url = "http://127.0.0.1:9/v1"
[models]
"gpt-*" = "openai-chat"
[models_mapping]
a = "b"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "gateway.toml"
    path.write_text(FILE)
    return path


def read(*arguments, env=None):
    return settings(_parser().parse_args(["serve", *map(str, arguments)]), env or {})


def test_a_file_sets_every_option(file):
    config, where = read("--config", file, env={"G_KEY": "secret-key"})
    assert config == GatewayConfig(
        (
            UpstreamUrlAndKey("gemini", "https://example.test", "secret-key"),
            UpstreamUrlAndKey("openai-chat", "http://127.0.0.1:9/v1"),
        ),
        models={"gpt-*": "openai-chat"},
        models_mapping={"a": "b"},
        max_body_bytes=1000,
        read_timeout_s=2.5,
    )
    assert where == ("127.0.0.1", 4001)
    assert "secret-key" not in repr(config) and "example.test" not in repr(config)


def test_the_command_line_comes_first(file):
    config, where = read(
        "--config", file, "--upstream", "openai-chat=http://[::1]:8/v1/", "--listen", "[::1]:0",
        "--key-env", "gemini=G2", env={"G2": "two", "G_KEY": "one"},
    )  # fmt: skip
    assert config.upstreams[0] == UpstreamUrlAndKey("openai-chat", "http://[::1]:8/v1")
    assert config.upstreams[1].key == "two" and where == ("::1", 0)


def test_one_upstream_takes_the_bare_key(file):
    config, where = read("--upstream", "gemini=http://h:1", "--key-env", "K", env={"K": " the-key "})
    assert config.upstreams == (UpstreamUrlAndKey("gemini", "http://h:1", "the-key"),)
    assert where == ("127.0.0.1", 3999) and config.max_body_bytes == 64 * 1024 * 1024


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no upstream"),
        (["--upstream", "gemini"], "--upstream: expected DIALECT=VALUE"),
        (["--upstream", "openai=http://h:1"], "unknown dialect 'openai'; known: gemini, openai-chat, anthropic"),
        (["--upstream", "gemini=ftp://h"], r"http\(s\)://HOST"),
        (["--upstream", "gemini=http://h:1?key=SECRET"], "without query"),
        (["--upstream", "gemini=http://[::1"], r"http\(s\)://HOST"),
        (["--upstream", "gemini=http://h:99999"], r"http\(s\)://HOST"),
        (["--upstream", "gemini=http://h:port"], r"http\(s\)://HOST"),
        (["--upstream", "gemini=http://h/a b"], r"http\(s\)://HOST"),
        (["--upstream", "gemini=http://h:1", "--key-env", "sk-SECRET"], "not the key itself"),
        (["--upstream", "gemini=http://h:1", "--key-env", "W"], "variable W holds what cannot stand in a header"),
        (["--upstream", "gemini=http://h:1", "--upstream", "gemini=http://h:2"], "given twice"),
        (["--upstream", "gemini=http://h:1", "--key-env", "UNSET"], "variable UNSET of a key is not set"),
        (["--upstream", "gemini=http://h:1", "--key-env", "anthropic=K"], "anthropic is no upstream"),
        (["--upstream", "gemini=http://h:1", "--upstream", "anthropic=http://h:2", "--key-env", "K"], "DIALECT=NAME"),
        (["--upstream", "gemini=http://h:1", "--listen", "3999"], "--listen: expected HOST:PORT"),
        (["--upstream", "gemini=http://h:1", "--listen", "h:99999"], "--listen: expected HOST:PORT"),
        (["--config", "/nowhere.toml"], "/nowhere.toml"),
    ],
)
def test_a_command_line_that_cannot_be_used(arguments, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(*arguments, env={"K": "k", "W": "kéy"})
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= 1", "Invalid|Expected"),
        ("colour = 1", "unknown key: 'colour'; known: listen, "),
        ("listen = 1", "listen: expected a string"),
        ("max_body_bytes = 'x'", "max_body_bytes: expected a number above 0, got 'x'"),
        ("max_body_bytes = 0", "max_body_bytes: expected a number above 0"),
        ("max_body_bytes = true", "max_body_bytes: expected a number above 0"),
        ("max_body_bytes = 1.5", "max_body_bytes: expected a number above 0"),
        ("[upstreams.x]\nurl = 'http://h'", "unknown dialect 'x'"),
        ("[upstreams.gemini]", "upstreams.gemini: url is missing"),
        ("[upstreams.gemini]\nurl = 'http://h'\nkey = 'SECRET'", "unknown key of upstreams.gemini: 'key'"),
        ("upstreams = 1", "upstreams: expected a table"),
        ("[models]\na = 'openai'", "unknown dialect 'openai'"),
        ("[models]\na = 1", "models.a: expected a string"),
        ("[models]\na = 'anthropic'\n[upstreams.gemini]\nurl = 'http://h'", "'a' is on 'anthropic'"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, text, message):
    path = tmp_path / "g.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as error:
        read("--config", path)
    assert "SECRET" not in str(error.value)


def test_the_command_exits_with_2_and_a_reason(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serve"])
    assert stop.value.code == 2 and "no upstream" in capsys.readouterr().err


def test_a_missing_package_is_named_with_what_installs_it(capsys, monkeypatch):
    import builtins
    import sys

    real = builtins.__import__

    def missing(name, *rest):
        if name == "uvicorn":
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "bridgecheck_reference.gateway.server", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--upstream", "gemini=http://127.0.0.1:9"])
    assert stop.value.code == 2
    assert "uvicorn is missing: pip install 'bridgecheck[gateway]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("dialect", "url", "end"),
    [
        ("gemini", "http://h/v1beta", "/v1beta"),
        ("anthropic", "http://h/v1", "/v1"),
        ("anthropic", "http://h", ""),
        ("openai-chat", "http://h/v1", ""),
    ],
)
def test_an_url_that_names_the_version_a_second_time_is_noticed(dialect, url, end):
    assert repeated_version(UpstreamUrlAndKey(dialect, url)) == end
