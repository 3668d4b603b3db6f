"""The ways in which a case above the wire layer is played, chosen once: by what, over what, and by which client.

path     adapter                     sdk layer                               http layer
native   -                           the provider's own SDK, in process      -
bridged  a library                   its SDK clients, where it wants them    -
bridged  a gateway                   the SDK of the client's dialect         the wire client
bridged  an object with ``handle``   as a library                            the wire client, without a socket before it
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.drivers import Driver
from bridgecheck.model.adapter import Handles
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import native, sdk
from bridgecheck.run.library import Library
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.stage import stage_for


@dataclass(frozen=True, slots=True)
class Way:
    """``play``: the case over this recording. ``twice``: its first turn, two at once, over a recording that holds an
    answer for each; None where nothing is there that could mix them."""

    play: Callable[[Cassette], Record]
    twice: Callable[[Cassette], tuple[Record, Record]] | None = None


def way(driver: Driver, key: CaseKey, plays: Sequence[Turn], library: Library, *, in_step: bool = True) -> Way:
    """``in_step``: streams wait for the client, so that it can be told who holds back what."""
    if key.path == "native":
        return Way(lambda cassette: native.called(plays, cassette))
    if key.layer == "http" and driver.handles is not None:
        return _of_an_object(driver, driver.handles, key, plays, library, in_step=in_step)
    if driver.gateway is not None:
        return _of_a_gateway(driver, key, plays, library, in_step=in_step)
    stage = stage_for(driver, library, in_step=in_step)
    return Way(
        lambda cassette: sdk.play(driver, key, plays, cassette, stage),
        lambda cassette: sdk.side_by_side(driver, key, plays[0], cassette, stage),
    )


def _of_a_gateway(driver: Driver, key: CaseKey, plays: Sequence[Turn], library: Library, *, in_step: bool) -> Way:
    # Sockets are for gateways only, and take a while to import.
    from bridgecheck.run import http
    from bridgecheck.run.http_sdk import SdkTalk

    client = http.WireTalk if key.layer == "http" else SdkTalk
    port = driver.gateway.upstream_port if driver.gateway is not None else 0
    return Way(
        lambda cassette: http.play(driver, key, plays, cassette, library.edge_at(port), client, in_step=in_step),
        lambda cassette: http.side_by_side(driver, key, plays[0], cassette, library.edge_at(port), client),
    )


def _of_an_object(
    driver: Driver, handles: Handles, key: CaseKey, plays: Sequence[Turn], library: Library, *, in_step: bool
) -> Way:
    from bridgecheck.run import handled

    return Way(
        lambda cassette: handled.play(driver, handles, key, plays, cassette, library.edge, in_step=in_step),
        lambda cassette: handled.side_by_side(driver, handles, key, plays[0], cassette, library.edge),
    )
