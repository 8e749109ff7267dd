"""The text of a learned skill, from counts, in English or Chinese.

competence.py, learned.py                   all fields of a version, and what the analyses gave for it
recipe.py, procedure.py, work_steps.py      which steps, and as sentences; of work on files
argument_sources.py, argument_choices.py, schemas.py, templates.py          where arguments come from, what decides them
argument_conditions.py, record_states.py, call_conditions.py        of which records, and which of them get a call
command_shapes.py, file_shapes.py, git_work.py      commands and files without what one run alone had
failures.py, lessons.py                     what went wrong, and what was done about it
phrases.py, naming.py                       templates of sentences; title, slug and description
"""
