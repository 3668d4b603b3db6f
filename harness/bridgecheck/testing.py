"""Every standard case of an adapter as a test of its own suite.

    from bridgecheck.testing import Conformance

    class TestMyGateway(Conformance):
        adapter = my_gateway.Adapter()
        capabilities = ["tools", "parallel_tools"]

    test_conformance.py::TestMyGateway::tools/single-call[bridged-openai-chat-to-gemini-unary-wire]
    test_conformance.py::TestMyGateway::tools/single-call      all cases of that scenario

pytest collects the cases through its plugin ``bridgecheck``; this module is only what such a class says.
"""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar


class Conformance:
    """Base of a test class that holds every case of one adapter: each scenario in each direction and mode it routes.

    What a class does not say is what ``[tool.bridgecheck]`` of the nearest pyproject.toml says, and options of pytest's
    command line win over both. Beside its cases a class may have tests, fixtures and helpers of its own. It cannot
    take a case out, skip it or put another in its place: the item ``every_standard_case_is_here`` fails then. What an
    adapter does wrong for now is said in its ``deviations``.
    """

    adapter: ClassVar[Any] = None
    """The object; or a target as ``--adapter`` takes it; or a fixture of that name, that gives either when a case runs
    (then ``routes`` says what to collect). None: the adapter of ``[tool.bridgecheck]``."""

    capabilities: ClassVar[Collection[str] | None] = None
    """What it claims, so that it is demanded. None: what the adapter claims itself, and if it says nothing, all."""

    routes: ClassVar[Sequence[tuple[str, str]]] = ()
    """(client dialect, upstream dialect) pairs. Only beside a fixture; an adapter that is there has its own."""

    layers: ClassVar[Sequence[str]] = ()
    """Only these: "wire", "sdk", "http". Empty: all that the adapter has; beside a fixture the wire layer."""

    scenarios: ClassVar[Sequence[str]] = ()
    """Only these ids or globs. Empty: all."""

    deviations: ClassVar[str] = ""
    """Path of its deviations.toml, seen from the file the class is in. Empty: none; for the adapter of
    ``[tool.bridgecheck]`` what stands there."""

    requirements: ClassVar[str] = ""
    """Only what this frozen set holds gates. Empty: everything."""

    stale: ClassVar[str] = ""
    """What an accepted failure is that no longer fails: "warn", the default, or "fail"."""

    relations: ClassVar[str] = ""
    """Every stream in other ways a provider may send it: "none", the default, "fast" or "all"."""
