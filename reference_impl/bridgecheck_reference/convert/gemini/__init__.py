"""Pure converters between the Gemini API and OpenAI Chat Completions, the form that all dialects convert through.

``*_to_openai`` reads Gemini, ``*_from_openai`` writes it. Nothing here knows of Anthropic.
"""
