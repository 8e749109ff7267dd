"""Which files runs change, as shapes of their paths: `services/*/models.py`, `src/components/*.tsx`.

Paths are relative to the folder that all paths of a run have in common, so that none is of one machine. Of new files
also how they begin, where they agree: the label of a note (`Added:`), front matter, a mark.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from os.path import commonpath
from typing import NamedTuple

from consolidation.learning.commands import checking
from consolidation.learning.commands.commands import kind_of
from consolidation.learning.commands.shell import LONGEST_LINE, heredocs, plain_commands
from consolidation.learning.commands.wrappers import program_name, without_wrappers
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.effects import CHORES, IN_PLACE
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.harness_tools import FILE_CHANGES, PATHS, WRITE
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import leaves
from consolidation.learning.writing.git_work import git_changes
from consolidation.learning.writing.templates import holds_mark, marked, may_be_told

MOSTLY, CONSISTENT = 0.5, 0.75  # of the runs, and of the paths of one shape or the runs that begin files alike
MOST = 4
MOST_ADDED = 2
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (\S+)", re.MULTILINE)  # of apply_patch
_NAMED = re.compile(r"['\"]((?:[\w@-][\w.@-]*/)+[\w.-]+\.\w{1,8})['\"]")
_BARE = re.compile(r"(?:Path|open)\(\s*['\"]([\w@-][\w.-]*)['\"]")
# What code reads only, as it names it: `open('a.csv')`, `read_csv('a.csv')`, `Path('a.csv').read_text()`.
_READ = re.compile(
    r"\b(?:open|read_\w+|load\w*|glob)\(\s*f?['\"]([^'\"\n]+)['\"]\s*(?:\)(?!\.write)|,\s*(?:encoding|newline|['\"]r|dtype|sep))"
    r"|\bPath\(\s*['\"]([^'\"\n]+)['\"]\s*\)\.(?:read_|open\(\s*\)|exists)"
)
_REWRITTEN = re.compile(r"\bopen\(\s*['\"]([^'\"\n]+)['\"]\s*,\s*(?:mode=)?['\"][wax]")  # also where it is read before
PRINTING = frozenset({"cat", "echo", "printf"})
MAKING = frozenset({"touch", "mkdir", "cp", "mv", "ln", "tee", "tar", "git"})
_KEPT = re.compile(r"(?!-|/tmp/|/dev/)/?(?:[\w.@-]+/)+[\w.@-]+")  # a file or folder of a folder
_FILE = re.compile(r"/?(?:[\w.@-]+/)*[\w.-]+\.[A-Za-z]\w{0,7}")
_SCRATCH = re.compile(r"/(?:tmp|var|dev|private)/")
_NUMBER = re.compile(r"[A-Z]?\d+[-_.]+")
_ABSOLUTE = re.compile(r"(?:[A-Za-z]:)?/")


class FileShape(NamedTuple):
    """`path`: with `*` for what differs and `N` for digits; `runs`: how many runs changed a file of it; `beginnings`:
    of files that are new in each run; `added_lines`: with marks, that runs added."""

    path: str
    runs: int
    beginnings: tuple[str, ...] = ()
    added_lines: tuple[str, ...] = ()


def changed_files(scope: Scope, runs: Sequence[Run]) -> list[FileShape]:
    """Return up to MOST shapes of files that at least MOSTLY of the runs changed, the most frequent first.

    A name that differs from run to run is `*` with its ending, and told with a folder only.
    """
    return _shapes(scope, runs, [_relative(run) for run in runs])


def files_changed_by_commands(scope: Scope, runs: Sequence[Run], files: Sequence[FileShape]) -> list[FileShape]:
    """Return such shapes of files that git showed as changed, without those in `files`."""
    files_by_run = [list(git_changes(run)) if any(call.via for call in run.steps) else [] for run in runs]
    paths = {shape.path for shape in files}
    return [shape for shape in _shapes(scope, runs, files_by_run) if shape.path not in paths and "*" not in shape.path]


def _shapes(scope: Scope, runs: Sequence[Run], by_run: Sequence[Sequence[str]]) -> list[FileShape]:
    shapes: list[FileShape] = []
    names_with_shape: set[str] = set()  # names of the files that have a shape
    for ending in (False, True):
        for name, paths in _paths_by_name(by_run, names_with_shape, ending=ending).items():
            holders = Holders(({name}, run.thread) for run, has in zip(runs, paths, strict=True) if has)
            n = dict(holders.common_values(MOSTLY * len(runs))).get(name, 0)
            if not n or not scope.names_nobody(name):
                continue
            folder = _folder(scope, [path for has in paths for path in has])
            if folder or not ending:
                pattern = f"{_number(paths)}*{name}" if ending else name
                beginnings = _beginnings(scope, runs, paths) if ending else ()
                path = "/".join([*folder, pattern])
                shapes.append(FileShape(path, n, beginnings, () if ending else _added_lines(scope, runs, path)))
                names_with_shape.add(name)
    return sorted(shapes, key=lambda shape: -shape.runs)[:MOST]


def _added_lines(scope: Scope, runs: Sequence[Run], path: str) -> tuple[str, ...]:
    """Return the lines with marks (`{version}`) that nearly all of the runs added to a file."""
    lines_by_run = (
        ({marked(run, line.strip()) for line in git_changes(run).get(path, ())}, run.thread) for run in runs
    )
    common_lines = Holders(lines_by_run).common_values(CONSISTENT * len(runs))
    return tuple(line for line, _ in common_lines if holds_mark(line) and may_be_told(scope, line))[:MOST_ADDED]


def removed_files(scope: Scope, runs: Sequence[Run]) -> list[FileShape]:
    """Return the files that at least MOSTLY of the runs removed by a command line, and that they had not made before:
    the lock that a dead process left, say. Each with its folder, as all of these runs name it."""
    counts = Holders((_removed_in(run), run.thread) for run in runs).common_values(MOSTLY * len(runs))[:MOST]
    return [FileShape(path, n) for path, n in counts if scope.names_nobody(path.replace("/", " "))]


def _removed_in(run: Run) -> set[str]:
    lines = [call.line[:LONGEST_LINE] for call in run.steps if call.line and call.started]
    commands = [(words, target) for line in lines for words, target in plain_commands(line) if words]
    created = {target for _, target in commands} | {
        word for words, _ in commands if words[0] in MAKING for word in words
    }
    return {word for words, _ in commands if words[0] == "rm" for word in words[1:] if _KEPT.fullmatch(word)} - created


def target_folders(scope: Scope, runs: Sequence[Run]) -> list[FileShape]:
    """Return the folders into which at least MOSTLY of the runs moved a file of another one by a command line."""
    counts = Holders((_moved_in(run), run.thread) for run in runs).common_values(MOSTLY * len(runs))[:MOST]
    return [FileShape(path, n) for path, n in counts if scope.names_nobody(path.replace("/", " "))]


def _moved_in(run: Run) -> set[str]:
    lines = [call.line[:LONGEST_LINE] for call in run.steps if call.line and call.started]
    commands = [without_wrappers(words) for line in lines for words, _ in plain_commands(line)]
    moves = [[word for word in words[1:] if not word.startswith("-")] for words in commands if words[:1] == ["mv"]]
    files = [(word, words[-1]) for words in moves for word in words[:-1] if _FILE.fullmatch(word)]
    folders = {(file.rpartition("/")[0], _folder_of(target)) for file, target in files}
    return {target for folder, target in folders if target != folder and _KEPT.fullmatch(target)}


def _folder_of(path: str) -> str:
    """Return the folder into which a file is moved that gets this path, or is moved there."""
    return path.rpartition("/")[0] if path.endswith("/") or _FILE.fullmatch(path) else path


def _number(paths: Sequence[Sequence[str]]) -> str:
    """The number that nearly all names begin with, as `NNNN-`; '' for none."""
    names = [path.rsplit("/", 1)[-1] for has in paths for path in has]
    forms = Counter(re.sub(r"\d", "N", match[0]) if (match := _NUMBER.match(name)) else "" for name in names)
    form, n = forms.most_common(1)[0]
    return form if n >= CONSISTENT * len(names) else ""


def _paths_by_name(
    by_run: Sequence[Sequence[str]], names_with_shape: set[str], *, ending: bool
) -> Mapping[str, list[list[str]]]:
    """Name of a file (or its `ending`) -> the paths of each run that have it, without names that are `known`."""
    groups: dict[str, list[list[str]]] = {}
    for n, paths in enumerate(by_run):
        for path in paths:
            name = path.rsplit("/", 1)[-1]
            if name not in names_with_shape:
                key = name[name.find(".", 1) :] if ending and "." in name[1:] else name
                groups.setdefault(key, [[] for _ in by_run])[n].append(path)
    return groups


def _folder(scope: Scope, paths: Sequence[str]) -> list[str]:
    """Return the folders before the names, from the outermost that most of the paths have; `*` where they differ."""
    folders = [path.split("/")[-2::-1] for path in paths]
    folder_names: list[str] = []
    for depth in range(max(map(len, folders))):
        names = Counter(parts[depth] for parts in folders if depth < len(parts))
        if names.total() < CONSISTENT * len(paths):
            break
        name, n = names.most_common(1)[0]
        folder_names.append(name if n >= CONSISTENT * len(paths) and scope.names_nobody(name) else "*")
    while folder_names and folder_names[-1] == "*":
        folder_names.pop()
    return folder_names[::-1]


def _relative(run: Run) -> list[str]:
    """Return the changed files of a run, each once, without the folders that all paths of the run have in common."""
    paths = dict.fromkeys(path for call in run.steps if call.name in FILE_CHANGES for path in _paths(call))
    paths |= dict.fromkeys(_files_by_lines(run))
    absolute = [path for path in paths if _ABSOLUTE.match(path)]
    if not absolute:
        return list(paths)
    commands = [words for call in run.steps for words, _ in plain_commands(call.line)]
    cd_folders = [words[1] for words in commands if words[0] == "cd" and words[1:] and _ABSOLUTE.match(words[1])]
    other_paths = [path for path in chain(cd_folders, *map(_paths, run.steps)) if path[:1] == absolute[0][:1]]
    try:
        root = commonpath([path.rsplit("/", 1)[0] for path in absolute] + other_paths)
    except ValueError:  # another drive, or a path that is none
        return []
    return [path.removeprefix(root).lstrip("/") if _ABSOLUTE.match(path) else path for path in paths]


def _paths(call: Call) -> Iterator[str]:
    for key in PATHS & call.arguments.keys():
        value = call.arguments[key]
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, str) and path.strip():
                yield path.replace("\\", "/")
    if call.name in FILE_CHANGES:
        texts = [leaf for _, leaf in leaves(call.arguments)] or [call.args]
        yield from (path for text in texts if isinstance(text, str) for path in _PATCHED.findall(text))


def _files_by_lines(run: Run) -> Iterator[str]:
    """Yield the files that command lines of a run change, without scripts that it only wrote to run or remove them."""
    lines = [call.line[:LONGEST_LINE] for call in run.steps if call.line]
    commands = [(without_wrappers(words), target) for line in lines for words, target in plain_commands(line)]
    programs = [(program_name(words[0]), words[1:], target) for words, target in commands if words]
    chore_words = " ".join(
        word for program, words, _ in programs if kind_of(program, words) in CHORES for word in words
    )
    files = [file for line in lines for file in _PATCHED.findall(line)]
    changed_in_git = git_changes(run)  # a name without a folder may be of a folder for an experiment
    for program, words, target in programs:
        here = words if program == "tee" else [target] if program in PRINTING else []
        files += [file for file in here if "/" in file]  # without a folder it may be of a folder for an experiment
        files += [word for word in words if _FILE.fullmatch(word)] if kind_of(program, words) in IN_PLACE else []
    for line in lines:
        code = "\n".join(heredocs(line))
        if checking.changes_in_code(code):
            read_files = {path for pair in _READ.findall(code) for path in pair} - {*_REWRITTEN.findall(code)}
            names = [*_NAMED.findall(code), *(name for name in _BARE.findall(code) if name in changed_in_git)]
            files += [file for file in names if file not in read_files]
    yield from (file for file in files if not _SCRATCH.match(file) and file.rsplit("/", 1)[-1] not in chore_words)


MOST_BEGINNINGS = 3
_PATH, _END = r"['\"]?([^\s'\"<>;|&]+)['\"]?", r"<<-?[ \t]*\\?['\"]?\w+['\"]?"
_HEREDOC = re.compile(rf"\bcat\s*(?:>\s*{_PATH}\s*{_END}|{_END}\s*>\s*{_PATH})[^\n]*\n([^\n]+)")
_ADDED = re.compile(r"^\*\*\* Add File: (\S+)\n\+([^\n]+)", re.MULTILINE)  # of apply_patch
_BY_CODE = re.compile(r"(?:Path|open)\(\s*['\"]([^'\"\n]+)['\"][^)\n]*\)\.write(?:_text)?\(\s*f?['\"]+([^\n]+)")
_CONTENT = ("content", "contents", "file_text")
_LABEL = re.compile(r"(?:[^\w\s\"'`(<]+ )?\w[\w+()/ -]{0,30}[:：](?=\s|$)|[^\w\s]{3,}$|#+ \w+$")


def _beginnings(scope: Scope, runs: Sequence[Run], paths: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the beginnings, most frequent first, that the files of nearly all runs have; `paths`: of each run.

    None names anybody or holds a digit; () where the files begin differently.
    """
    starts_by_run = [
        ({*_starts(run, run_paths)}, run.thread) for run, run_paths in zip(runs, paths, strict=True) if run_paths
    ]
    starts_with_thread = [(starts, thread) for starts, thread in starts_by_run if starts]
    labels = [start for start, _ in Holders(starts_with_thread).common_values(0) if may_be_told(scope, start)][
        :MOST_BEGINNINGS
    ]
    agree = sum(1 for starts, _ in starts_with_thread if starts.intersection(labels))
    return tuple(labels) if agree >= CONSISTENT * len(starts_with_thread) else ()


