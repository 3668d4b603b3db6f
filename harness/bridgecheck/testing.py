"""Every standard case of an adapter as a test in the adapter's own test suite.

    from bridgecheck.testing import Conformance

    class TestMyGateway(Conformance):
        adapter = my_gateway.Adapter()
        capabilities = ["tools", "parallel_tools"]

    test_conformance.py::TestMyGateway::tools/single-call[bridged-openai-chat-to-gemini-unary-wire]
    test_conformance.py::TestMyGateway::tools/single-call      all cases of that scenario

pytest collects the cases through its plugin ``bridgecheck``; this module holds only the attributes of such a class.
"""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar


class Conformance:
    """Base of a test class that holds every case of one adapter: each scenario in each direction and mode it routes.

    What a class does not state is taken from ``[tool.bridgecheck]`` of the nearest pyproject.toml, and options of
    pytest's command line override both. Beside its cases a class may have tests, fixtures and helpers of its own. It
    cannot take a case out, skip it or replace it: the item ``every_standard_case_is_here`` fails then. What an adapter
    does wrong for now is listed in its ``deviations``.
    """

    adapter: ClassVar[Any] = None
    """The object; or a target as ``--adapter`` takes it; or a fixture of that name, which returns either when a case
    runs (then ``routes`` determines what is collected). None: the adapter of ``[tool.bridgecheck]``."""

    capabilities: ClassVar[Collection[str] | None] = None
    """What the adapter claims, so that it is required. None: what the adapter claims itself, and if it claims nothing,
    all."""

    routes: ClassVar[Sequence[tuple[str, str]]] = ()
    """(client dialect, upstream dialect) pairs. Only for a fixture; an object has its own."""

    layers: ClassVar[Sequence[str]] = ()
    """Only these: "wire", "sdk", "http", "chat". Empty: all that the adapter has; for a fixture the wire layer."""

    scenarios: ClassVar[Sequence[str]] = ()
    """Only these ids or globs. Empty: all."""

    deviations: ClassVar[str] = ""
    """Path of its deviations.toml, relative to the file of the class. Empty: none; for the adapter of
    ``[tool.bridgecheck]`` the path stated there."""

    requirements: ClassVar[str] = ""
    """Only failures of requirements in this frozen set fail. Empty: all failures."""

    stale: ClassVar[str] = ""
    """What to do about an accepted failure that no longer fails: "warn", the default, or "fail"."""

    relations: ClassVar[str] = ""
    """Play every stream in other forms that a provider may send: "none", the default, "fast" or "all"."""
