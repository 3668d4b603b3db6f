"""The decorators of content generators, and how to look through them."""

from bridgecheck_reference.generator.logged import LoggingContentGenerator
from bridgecheck_reference.generator.protocol import ContentGenerator
from bridgecheck_reference.generator.recorded import RecordingContentGenerator

__all__ = ["LoggingContentGenerator", "RecordingContentGenerator", "layers", "unwrap"]


def layers(generator: ContentGenerator) -> list[ContentGenerator]:
    """The generator and what it is wrapped around, outermost first."""
    found = [generator]
    while isinstance(outer := found[-1], LoggingContentGenerator | RecordingContentGenerator):
        found.append(outer.wrapped)
    return found


def unwrap(generator: ContentGenerator) -> ContentGenerator:
    """The innermost generator: the one that answers."""
    return layers(generator)[-1]
