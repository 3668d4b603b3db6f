"""The picture of the layers shows the import contracts."""

import importlib
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_architecture")


def test_the_picture_is_current(writer: ModuleType) -> None:
    assert writer.PICTURE.read_text(encoding="utf-8") == writer.draw(), "make docs"


def test_every_layer_is_drawn_once_from_top_to_bottom(writer: ModuleType) -> None:
    root = ElementTree.fromstring(writer.draw())
    texts = [(float(node.get("y", 0)), node.text) for node in root.iter() if node.get("class") == "name"]
    layers = writer.module_lists(writer.contracts(), "layers", "layers")
    names = [name.removeprefix("bridgecheck.") for layer in layers for name in layer]
    assert [text for _, text in texts] == [*names, "bridgecheck_reference"]
    assert [y for y, _ in texts] == sorted(y for y, _ in texts)


def test_a_missing_package_is_an_error(writer: ModuleType) -> None:
    with pytest.raises(FileNotFoundError, match=r"bridgecheck\.nowhere"):
        writer.first_sentence("bridgecheck.nowhere")
