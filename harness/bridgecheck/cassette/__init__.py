"""Cassettes: recorded upstream traffic as ordinary vcrpy v1 YAML with chunk boundaries and endings, and their players.

interactions  Cassette and RecordedInteraction: what a file holds, in memory
yaml_text     JSON-like values as readable YAML, read back byte for byte
store         files: their paths, loading and saving, and the YAML of one interaction
provenance    what a scenario rests on: live, imported, edited or scripted, and how old it is
load_provenance  the same, of the cassettes of a corpus folder
redact        what never reaches a file, and the refusal to save a secret
stand_ins     ids that tell who recorded a text, and what stands in their place
prepare       what is done to a recorded or imported conversation before it is written
match_by_key  which recorded interaction answers which request
derive        the other mode of a response: a stream as a whole, a whole response as a stream
side_traffic  responses to side traffic: model lists, token counts, fetched files, health
playback      what a cassette answers to the requests of one case, and the record of these requests
player        plays a cassette to the SDK clients of this task, below httpx and httpx2
traffic       recorded traffic of others (JSONL, vcrpy YAML), read with file and line
"""
