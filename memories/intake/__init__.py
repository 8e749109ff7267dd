"""The only way in of memories. All stores pass the gate (`admission.py`) and are inserted by one verb (`inserting.py`).

reports/      the bodies that callers send, checked, nothing stored yet
traces/       spans of OpenTelemetry, made events
episodes/     stores what happened: events, conversations, outcomes, the working states of threads
claims/       stores what is believed: written by agents and rules, taught by people
triples.py    stores observations (subject, predicate, object)
evidence.py   counts an occasion for or against a memory, once
edits.py      changes one memory in place
revisions/    puts a memory in another's place: supersede, fork, merge, contest, retract
proposals.py  carries out what a person accepted
"""
