"""The variables of the environment that name the corpus, and live recordings that are played in its place."""

from typing import Final

CORPUS_VARIABLE: Final = "BRIDGECHECK_CORPUS"
"""The folder with ``scenarios/`` and ``cassettes/``."""

RECORDINGS_VARIABLE: Final = "BRIDGECHECK_RECORDINGS"
"""A folder of cassettes, TOPIC/SLUG/DIALECT.MODE.yaml, each in place of the corpus's."""
