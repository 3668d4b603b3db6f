"""The variable of the environment that names the folder with ``scenarios/`` and ``cassettes/``."""

from typing import Final

CORPUS_VARIABLE: Final = "BRIDGECHECK_CORPUS"
