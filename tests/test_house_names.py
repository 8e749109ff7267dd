"""The words of the house: names that were left behind do not come back, and one name is one subject."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("memos_site", "memories", "skills", "consolidation")
LEFT_BEHIND = {
    "doors", "beside", "trails", "unseen", "patience", "standing", "ledger", "desk", "hall", "company", "settling",
    "ran", "happenings", "remembering", "held", "said", "found", "told", "own", "becoming",
}  # fmt: skip
CLASSES_LEFT_BEHIND = {
    "Door",
    "WritingDoor",
    "Ran",
    "Sign",
    "Said",
    "Found",
    "Told",
    "Asked",
    "Given",
    "Wanted",
    "Taken",
    "Beside",
    "Seen",
    "Shown",
    "Held",
    "Named",
    "Made",
    "Left",
    "Learned",
    "Met",
    "Making",
    "Asking",
    "Weighed",
    "Counted",
    "Merged",
    "Recalled",
    "Proven",
    "Followed",
    "Answered",
    "Used",
    "Written",
}
FLOORS = {
    "admin",
    "api",
    "context",
    "guidance",
    "learning",
    "management",
    "models",
    "platform",
    "reports",
    "templatetags",
    "web",
}
EVERYWHERE = {"__init__", "admin", "apps", "base", "checks", "tasks", "urls"}  # names that Django or a package gives


def modules() -> Iterator[Path]:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            if "migrations" not in path.parts:
                yield path.relative_to(ROOT)


def test_no_module_has_a_name_that_was_left_behind() -> None:
    assert [str(path) for path in modules() if path.stem in LEFT_BEHIND] == []


def test_no_class_has_a_name_that_was_left_behind() -> None:
    defined = re.compile(rf"^ *class ({'|'.join(CLASSES_LEFT_BEHIND)})\b", re.MULTILINE)
    assert [
        f"{path}:{name}" for path in modules() for name in defined.findall((ROOT / path).read_text(encoding="utf-8"))
    ] == []


def test_two_modules_share_a_name_only_where_one_subject_has_two_floors() -> None:
    """E.g. the table of evidence, its verbs and its resource; never two modules of verbs in one room."""
    verbs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in modules():
        if path.stem not in EVERYWHERE and FLOORS.isdisjoint(path.parts):
            verbs[path.parts[0], path.stem].append(str(path))
    assert [paths for paths in verbs.values() if len(paths) > 1] == []


def test_no_line_of_a_template_is_longer_than_120_characters() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert templates
    assert [
        f"{path.relative_to(ROOT)}:{number}"
        for path in templates
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 120
    ] == []
