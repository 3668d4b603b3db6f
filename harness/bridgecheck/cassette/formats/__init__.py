"""Recordings in the formats of other tools: reading them as traffic, and writing cassettes in them.

table         the formats by name: how each is read and written, and what it cannot carry
detect        which format a file has, by its content
item          TrafficItem: one recorded interaction, whatever it was read from
documents     recorded documents as the bytes that would carry them, and cassettes as documents
vcr           vcrpy: YAML and JSON of version 1
cassetter     cassetter (Kludex/cassetter): YAML and TOML
json_lines    JSON lines, one interaction a line
gemini_cli    gemini-cli's --record-responses and --fake-responses
google_genai  google-genai's replay files
sdk_objects   what google-genai makes of a response, which its replay files also hold
har           HTTP archives, version 1.2
aimock        fixtures of aimock (CopilotKit/aimock)
"""
