"""Which case is played next while a finished one may still be sent one of its requests again."""

from bridgecheck.pytest_plugin.put_off import PutOffCases


def test_a_case_waits_behind_later_ones_and_at_the_end_for_its_time() -> None:
    waits, slept = {"again": 3.0}, []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        waits["again"] = 0

    items = ["first", "again", "second", "third"]
    put_off = PutOffCases(lambda item: waits.get(item, 0), sleep)
    assert [put_off.choose(item, items) for item in items] == ["first", "second", "third", "again"]
    assert len(slept) == 1


def test_a_case_that_need_not_wait_any_more_comes_next() -> None:
    waits = {"again": 3.0}
    items = ["again", "first", "second"]
    put_off = PutOffCases(lambda item: waits.get(item, 0))
    assert put_off.choose("again", items) == "first"
    waits.clear()
    assert [put_off.choose(item, items) for item in items[1:]] == ["again", "second"]
