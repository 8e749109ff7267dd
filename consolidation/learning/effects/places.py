"""The place where a run worked: the repository it names, else the package or folder that its commands name most."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consolidation.learning.commands.shell import command_line
from consolidation.learning.effects.effects import unfolded
from consolidation.learning.runs.harness_tools import PATHS

if TYPE_CHECKING:
    from consolidation.learning.effects.tool_rules import ToolRules
    from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run

MOST_LINES = 60
LONGEST = 80
_PATH = re.compile(r"(?<![\w/.~$@:=-])(?:\./)?((?:/?[A-Za-z_][\w.-]*/)+)[\w.*-]*")
_MADE = re.compile(r"\b(?:mkdir|makedirs)\b[^\n;&|]*")
_ROOT = re.compile(r"^/(?:testbed|workspaces?|app|repo|code|src|project|work|mnt|data|srv|opt)/")
_HOME = re.compile(r"^/(?:home|Users)/[^/]+/")
_WENT = re.compile(r"(?:^|[;&|(\n]\s*)cd\s+(/[\w./-]+)")
_WORKDIRS = ("workdir", "cwd", "working_directory")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]|\\\\")
_FOLDER = re.compile(r"[A-Za-z_][\w-]{1,39}")
_COMMON = """
tests test testing testsuite spec specs e2e src lib libs source sources doc docs documentation examples example
bin scripts script tools build dist target out node_modules vendor venv env site-packages usr tmp var etc home
packages pkg cmd internal apps app config conf static assets public templates migrations workspace testbed repo
project code work fixtures data ci third_party include remotes origin refs heads feature bugfix application text
a b dev changes changelog newsfragments news manual manuals handbook guide guides
"""
_GENERIC = frozenset(_COMMON.split())  # folder names that identify no project
_PARTS = frozenset({"services", "modules", "crates", "notebooks"})  # below them a part of a project has its name
_REPOSITORY = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_][\w.-]*)?")


def place(run: "Run", rules: "ToolRules", environment: Mapping[str, Any]) -> str:
    """Return the place of a run; '' when it is unknown, then what is learned holds for the whole scope."""
    return repository(environment.get("repository")) or _folder(run, rules)


def located(run: "Run", rules: "ToolRules") -> "Run":
    """Return the run with one call per command (`unfolded`) and with its place."""
    unfolded_run = unfolded(run, rules)
    return unfolded_run if unfolded_run is run or run.place else replace(unfolded_run, place=_folder(run, rules))


def repository(address: Any) -> str:
    """Return `owner/name` of a repository's address, without credentials; '' for anything else."""
    if not isinstance(address, str):
        return ""
    address = address.strip()
    is_local = address.startswith(("/", "~", ".", "file:")) or _DRIVE.match(address)
    plain = re.sub(r"^[a-z+]+://", "", address)
    plain = plain.rsplit("@", 1)[-1].split("?")[0].split("#")[0].removesuffix("/").removesuffix(".git")
    name = "/".join(re.split(r"[/:\\]", plain)[-1 if is_local else -2 :])
    return name if len(name) <= LONGEST and _REPOSITORY.fullmatch(name) else ""


def _folder(run: "Run", rules: "ToolRules") -> str:
    """Return the folder that most calls say they work in, else the one that the command lines name most.

    Without those that the run made itself; '' for none.
    """
    if worked_in := Counter(folder for call in run.steps for folder in _worked_in(call)):
        return min(worked_in, key=lambda name: (-worked_in[name], name))
    named: Counter[str] = Counter()
    made: set[str] = set()
    lines = 0
    for call in run.steps:
        if call.via or not rules.runs_commands(call.name) or lines >= MOST_LINES:
            continue
        lines += 1
        line = command_line(call)
        made.update(re.findall(r"[\w-]+", " ".join(_MADE.findall(line))))
        named.update(set(_folders(line)))
    return min(named.keys() - made, key=lambda name: (-named[name], name), default="")


def _worked_in(call: "Call") -> Iterator[str]:
    """Yield the project of the folder that a call runs in, or of the file below somebody's home that it is about."""
    for key, value in call.arguments.items():
        if isinstance(value, str) and (key in _WORKDIRS or (key in PATHS and _HOME.match(value))):
            path = _ROOT.sub("", _HOME.sub("", f"{value}/" if key in _WORKDIRS else value.rsplit("/", 1)[0] + "/"))
            folder = next((part for part in path.split("/") if part.lower() not in _GENERIC), "")
            if not path.startswith("/") and _FOLDER.fullmatch(folder):
                yield folder


def _folders(line: str) -> Iterator[str]:
    """Yield of each path the first folder that is specific to a project.

    Paths are relative, or below a usual root of work trees, or the home that a line goes to.
    """
    first = line.split("\n", 1)[0][:2_000]
    homes = [_HOME.sub("", f"{went}/") for went in _WENT.findall(first) if _HOME.match(went)]
    for path in [*homes, *(_ROOT.sub("", match[1]) for match in _PATH.finditer(first))]:
        parts = [part for part in path.split("/") if part]
        folder = next((part for part in parts if part.lower() not in _GENERIC), "")
        if not path.startswith("/") and not _PARTS.intersection(parts[:1]) and _FOLDER.fullmatch(folder):
            yield folder
