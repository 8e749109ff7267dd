"""Pure learning functions: recorded runs in, text for review out. No clock, no database.

The way of a run, each folder using only those above it in this list:

    runs/        what a recorded run holds: messages, calls, values, errors, terms; what of it may be repeated
    commands/    command lines as kinds of commands: `cd x && python -m pytest -q` is `pytest`, and so is what
                 `uv run`, `docker exec` or `powershell -Command` runs; `./shopctl refunds create --payment P` is a
                 kind with arguments, like a tool, and so is a request that `curl` sends
    effects/     which tools and commands change something, by their names and decisions, and whether a command started
    wording      helpers for texts: the language of a text, lists, capital letters, shortening
    plan_graphs  a run as nodes and edges
    statements/  what users state: what to keep, how things are, how the work ended
    facts/       counted facts about commands that start and arguments that work
    comparison/  the runs of one pattern beside the other runs of their scope: contrast, conditions, trigger terms
    writing/     a competence: recipe, procedure, lessons, name and description in the language of its requests

`writing/competence.py: learn()` is the entry for skills; consolidation/pipelines ask `facts/` and `statements/`.
"""
