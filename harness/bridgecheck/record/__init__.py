"""``bridgecheck record``: an edge between clients and their providers that records and replays (docs/recording.md).

command              a recorder around a command, or until it is interrupted
recorder             listens in a thread, and puts everything together
options              the command line, checked
traffic_edge         what each request gets: a recording, its provider's answer, or a refusal
live_exchange        one request passed on, its answer streamed back and written down
provider_connection  the connection to a provider; provider_protocol: HTTP/1.1 and HTTP/2 on it, sans-IO
providers            which provider gets a request, with which path, headers and key
exchange_log         what is written down of an exchange; journal: its entries
folder               cassettes, journals and claims on disk; writer: the thread that writes cassettes
canonical            when two requests are the same; recordings: which recording answers one
grouping             which conversation a request belongs to; naming: what it is called
assembly             journals -> cassettes
summary              what is printed at the end, and the exit code
"""
