"""Every liberty, in the order of its family."""

from typing import Final

from liberty import Liberty
from request_liberties import REQUEST_LIBERTIES

ALL_LIBERTIES: Final[tuple[Liberty, ...]] = (*REQUEST_LIBERTIES,)
