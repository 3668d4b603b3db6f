"""google-genai as a carrier of Gemini wire documents (see ``calls``)."""

from bridgecheck_reference.google_wire.calls import GoogleWire, SdkModels
from bridgecheck_reference.google_wire.http import HttpParts
from bridgecheck_reference.google_wire.stream import WireStream

__all__ = ["GoogleWire", "HttpParts", "SdkModels", "WireStream"]
