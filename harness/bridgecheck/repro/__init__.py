"""``bridgecheck repro``: one finding of one case as a text for an issue tracker, with a script that shows it without
bridgecheck.

meant      what the command line means: a case, and the finding in it
fault      that case, played once more and judged; what a script needs of it
oracle     how a script can tell whether the fault shows
parts      what scripts are put together from
script     the parts and the data as one file
proof      a script, run
issue      the text
"""
