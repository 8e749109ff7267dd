"""The catalogues of translations: marked strings of templates and Python into `<room>/locale/zh_Hans/`, and compiled.

`python -m tests.memos_site.catalogues` collects and compiles them; a test holds them to that. Babel reads and writes
them. The result is the same on every machine: sorted, without places and dates. A string that several rooms use stands
once, in the lowest of them.
"""

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import django
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from memos_site.platform import model_names
from memos_site.platform.environment import BASE_DIR

LANGUAGE = "zh_Hans"
ROOMS = ("memories", "skills", "consolidation", "memos_site")
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
Text = str | tuple[str, ...] | list[str]
Entry = tuple[str, str | tuple[str, ...]]  # context ('' for none), text or (singular, plural)


def marked(room: str) -> set[Entry]:
    """The strings that the Python files and templates of a room mark for translation."""
    entries = {entry for path in sorted((BASE_DIR / room).rglob("*.py")) for entry in _entries(path.read_bytes())}
    for path in sorted((BASE_DIR / "templates").rglob("*")):
        if path.suffix in (".html", ".txt") and _room_of_template(path) == room:
            entries |= set(_entries(_as_python(path)))
    if room == "memos_site":
        entries |= {(model_names.CONTEXT, name) for name in model_names.names()}
    return entries


def _room_of_template(path: Path) -> str:
    folder = path.relative_to(BASE_DIR / "templates").parts[0]
    return folder if folder in ROOMS else "memos_site"


def _as_python(path: Path) -> bytes:
    """A template as calls of gettext, a line each: what stands beside them would be no Python."""
    lines = templatize(path.read_text(encoding="utf-8"), origin=str(path)).splitlines()
    return "\n".join(line.strip() for line in lines).encode()


def _entries(source: bytes) -> Iterator[Entry]:
    options = {"encoding": "utf-8"}
    for _line, message, _comments, context in extract("python", BytesIO(source), KEYWORDS, options=options):
        if message and message != ("", ""):
            yield context or "", message


def po_file(room: str) -> Path:
    return BASE_DIR / room / "locale" / LANGUAGE / "LC_MESSAGES" / "django.po"


def read(path: Path) -> Catalog:
    """A catalogue of either kind, empty when there is none."""
    if not path.exists():
        return Catalog(locale=LANGUAGE)
    with path.open("rb") as file:
        return read_mo(file) if path.suffix == ".mo" else read_po(file, locale=LANGUAGE)


def entry_of(message: Message) -> Entry:
    context: str | bytes = message.context or ""  # of a compiled one Babel answers bytes
    return context.decode() if isinstance(context, bytes) else context, _key(message.id)


def translations(catalogue: Catalog) -> dict[Entry, str | tuple[str, ...]]:
    """What a catalogue says; fuzzy entries and untranslated ones are left out."""
    return {
        entry_of(message): _key(message.string)
        for message in catalogue
        if message.id and not message.fuzzy and any(_texts(message.string))
    }


def _texts(text: Text | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ())


def _key(text: Text | None) -> str | tuple[str, ...]:
    return text if isinstance(text, str) else tuple(text or ())


def wanted() -> dict[str, set[Entry]]:
    """What each catalogue holds: a string that several rooms mark stands in the first of them."""
    taken: set[Entry] = set()
    rooms = {}
    for room in ROOMS:
        rooms[room] = marked(room) - taken
        taken |= rooms[room]
    return rooms


def update() -> dict[str, int]:
    """Write all catalogues anew, keeping what is translated; answers how many strings of each room are not yet."""
    known = {entry: text for room in ROOMS for entry, text in translations(read(po_file(room))).items()}
    missing = {}
    for room, entries in wanted().items():
        write(room, {entry: known.get(entry, "") for entry in entries})
        missing[room] = sum(entry not in known for entry in entries)
    return missing


def write(room: str, entries: dict[Entry, str | tuple[str, ...]]) -> None:
    """Write one catalogue and compile it."""
    catalogue = Catalog(locale=LANGUAGE, charset="utf-8", fuzzy=False)
    for (context, message), text in sorted(entries.items(), key=lambda item: (_texts(item[0][1]), item[0][0])):
        catalogue.add(message, text or ("" if isinstance(message, str) else ("",)), context=context or None)
    path = po_file(room)
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    write_po(buffer, catalogue, width=0, no_location=True, omit_header=True)
    path.write_bytes(HEADER + buffer.getvalue())
    compile_catalogue(path)


HEADER = b"""msgid ""
msgstr ""
"Language: zh_Hans\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

"""


def compile_catalogue(path: Path) -> None:
    """Compile what is translated in a catalogue, unless the compiled file says the same already."""
    known, compiled = translations(read(path)), path.with_suffix(".mo")
    if compiled.exists() and translations(read(compiled)) == known:
        return
    catalogue = Catalog(locale=LANGUAGE, charset="utf-8", fuzzy=False)
    for (context, message), text in known.items():
        catalogue.add(message, text, context=context or None)
    with compiled.open("wb") as file:
        write_mo(file, catalogue)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    django.setup()  # the names of models are translated too
    for room, untranslated in update().items():
        print(f"{po_file(room).relative_to(BASE_DIR)}: {untranslated} untranslated")
