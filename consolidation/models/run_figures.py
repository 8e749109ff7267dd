"""Figures of a run, for those who may read all that it counted."""

from consolidation.models.runs import Run
from memories.values.trust import Trust

OVER_EVERY_SCOPE = ("consolidate", "patterns", "duplicates", "reembed")  # kinds that count over the whole store
FIGURES = ("done", "total", "calls", "failed_calls", "tokens_in", "tokens_out", "tokens_reasoning")


def without_foreign_figures(run: Run, trust: Trust) -> Run:
    """The row as the caller may read it: who reads in some scopes only is not told figures of the whole store."""
    if trust.scopes is not None and run.kind in OVER_EVERY_SCOPE and not (run.scope or run.subject):
        run.counters, run.stage = {}, ""
        vars(run).update(dict.fromkeys(FIGURES, 0))
    return run
