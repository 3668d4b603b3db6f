"""A long body is searched in windows, and what stands over two of them is found as in a short one."""

import json
from functools import partial
from itertools import pairwise

import pytest

from bridgecheck.cassette import stand_ins as stand_ins_module
from bridgecheck.cassette.stand_ins import StandIns, find_ids_in_bytes, replace_ids_in_bytes
from bridgecheck.secrets import find_secret_kinds, mask
from bridgecheck.secrets.windows import windows

from .planted_secrets import KINDS

KEY = KINDS["sk-proj"][0]
EMAIL = "karla.example@mail-of-karla.net"
BLOCK, MARGIN = 20_000, 5_000


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mask, stand_ins_module):
        monkeypatch.setattr(module, "windows", partial(windows, block=BLOCK, margin=MARGIN))


def events(texts: list[str]) -> bytes:
    """Return a stream of these deltas, an event each."""
    return b"".join(b"data: %b\n\n" % json.dumps({"delta": {"content": text}}).encode() for text in texts)


FILLER = events(['several plain words of an answer, and a "quote" '])


def stream_around(offset: int, texts: list[str]) -> bytes:
    """Return a stream of more than two blocks with these deltas about ``offset`` bytes behind the end of the first."""
    before = FILLER * ((BLOCK + offset) // len(FILLER))
    return before + events(texts) + FILLER * (BLOCK * 3 // 2 // len(FILLER))


@pytest.mark.parametrize(("block", "margin"), [(40, 10), (10, 200), (1, 0), (1000, 5)])
def test_own_parts_follow_one_another_and_begin_at_lines(block: int, margin: int) -> None:
    data = FILLER[:50] + b"\n" + FILLER * 5 + b"the end"
    found = list(windows(data, block, margin))
    assert [found[0].start, found[-1].end, found[0].before, found[-1].behind] == [0, len(data), 0, len(data)]
    assert all(window.end == following.start for window, following in pairwise(found))
    positions = {position for window in found for position in window}
    assert all(position in (0, len(data)) or data[position - 1 : position] == b"\n" for position in positions)
    assert all(min(window.end + margin, len(data)) <= window.behind for window in found)
    assert list(windows(b"")) == []


@pytest.mark.parametrize("offset", [-len(FILLER), 0, 1_000])
@pytest.mark.parametrize("step", [1, 7, len(KEY)])
def test_a_key_is_found_wherever_it_stands(offset: int, step: int) -> None:
    pieces = [KEY[start : start + step] for start in range(0, len(KEY), step)]
    assert find_secret_kinds(stream_around(offset, ["behind ", *pieces, " before"]))
    assert find_secret_kinds(stream_around(offset, ["no key "])) == ()


def test_a_key_is_found_whose_pieces_stand_further_apart_than_a_window_shows() -> None:
    padding = b": " + b"waiting " * 500 + b"\n\n"
    pieces = [KEY[start : start + 1] for start in range(len(KEY))]
    assert find_secret_kinds(b"".join(events([piece]) + padding for piece in pieces))


@pytest.mark.parametrize("offset", [-1, -1_000, 0, 1_000])
@pytest.mark.parametrize("step", [1, 5, len(EMAIL)])
def test_an_id_gets_one_stand_in_wherever_it_stands(offset: int, step: int) -> None:
    pieces = [EMAIL[start : start + step] for start in range(0, len(EMAIL), step)]
    body = stream_around(offset, ["for ", *pieces, " and ", EMAIL, "!"])
    stand_ins = StandIns()
    replaced = replace_ids_in_bytes(body, stand_ins.stand_in, is_response=True)
    assert (len(replaced), list(stand_ins.known)) == (len(body), [EMAIL])
    assert set(find_ids_in_bytes(replaced, is_response=True)) == {*stand_ins.known.values()}
    assert replace_ids_in_bytes(replaced, stand_ins.stand_in, is_response=True) == replaced


def test_a_body_without_an_id_is_returned_itself() -> None:
    body = stream_around(0, ["nothing "])
    assert replace_ids_in_bytes(body, StandIns().stand_in, is_response=True) is body
