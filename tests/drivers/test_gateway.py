"""Gateways that a recipe starts: readiness, failures to become ready, and that no process remains."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.drivers import Driver, environment, reserved_port, resolve
from bridgecheck.drivers.gateway import MAX_EXITS, Gateway
from bridgecheck.drivers.gateway_process import NotReady
from bridgecheck.drivers.http_client import NoResponse, send_request
from bridgecheck.drivers.reserved_port import ReservedPort
from bridgecheck.errors import BadTarget
from bridgecheck.model.exchange import HttpRequest

from ..fakes import alive, number

NOWHERE = "http://127.0.0.1:9"


class Nowhere:
    """A provider that is not there."""

    base_url = NOWHERE
    is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True


@contextmanager
def gateway(recipe: Path) -> Iterator[Gateway]:
    driver = resolve(str(recipe))
    assert driver.gateway is not None
    try:
        yield driver.gateway
    finally:
        driver.close()


def test_a_gateway_is_started_on_demand_and_reused(fakes) -> None:
    with gateway(fakes.recipe("normal")) as running:
        assert fakes.pids == []
        at = running.reach("gemini", Nowhere).address
        assert running.reach("openai-chat", Nowhere).address == at
        assert send_request(at, HttpRequest("GET", "/"), 5).status == 200
        assert len(fakes.alive) == 1
    assert fakes.alive == []


def test_a_gateway_is_restarted_after_close(fakes) -> None:
    with gateway(fakes.recipe("normal")) as running:
        running.reach("gemini", Nowhere)
        running.close()
        running.reach("gemini", Nowhere)
        assert len(fakes.alive) == 1
    assert fakes.alive == []


def test_each_provider_named_by_the_recipe_has_its_own_process(fakes) -> None:
    recipe = fakes.recipe("normal")
    recipe.write_text(recipe.read_text().replace('KEY = "', 'SPOKEN = "{upstream}", KEY = "'))
    with gateway(recipe) as running:
        first, second = running.reach("gemini", Nowhere).address, running.reach("anthropic", Nowhere).address
        assert first.port != second.port
        assert len(fakes.alive) == 2
    assert fakes.alive == []


@pytest.mark.parametrize(
    ("manner", "message"),
    [
        ("wrong-port", ["nothing listens on 127.0.0.1:", "is still running", "fake gateway: wrong-port"]),
        ("crash", ["it exited with code 1", "no licence for this machine, key REDACTED"]),
        pytest.param("never", ["nothing listens on", "fake gateway: never"], marks=pytest.mark.slow),
        ("garbage", ["answered with what is no HTTP: b'SSH-2.0-OpenSSH_9.9"]),
        ("unwell", ["is answered with 503"]),
    ],
)
def test_a_gateway_that_does_not_become_ready_is_reported_once(fakes, manner: str, message: list[str]) -> None:
    with gateway(fakes.recipe(manner, seconds=1.5)) as running:
        started = time.monotonic()
        with pytest.raises(NotReady) as first:
            running.reach("gemini", Nowhere)
        assert time.monotonic() - started < 8
        assert fakes.pids and fakes.alive == []
        error = str(first.value)
        assert all(part in error for part in message), error
        assert "adapter.toml" in error and "within 1.5 s" in error and f"fake_gateway.py {manner}" in error
        started, count = time.monotonic(), len(fakes.pids)
        for upstream in ("gemini", "openai-chat"):
            with pytest.raises(NotReady) as again:
                running.reach(upstream, Nowhere)
            assert str(again.value) == error
        assert (time.monotonic() - started < 0.5, len(fakes.pids)) == (True, count)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"{python}"', '"no-such-gateway"'), "no-such-gateway cannot be started: No such file or directory"),
        (("timeout =", 'cwd = "{tmp}/nowhere"\ntimeout ='), "No such file or directory"),
    ],
)
def test_a_missing_command_is_reported(fakes, change: tuple[str, str], message: str) -> None:
    recipe = fakes.recipe("normal")
    recipe.write_text(recipe.read_text().replace(*change))
    with gateway(recipe) as running, pytest.raises(NotReady, match=message):
        running.reach("gemini", Nowhere)


def test_without_a_path_a_listening_gateway_is_ready(fakes) -> None:
    with gateway(fakes.recipe("unwell", path="")) as running:
        assert running.reach("gemini", Nowhere).address.port


def test_grandchildren_of_a_gateway_are_stopped(fakes) -> None:
    with gateway(fakes.recipe("family")) as running:
        running.reach("gemini", Nowhere)
        grandchild = number(fakes.folder / "grandchild")
        assert alive(grandchild)
    assert not alive(grandchild)


def test_files_are_written_before_the_start(fakes) -> None:
    more = """
