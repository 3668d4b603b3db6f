"""bridgecheck: tells whether an adapter between LLM APIs keeps the meaning of what passes through it."""

__version__ = "0.1.0"
