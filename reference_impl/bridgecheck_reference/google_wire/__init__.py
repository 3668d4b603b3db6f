"""google-genai as a carrier of Gemini wire documents, for the native generator and the provider (see ``calls``)."""
