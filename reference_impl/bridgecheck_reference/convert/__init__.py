"""Pure converters between the Gemini API and OpenAI Chat Completions: wire dicts in, wire dicts out.

No clock, no randomness, no environment, no IO: the same document always becomes the same bytes. Input is never changed;
output may share members with it. One file a concept; ``gemini_*`` reads Gemini, ``openai_*`` reads OpenAI.
"""
