"""The provider's side over a real socket (docs/edge-server.md).

wire_response            a scripted or recorded response -> status, headers, exact writes, pace, gzip
edge                     the edge server of a process: plays cassettes to any client; tells scenarios apart
play                     one cassette as it is played: settings, observations, responses under way, pace of a stream
faults                   what can go wrong with a response, one function a fault
listener                 accepts connections, one function answers each request; a server for scripts, used to record
connection               one connection: h11 speaks HTTP, this moves the bytes
relay                    turn 2 on: what a client sends back of what it received
outcome_document         a Prompt -> an ``outcome`` request document
wire_to_outcome_request  a request of a wire format -> the same request as an ``outcome`` document
"""
