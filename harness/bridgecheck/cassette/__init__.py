"""Cassettes: recorded upstream traffic as ordinary vcrpy v1 YAML with chunk boundaries and endings, and their players.

recorded   Cassette and Recorded: what a file holds, in memory
yaml_text  JSON-like values as readable YAML, read back byte for byte
parse      one YAML interaction -> Recorded
store      files: where a cassette lies, load, save
redact     what never reaches a file, and the scanner that refuses to save a secret
match      which recorded interaction answers which request
indexed    vcrpy's Cassette with an index in place of its linear search
derive     the other mode of an answer: a stream as a whole, a whole answer as a stream
side       answers to side traffic: model lists, token counts, fetched files, health
answers    who answers a request: the cassette, derived from it, a stub, or nobody
playback   one cassette being played, and what was asked of it
stub       the transport under httpx and httpx2 that plays chunks and endings
player     playing(): SDK traffic of this task is answered from a cassette; documents(): no HTTP at all
traffic    recorded traffic of others (JSONL, vcrpy YAML), read with file and line
"""
