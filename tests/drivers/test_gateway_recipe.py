"""Recipes for gateways: their settings are applied, and invalid ones are refused with their location."""

from pathlib import Path

import pytest

from bridgecheck.drivers import AdapterSelection, Driver, resolve
from bridgecheck.drivers.gateway_client import CLIENT_KEY
from bridgecheck.errors import BadRecipe, BadTarget
from bridgecheck.files.positions import toml_line
from bridgecheck.model.exchange import Request

GOOD = """\
name = "my-gateway"
version = "2.1"
target = "http:http://127.0.0.1:{port}/base"
command = ["{python}", "-m", "my_gateway", "--port", "{port}"]
env = { OPENAI_BASE_URL = "{upstream_url}/v1", OPENAI_API_KEY = "{upstream_key}" }
timeout = 20
routes = [["gemini", "openai-chat"], ["openai-chat", "openai-chat"]]
pivots = [["openai-chat", "openai-chat", "gemini"]]
claims = ["tools"]

[ready]
path = "/health"
seconds = 60

[client.gemini]
base_path = "/genai/"
model = "{upstream}/{model}"
headers = { X-Goog-Api-Key = "sesame", X-Tenant = "t" }
"""


def _recipe(tmp_path: Path, text: str) -> str:
    path = tmp_path / "adapter.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def resolve_recipe(tmp_path: Path, text: str = GOOD) -> Driver:
    return resolve(_recipe(tmp_path, text))


def test_every_recipe_setting_is_applied(tmp_path: Path) -> None:
    driver = resolve_recipe(tmp_path)
    info = driver.info
    assert (info.name, info.version, info.claims) == ("my-gateway", "2.1", {"tools"})
    assert info.routes == {("gemini", "openai-chat"), ("openai-chat", "openai-chat")}
    assert info.pivot(("openai-chat", "openai-chat")) == "gemini"
    assert (driver.timeout, driver.judged_on_all, driver.converter, driver.connects) == (20, False, None, None)
    start = driver.gateway.start
    assert (start.ready_path, start.ready_seconds, start.cwd, start.per_dialect) == ("/health", 60, "{tmp}", False)


@pytest.mark.parametrize(
    ("dialect", "mode", "path", "key", "model"),
    [
        ("gemini", "unary", "/b/genai/v1beta/models/anthropic/m:generateContent", "sesame", None),
        ("gemini", "stream", "/b/genai/v1beta/models/anthropic/m:streamGenerateContent?alt=sse", "sesame", None),
        ("openai-chat", "stream", "/b/v1/chat/completions", f"Bearer {CLIENT_KEY}", "m"),
        ("anthropic", "unary", "/b/v1/messages", CLIENT_KEY, "m"),
    ],
)
def test_requests_of_clients(tmp_path: Path, dialect: str, mode: str, path: str, key: str, model: str | None) -> None:
    client = resolve_recipe(tmp_path).gateway.clients[dialect]
    body = {} if dialect == "gemini" else {"model": "m"}
    sent = client.request(Request(dialect, mode, body, "m", (("anthropic-beta", "b"),)), "anthropic", "/b")
    headers = dict(sent.headers)
    named = {"gemini": "x-goog-api-key", "openai-chat": "authorization", "anthropic": "x-api-key"}[dialect]
    assert (sent.method, sent.path, headers[named], headers["anthropic-beta"]) == ("POST", path, key, "b")
    assert len(headers) == len(sent.headers)
    assert headers.get("x-tenant") == ("t" if dialect == "gemini" else None)
    assert headers.get("anthropic-version") == ("2023-06-01" if dialect == "anthropic" else None)
    assert sent.body == (b"{}" if model is None else b'{"model": "m"}')


def test_the_model_is_in_the_body_where_the_path_has_none(tmp_path: Path) -> None:
    driver = resolve_recipe(tmp_path, GOOD.replace("[client.gemini]", "[client.openai-chat]"))
    client = driver.gateway.clients["openai-chat"]
    sent = client.request(Request("openai-chat", "unary", {"model": "m", "messages": []}, "m"), "gemini")
    assert sent.body == b'{"model": "gemini/m", "messages": []}'
    assert client.key == CLIENT_KEY


def test_a_lone_surrogate_is_sent_escaped(tmp_path: Path) -> None:
    client = resolve_recipe(tmp_path).gateway.clients["anthropic"]
    assert client.request(Request("anthropic", "unary", {"a": "x\ud800"}, "m"), "gemini").body == b'{"a": "x\\ud800"}'


def test_the_version_command_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    code = "import os; print(os.getcwd()); open('asked', 'a').write('x'); print('tool v1.20.3-rc1', 'GEMINI_API_KEY' in os.environ)"
    text = GOOD.replace('version = "2.1"', f'version_command = ["{{python}}", "-c", "{code}"]')
    assert [resolve_recipe(tmp_path, text).info.version for _ in range(3)] == ["1.20.3-rc1"] * 3
    assert (tmp_path / "asked").read_text() == "x"