[files]
"conf/a.yaml" = '''
api_base: {upstream_url}/v1
home: {tmp}
template: {untouched}
'''
"""
    recipe = fakes.recipe("normal", more=more)
    text = recipe.read_text().replace('"{python}"', '"sh", "-c", "cat conf/a.yaml; exit 3", "{python}"')
    recipe.write_text(text)
    with gateway(recipe) as running, pytest.raises(NotReady) as wrong:
        running.reach("gemini", Nowhere)
    assert "api_base: http://127.0.0.1:9/v1\nhome: /" in str(wrong.value)
    assert "template: {untouched}" in str(wrong.value)


def test_a_taken_port_is_replaced(fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    from bridgecheck.drivers import gateway_process

    with socket.create_server(("127.0.0.1", 0)) as taken:
        reserved = [ReservedPort(), ReservedPort(), ReservedPort()]
        reserved[0].number = taken.getsockname()[1]
        ports = iter(reserved)
        monkeypatch.setattr(gateway_process, "ReservedPort", lambda: next(ports))
        with gateway(fakes.recipe("normal", seconds=5)) as running:
            assert running.reach("gemini", Nowhere).address.port != taken.getsockname()[1]


def test_two_runs_never_reserve_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reserved_port, "HIGHEST", reserved_port.LOWEST + 1)
    monkeypatch.setattr(reserved_port, "_TRIES", 2)
    first, second = ReservedPort(), ReservedPort()
    assert {first.number, second.number} == {reserved_port.LOWEST, reserved_port.LOWEST + 1}
    with pytest.raises(OSError, match="no free port found: 2 between"):
        ReservedPort()
    first.release()
    third = ReservedPort()
    assert third.number == first.number
    second.release()
    third.release()


def test_a_reserved_port_is_none_that_the_system_hands_out() -> None:
    ranges = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(ranges.read_text().split()[0]) if ranges.exists() else 49152
    assert lowest > reserved_port.HIGHEST


def test_an_ended_gateway_is_reported_and_restarted(fakes) -> None:
    with gateway(fakes.recipe("dies")) as running:
        for count in range(1, MAX_EXITS + 1):
            at = running.reach("gemini", Nowhere).address
            with pytest.raises(NoResponse, match="closed the connection"):
                send_request(at, HttpRequest("POST", "/v1/chat/completions", body=b"{}"), 5)
            ended = running.discard_if_ended("gemini", within=5)
            assert ended.startswith("exited with code 9, its last lines:\n") and ended.endswith("out of patience")
            assert (len(fakes.pids), fakes.alive) == (count, [])
        with pytest.raises(
            NotReady, match=f"ended {MAX_EXITS} times in a row and is not started again: it exited with code 9"
        ):
            running.reach("gemini", Nowhere)


def test_a_gateway_that_ends_now_and_then_is_always_started_again(fakes) -> None:
    """Whether a case is played must not depend on how many before it ended the adapter."""
    with gateway(fakes.recipe("dies")) as running:
        for _ in range(MAX_EXITS + 2):
            at = running.reach("gemini", Nowhere).address
            assert running.reach("gemini", Nowhere).address == at  # it survived a case
            with pytest.raises(NoResponse):
                send_request(at, HttpRequest("POST", "/v1/chat/completions", body=b"{}"), 5)
            assert running.discard_if_ended("gemini", within=5)


def test_a_retired_gateway_is_replaced_without_a_crash_and_its_provider_ends_with_it(fakes) -> None:
    with gateway(fakes.recipe("normal")) as running:
        addresses, providers = [], []
        for _ in range(MAX_EXITS + 2):
            reached = running.reach("gemini", Nowhere)
            addresses.append(reached.address)
            providers.append(reached.upstream)
            assert send_request(reached.address, HttpRequest("GET", "/"), 5).status == 200
            running.retire("gemini")
        assert len(set(addresses)) == len(set(map(id, providers))) == MAX_EXITS + 2
        running.close()
        assert all(provider.is_stopped for provider in providers)
    assert fakes.alive == []


def test_closing_does_not_wait_for_a_spare_that_does_not_become_ready(fakes) -> None:
    with gateway(fakes.recipe("normal", seconds=600)) as running:
        running.reach("gemini", Nowhere)
        process = running._running[""]
        process.start = replace(process.start, settings=replace(process.start.settings, command=("sleep", "600")))
        running.retire("gemini")
    assert fakes.alive == []


def test_a_running_gateway_is_used_and_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(environment.UPSTREAM_PORT_VARIABLE, "4100")
    driver: Driver = resolve(f"http:{NOWHERE}")
    assert driver.gateway is not None and not driver.gateway.is_started_by_harness
    assert (len(driver.info.routes), driver.gateway.upstream_port) == (9, 4100)
    with pytest.raises(NotReady, match=r"the adapter is not there: nothing listens on 127.0.0.1:9"):
        driver.gateway.reach("gemini", Nowhere)


@pytest.mark.parametrize("message", ["", "many", "0", "70000"])
def test_the_provider_port_of_a_running_gateway_is_required(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(environment.UPSTREAM_PORT_VARIABLE, message)
    with pytest.raises(BadTarget, match=r"--upstream-port N .* configured to call http://127\.0\.0\.1:N"):
        resolve(f"http:{NOWHERE}")
