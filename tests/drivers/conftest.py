from pathlib import Path
from types import SimpleNamespace

import pytest

from ..fakes import Fakes, alive, becomes_true, number


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


@pytest.fixture
def process() -> SimpleNamespace:
    """A look at processes, for tests whose own names are taken."""
    return SimpleNamespace(alive=alive, becomes_true=becomes_true, number=number)
