"""What new episodes become. Each is read once, however often a job runs.

recorded.py, attempts.py    an episode as a run to learn from; rows as a queue, each tried a few times
tool_rules.py               which tools only read
sightings.py                the first half of a run of consolidation: a new episode is read by all below
  inferring.py              how it ended, where nobody reported it
  pattern_identity.py, regrouping.py    its pattern, also after a person decided about a tool
  counting.py                           its commands, arguments and plan
  user_statements.py                    what its user asked to be kept
competences.py              the second half: a ripe pattern becomes a skill (competence_writing.py)
facts.py, plans.py          what was counted becomes candidates
duplicates.py               memories that claim the same, or contradict each other (`duplicates_run.py`)
skills.py, skill_writing.py, outcome_judge.py   with a model, from one conversation (`extraction_run.py`)
"""
