"""Chooses how a case is played above the wire layer: by layer, by path, and by the kind of adapter. At the chat layer
either path is the adapter's own, in its process or as a library.

path     adapter                     sdk layer                               http layer
native   -                           the provider's own SDK, in process      -
bridged  in a process of its own     there, as what it is                    the same
bridged  a library                   its SDK clients, in process or not      -
bridged  a gateway                   the SDK of the client's dialect         the wire client
bridged  an object with ``handle``   as a library                            the wire client, without a socket before it
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import Driver
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import play_in_worker, play_provider_sdk, play_sdk
from bridgecheck.run.library import Library
from bridgecheck.run.record import Record, Turn, request_group


@dataclass(frozen=True, slots=True)
class Strategy:
    """How to play a case. ``play``: all of it over this recording. ``play_twice``: its first turn, two at once, over a
    recording that holds an answer for each; None where nothing could mix them."""

    play: Callable[[Cassette], Record]
    play_twice: Callable[[Cassette], tuple[Record, Record]] | None = None


def choose_strategy_above_wire(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], library: Library, *, in_step: bool = True
) -> Strategy:
    """Return how to play this case. ``in_step``: streams wait for the client, which shows who holds back what."""
    if key.path == "native" and key.layer != "chat":
        return Strategy(lambda cassette: play_provider_sdk.call_async_client(turns, cassette))
    if driver.process is not None:
        return Strategy(
            lambda cassette: play_in_worker.play(driver, key, turns, cassette, in_step=in_step),
            lambda cassette: play_in_worker.play_twice(driver, key, turns[0], cassette),
        )
    if key.layer != "chat" and (driver.gateway is not None or (key.layer == "http" and driver.handles is not None)):
        return _gateway_strategy(driver, key, turns, library, in_step=in_step)
    open_upstream = play_sdk.choose_upstream(
        driver, lambda: library.edge_of_process(driver.process_number()), request_group(key, turns), in_step=in_step
    )
    return Strategy(
        lambda cassette: play_sdk.play(driver, key, turns, cassette, open_upstream),
        lambda cassette: play_sdk.play_twice(driver, key, turns[0], cassette, open_upstream),
    )


def _gateway_strategy(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], library: Library, *, in_step: bool
) -> Strategy:
    # Sockets are for gateways only, and take a while to import.
    from bridgecheck.run import play_http

    client: type[play_http.HttpClient] = play_http.WireClient if key.layer == "http" else play_http.SdkClient
    if key.layer == "http" and driver.handles is not None:
        driver, client = play_http.as_gateway(driver, driver.handles), play_http.HandleClient
    return Strategy(
        lambda cassette: play_http.play(driver, key, turns, cassette, library, client, in_step=in_step),
        lambda cassette: play_http.play_twice(driver, key, turns[0], cassette, library, client),
    )
