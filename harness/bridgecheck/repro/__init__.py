"""``bridgecheck repro``: one finding of one case as a text for an issue tracker, with a script that shows it without
bridgecheck.

replay     the case that the command line names, played once more
oracle     how a script can tell whether the finding shows
parts      what scripts consist of
source     data and parts as Python source
loading    how a script gets hold of the adapter
script     all of it as one file
proof      a script, run
issue      the text
command    the command
"""
