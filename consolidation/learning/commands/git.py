"""Commands of git: which only read, which move branches of this clone alone, and which refs one pushes.

git push --atomic origin main stable  -> Push(("main", "stable"))
git push origin HEAD:refs/heads/main  -> Push(("HEAD:main",))
git branch -f stable main, git fetch . main:stable  -> {"stable": "main"} moved
"""

import re
from collections.abc import Iterator, Sequence

from consolidation.learning.commands.wrappers import without_options
from consolidation.learning.runs.call import Push, name_at_remote

PUSH, COMMIT, TAG, BRANCH = "git push", "git commit", "git tag", "git branch"
_READING_OPTIONS = re.compile(
    r"-l|-v|--(?:list|contains|no-contains|merged|no-merged|points-at|sort|format|column|show-current|verify)(?:=.*)?"
)
_LISTING_SUBCOMMANDS = frozenset({"branch", "tag"})
_CONFIG_READING = re.compile(r"--get\S*|--list|-l|get|list")
_CONFIG_CHANGING = re.compile(r"--(?:unset|add|replace|rename|remove|edit)\S*|-e|set|unset|edit")
_OF_CONFIG = frozenset({"-f", "--file", "--blob", "--type", "--default"})
_REMOTE_READING = frozenset({"show", "get-url"})
_OF_FETCH = frozenset({"--depth", "--deepen", "--upload-pack", "-j", "--jobs", "-o", "--server-option", "--filter"})
_OF_PUSH = frozenset({"-o", "--push-option", "--receive-pack", "--exec"})
_OF_TAG = frozenset({"-F", "--file", "-u", "--local-user", "--cleanup"})
_FORCE_OPTIONS = {"-f": "--force", "--force": "--force", "--force-with-lease": "--force-with-lease"}
_DELETING_OPTIONS = frozenset({"-d", "--delete", "--prune", "--mirror"})
_REF = re.compile(r"refs/(?:heads|tags)/")
_TRACKING = "refs/remotes/"


def kind_of(arguments: Sequence[str]) -> str:
    """Return the kind of a git command where it is not the subcommand; '' for any other.

    `git SUBCOMMAND --list` where it only shows; `git branch` where a fetch or push moves a branch of this clone.
    """
    subcommand, *words = without_options(arguments, "git") or [""]
    if subcommand in _LISTING_SUBCOMMANDS and any(map(_READING_OPTIONS.fullmatch, words)):
        return f"git {subcommand} --list"
    if (subcommand == "config" and _asks_config(words)) or (subcommand == "remote" and _REMOTE_READING & {*words[:1]}):
        return f"git {subcommand} --list"
    if (subcommand == "fetch" and _fetched_branches(words)) or (
        subcommand == "push" and _positional(words, _OF_PUSH)[:1] == ["."]
    ):
        return BRANCH
    return ""


def _asks_config(words: Sequence[str]) -> bool:
    arguments = _positional(words, _OF_CONFIG)
    asks = bool(_CONFIG_READING.fullmatch(arguments[0] if arguments else "")) or any(
        map(_CONFIG_READING.fullmatch, words)
    )
    return asks or (len(arguments) == 1 and not any(map(_CONFIG_CHANGING.fullmatch, words)))


def _positional(words: Sequence[str], options_with_value: frozenset[str]) -> list[str]:
    """Return the words that are neither options nor values of these options."""
    are_values = [False, *(word in options_with_value or _is_message(word) for word in words)]
    return [word for word, is_value in zip(words, are_values, strict=False) if not (is_value or word.startswith("-"))]


def _is_message(word: str) -> bool:
    return bool(re.fullmatch(r"-[a-zA-Z]*m|--message", word))


def _fetched_branches(words: Sequence[str]) -> dict[str, str]:
    """Return branch of this clone that a fetch moves -> its source; without remote-tracking branches."""
    pairs = [spec.lstrip("+").partition(":") for spec in _positional(words, _OF_FETCH)[1:]]
    moves = [(_short(to), _short(source)) for source, _, to in pairs if to and not to.startswith(_TRACKING)]
    return dict(moves)


def _short(ref: str) -> str:
    return _REF.sub("", ref.lstrip("+"), count=1)


def push_of(words: Sequence[str]) -> Push | None:
    """Return what a command pushes; None for other commands, deletions, dry runs and pushes into the same clone."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    if subcommand != "push" or _DELETING_OPTIONS & {*rest} or "--dry-run" in rest or "-n" in rest:
        return None
    remote, *specs = _positional(rest, _OF_PUSH) or [""]
    refs = tuple(ref for spec in specs if spec != "tag" and (ref := _pushed_ref(spec)))
    if remote == "." or len(refs) < len([spec for spec in specs if spec != "tag"]):
        return None
    options = [word.partition("=")[0] for word in rest]
    force_option = next(
        (_FORCE_OPTIONS[word] for word in options if word in _FORCE_OPTIONS),
        "--force" if any(spec[:1] == "+" for spec in specs) else "",
    )
    return Push(remote, refs, force_option, bool({"-q", "--quiet"} & {*rest}))


def _pushed_ref(spec: str) -> str:
    """Return a refspec as `name` or `source:name`; '' for a deletion."""
    source, _, to = map(_short, spec.partition(":"))
    return source if to in ("", source) and ":" not in spec[-1:] else f"{source}:{to}" if source and to else ""


def moved_branches(words: Sequence[str]) -> dict[str, str]:
    """Return branch that a command moves in this clone alone -> the ref that it is moved to."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    if subcommand == "fetch":
        return _fetched_branches(rest)
    plain = _positional(rest, _OF_PUSH)
    if subcommand == "push" and plain[:1] == ["."]:
        return {name_at_remote(ref): ref.partition(":")[0] for ref in map(_pushed_ref, plain[1:]) if ":" in ref}
    if subcommand == "update-ref" and len(plain) > 1:
        return {_short(plain[0]): _short(plain[1])}
    options = {*rest} & ({"-f", "--force"} if subcommand == "branch" else {"-B", "-C"})
    is_moved = options and subcommand in {"branch", "checkout", "switch"} and len(plain) == 2
    return {plain[0]: plain[1]} if is_moved else {}


def tag_of(words: Sequence[str]) -> str:
    """Return the name of the tag that a command makes; '' for none."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    plain = _positional(rest, _OF_TAG) if subcommand == "tag" and not _DELETING_OPTIONS & {*rest} else []
    return plain[0] if plain else ""


def messages(words: Sequence[str]) -> Iterator[str]:
    """Yield the texts of the messages that a command is given as arguments: `-m "Fix it"`, `-qam "Fix it"`."""
    for word, text in zip(words, [*words[1:], ""], strict=True):
        if _is_message(word):
            yield text
        elif message_option := re.fullmatch(r"--message=(.*)", word, re.DOTALL):
            yield message_option[1]
