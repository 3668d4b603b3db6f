"""Every planted fault, in one list."""

from typing import Final

from answer_mutants import ANSWERS
from anthropic_mutants import ANTHROPIC
from chat_mutants import CHATS
from client_mutants import CLIENTS
from judge_mutants import JUDGES
from more_mutants import MORE
from mutants import ADAPTERS, NORMALISERS, Mutant
from relation_mutants import RELATIONS
from request_mutants import REQUESTS
from unnoticed_mutants import UNNOTICED

ALL_MUTANTS: Final[tuple[Mutant, ...]] = (
    *ADAPTERS,
    *MORE,
    *ANTHROPIC,
    *ANSWERS,
    *CLIENTS,
    *CHATS,
    *REQUESTS,
    *RELATIONS,
    *UNNOTICED,
    *NORMALISERS,
    *JUDGES,
)