def test_a_known_version_needs_no_command(tmp_path: Path) -> None:
    text = GOOD.replace('version = "2.1"', 'version_command = ["no-such-command"]')
    assert AdapterSelection(_recipe(tmp_path, text), version="1.2").driver().info.version == "1.2"


@pytest.mark.parametrize("command", ['"no-such-command"', '"{python}", "-c", "print(\'none\')"'])
def test_a_version_without_output_is_empty(tmp_path: Path, command: str) -> None:
    text = GOOD.replace('version = "2.1"', f"version_command = [{command}]")
    assert resolve_recipe(tmp_path, text).info.version == ""


@pytest.mark.parametrize(
    ("change", "number", "message"),
    [
        (("seconds = 60", "second = 60"), 13, "unknown key 'second' in ready"),
        (('name = "my', 'nane = "my'), 1, "unknown key 'nane'"),
        (("[client.gemini]", "[client.gemin]"), 15, "no dialect is 'gemin'"),
        (("[ready]", "[[ready]]"), 11, "ready is no table"),
        (("seconds = 60", "seconds = 0"), 13, "seconds is not what it should be: 0"),
        (("seconds = 60", 'seconds = "1"'), 13, "seconds, between 0 and 3600"),
        (("timeout = 20", "timeout = true"), 6, "timeout is not what it should be: True"),
        (('["gemini", "openai-chat"], ', '["gemini", "openai"], '), 7, "routes is not what it should be"),
        (("routes = [", "#"), 3, "does not say what the gateway routes"),
        (('"gemini"]]', '"x"]]'), 8, "pivots is not what it should be"),
        (('"{python}", ', ""), 4, ""),
        (('"--port", "{port}"]', "]"), 4, "is not told its port"),
        (("127.0.0.1:{port}", "127.0.0.1:4000"), 3, "its port is picked"),
        (("{upstream_url}/v1", "http://127.0.0.1"), 4, "would call the real one"),
        (("{upstream_key}", "{upstream_kee}"), 5, "{upstream_kee} in env is filled in by nothing"),
        (("{upstream}/{model}", "{port}"), 17, "{port} in client.gemini.model is filled in by nothing"),
        (("timeout = 20", "upstream_port = 4100"), 6, "upstream_port with a command"),
        (("timeout = 20", "upstream_port = 99999"), 6, "a port, between 1 and 65535"),
        (("timeout = 20", 'files = { "/etc/x" = "" }'), 6, "all within {tmp}"),
        (("timeout = 20", 'files = { "../x" = "" }'), 6, "all within {tmp}"),
        (('"{python}", "-m", "my_gateway", "--port", "{port}"', ""), 4, "command is not what it should be: []"),
        (('claims = ["tools"]', 'claims = ["tool"]'), 9, "unknown capability 'tool'"),
        (("command =", "#"), 5, "env without a command"),
    ],
)
def test_invalid_settings_are_refused_with_their_line(
    tmp_path: Path, change: tuple[str, str], number: int, message: str
) -> None:
    path = _recipe(tmp_path, GOOD.replace(*change))
    if not message:
        resolve(path)
        return
    with pytest.raises(BadRecipe) as wrong:
        resolve(path)
    assert message in str(wrong.value) and f"{path}:{number}\n" in str(wrong.value)


def test_an_invalid_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTarget, match="is no address of a gateway"):
        resolve_recipe(tmp_path, GOOD.replace("http://127", "https://127"))


def test_a_recipe_for_a_running_gateway(tmp_path: Path) -> None:
    text = 'target = "http:http://127.0.0.1:4000"\nupstream_port = 4100\nroutes = [["gemini", "gemini"]]\n'
    driver = resolve_recipe(tmp_path, text)
    assert (driver.gateway.upstream_port, driver.gateway.is_started_by_harness, driver.info.name) == (
        4100,
        False,
        tmp_path.name,
    )
    with pytest.raises(BadRecipe, match="without a command that could be told it"):
        resolve_recipe(tmp_path, text.replace(":4000", ":{port}"))


def test_line_numbers_of_keys() -> None:
    text = 'a = """\nb = 1\n"""\n[c."d e"] # x\nf = \'\'\'g = 1\'\'\'\n  h.i = 2\n'
    places = {
        ("a",): 1,
        ("b",): 1,
        ("c", "d e"): 4,
        ("c", "d e", "f"): 5,
        ("c", "d e", "h", "i"): 6,
        ("c", "d e", "z"): 4,
    }
    assert {path: toml_line(text, path) for path in places} == places
