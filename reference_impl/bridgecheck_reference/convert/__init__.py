"""Pure converters between the dialects: wire dicts in, wire dicts out.

No clock, no randomness, no environment, no IO: the same document always becomes the same bytes. Input is never changed;
output may share members with it. ``gemini`` and ``anthropic`` convert to and from OpenAI Chat Completions; what both
need stands here.
"""
