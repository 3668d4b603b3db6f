"""How an adapter is reached: by a name in the mini-language, driven with a time limit, its failures separate from ours.

    python:package.module:object   an object in a process of its own (model/adapter: Converter and, at will, Connects)
    PATH.toml                      a recipe (recipe): one of these, and what it claims
    native:                        the identity: documents pass untouched, the control beside every report

What an adapter does wrong is never an exception of the harness: it ends as ``Crashed`` or ``Refused`` and from there in
the transcript.
"""

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.resolve import (
    DEFAULT_TARGET,
    AdapterSelection,
    replace_claims,
    resolve,
    select_adapter_or_reference,
)

__all__ = ["DEFAULT_TARGET", "AdapterSelection", "Driver", "replace_claims", "resolve", "select_adapter_or_reference"]
