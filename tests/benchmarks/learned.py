"""Guidance and verdicts on recorded runs, computed in memory: no store, no server, all corpora in minutes.

    .venv/bin/python -m tests.benchmarks.learned DATA [--only airline] [--priors]

DATA holds airline-runs.jsonl and runs/{retail,telecom,desks,terminal,coding}-runs.jsonl. Splits: of the airline runs
one trial is learned and the other asked about; of the retail runs those of one agent, and asked about the other's;
everywhere five folds by thread (customers in retail), of a small desk one for each case. For each moment: how many
questions are answered, the share of them that is right (the set of tools that change something equals that of a run of
the task that ended well, or of its answer key), Brier against the base rate, calibration error in five bins. Of
verdicts: AUC, Brier, calibration error, how many are not `unknown`, and how many `high` ones had failed.
--priors prints the coefficients that all corpora together give, each with at most a hundred answers' weight.
One JSON line a figure.
"""

import argparse
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from tests.benchmarks.calibrated import auc, calibration_error
from tests.benchmarks.guidance import FOLDS, OFF_TOPIC, is_write, loaded, show, write_set

Json = dict[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)
ANSWERING = re.compile(
    r"get|search|list|show|check|track|consult|verif|buscar|identific|recommend|suggest|validate|transfer|escalate"
)
MOMENTS = ("opening", "under way", "before the first write")


@dataclass
class Known:
    """One recorded run with its profile."""

    raw: Json
    run: Any
    profile: Any
    corpus: str

    @property
    def task(self) -> tuple[str, str]:
        return self.corpus, str(self.raw["task_id"])


def writes(tools: Any, corpus: str) -> frozenset[str]:
    """Those of the tools that count as changes in this corpus."""
    if corpus in ("airline", "retail", "telecom"):
        return frozenset(tool for tool in tools if is_write(tool, corpus))
    return frozenset(tool for tool in tools if not (corpus.startswith("desk-") and ANSWERING.match(tool)))


def corpora(data: Path) -> dict[str, list[Known]]:
    found = {"airline": loaded(data / "airline-runs.jsonl", "airline")}
    for name in ("retail", "telecom", "terminal", "coding"):
        found[name] = loaded(data / "runs" / f"{name}-runs.jsonl", name)
    for run in loaded(data / "runs" / "desks-runs.jsonl", "desks"):
        found.setdefault(f"desk-{run['domain']}", []).append(run)
    return {name: [known(raw, n, name) for n, raw in enumerate(runs)] for name, runs in found.items()}


def known(raw: Json, n: int, corpus: str) -> Known:
    from consolidation.guidance.profiling import profile
    from consolidation.guidance.request import check

    run = check({"messages": raw["messages"]}).run
    ended = {"outcome": raw["outcome"], "at": START + timedelta(minutes=n), "thread_id": raw["thread_id"]}
    run = replace(run, id=uuid5(NAMESPACE_URL, raw["id"]), **ended)
    return Known(raw, run, profile(run, "", 0, rules()), corpus)


def rules() -> Any:
    from django.conf import settings

    from consolidation.learning.effects.tool_rules import ToolRules

    return ToolRules(
        ignored=frozenset(settings.IGNORED_TOOLS),
        handover=tuple(settings.HANDOVER_TOOLS),
        command_tools=frozenset(settings.COMMAND_TOOLS),
    )


Part = tuple[list[Known], list[Known]]


def folds(runs: list[Known], many: int = FOLDS) -> list[Part]:
    groups = sorted({one.raw["apart"] for one in runs})
    random.Random(1).shuffle(groups)
    out = [set(groups[n::many]) for n in range(many)]
    return [
        ([one for one in runs if one.raw["apart"] not in fold], [one for one in runs if one.raw["apart"] in fold])
        for fold in out
    ]


