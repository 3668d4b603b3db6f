"""A certificate authority, and recorders in this process."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trustme

from bridgecheck.record.options import RecordOptions
from bridgecheck.record.recorder import Recorder


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return path


Start = Callable[..., Recorder]


@pytest.fixture
def start(tmp_path: Path, ca_file: Path) -> Start:
    """Return a function that makes a recorder of ``tmp_path / "out"``; its caller enters it."""

    def make(serve: Sequence[str] = (), **options: Any) -> Recorder:
        return Recorder(RecordOptions(serve, **{"out": tmp_path / "out", "ca_file": ca_file} | options))

    return make
