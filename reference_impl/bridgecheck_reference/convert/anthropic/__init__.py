"""Pure converters between Anthropic Messages and OpenAI Chat Completions, the form that every spoke meets in.

``*_to_openai`` reads Anthropic, ``*_from_openai`` writes it. Nothing here knows of Gemini.
"""
