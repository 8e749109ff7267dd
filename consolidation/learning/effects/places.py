"""The place where a run worked: the repository it names, else the package or folder that its commands name most."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consolidation.learning.commands.shell import command_line
from consolidation.learning.effects.effects import with_single_commands
from consolidation.learning.runs.harness_tools import PATHS

if TYPE_CHECKING:
    from consolidation.learning.effects.tool_rules import ToolRules
    from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run

MOST_LINES = 60
LONGEST = 80
_PATH = re.compile(r"(?<![\w/.~$@:=-])(?:\./)?((?:/?[A-Za-z_][\w.-]*/)+)[\w.*-]*")
_FOLDER_CREATION = re.compile(r"\b(?:mkdir|makedirs)\b[^\n;&|]*")
_ROOT = re.compile(r"^/(?:testbed|workspaces?|app|repo|code|src|project|work|mnt|data|srv|opt)/")
_HOME = re.compile(r"^/(?:home|Users)/[^/]+/")
_CHANGE_TO_FOLDER = re.compile(r"(?:^|[;&|(\n]\s*)cd\s+(/[\w./-]+)")
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


def with_place(run: "Run", rules: "ToolRules") -> "Run":
    """Return the run with one call per command (`with_single_commands`) and with its place."""
    split_run = with_single_commands(run, rules)
    return split_run if split_run is run or run.place else replace(split_run, place=_folder(run, rules))


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
    if work_folders := Counter(folder for call in run.steps for folder in _work_folders(call)):
        return min(work_folders, key=lambda name: (-work_folders[name], name))
    folder_counts: Counter[str] = Counter()
    made_folders: set[str] = set()
    lines = 0
    for call in run.steps:
        if call.via or not rules.runs_commands(call.name) or lines >= MOST_LINES:
            continue
        lines += 1
        line = command_line(call)
        made_folders.update(re.findall(r"[\w-]+", " ".join(_FOLDER_CREATION.findall(line))))
        folder_counts.update(set(_folders(line)))
    return min(folder_counts.keys() - made_folders, key=lambda name: (-folder_counts[name], name), default="")


def _work_folders(call: "Call") -> Iterator[str]:
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
    homes = [_HOME.sub("", f"{home}/") for home in _CHANGE_TO_FOLDER.findall(first) if _HOME.match(home)]
    for path in [*homes, *(_ROOT.sub("", match[1]) for match in _PATH.finditer(first))]:
        parts = [part for part in path.split("/") if part]
        folder = next((part for part in parts if part.lower() not in _GENERIC), "")
        if not path.startswith("/") and not _PARTS.intersection(parts[:1]) and _FOLDER.fullmatch(folder):
            yield folder
