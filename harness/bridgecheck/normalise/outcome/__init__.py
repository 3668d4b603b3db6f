"""The documents of ``outcome``, the client dialect of libraries with types of their own, in normal form."""

from bridgecheck.normalise.outcome.problems import find_response_problems
from bridgecheck.normalise.outcome.request import read_request
from bridgecheck.normalise.outcome.response import read_response
from bridgecheck.normalise.outcome.stream import fold

__all__ = ["find_response_problems", "fold", "read_request", "read_response"]
