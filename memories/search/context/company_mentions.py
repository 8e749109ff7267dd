"""Recognition of the company that a task is about: a known one that the task names as a whole word."""

import re
from collections.abc import Collection, Iterator, Mapping

from django.db.models.functions import Lower

from memories.lexicon.english_words import STOP
from memories.models import Memory
from memories.models.as_of import AsOf
from memories.values.text import UNSPACED, plain_name
from memories.values.trust import Trust

LONGEST_READ = 10_000  # characters of a task
MOST_NAMES = 20_000
MOST_WORDS, MOST_UNSPACED = 6, 12  # most words of a name
MOST_KNOWN = 50
_ONE = UNSPACED.pattern.removesuffix("+")  # a character of a script without spaces is a word
_WORD = re.compile(rf"{_ONE}|(?:(?!{_ONE})\w)+")
_ENDS = ".!+)"  # may end a name: Acme Inc.

Span = tuple[int, int]


def company_in(task: str, *, trust: Trust, moment: AsOf | None = None) -> tuple[str, ...]:
    """The spellings of the id of the one known company that a task names; empty for none or several.

    Companies that the caller may not see are unknown; with `moment` those known then.
    """
    places = names_in(task)
    if not places:
        return ()
    rows = Memory.objects.visible_to(trust).as_of(moment).live().filter(company_id__isnull=False)
    named = rows.annotate(name=Lower("company_id")).filter(name__any=list(places))  # thousands
    known = named.order_by().values_list("company_id", flat=True).distinct()[:MOST_KNOWN]
    return the_one([company for company in known if company], places)


def names_in(task: str) -> dict[str, list[Span]]:
    """Candidate names in a task, in lower case and with each way to join their words, and their positions. Pure."""
    spans: dict[str, list[Span]] = {}
    read = task[:LONGEST_READ]
    words = list(_WORD.finditer(read))
    for number, first in enumerate(words):
        most = MOST_UNSPACED if UNSPACED.match(first.group()) else MOST_WORDS
        for last in words[number : number + most]:
            for span in _ending(read, first.start(), last.end()):
                for name in _written(read[slice(*span)]):
                    spans.setdefault(name, []).append(span)
        if len(spans) > MOST_NAMES:
            break
    return spans


def the_one(known: Collection[str], places: Mapping[str, list[Span]]) -> tuple[str, ...]:
    """The known ids of the only company that is named.

    A name inside a longer one does not count (Acme in Acme Labs). Pure.
    """
    written: dict[str, list[str]] = {}
    for id in known:
        if id.lower() in places:
            written.setdefault(plain_name(id), []).append(id)
    spans = {name: [span for id in ids for span in places[id.lower()]] for name, ids in written.items()}
    named = [name for name, own in spans.items() if not all(_within_another(span, name, spans) for span in own)]
    return tuple(sorted(written[named[0]])) if len(named) == 1 else ()


def _ending(text: str, start: int, end: int) -> Iterator[Span]:
    yield start, end
    if text[end : end + 1] in tuple(_ENDS):
        yield start, end + 1


def _written(said: str) -> Iterator[str]:
    name = plain_name(said)
    if len(name) < 2 and not UNSPACED.match(name):
        return
    if name in STOP:
        return
    yield from {said.lower(), name, name.replace(" ", "-"), name.replace(" ", "_")}


def _within_another(span: Span, name: str, spans: Mapping[str, list[Span]]) -> bool:
    others = (other for known, own in spans.items() if known != name for other in own)
    return any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in others)
