"""docs/edge-server.md names every fault and every setting of a play."""

import dataclasses
from pathlib import Path

from bridgecheck.upstream.faults import FAULTS, Fault
from bridgecheck.upstream.play import PlaySettings

PAGE = (Path(__file__).parents[2] / "docs" / "edge-server.md").read_text(encoding="utf-8")


def test_every_fault_has_its_row() -> None:
    rows = {
        line.split("`")[1] for line in PAGE.partition("## Faults")[2].partition("## ")[0].splitlines() if "| `" in line
    }
    assert rows - {"Fault"} == set(FAULTS)


def test_every_play_setting_and_every_field_of_a_fault_is_documented() -> None:
    for field in (*dataclasses.fields(PlaySettings), *dataclasses.fields(Fault)):
        assert f"`{field.name}" in PAGE or field.name == "name", field.name
