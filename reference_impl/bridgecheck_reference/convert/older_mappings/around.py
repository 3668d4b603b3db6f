"""A live converter with the habits of a profile around it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.older_mappings.answers import AnswerHabit
from bridgecheck_reference.convert.older_mappings.habits import Habits, habits_of
from bridgecheck_reference.convert.pair_converter import ConversionContext, PairConverter
from bridgecheck_reference.loss import Loss, Losses
from bridgecheck_reference.types.conversion import ConversionResult, Machine


@lru_cache(maxsize=64)
def put_habits_around(live: PairConverter, client: Dialect, upstream: Dialect, names: frozenset[str]) -> PairConverter:
    """Return the converter of a pair that keeps these habits."""
    habits = habits_of(client, upstream, names)
    return replace(
        live,
        request=lambda context: _convert_request(live, habits, context),
        response=lambda body, context: _convert_response(live, habits, body, context),
        stream=lambda context: _MachineWithHabits(live.stream(context), habits),
    )


def _convert_request(live: PairConverter, habits: Habits, context: ConversionContext) -> ConversionResult:
    losses = Losses()
    read = context.request
    for change in habits.before_request:
        read = change(read, losses)
    call_ids = habits.call_ids(read.get("contents")) if habits.call_ids else None
    result = live.request(replace(context, request=read, call_ids=call_ids))
    _add_all(result.losses, losses)
    made = result.value
    for finish in habits.after_request:
        made = finish(made, read, losses)
    return replace(result, value=made, losses=tuple(losses))


def _convert_response(
    live: PairConverter, habits: Habits, body: JsonObject, context: ConversionContext
) -> ConversionResult:
    losses = Losses()
    answer = [habit(losses, whole=True) for habit in habits.of_answers]
    result = live.response(_change_read(answer, body), context)
    _add_all(result.losses, losses)
    if "error" in result.value:
        return replace(result, losses=tuple(losses))
    (made,) = _change_made(answer, [result.value])
    return replace(result, value=made, losses=tuple(losses))


def _change_read(answer: Sequence[AnswerHabit], document: JsonObject) -> JsonObject:
    for habit in answer:
        document = habit.change_read(document)
    return document


def _change_made(answer: Sequence[AnswerHabit], documents: list[JsonObject]) -> list[JsonObject]:
    for habit in answer:
        documents = habit.change_made(documents)
    return documents


def _add_all(found: Iterable[Loss], losses: Losses) -> None:
    for loss in found:
        losses.add(loss.path, loss.reason, loss.severity)


class _MachineWithHabits:
    """A live machine with the habits of one answer around it."""

    def __init__(self, live: Machine, habits: Habits) -> None:
        self._live = live
        self._losses = Losses()
        self._answer = [habit(self._losses, whole=False) for habit in habits.of_answers]

    @property
    def losses(self) -> list[Loss]:
        return [*self._losses, *self._live.losses]

    def feed(self, event: JsonObject) -> list[JsonObject]:
        return _change_made(self._answer, self._live.feed(_change_read(self._answer, event)))

    def close(self) -> list[JsonObject]:
        events = self._live.close()
        for habit in self._answer:
            events = habit.change_end(events)
        return events
