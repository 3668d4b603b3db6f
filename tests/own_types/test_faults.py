"""Each fault planted in the library is found, by the check for it. ``test_library`` shows that nothing is found
without a fault."""

import pytest

from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario

from .faults import FAULTS, Fault, Faulty
from .play import complaints, make_driver, play_cases
from .test_library import KNOWN_FAULTS


def cases_of_fault(fault: Fault) -> tuple[list[Scenario], str]:
    glob, _, variant = fault.cases.partition("::")
    found = scenarios(scenarios_root(), [glob])
    return [scenario for scenario in found if scenario.id not in KNOWN_FAULTS], f"bridged-outcome-to-{variant}"


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_found(name: str) -> None:
    fault = FAULTS[name]
    found, variant = cases_of_fault(fault)
    faulty = make_driver(Faulty(fault))
    assert any(fault.detected_by in complaints(play_cases(faulty, scenario, variant)) for scenario in found)
