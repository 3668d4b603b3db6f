"""What adapters declare lost is read, but not without end."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.drivers import inprocess
from bridgecheck.drivers.command.adapter import CommandStream, declared_losses
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.drivers.python_frames import losses_from_json
from bridgecheck.model.evidence import MAX_LOSS_CHARACTERS, MAX_REPORTED_LOSSES, ReportedLoss
from bridgecheck.run.turns import minimal_request

MANY = 1_000


def declare_in_process(losses: list[Any]) -> Any:
    adapter = SimpleNamespace(
        routes=[("openai-chat", "openai-chat")],
        to_upstream=lambda body, **rest: body,
        losses=[SimpleNamespace(**loss) for loss in losses],
    )
    request = minimal_request("openai-chat", "unary", "m")
    return inprocess.convert_request(describe_adapter("x", adapter), request, "openai-chat").losses


def declare_in_pieces(losses: list[Any]) -> Any:
    half = len(losses) // 2
    answers = iter([{"events": [], "losses": losses[:half]}, {"events": [], "losses": losses[half:]}])
    stream: Any = CommandStream(SimpleNamespace(request=lambda *arguments: next(answers)), SimpleNamespace(), 1)
    stream.feed({})
    stream.close()
    return stream.losses


@pytest.mark.parametrize(
    "declare",
    [
        declare_in_process,
        declare_in_pieces,
        lambda losses: declared_losses({"losses": losses}),
        lambda losses: losses_from_json([list(loss.values()) for loss in losses]),
    ],
)
def test_losses_are_read_up_to_a_number_and_a_length(declare: Callable[[list[Any]], Any]) -> None:
    few = declare([{"path": "a", "reason": "b", "severity": "c"}])
    assert list(few) == [ReportedLoss("a", "b", "c")]
    many = declare([{"path": f"{number}", "reason": "r" * MANY, "severity": ""} for number in range(MANY)])
    assert [loss.path for loss in many] == [str(number) for number in range(MAX_REPORTED_LOSSES)]
    assert {len(loss.reason) for loss in many} == {MAX_LOSS_CHARACTERS}
