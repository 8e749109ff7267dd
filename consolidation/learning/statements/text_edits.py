"""Recurrent edits that a person makes to a draft before sending it: length, marks, greeting, sign-off, words.

One text proves nothing. An edit repeated in several texts of one kind is a rule for that kind, unless other texts kept
the draft's form: edits therefore also record what was kept.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from consolidation.learning.runs.run import Run
from consolidation.learning.statements import edit_forms as forms
from consolidation.learning.statements.text_forms import GERMAN_STOP, LEFT, SAY, TAKEN
from consolidation.learning.statements.text_statements import kind_of_text, language_of
from memories.lexicon import chinese_words, english_words
from memories.values import roles, text

LEAST, LONGEST = 40, 7_900  # characters of a text that is compared; a longer one is read in part alone
LONGEST_LEAD = 200
LEAST_SHARED = 0.25  # of the words of a text, with the draft that it is made of
SHORTER, LONGER = 0.7, 1.4
LEAST_FIGURES = 0.25  # of the words of a line that gives figures
LONGEST_LINE, MOST_LINES = 6, 4  # words of a line of a sign-off, and its lines
MOST_PAIRS = 200_000  # of equal words of two texts, which are compared each with each
MOST_WORDS = 2  # that are replaced together; of Chinese twice as many signs
_GAP = re.compile(r"\n(?:[^\S\n]*\n)+")
_STOP = english_words.STOP | GERMAN_STOP | chinese_words.STOP


@dataclass(frozen=True)
class Edit:
    """The change of one aspect (`about`) of a draft; `change` "": it was kept. `words`: the rule that it would be.

    `is_verbatim`: it consists of certain words, so that a repetition is seldom chance. `is_of_all`: it is a rule for
    all kinds of text.
    """

    about: str
    change: str = ""
    words: str = ""
    is_verbatim: bool = False
    is_of_all: bool = False


def final_text(reply: str) -> str:
    """The text that a reply sends back as the one that was used, after a line that says so; "" for none."""
    lead, _, body = reply.strip().partition("\n")
    plain = lead.replace("’", "'")
    says_so = any(form.search(plain) for form in (TAKEN, LEFT, forms.SENT_BACK))
    body = _with_single_gaps(body.strip())
    first = body.partition("\n")[0]
    is_request = bool(forms.SENTENCE_END.search(first)) and bool(kind_of_text(first))
    is_text = LEAST <= len(body) <= LONGEST and not is_request
    return body if says_so and is_text and len(lead) <= LONGEST_LEAD else ""


def draft_of(final: str, run: Run, position: int) -> str:
    """The latest draft before a position that shares LEAST_SHARED of a text's words; "" for none.

    Searched in the agent's messages and the arguments of its calls.
    """
    texts = [(m.position, m.text) for m in run.messages_of(roles.ASSISTANT)]
    texts += [(call.position, value) for call in run.calls for value in text.strings(call.arguments)]
    words = _words(final)
    for at, draft in sorted(texts, reverse=True):
        if at < position and LEAST <= len(draft) <= LONGEST and _share_in_common(words, _words(draft)) >= LEAST_SHARED:
            return _without_frame(draft)
    return ""


def edits(draft: str, final: str, kind: str) -> list[Edit]:
    """The edits of a draft, with the aspects that were kept; [] where the texts are equal up to spaces."""
    if draft.split() == final.split():
        return []
    language = language_of(kind)
    comparisons = (_marks, _length, _greeting, _closing, _figures, _dates, _names, _replacements)
    return [edit for compare in comparisons for edit in compare(draft, final, language)]


def kept_words(draft: str, final: str) -> list[str]:
    """The words of a draft that were kept, each once."""
    return sorted(set(_words(draft)) & set(_words(final)) - _STOP)


def _words(content: str) -> list[str]:
    return [word.casefold() for word in forms.WORD.findall(content)]


def _share_in_common(words: Sequence[str], other_words: Sequence[str]) -> float:
    own_words = set(words) - _STOP
    return len(own_words & set(other_words)) / max(len(own_words), 1)


def _without_frame(draft: str) -> str:
    """A draft without the agent's words before and after it."""
    return forms.OFFER.sub("", forms.LEAD_IN.sub("", _with_single_gaps(draft.strip()), count=1)).strip()


def _with_single_gaps(content: str) -> str:
    """A text with one blank line in place of several: patterns of paragraphs take seconds for thousands."""
    return _GAP.sub("\n\n", content)


def _marks(draft: str, final: str, language: str) -> Iterator[Edit]:
    for name, (form, without, having) in forms.MARKS.items():
        before, after = bool(form.search(draft)), bool(form.search(final))
        rule = (without if before else having) if before or after else None
        if rule:
            yield Edit(f"{name} {before}", *(("changed", rule[language]) if before != after else ()))


def _length(draft: str, final: str, language: str) -> Iterator[Edit]:
    share = len(_words(final)) / max(len(_words(draft)), 1)
    shorter, longer = (words[language] for words in forms.LENGTH)
    change = shorter if share <= SHORTER else longer if share >= LONGER else ""
    yield Edit("length", change, change)


def _lines(content: str) -> list[str]:
    """The lines of a text after its title and subject."""
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    first = next((n for n, line in enumerate(lines) if not forms.TITLE.match(line)), len(lines))
    return lines[first:]


