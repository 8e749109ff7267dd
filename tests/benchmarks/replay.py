"""Executes what is left of recorded writes on the data of the tau-bench airline environment."""

import pickle
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Replay:
    """`answers`: the tools of the writes in each task's answer key."""

    def __init__(self, environment: Path) -> None:
        sys.dont_write_bytecode = True  # the folder is not ours
        sys.path.insert(0, str(environment))
        from tau_bench.envs.airline.data import load_data  # type: ignore[import-not-found]
        from tau_bench.envs.airline.tasks_test import TASKS  # type: ignore[import-not-found]
        from tau_bench.envs.airline.tools import ALL_TOOLS  # type: ignore[import-not-found]

        from tests.benchmarks.guidance import WRITES

        self._tools = {tool.get_info()["function"]["name"]: tool for tool in ALL_TOOLS}
        self._data = pickle.dumps(load_data(), 5)
        self._tasks = TASKS
        self._wanted = [self._final([(a.name, a.kwargs) for a in task.actions if a.name in WRITES]) for task in TASKS]
        self.answers = [frozenset(a.name for a in task.actions if a.name in WRITES) for task in TASKS]

    def _final(self, actions: list[tuple[str, Any]]) -> tuple[Any, ...]:
        data = pickle.loads(self._data)
        for name, arguments in actions:
            try:
                self._tools[name].invoke(data=data, **arguments)
            except Exception:
                continue
        return data["users"], data["reservations"], data["flights"]

    def put_to_the_test(
        self,
        parts: list[tuple[str, list[Json]]],
        ask: Callable[[str, Json], Any],
        calls: Callable[[Json], Iterator[tuple[int, str, Any]]],
        writes: Collection[str],
    ) -> dict[str, int]:
        """Leaves out each write that is advised against: runs touched, gained and lost by it."""
        figures: Counter[str] = Counter(gained=0, lost=0)
        for scope, run in ((scope, run) for scope, runs in parts for run in runs):
            kept, dropped = [], 0
            for at, name, arguments in calls(run):
                if name in writes:
                    about = {"tool": name, "arguments": arguments}
                    verdict = ask(scope, {"messages": run["messages"][:at], "about_to": about}).check.verdict
                    figures[verdict] += 1
                    dropped += verdict == "advised_against"
                    kept += [] if verdict == "advised_against" else [(name, arguments)]
            figures["runs"] += 1
            if dropped:
                task, well = int(run["task_id"]), run["outcome"] == "success"
                now = self._final(kept) == self._wanted[task] and (well or not self._tasks[task].outputs)
                figures.update(touched=1, gained=int(now and not well), lost=int(well and not now))
        return dict(figures)
