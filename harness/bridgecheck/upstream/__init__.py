"""The provider's side over a real socket (docs/edge-server.md).

script   a scripted answer -> status, headers and exact writes
edge     the edge server of a process: plays cassettes to whatever is pointed at it
play     one cassette as it plays it: manner, what was seen, answers under way
encode   recorded -> what goes over the socket: pace, gzip
faults   what can go wrong with an answer, one function a fault
step     keeping a stream in step with the client behind the adapter
markers  telling the requests of several scenarios apart
server   an edge server for scripts, in order of arrival: for recording
listener connections, and one function that answers what comes
peer     one connection: h11 speaks HTTP, this moves the bytes
relay    turn 2 on: what a client sends back of what it received
known_fields  what a client that keeps documented fields only says again
"""
