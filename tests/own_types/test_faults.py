"""Every fault planted in the library is found, by the check whose business it is. ``test_library`` shows that without
one nothing is."""

import pytest

from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario

from .faults import FAULTS, Fault, Faulty
from .played import complaints, driver, played
from .test_library import ITS_OWN


def shown(fault: Fault) -> tuple[list[Scenario], str]:
    glob, _, variant = fault.shows.partition("::")
    found = scenarios(scenarios_root(), [glob])
    return [one for one in found if one.id not in ITS_OWN], f"bridged-outcome-to-{variant}"


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_found(name: str) -> None:
    fault = FAULTS[name]
    found, variant = shown(fault)
    faulty = driver(Faulty(fault))
    assert any(fault.seen_by in complaints(played(faulty, one, variant)) for one in found)