def _opener(content: str) -> str:
    first = next(iter(_lines(content)), "")
    match = forms.OPENER.match(first)
    return (match[1] or match[0][-2:]) if match else ""


def _greeting(draft: str, final: str, language: str) -> Iterator[Edit]:
    before, after = _opener(draft), _opener(final)
    if before.casefold() != after.casefold():
        words = forms.GREETING[language].format(after) if after else forms.NO_GREETING[language]
        yield Edit("greeting", after.casefold() or "none", words, is_verbatim=True)
    elif before:
        yield Edit("greeting", is_verbatim=True)


def _closing_lines(content: str) -> list[str]:
    """The sign-off: short lines after the last blank one that are neither sentences nor a list."""
    *body, last = [part.strip() for part in re.split(r"\n\s*\n", content.strip())]
    lines = [line.strip().rstrip(" ,，") for line in last.splitlines()]
    is_closing = bool(body) and len(lines) <= MOST_LINES and not any(map(_is_of_body, lines))
    return lines if is_closing else []


def _is_of_body(line: str) -> bool:
    words = len(_words(line)) / (2 if text.detect_lang(line) == "zh" else 1)
    return words > LONGEST_LINE or any(form.search(line) for form in (forms.OF_SENTENCE, forms.LIST_ITEM))


def _closing(draft: str, final: str, language: str) -> Iterator[Edit]:
    before, after = _closing_lines(draft), _closing_lines(final)
    if before != after:
        words = forms.CLOSING[language].format(", ".join(after)) if after else forms.NO_CLOSING[language]
        yield Edit("closing", "\n".join(after).casefold() or "none", words, is_verbatim=True)
    elif before:
        yield Edit("closing", is_verbatim=True)


def _gives_figures(line: str) -> bool:
    words = _words(forms.NUMBER.sub(" ", line))
    han = sum(text.unspaced_letters(word) for word in words)
    figures = len(forms.NUMBER.findall(line))
    return figures > 1 and figures >= LEAST_FIGURES * (figures + len(words) - han / 2)


def _figures(draft: str, final: str, language: str) -> Iterator[Edit]:
    first, *later_lines = [line for line in _lines(draft) if not forms.OPENER.match(line)] or [""]
    if not _gives_figures(first) and any(map(_gives_figures, later_lines)):
        begins = [line for line in _lines(final) if not forms.OPENER.match(line)][:1]
        leads = any(map(_gives_figures, begins))
        yield Edit("figures", *(("first", forms.FIGURES_FIRST[language]) if leads else ()))


def _dates(draft: str, final: str, language: str) -> Iterator[Edit]:
    if forms.MONTH_FIRST.search(draft) and (after := forms.MONTH_FIRST.search(final) or forms.DAY_FIRST.search(final)):
        is_day_first = after.re == forms.DAY_FIRST
        yield Edit("dates", *(("day first", forms.DAYS_FIRST[language]) if is_day_first else ()))


def _names(draft: str, final: str, language: str) -> Iterator[Edit]:
    """First names alone, or surnames alone, for all full names of a draft that are still named."""
    lines = _lines(_middle(draft))  # "Operations Team" at the end is nobody's name
    full = {match for line in lines if not forms.TITLE.match(line) for match in forms.FULL_NAME.findall(line)}
    words = frozenset(forms.WORD.findall(final))
    parts_used = [(first in words, last in words) for first, last in full if words & {first, last}]
    if parts_used and language != "zh":
        rule = {(True, False): forms.FIRST_NAMES, (False, True): forms.SURNAMES}.get(parts_used[0])
        alike = len(set(parts_used)) == 1 and rule
        yield Edit("names", *(("shortened", alike[language]) if alike else ()))


def _replacements(draft: str, final: str, language: str) -> Iterator[Edit]:
    """Words replaced by others in the same place that appear nowhere else in the final text."""
    before, after = (forms.WORD.findall(_middle(content)) for content in (draft, final))
    old_words, new_words = set(_words(draft)), set(_words(final))
    counts = Counter(after)
    if sum(counts[word] for word in before) > MOST_PAIRS:
        return
    signs = 2 if language == "zh" else 1  # of a word
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = before[i:j], after[k:m]
        changed_words = {word.casefold() for word in (*old, *new)}
        sizes = sorted((len(old), len(new)))
        if (
            tag == "replace"
            and signs <= sizes[0]
            and sizes[1] <= MOST_WORDS * signs
            and not changed_words & old_words & new_words
        ):
            if signs == 1 and any(map(_says_nothing, changed_words)):
                continue
            say, never = (("" if signs > 1 else " ").join(words) for words in (new, old))
            words = SAY[language].format(say, never)
            yield Edit(f"word {never.casefold()}", say.casefold(), words, is_verbatim=True, is_of_all=True)


def _middle(content: str) -> str:
    """A text without its greeting and its sign-off, which are compared by themselves."""
    body = content.strip().splitlines()
    closing = len(_closing_lines(content))
    return "\n".join(line for line in body[: len(body) - closing] if not forms.OPENER.match(line.strip()))


def _says_nothing(word: str) -> bool:
    return word in _STOP or any(sign.isdigit() for sign in word)