def splits(found: dict[str, list[Known]]) -> Iterator[tuple[str, list[Part]]]:
    """Name, and what each part learns from and is asked about."""
    air, shop = found["airline"], found["retail"]
    for trial in (0, 1):
        learned = [one for one in air if one.raw["trial"] != trial]
        yield f"airline, recurring, trial {trial}", [(learned, [one for one in air if one.raw["trial"] == trial])]
    yield "airline, left out", folds(air)
    of_agent = [[one for one in shop if name in one.raw["id"]] for name in ("-gpt5-", "-gpt41-")]
    yield "retail, another agent's", [(of_agent[0], of_agent[1])]
    yield "retail, left out", folds(shop)
    desks = [runs for name, runs in found.items() if name.startswith("desk-")]
    yield "desks, left out", [part for runs in desks for part in folds(runs, len({one.raw["apart"] for one in runs}))]
    for name in ("telecom", "terminal", "coding"):
        yield f"{name}, left out", folds(found[name])


class Store:
    """What a store would know that holds these runs."""

    def __init__(self, runs: list[Known]) -> None:
        from consolidation.guidance.latest_runs import LatestRuns, measured

        self.profiles = sorted((one.profile for one in runs), key=lambda profile: profile.at, reverse=True)
        self.calibration, _ = measured(LatestRuns(self.profiles))

    def experience(self, features: Any, identifiers: Sequence[int], *, opening: bool) -> Any:
        from consolidation.guidance import experience

        vectors = np.stack([profile.vector for profile in self.profiles])
        order = np.argsort(-(vectors @ features.vector), kind="stable")[: experience.NEAREST]
        near = [self.profiles[int(n)] for n in order]
        asked, taken = set(identifiers), {profile.pk for profile in near}
        sharing = [one for one in self.profiles if asked & set(one.identifiers)][: experience.SAME_IDS]
        return experience.of_profiles(
            features, [*near, *(one for one in sharing if one.pk not in taken)], opening=opening
        )

    def told(self, run: Any) -> tuple[frozenset[str], float, bool]:
        """The effects, the confidence, and whether it is an answer."""
        from consolidation.guidance import features, guide
        from consolidation.guidance.request import GuidanceQuestion, GuidanceRequest

        said, identifiers = features.of_moment(run)
        question = GuidanceQuestion(GuidanceRequest(task="-"), run)
        found = self.experience(said, identifiers, opening=question.is_opening)
        advice = guide.weighed(found, self.calibration, guide.moment_of(question, said))
        return advice.effects, advice.confidence, advice.is_sure


