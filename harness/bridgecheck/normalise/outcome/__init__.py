"""The documents of ``outcome``, the client dialect of libraries with types of their own, in normal form."""

from bridgecheck.normalise.outcome.fold import fold
from bridgecheck.normalise.outcome.nonsense import nonsense
from bridgecheck.normalise.outcome.request import prompt
from bridgecheck.normalise.outcome.response import outcome

__all__ = ["fold", "nonsense", "outcome", "prompt"]
