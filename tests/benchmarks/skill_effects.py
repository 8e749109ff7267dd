"""After how many runs it is known whether a skill helps: `python -m tests.benchmarks.skill_effects`.

Simulated runs, half of which do without by lot. Per true effect: how many of the series say what, and the median number
of runs after which they do. No database, no model.
"""

import os
from collections import Counter
from statistics import median

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
django.setup()

from consolidation.guidance.anytime import Trial, answer_of  # noqa: E402 - the room needs its settings

RUNS, SERIES = 20_000, 60
EFFECTS = ((0.7, 0.5), (0.65, 0.5), (0.6, 0.5), (0.5, 0.5), (0.8, 0.8), (0.3, 0.3), (0.4, 0.5), (0.35, 0.5))


def series(seed: int, well: float, without: float, *, runs: int, share: float = 0.5) -> list[Trial]:
    """Runs that end well with these probabilities, with the skill and without it."""
    lots = np.random.default_rng(seed)
    withheld = lots.random(runs) < share
    ended = lots.random(runs) < np.where(withheld, without, well)
    return [Trial(bool(one), bool(other), share) for one, other in zip(withheld, ended, strict=True)]


def main() -> None:
    for well, without in EFFECTS:
        found = [answer_of(series(seed, well, without, runs=RUNS)) for seed in range(SERIES)]
        known = [one.runs for one in found if one.is_known]
        counts = ", ".join(f"{answer} {n}" for answer, n in Counter(one.answer for one in found).most_common())
        after = f"known after {median(known):.0f} runs (median)" if known else "not known"
        print(f"{well:.2f} with, {without:.2f} without: {counts}; {after}")


if __name__ == "__main__":
    main()
