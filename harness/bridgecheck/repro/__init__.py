"""``bridgecheck repro``: one finding of one case as a text for an issue tracker, with a script that shows it without
bridgecheck.

selection         the case that the command line names
replay            that case, played once more
right             transcripts of the same case without the fault
comparison        the places on which a finding depends, in a faulty and a right transcript
oracle            how a script can tell whether the finding shows
reach             how a script gets hold of the adapter, and what travels with it
case              the data of a script
script            all of it as one file
runtime           what a script does: it plays the case, and says whether the finding shows
runtime_adapters  adapters of every kind, for scripts
runtime_provider  the provider, for scripts
runtime_turns     requests of later turns, for scripts
proof             a script, tried
report_scripts    scripts of published findings, from their reports
issue             the text
command           the command
"""