def cut(run: Any, moment: str) -> Any:
    """The run as it stood then."""
    from consolidation.guidance.profiling import first_change

    until = first_change(run, rules()) or 10**9
    first = run.user_messages[0].position
    if moment == "opening":
        until = first + 1
    elif moment == "under way":
        later = sorted(one.position for one in (*run.messages, *run.calls) if first < one.position < until)
        until = later[len(later) // 2] if later else first + 1
    return replace(
        run,
        calls=tuple(call for call in run.calls if call.position < until),
        messages=tuple(message for message in run.messages if message.position < until),
    )


def good_sets(found: dict[str, list[Known]], data: Path) -> dict[tuple[str, str], set[frozenset[str]]]:
    gold = json.loads((data / "runs" / "desks-gold.json").read_text())
    good: dict[tuple[str, str], set[frozenset[str]]] = defaultdict(set)
    for runs in found.values():
        for one in runs:
            if one.run.succeeded:
                done = write_set(one.raw, one.corpus) if one.corpus == "telecom" else one.profile.effects
                good[one.task].add(writes(done, one.corpus))
            if one.raw["id"] in gold:
                good[one.task].add(writes(gold[one.raw["id"]], one.corpus))
    return good


Asked = tuple[float, float, bool]  # confidence, right, answered


def guidance_figures(name: str, parts: list[tuple[Store, list[Known]]], good: Any) -> dict[str, list[Asked]]:
    asked: dict[str, list[Asked]] = {moment: [] for moment in MOMENTS}
    for store, runs in parts:
        for one in runs:
            for moment in MOMENTS if good[one.task] else ():
                effects, confidence, is_sure = store.told(cut(one.run, moment))
                asked[moment].append((confidence, float(writes(effects, one.corpus) in good[one.task]), is_sure))
    for moment, answers in asked.items():
        show_answers(f"{name}, {moment}", answers)
    return asked


def show_answers(what: str, answers: list[Asked]) -> None:
    sure, right, given = (np.array(column, float) for column in zip(*answers, strict=True))
    base = float(right.mean())
    show(
        what=what, runs=len(sure), answered=float(given.mean()),
        right_of_answered=float(right[given == 1].mean()) if given.any() else None,
        brier=float(((sure - right) ** 2).mean()), brier_of_base_rate=base * (1 - base),
        ece=calibration_error(sure, right),
    )  # fmt: skip


def off_topic(name: str, stores: list[Store]) -> None:
    from consolidation.guidance.request import check

    given = [store.told(check({"task": task}).run)[2] for store in stores for task in OFF_TOPIC]
    show(what=f"{name}, off-topic", asked=len(given), answered=sum(given))


def priors(found: dict[str, list[Known]], good: Any) -> None:
    """The coefficients over all corpora."""
    from consolidation.guidance import calibration, logistic, risk
    from consolidation.guidance.latest_runs import LatestRuns

    rows: dict[str, list[Any]] = defaultdict(list)
    for name, runs in found.items():
        latest = LatestRuns([one.profile for one in runs])
        weight = 8 if name.startswith("desk-") else 1  # eight desks are one corpus
        moments = {
            "opening": (latest.ballot_of_openings, latest.among_openings),
            "under_way": (latest.ballot, latest.openings),
            "before_write": (latest.ballot, latest.among),
        }
        for moment, (ballot, compared) in moments.items():
            told = [one for one in calibration.answered(ballot, compared) if good[runs[one.run].task]]
            for one in told:
                right = writes(one.grounds.vote.effects, name) in good[runs[one.run].task]
                rows[moment].append((calibration.regressors(one.grounds), float(right), 100 / weight / len(told)))
        signs, failed = risk.training_rows(latest.ballot, latest.among)
        rows["risk"] += [(one, ill, 100 / weight / len(signs)) for one, ill in zip(signs, failed, strict=True)]
    for moment, table in rows.items():
        given, ended, weights = (np.array(column) for column in zip(*table, strict=True))
        none = [0.0] * given.shape[1]
        fitted = logistic.fitted(given, ended, none, 1.0, weights=np.minimum(weights, 1))
        show(what=f"prior of {moment}", coefficients=[round(w, 2) for w in fitted])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="", help="the beginning of a split's name")
    parser.add_argument("--priors", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    import django

    django.setup()
    found = corpora(given.data)
    good = good_sets(found, given.data)
    if given.priors:
        priors(found, good)
        return
    pooled: dict[str, list[Asked]] = defaultdict(list)
    for name, parts in splits(found):
        if name.startswith(given.only):
            stores = [(Store(learned), asked) for learned, asked in parts]
            for moment, answers in guidance_figures(name, stores, good).items():
                pooled[moment] += answers
            off_topic(name, [store for store, _ in stores[:: max(1, len(stores) // FOLDS)]])
            verdict_figures(name, stores)
    for moment, answers in pooled.items():
        show_answers(f"all, {moment}", answers)


def verdict_figures(name: str, parts: list[tuple[Store, list[Known]]]) -> None:
    from consolidation.guidance import features
    from consolidation.guidance.risk import judged

    risks, failed, levels = [], [], []
    for store, runs in parts:
        for one in runs:
            before = features.unpack(one.profile.packed)
            found = store.experience(before, one.profile.identifiers, opening=False)
            told = judged(found, store.calibration, frozenset(one.profile.effects))
            risks.append(told.risk if told.risk is not None else 0.5)
            levels.append(told.level)
            failed.append(float(one.run.failed))
    risk, ill, level = np.array(risks), np.array(failed), np.array(levels)
    base = float(ill.mean())
    show(
        what=f"{name}, verdict", runs=len(ill), auc=auc(risk, ill), brier=float(((risk - ill) ** 2).mean()),
        brier_of_base_rate=base * (1 - base), ece=calibration_error(risk, ill), told=float((level != "unknown").mean()),
        **{f"{one}, failed": f"{int(ill[level == one].sum())}/{int((level == one).sum())}"
           for one in ("low", "medium", "high", "unknown")},
    )  # fmt: skip


if __name__ == "__main__":
    main()
