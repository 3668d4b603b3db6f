from bridgecheck.testing import Conformance


class TestTinyBridge(Conformance):
    """Every case of the adapter that [tool.bridgecheck] in pyproject.toml names."""
