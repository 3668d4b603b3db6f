"""A chat client over any content generator, native or bridged: turns, history, retries, fallback, compression, limits.

Documents are Gemini's, in camelCase. ``client`` is what a program drives, ``chat`` one conversation, ``turn`` one
answer as events. What is pure stands apart: ``history``, ``answer``, ``retry``, ``loops``, ``thoughts``. Nothing here
prints but ``main``. Behaviour follows @google/gemini-cli-core 0.61.0 (read and run 2026-11-24)."""