def _starts(run: Run, paths: Sequence[str]) -> Iterator[str]:
    """Yield the labels with which a run began the files at these paths."""
    ends = tuple(f"/{path}" for path in paths)
    for path, line in dict(pair for call in run.steps for pair in _first_lines(call)).items():
        if f"/{path}".replace("\\", "/").endswith(ends):
            yield label[0] if (label := _LABEL.match(line)) else ""


def _first_lines(call: Call) -> Iterator[tuple[str, str]]:
    """Yield (path, first line) of each file that a call writes as a whole."""
    text = next((text for key in _CONTENT if isinstance(text := call.arguments.get(key), str)), "")
    if call.name == WRITE and text.strip():
        yield from ((str(call.arguments[key]), text.splitlines()[0]) for key in PATHS & call.arguments.keys())
    texts = [call.line] if call.line else [leaf for _, leaf in leaves(call.arguments)] or [call.args]
    yield from ((match[1], match[2]) for text in texts if isinstance(text, str) for match in _ADDED.finditer(text))
    line = call.line[:LONGEST_LINE]
    yield from ((match[1] or match[2], match[3]) for match in _HEREDOC.finditer(line))
    yield from ((match[1], match[2]) for match in _BY_CODE.finditer(line))
    for words, target in plain_commands(line) if ">" in line else ():
        if target and words[0] in {"echo", "printf"} and (text_printed := " ".join(words[1:])):
            yield target, re.split(r"\\n|\n", re.sub(r"^-\w+ ", "", text_printed))[0]
