from pathlib import Path
from types import SimpleNamespace

import pytest

from ..fakes import Fakes, alive, becomes_true, number


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


@pytest.fixture
def process() -> SimpleNamespace:
    """Functions that inspect processes, under one name for tests with local names of their own."""
    return SimpleNamespace(alive=alive, becomes_true=becomes_true, number=number)
